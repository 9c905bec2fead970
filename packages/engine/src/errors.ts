// Errors that users see. Each has a code of Mountebank's catalogue, a message for people and, where it helps, the
// piece of configuration it is about.

export type ErrorCode =
  | 'bad data'
  | 'invalid injection'
  | 'resource conflict'
  | 'insufficient access'
  | 'invalid proxy'
  | 'no such resource'
  | 'invalid JSON'
  | 'unauthorized'
  | 'cannot start server'
  | 'corrupted database'
  | 'communication';

/** Extras of an error object, in Mountebank's order. */
export interface ErrorExtras {
  source?: unknown;
  data?: unknown;
  details?: unknown;
  inner?: unknown;
  /** Of an error of the TLS library. */
  library?: string;
  reason?: string;
  /** What cannot be done without a backend that is away, and why it is. */
  feature?: string;
  detail?: string;
}

/** Why predicate generators of a proxy gave nothing to record. */
export type GeneratorTrouble = 'script-error' | 'invalid-output' | 'pool-failure' | 'timeout';

/**
 * A header `x-rift-<marker>: true` that tells a client what happened behind an answer; a marker with a colon has its
 * value after it.
 */
export type Marker =
  | 'inject-error'
  | 'decorate-error'
  | 'shelltransform-error'
  | 'binary-error'
  | 'script-error'
  | 'script-timeout'
  | `script:${string}`
  | `script-trace:${string}`
  | `latency-ms:${number}`
  | 'template-error'
  | 'imposter-disabled'
  | 'fault:error'
  | 'proxy-error'
  | `proxy-latency:${number}`
  | `generator-error:${GeneratorTrouble}`
  | 'default-forward'
  | 'default-forward-error';

/** The header line of a marker. */
export function markerHeader(marker: Marker): [name: string, value: string] {
  const colon = marker.indexOf(':');
  return colon < 0 ? [`x-rift-${marker}`, 'true'] : [`x-rift-${marker.slice(0, colon)}`, marker.slice(colon + 1)];
}

/**
 * How a door answers with an error, where that is more than its default status (imposters 500, the admin API by code)
 * and the error object.
 */
export interface ErrorAnswer {
  readonly status?: number;
  /** JSON path of the faulty part in the posted document, e.g. `stubs[0].predicates[1].matches.path`. */
  readonly path?: string;
  /** A failure that Mountebank does not have: sent as `code` STATUS, `type` word in both profiles. */
  readonly riftOnly?: boolean;
  readonly markers?: readonly Marker[];
  /** The element of `errors` is the message as a plain text instead of an object (failing shell commands). */
  readonly asText?: boolean;
}

export class RiftError extends Error {
  readonly code: string;
  readonly extras: ErrorExtras;
  readonly answer: ErrorAnswer;

  constructor(code: ErrorCode | (string & {}), message: string, extras: ErrorExtras = {}, answer: ErrorAnswer = {}) {
    super(message);
    this.name = 'Error';
    this.code = code;
    this.extras = extras;
    this.answer = answer;
  }

  /** The object of an error envelope: code, message, extras. */
  toJSON(): Record<string, unknown> {
    return { code: this.code, message: this.message, ...this.extras };
  }
}

/** Several reasons at once why a document is refused, in the order in which they are shown. */
export class RiftErrors extends Error {
  readonly errors: readonly RiftError[];

  constructor(errors: readonly RiftError[]) {
    super(errors.map((error) => error.message).join('; '));
    this.name = 'Error';
    this.errors = errors;
  }
}
