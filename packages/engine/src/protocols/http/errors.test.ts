import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorAnswer } from './errors.js';

test('a body that is nested deeper than the stack is told in words of the user, in both profiles', () => {
  const overflow = (): number => 1 + overflow();
  let error: unknown;
  try {
    overflow();
  } catch (caught) {
    error = caught;
  }
  for (const profile of ['mountebank', 'rift'] as const) {
    const [{ message }] = JSON.parse(errorAnswer(error, profile).body).errors;
    assert.equal(message, 'the body is nested too deeply for the predicates of this imposter');
  }
});
