import type { JsonObject, ResponseData, ResponseJson } from '../model/types.js';
import type { Stub } from '../selection/stub.js';
import { type Behave, behaviorsOf } from './behaved.js';
import type { ResponseContext } from './compile.js';
import { FilledOutcome } from './templates/filled-outcome.js';
import { templatedIs } from './templates/templated-is.js';
import type { CompiledResponse, Outcome, ResponseOutcome } from './types.js';

/**
 * `is`: the response as written, its tokens filled in. Without behaviors and tokens it is the same for every request, so
 * the protocol may serialize it once; behaviors never change it but make a new one.
 */
export function compileIs(response: ResponseJson, stub: Stub, context: ResponseContext): CompiledResponse {
  const is = typeof response.is === 'object' && !Array.isArray(response.is) ? (response.is as JsonObject) : {};
  const behave = behaviorsOf(response, context);
  const templated = templatedIs(is, response, stub.json, behave !== undefined, context);
  if (behave !== undefined) return behaved(is, behave, templated);
  if (templated?.template === undefined) {
    const outcome: ResponseOutcome = { kind: 'response', origin: 'is', data: is, slot: { serialized: undefined } };
    return { respond: () => outcome };
  }
  const { template } = templated;
  return {
    respond(view) {
      const values = template.values(view);
      return values instanceof Promise
        ? values.then((waited) => new FilledOutcome(template, waited))
        : new FilledOutcome(template, values);
    },
  };
}

function behaved(is: JsonObject, behave: Behave, templated: ReturnType<typeof templatedIs>): CompiledResponse {
  if (templated === undefined) return { respond: (view) => behave(view, 'is', is) };
  const { template, forBehaviors, afterBehaviors } = templated;
  const finished = (outcome: ResponseOutcome): Outcome => {
    const data = afterBehaviors(outcome.data);
    return data === outcome.data ? outcome : { ...outcome, data };
  };
  const withBehaviors = (view: Parameters<Behave>[0], data: ResponseData): Outcome | Promise<Outcome> => {
    const outcome = behave(view, 'is', data);
    return outcome instanceof Promise ? outcome.then(finished) : finished(outcome);
  };
  if (template === undefined) return { respond: (view) => withBehaviors(view, templated.is) };
  return {
    respond(view) {
      const values = template.values(view);
      return values instanceof Promise
        ? values.then((waited) => withBehaviors(view, forBehaviors(template.filled(waited))))
        : withBehaviors(view, forBehaviors(template.filled(values)));
    },
  };
}
