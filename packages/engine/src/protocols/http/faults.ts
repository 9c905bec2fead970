// The faults of Mountebank's `fault` response over HTTP: broken answers on purpose.

import type { Exchange } from '@rift-ts/http';

/** What Mountebank sends for RANDOM_DATA_THEN_CLOSE: always these 32 characters. */
const RANDOM_DATA = 'Htijy%@tWXJ/hQ#[Q:7G@dH4"gu[QaX&';

/** Breaks the answer as asked; false when the fault is unknown and nothing was done. */
export function sendFault(exchange: Exchange, fault: string): boolean {
  switch (fault) {
    case 'CONNECTION_RESET_BY_PEER':
      exchange.reset();
      return true;
    case 'RANDOM_DATA_THEN_CLOSE':
      exchange.sendRaw(RANDOM_DATA);
      return true;
    default:
      return false;
  }
}
