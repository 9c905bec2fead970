import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, textsAccess } from './cases.fixture.js';
import { LinearClassifier } from './linear.js';

for (const { name, rules, input, holding } of cases) {
  test(`oracle: ${name}`, () => {
    const list = new LinearClassifier([...rules.keys()], (position) => rules[position], textsAccess);
    const found: number[] = [];
    list.first(input, (position) => {
      found.push(position);
      return false;
    });
    assert.deepEqual(found, holding);
  });
}
