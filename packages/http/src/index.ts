export type { Exchange, Refusal, WireConnection, WireLimits, WireRequest } from './types.js';
