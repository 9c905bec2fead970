// Broken answers below HTTP: their names, and what each of them does to a connection.

import type { Profile } from '../../model/types.js';

export type TcpFaultName =
  | 'CONNECTION_RESET_BY_PEER'
  | 'EMPTY_RESPONSE'
  | 'RANDOM_DATA_THEN_CLOSE'
  | 'MALFORMED_RESPONSE_CHUNK';

const ALIASES: ReadonlyMap<string, TcpFaultName> = new Map([
  ['reset', 'CONNECTION_RESET_BY_PEER'],
  ['empty', 'EMPTY_RESPONSE'],
  ['random', 'RANDOM_DATA_THEN_CLOSE'],
  ['garbage', 'RANDOM_DATA_THEN_CLOSE'],
  ['malformed', 'MALFORMED_RESPONSE_CHUNK'],
] as const);

const BYTES: { readonly [name in Exclude<TcpFaultName, 'CONNECTION_RESET_BY_PEER'>]: Buffer } = {
  EMPTY_RESPONSE: Buffer.alloc(0),
  RANDOM_DATA_THEN_CLOSE: Buffer.from('00fffefd1337deadbeef', 'hex'),
  MALFORMED_RESPONSE_CHUNK: Buffer.from(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZZZ not a valid chunk size\r\n',
  ),
};

/** What Mountebank sends for RANDOM_DATA_THEN_CLOSE: always these 32 characters, inside TLS where there is TLS. */
const MOUNTEBANK_RANDOM_DATA = Buffer.from('Htijy%@tWXJ/hQ#[Q:7G@dH4"gu[QaX&');

/** The canonical name of a name or alias; names are case-sensitive. */
export function tcpFaultName(name: string): TcpFaultName | undefined {
  if (Object.hasOwn(BYTES, name) || name === 'CONNECTION_RESET_BY_PEER') return name as TcpFaultName;
  return ALIASES.get(name);
}

/** What a fault does to the connection: a reset, or bytes (perhaps none) and then a close. */
export type TcpFault = 'reset' | { readonly bytes: Buffer; readonly belowTls: boolean };

/**
 * @param injected Whether `_rift.fault` asked for it; a `fault` response of profile `mountebank` sends Mountebank's bytes.
 * @returns undefined when there is no such fault.
 */
export function tcpFault(name: string, profile: Profile, injected = false): TcpFault | undefined {
  if (name === 'RANDOM_DATA_THEN_CLOSE' && profile === 'mountebank' && !injected) {
    return { bytes: MOUNTEBANK_RANDOM_DATA, belowTls: false };
  }
  const canonical = tcpFaultName(name);
  if (canonical === undefined) return undefined;
  return canonical === 'CONNECTION_RESET_BY_PEER' ? 'reset' : { bytes: BYTES[canonical], belowTls: true };
}
