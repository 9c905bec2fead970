// The behaviors of a response, as one step from resolved response to outcome.

import type { Marker } from '../errors.js';
import type { JsonObject, ResponseData, ResponseJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import { compileBehaviors } from './behaviors/compile-behaviors.js';
import type { ResponseContext } from './compile.js';
import type { Origin, ResponseOutcome } from './types.js';

/** Runs the behaviors on `data`, which is not changed: it may be the same for all requests. */
export type Behave = (
  view: RequestView,
  origin: Origin,
  data: ResponseData,
) => ResponseOutcome | Promise<ResponseOutcome>;

/** Undefined when the response has no behavior to run. */
export function behaviorsOf(response: ResponseJson, context: ResponseContext): Behave | undefined {
  const run = compileBehaviors((response.behaviors ?? []) as JsonObject[], context);
  if (run === undefined) return undefined;
  return (view, origin, given) => {
    const markers: Marker[] = [];
    const data = run(view, given, markers);
    return data instanceof Promise
      ? data.then((made) => ({ kind: 'response', origin, data: made, markers }))
      : { kind: 'response', origin, data, markers };
  };
}
