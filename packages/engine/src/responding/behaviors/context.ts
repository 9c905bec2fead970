import type { Marker } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { Profile, ResponseData } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import type { ScriptHost } from '../../scripting/types.js';

/** Bound once when the responses of an imposter are compiled. */
export interface BehaviorContext {
  readonly profile: Profile;
  /** Where `decorate` and JavaScript `wait` run; undefined where injection is not allowed. */
  readonly scripts: ScriptHost | undefined;
  readonly logger: Logger;
  /** Absolute path: CSV paths are relative to it, shell commands start in it. */
  readonly workingDirectory: string;
  /** Aborted when the imposter closes: ends waits and shell commands. */
  readonly signal: AbortSignal;
  /** `strictBehaviors` of the imposter or `RIFT_STRICT_BEHAVIORS`; means something in profile `rift` only. */
  readonly strict: boolean;
  /** Milliseconds that a decorator in Rhai may run; 5000 when absent. */
  readonly scriptTimeoutMs?: number;
  /** Uniform in [0, 1); `Math.random` when absent. */
  readonly random?: () => number;
}

/**
 * One behavior, or all behaviors of a response.
 * @param data The response so far. It may be shared with other requests: never changed, a new object is returned.
 * @param markers Gets what a client is told about behaviors that failed although the answer is served.
 * @returns A promise only if this very request has to wait. Rejects with a RiftError.
 */
export type Behavior = (
  view: RequestView,
  data: ResponseData,
  markers: Marker[],
) => ResponseData | Promise<ResponseData>;
