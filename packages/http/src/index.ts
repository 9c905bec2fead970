export { httpDate } from './http-date.js';
export { KnownText } from './known-texts.js';
export { METHODS } from './methods.js';
export { PreparedResponse, type ResponseParts } from './prepared-response.js';
export { mountebankLimits, riftLimits } from './profile-limits.js';
export { createWireServer, type WireServer, type WireServerOptions } from './server.js';
export type {
  Exchange,
  Refusal,
  RefusalDetail,
  WireConnection,
  WireLimits,
  WireRequest,
} from './types.js';
