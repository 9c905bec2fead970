import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StubJson } from './types.js';
import { meantAsResponses } from './unknown-keys.js';

test('a key of a stub without responses that is spelled nearly so was meant for them', () => {
  const meant = (stub: object) => meantAsResponses({ ...stub, responses: [] } as StubJson);
  assert.equal(meant({ predicates: [], response: [{ is: {} }] }), 'response');
  assert.equal(meant({ Responses: [] }), 'Responses');
  assert.equal(meant({ predicates: [], name: 'n' }), undefined);
  assert.equal(meantAsResponses({ response: 1, responses: [{ is: {} }] }), undefined);
});
