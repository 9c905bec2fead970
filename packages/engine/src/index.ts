export type { ErrorCode, ErrorExtras } from './errors.js';
export { RiftError } from './errors.js';
export type { Logger } from './logger.js';
export { silentLogger } from './logger.js';
export type {
  ImposterJson,
  Json,
  JsonObject,
  PredicateJson,
  Profile,
  RequestJson,
  ResponseData,
  ResponseJson,
  StubJson,
} from './model/types.js';
export type { RequestView } from './request-view.js';
