// The checks on parsed bodies agree with the general rules, which a view without fast abilities goes by.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import { compilePredicate } from './compile.js';
import { plainView } from './plain-view.js';
import { fastView } from './testing/fast-view.fixture.js';

const context = { encoding: 'utf8', scripts: undefined, logger: silentLogger } as const;

const bodies = [
  '',
  'text',
  'null',
  '7',
  '"a"',
  '[]',
  '{}',
  '[{"a":1}]',
  '{"a":1}',
  '{"A":1}',
  '{"a":"1"}',
  '{"a":1.0}',
  '{"a":true}',
  '{"a":null}',
  '{"a":""}',
  '{"a":"X"}',
  '{"a":"\\u0058"}',
  '{"\\u0041":"x"}',
  '{"a":1e999}',
  '{"a":1e999,"b":"\\u0041"}',
  '{"a":1,"b":2}',
  '{"b":2,"a":1}',
  '{"a":1,"a":2}',
  '{"a":1,"A":2}',
  '{"a":{}}',
  '{"a":[]}',
  '{"a":[1]}',
  '{"a":[1,2]}',
  '{"a":[2,1]}',
  '{"a":[[1,2]]}',
  '{"a":{"b":1}}',
  '{"a":{"b":1,"c":[{"d":2}]}}',
  '{"a":[{"b":1}]}',
  '{"a":[{"b":1},{"b":2}]}',
  '{"a":"{\\"b\\":1}"}',
  '{"a":"[1,2]"}',
  '{"__proto__":1}',
  '{"a":1,"__proto__":{"b":1}}',
  '\ufeff{"a":1}',
];
const operands = [
  {},
  [],
  { a: 1 },
  { a: '1' },
  { A: 'X' },
  { a: 'x' },
  { a: true },
  { a: null },
  { a: '' },
  { a: 'Infinity' },
  { a: 'infinity' },
  { a: 1, b: 2 },
  { a: 1, b: 'a' },
  { a: 'infinity', b: 'a' },
  { a: {} },
  { a: [] },
  { a: [1] },
  { a: [1, 2] },
  { a: [[2, 1]] },
  { a: { b: 1 } },
  { a: { b: '' } },
  { a: { b: 1, c: [{ d: 2 }] } },
  { a: [{ b: 2 }, { b: 1 }] },
  { a: { length: 2 } },
  { a: { 0: 1 } },
  { missing: '' },
  JSON.parse('{"__proto__":1}'),
  JSON.parse('{"a":1,"__proto__":{"b":1}}'),
];
const operators = ['equals', 'deepEquals', 'contains', 'startsWith', 'endsWith', 'matches', 'exists'];
const parameters = [{}, { caseSensitive: true }, { caseSensitive: true, keyCaseSensitive: false }, { except: '1' }];

for (const operator of operators) {
  test(`${operator} of an object on a body gives what the general rules give`, () => {
    let matches = 0;
    for (const body of operands) {
      for (const more of parameters) {
        const predicate = compilePredicate({ [operator]: { body }, ...more }, context);
        for (const text of bodies) {
          const request = { method: 'POST', path: '/', query: {}, headers: {}, body: text };
          const expected = predicate.test(plainView(request));
          const fast = predicate.test(fastView(request));
          assert.equal(fast, expected, `${JSON.stringify(body)} ${JSON.stringify(more)} on ${text}`);
          if (expected === true) matches++;
        }
      }
    }
    assert.ok(matches > 50, `${matches} matches`);
  });
}
