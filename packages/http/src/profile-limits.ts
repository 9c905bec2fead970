import type { WireLimits } from './types.js';

/** The limits of an imposter of Mountebank, which are Node's. */
export const mountebankLimits: WireLimits = {
  maxHeadBytes: 16_384,
  maxHeaderLines: 2000,
  maxBodyBytes: undefined,
  headTimeoutMs: 60_000,
  keepAliveTimeoutMs: 5000,
  tlsHandshakeTimeoutMs: 10_000,
  maxConnections: undefined,
};

/** The limits of an imposter of Rift. */
export const riftLimits: WireLimits = {
  maxHeadBytes: 65_536,
  maxHeaderLines: 2000,
  maxBodyBytes: 10_485_760,
  headTimeoutMs: 30_000,
  keepAliveTimeoutMs: 75_000,
  tlsHandshakeTimeoutMs: 10_000,
  maxConnections: undefined,
};
