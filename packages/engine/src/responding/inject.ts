import type { ResponseData, ResponseJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import { behaviorsOf } from './behaved.js';
import type { ResponseContext } from './compile.js';
import type { CompiledResponse, Outcome } from './types.js';

/**
 * `inject`: the user's function makes the response. What it gives may ask for a fault (`fault`) or for the connection
 * to be ended (`blocked`); anything that is no object has no keys, so that the defaults apply.
 */
export function compileInject(response: ResponseJson, context: ResponseContext): CompiledResponse {
  const source = String(response.inject);
  const behave = behaviorsOf(response, context);
  return {
    async respond(view: RequestView): Promise<Outcome> {
      const made = await context.scripts.response(source, view.toJSON());
      const data: ResponseData = typeof made === 'object' && made !== null ? made : {};
      if (data.blocked === true) return { kind: 'blocked' };
      if (data.fault) return { kind: 'fault', fault: String(data.fault), data };
      return behave === undefined ? { kind: 'response', origin: 'inject', data } : behave(view, 'inject', data);
    },
  };
}
