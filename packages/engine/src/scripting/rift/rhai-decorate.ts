// A `decorate` in Rhai: statements about two variables, `request` and `response`.

import type { Program } from '../rhai/ast.js';
import { RhaiError, RhaiInterrupted } from '../rhai/errors.js';
import { Interpreter } from '../rhai/interpreter.js';
import type { Value } from '../rhai/values.js';

export interface DecorateInput {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
    readonly query: { readonly [name: string]: string };
    readonly headers: { readonly [name: string]: string };
  };
  readonly response: {
    readonly statusCode: number;
    readonly body: string;
    readonly headers: { readonly [name: string]: string };
  };
}

export type DecorateResult =
  | {
      readonly kind: 'decorated';
      readonly statusCode: number | undefined;
      readonly body: string | undefined;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'timeout' };

function textMap(object: { readonly [name: string]: string }): Map<string, Value> {
  return new Map(Object.entries(object));
}

/** Throws RhaiInterrupted when `tick` did. */
export function decorateRhai(
  program: Program,
  { request, response }: DecorateInput,
  tick: () => void,
  log: (text: string) => void,
): DecorateResult {
  const variables = {
    request: new Map<string, Value>([
      ['method', request.method],
      ['path', request.path],
      ['body', request.body],
      ['query', textMap(request.query)],
      ['headers', textMap(request.headers)],
    ]),
    response: new Map<string, Value>([
      ['statusCode', BigInt(response.statusCode)],
      ['body', response.body],
      ['headers', textMap(response.headers)],
    ]),
  };
  const interpreter = new Interpreter(program, variables, { tick, log });
  try {
    interpreter.run();
  } catch (error) {
    if (error instanceof RhaiInterrupted) throw error;
    return { kind: 'error', message: error instanceof RhaiError ? error.describe() : String(error) };
  }
  const changed = interpreter.variable('response');
  if (!(changed instanceof Map)) return { kind: 'decorated', statusCode: undefined, body: undefined, headers: [] };
  const status = changed.get('statusCode');
  const body = changed.get('body');
  const given = changed.get('headers');
  const headers = [...(given instanceof Map ? given : [])].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    kind: 'decorated',
    statusCode: typeof status === 'bigint' ? Number(status) : undefined,
    body: typeof body === 'string' ? body : undefined,
    headers,
  };
}
