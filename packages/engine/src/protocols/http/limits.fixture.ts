// Limits of the wire for tests that open ports.

import type { WireLimits } from '@rift-ts/http';

/** Those of Mountebank. */
export const wireLimits: WireLimits = {
  maxHeadBytes: 16_384,
  maxHeaderLines: 2000,
  maxBodyBytes: undefined,
  headTimeoutMs: 60_000,
  keepAliveTimeoutMs: 5000,
  tlsHandshakeTimeoutMs: 10_000,
  maxConnections: undefined,
};
