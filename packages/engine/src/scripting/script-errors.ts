// The errors a request gets when a user's function fails (Mountebank: request-time errors; profile rift: its own form).

import { type Marker, RiftError } from '../errors.js';
import type { Profile } from '../model/types.js';
import { type Hook, hookExpression } from './hooks.js';

/** A user's function ran, or kept its request waiting, longer than allowed. Answered with 504 over HTTP. */
export class ScriptTimeout extends RiftError {
  constructor(hook: Hook, timeoutMs: number) {
    super(
      timeoutCodes[hook],
      `${hookNames[hook]} timed out after ${timeoutMs}ms`,
      {},
      { status: 504, markers: [markers[hook], 'script-timeout'] },
    );
  }
}

const hookNames: Record<Hook, string> = {
  predicate: 'predicate inject',
  response: 'inject',
  decorate: 'decorate',
  wait: 'wait',
  generator: 'predicateGenerator inject',
  endOfRequest: 'endOfRequestResolver inject',
};

const timeoutCodes: Record<Hook, string> = {
  predicate: 'predicate injection timeout',
  response: 'injection timeout',
  decorate: 'behavior error',
  wait: 'injection timeout',
  generator: 'injection timeout',
  endOfRequest: 'injection timeout',
};

const markers: Record<Hook, Marker> = {
  predicate: 'inject-error',
  response: 'inject-error',
  decorate: 'decorate-error',
  wait: 'inject-error',
  generator: 'inject-error',
  endOfRequest: 'inject-error',
};

const messages: Record<Hook, string> = {
  predicate: 'invalid predicate injection',
  response: 'invalid response injection',
  decorate: 'invalid decorator injection',
  wait: 'invalid wait injection',
  generator: 'invalid predicateGenerator injection',
  endOfRequest: 'invalid endOfRequestResolver injection',
};

/** The function of a predicate generator gave something else than an array of predicates. */
export class GeneratorOutputError extends RiftError {
  constructor(source: string) {
    super(
      'invalid injection',
      messages.generator,
      { source: hookExpression('generator', source), data: 'the function gave no array of predicates' },
      { markers: [markers.generator] },
    );
  }
}

/**
 * A user's function threw, rejected or gave something that is no answer.
 * @param data Text of the exception; undefined when there is none (`throw 'text'`), the key is left out then.
 */
export function scriptFailure(profile: Profile, hook: Hook, text: string, data: string | undefined): RiftError {
  const extras = { source: hookExpression(hook, text), ...(data === undefined ? {} : { data }) };
  if (profile === 'rift' && hook === 'response') {
    return new RiftError(
      'invalid injection',
      data ?? messages.response,
      {},
      {
        status: 400,
        markers: ['inject-error'],
      },
    );
  }
  if (profile === 'rift' && hook === 'predicate') {
    const code = 'invalid predicate injection';
    return new RiftError(
      code,
      data === undefined ? code : `${code}: ${data}`,
      {},
      {
        status: 400,
        markers: ['inject-error'],
      },
    );
  }
  return new RiftError(
    'invalid injection',
    messages[hook],
    extras,
    hook === 'wait' ? {} : { markers: [markers[hook]] },
  );
}
