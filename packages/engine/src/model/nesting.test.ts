import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nestingError } from './nesting.js';

const nested = (levels: number): unknown => JSON.parse('{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2));

test('a document of a thousand levels is taken', () => assert.equal(nestingError(nested(1000)), undefined));

test('a deeper one is refused with the bound, however deep', () => {
  for (const levels of [1004, 500_000]) {
    assert.equal(nestingError(nested(levels))?.message, 'the document is nested deeper than 1000 levels');
  }
});

test('what is no document has no depth', () => {
  for (const value of [null, undefined, 5, 'text']) assert.equal(nestingError(value), undefined);
});
