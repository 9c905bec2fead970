// Broken answers on purpose on a raw connection: Mountebank's two faults, and the further ones that http knows.

import type { Profile } from '../../model/types.js';

/** Bytes and a normal close, or a reset. */
type TcpFault = Buffer | 'reset';

/** What Mountebank sends for RANDOM_DATA_THEN_CLOSE: always these 32 characters. */
const MOUNTEBANK_RANDOM = Buffer.from('Htijy%@tWXJ/hQ#[Q:7G@dH4"gu[QaX&');
const RANDOM = Buffer.from('00fffefd1337deadbeef', 'hex');
const MALFORMED = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZZZ not a valid chunk size\r\n');
const NOTHING = Buffer.alloc(0);

/** The fault of a name or alias; undefined when there is none. */
export function tcpFault(name: string, profile: Profile): TcpFault | undefined {
  switch (name) {
    case 'CONNECTION_RESET_BY_PEER':
    case 'reset':
      return 'reset';
    case 'EMPTY_RESPONSE':
    case 'empty':
      return NOTHING;
    case 'RANDOM_DATA_THEN_CLOSE':
      return profile === 'mountebank' ? MOUNTEBANK_RANDOM : RANDOM;
    case 'random':
    case 'garbage':
      return RANDOM;
    case 'MALFORMED_RESPONSE_CHUNK':
    case 'malformed':
      return MALFORMED;
    default:
      return undefined;
  }
}
