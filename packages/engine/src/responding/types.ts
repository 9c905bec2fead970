import type { Readable } from 'node:stream';
import type { Marker } from '../errors.js';
import type { JsonObject, ResponseData, ResponseJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';

/**
 * Where a response came from; `fault`: an error that `_rift.fault` put in the place of the response; `forward`: no stub
 * matched and `defaultForward` answered; `none`: no stub matched; `debug`: an explanation instead of an answer.
 */
export type Origin = 'is' | 'proxy' | 'inject' | 'script' | 'fault' | 'forward' | 'none' | 'debug';

export interface ResponseOutcome {
  readonly kind: 'response';
  readonly origin: Origin;
  /** The resolved response **before** defaults are merged (the protocol merges). */
  readonly data: ResponseData;
  /** Bytes of a live proxied answer that no behavior changed: sent instead of serializing `data.body`. */
  readonly rawBody?: Buffer;
  /** Body of a live proxied answer that is still arriving; `data` has none then. To be sent or destroyed. */
  readonly stream?: Readable;
  /** What a client should know of how the answer came about: each is a header `x-rift-<marker>`. */
  readonly markers?: readonly Marker[];
  /**
   * Only on a response that is the same for every request: a place where the protocol keeps what it serialized.
   * Undefined on responses made for one request.
   */
  readonly slot?: { serialized: unknown };
  /** Only on a response that differs from others of its stub in single values. */
  readonly filling?: Filling;
}

/** The values of one request, and what they are put into: the same object for every request. */
export interface Filling {
  readonly values: readonly string[];
  readonly pattern: {
    /** Number of values. */
    readonly size: number;
    /** The response with other values in it. */
    filled(values: readonly string[]): ResponseData;
    /** A place where the protocol keeps what it serialized. */
    readonly slot: { serialized: unknown };
  };
}

/** What an imposter does with a request, before a protocol puts it on the wire. */
export type Outcome =
  | ResponseOutcome
  /**
   * `data`: what an `inject` response had beside its fault; sent where the protocol has no such fault. `injected`:
   * `_rift.fault.tcp` (or a script) asked for it, under its canonical name; never Mountebank's bytes.
   */
  | { readonly kind: 'fault'; readonly fault: string; readonly data?: ResponseData; readonly injected?: true }
  /** The connection is ended without a byte. */
  | { readonly kind: 'blocked' }
  /**
   * The process that speaks the protocol has to call the upstream itself and to post the answer under `key`
   * (`Imposter.pendingProxies`). `proxy` is the response's configuration with its mode. Only where the protocol
   * has no ProxyCall.
   */
  | { readonly kind: 'delegated'; readonly proxy: JsonObject; readonly key: number };

/** One response of a stub, ready to be served. */
export interface CompiledResponse {
  /** How `matches` shows the response, where that is not as it stands in the stub. */
  readonly shown?: ResponseJson;
  respond(view: RequestView): Outcome | Promise<Outcome>;
}
