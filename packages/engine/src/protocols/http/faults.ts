// Broken answers on purpose over HTTP: on the raw socket, below TLS where there is TLS.

import type { Exchange } from '@rift-ts/http';
import type { Profile } from '../../model/types.js';
import { tcpFault } from '../../responding/faults/tcp-faults.js';

/** A fault that is no fault's name: what a client of profile `rift` gets. */
export interface UnknownFaultAnswer {
  readonly statusCode: number;
  readonly headers: [string, string][];
  readonly body: Buffer;
}

/** What cannot stand in a header value. */
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/g;

/** Breaks the answer as asked; false when the fault is unknown and nothing was done. */
export function sendFault(exchange: Exchange, name: string, profile: Profile, injected: boolean): boolean {
  const fault = tcpFault(name, profile, injected);
  if (fault === undefined) return false;
  if (fault === 'reset') exchange.reset();
  else exchange.sendRaw(fault.bytes, true, fault.belowTls);
  return true;
}

export function unknownFaultAnswer(name: string): UnknownFaultAnswer {
  return {
    statusCode: 500,
    headers: [['x-rift-fault', name.replace(NOT_A_VALUE, '')]],
    body: Buffer.from(`Unknown fault: ${name}`),
  };
}
