// The behaviors of a response, in array order, each on the output of the one before (Mountebank docs: behaviors).

import type { JsonObject } from '../../model/types.js';
import type { Behavior, BehaviorContext } from './context.js';
import { compileCopy } from './copy.js';
import { compileDecorate } from './decorate.js';
import { compileLookup } from './lookup.js';
import { compileShellTransform } from './shell-transform.js';
import { compileWait } from './wait.js';

const compilers: { readonly [type: string]: (value: unknown, context: BehaviorContext) => Behavior | undefined } = {
  wait: compileWait,
  copy: compileCopy,
  lookup: compileLookup,
  decorate: compileDecorate,
  shellTransform: compileShellTransform,
};

/**
 * @param behaviors Elements of `behaviors` as they passed validation. Keys that are no behavior (`repeat` among them)
 *   mean nothing here; several behaviors in one element run in key order.
 * @returns undefined when there is nothing to do.
 */
export function compileBehaviors(behaviors: readonly JsonObject[], context: BehaviorContext): Behavior | undefined {
  const steps: Behavior[] = [];
  for (const element of behaviors) {
    for (const [type, value] of Object.entries(element)) {
      if (!Object.hasOwn(compilers, type)) continue;
      const step = compilers[type]!(value, context);
      if (step !== undefined) steps.push(step);
    }
  }
  if (steps.length <= 1) return steps[0];
  return (view, data, markers) => {
    const runFrom = (index: number, current: typeof data): ReturnType<Behavior> => {
      let result = current;
      for (let i = index; i < steps.length; i++) {
        const next = steps[i]!(view, result, markers);
        if (next instanceof Promise) return next.then((value) => runFrom(i + 1, value));
        result = next;
      }
      return result;
    };
    return runFrom(0, data);
  };
}
