// Protocols that another process speaks, in any language: it turns bytes into requests, asks the admin API what to answer,
// and turns that into bytes. Mountebank docs: protocols/custom.

import { RiftError } from '../../errors.js';
import type { RequestJson, ResponseData } from '../../model/types.js';
import type { ImposterCore, Listener, Protocol } from '../types.js';
import { startProcess } from './child.js';
import { type StartOptions, startJson } from './start-json.js';

/** An entry of a protofile. */
export interface ProcessProtocolConfig {
  /** Program and arguments, separated by single blanks; there is no quoting and no shell. */
  readonly createCommand: string;
  /** Request that predicates are tried against when an imposter is created; default `{}`. */
  readonly testRequest?: RequestJson;
  /** An upstream's answer in that trial; absent: proxies are not tried. */
  readonly testProxyResponse?: ResponseData;
}

export interface ProcessProtocolOptions extends Omit<StartOptions, 'callbackURLTemplate'> {
  /** `http://localhost:2525`; undefined while the port of the admin API is not known. */
  adminUrl(): string | undefined;
}

export function processProtocol(
  name: string,
  config: ProcessProtocolConfig,
  options: ProcessProtocolOptions,
): Protocol {
  return {
    name,
    custom: true,
    outOfProcess: true,
    dryRunRequest: config.testRequest ?? {},
    dryRunProxyResponse: config.testProxyResponse,
    metadata: () => ({}),
    encoding: () => 'utf8',
    listen: (core) => listen(core, name, config.createCommand, options),
  };
}

async function listen(
  { creation, logger }: ImposterCore,
  name: string,
  command: string,
  options: ProcessProtocolOptions,
): Promise<Listener> {
  const { adminUrl, ...rest } = options;
  const admin = adminUrl();
  if (admin === undefined) {
    throw new RiftError(
      'cannot start server',
      `"${name}" needs the port of the admin API: start with a --port other than 0, or create the imposter later`,
      { source: command },
    );
  }
  const callbackURLTemplate = `${admin}/imposters/:port/_requests`;
  const argument = JSON.stringify(startJson(creation, { callbackURLTemplate, ...rest }));
  const { said, end } = await startProcess(name, command, argument, logger);
  const { port: saidPort, encoding, ...metadata } = said;
  const port = Number(saidPort ?? creation.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    await end();
    throw new RiftError(
      'cannot start server',
      `"${name}" did not say where it listens: without a requested port its first line must be JSON with a "port"`,
      { source: command },
    );
  }
  return { port, metadata, encoding: encoding === 'base64' ? 'base64' : 'utf8', close: end };
}
