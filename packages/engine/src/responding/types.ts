import type { Marker } from '../errors.js';
import type { ResponseData } from '../model/types.js';
import type { RequestView } from '../request-view.js';

/** Where a response came from; `none`: no stub matched. */
export type Origin = 'is' | 'proxy' | 'inject' | 'script' | 'none';

export interface ResponseOutcome {
  readonly kind: 'response';
  readonly origin: Origin;
  /** The resolved response **before** defaults are merged (the protocol merges). */
  readonly data: ResponseData;
  /** Bytes of a live proxied answer that no behavior changed: sent instead of serializing `data.body`. */
  readonly rawBody?: Buffer;
  /** What a client should know of how the answer came about: each is a header `x-rift-<marker>`. */
  readonly markers?: readonly Marker[];
  /**
   * Only on a response that is the same for every request: a place where the protocol keeps what it serialized.
   * Undefined on responses made for one request.
   */
  readonly slot?: { serialized: unknown };
}

/** What an imposter does with a request, before a protocol puts it on the wire. */
export type Outcome =
  | ResponseOutcome
  | { readonly kind: 'fault'; readonly fault: string }
  /** The connection is ended without a byte. */
  | { readonly kind: 'blocked' };

/** One response of a stub, ready to be served. */
export interface CompiledResponse {
  respond(view: RequestView): Outcome | Promise<Outcome>;
}
