import type { Marker } from '../errors.js';
import type { ResponseData } from '../model/types.js';
import type { RequestView } from '../request-view.js';

/**
 * What an imposter does with a request, before a protocol puts it on the wire.
 * `data` is the resolved response **before** defaults are merged (the protocol merges, mountebank-imposters.md 2.5).
 */
export type Outcome =
  | {
      readonly kind: 'response';
      readonly data: ResponseData;
      /**
       * Identity of a response that is the same for every request (no behavior, no template): a protocol may keep what
       * it serialized under this object. Undefined for responses made for one request.
       */
      readonly constant?: object;
      /** Bytes of a live proxied answer that no behavior changed: to be sent instead of serializing `data.body`. */
      readonly rawBody?: Buffer;
      /** Troubles behind an answer that is served all the same: each is a header `x-rift-<marker>: true`. */
      readonly markers?: readonly Marker[];
    }
  | { readonly kind: 'fault'; readonly fault: string }
  | { readonly kind: 'blocked' };

/** One response of a stub, ready to be served. */
export interface CompiledResponse {
  respond(view: RequestView): Outcome | Promise<Outcome>;
}
