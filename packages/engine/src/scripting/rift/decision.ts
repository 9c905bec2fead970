// What a script of `_rift.script` decides about its request, whatever language it is written in.

export type Decision =
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      /** Undefined: none. */
      readonly body: string | undefined;
      /** The body is the JSON of a value that was no text. */
      readonly json: boolean;
    }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'pass' };

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** How a run ended. `timeout`: it did not come to an end in time. */
export type ScriptResult =
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'timeout' };

export const wrongResult = 'respond(ctx) must return http(...)/delay(...)/reset()/pass() or nothing';

export const misnamed =
  'script defines function(s) but none is the `respond` entrypoint (and there is no bare expression to evaluate); did you mean `respond`?';

/** A status beyond what HTTP can carry is the answering side's problem; beyond 16 bits it is none. */
export function clampStatus(status: number): number {
  return Math.min(65535, Math.max(0, Math.trunc(status)));
}

/** Header names are the same whatever their case; the last one given wins. */
export function withHeader(
  headers: readonly (readonly [string, string])[],
  name: string,
  value: string,
): (readonly [string, string])[] {
  const lower = name.toLowerCase();
  return [...headers.filter(([other]) => other.toLowerCase() !== lower), [name, value]];
}
