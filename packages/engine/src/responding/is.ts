import type { JsonObject, ResponseJson } from '../model/types.js';
import { behaviorsOf } from './behaved.js';
import type { ResponseContext } from './compile.js';
import type { CompiledResponse, ResponseOutcome } from './types.js';

/**
 * `is`: the response as written. Without behaviors it is the same for every request, so the protocol may serialize it
 * once; behaviors never change it but make a new one.
 */
export function compileIs(response: ResponseJson, context: ResponseContext): CompiledResponse {
  const is = typeof response.is === 'object' && !Array.isArray(response.is) ? (response.is as JsonObject) : {};
  const behave = behaviorsOf(response, context);
  if (behave === undefined) {
    const outcome: ResponseOutcome = { kind: 'response', origin: 'is', data: is, slot: { serialized: undefined } };
    return { respond: () => outcome };
  }
  return { respond: (view) => behave(view, 'is', is) };
}
