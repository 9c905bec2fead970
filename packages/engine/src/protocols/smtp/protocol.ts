// The smtp protocol of imposters: they take mail and answer as told. Mountebank docs: protocols/smtp.

import type { AcceptMeter } from '../../metering/accept-meter.js';
import { bindError } from '../bind-error.js';
import { bindHost } from '../bind-host.js';
import type { ImposterCore, Listener, Protocol } from '../types.js';

export interface SmtpProtocolOptions {
  /** Bind address of imposters that name none; undefined: all interfaces, dual stack. */
  readonly host?: string;
  readonly backlog?: number;
  /** Where connections are counted. */
  readonly accepts?: AcceptMeter;
  /** Milliseconds that a stopping imposter gives its running requests. */
  readonly graceMs: number;
}

export function smtpProtocol(options: SmtpProtocolOptions): Protocol {
  return {
    name: 'smtp',
    dryRunRequest: { from: 'test@test.com', to: ['test@test.com'], subject: 'Test', text: 'Test' },
    dryRunProxyResponse: {},
    metadata: () => ({}),
    encoding: () => 'utf8',
    listen: (core) => listen(core, options),
  };
}

async function listen(core: ImposterCore, options: SmtpProtocolOptions): Promise<Listener> {
  const port = Number(core.creation.port ?? 0);
  const host = bindHost(core.creation, options.host);
  // the libraries of mail are loaded by the first imposter that needs them
  const { listenSmtp } = await import('./listener.js');
  try {
    return await listenSmtp(core, { ...options, port, host });
  } catch (error) {
    throw bindError(error, port);
  }
}
