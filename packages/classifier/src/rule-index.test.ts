import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, textsAccess } from './cases.fixture.js';
import { RuleIndex } from './rule-index.js';

for (const { name, rules, input, holding } of cases) {
  test(`index: ${name}`, () => {
    const list = RuleIndex.build([...rules.keys()], (position) => rules[position], textsAccess);
    const search = list.search(input);
    const found: number[] = [];
    for (let rule = search.next(); rule !== undefined; rule = search.next()) found.push(rule);
    assert.deepEqual(
      holding.filter((position) => !found.includes(position)),
      [],
      'excluded although they hold',
    );
    assert.deepEqual(
      found,
      [...found].sort((a, b) => a - b),
    );
  });
}

test('edits give new lists and leave the old one as it is', () => {
  const first = RuleIndex.build(['a', 'c'], () => ({ kind: 'any' }), textsAccess);
  const inserted = first.insert(1, 'b').insert(3, 'd');
  assert.deepEqual([...first], ['a', 'c']);
  assert.deepEqual([...inserted], ['a', 'b', 'c', 'd']);
  assert.deepEqual([...inserted.remove(0)], ['b', 'c', 'd']);
  assert.deepEqual([...inserted.replace(3, 'x')], ['a', 'b', 'c', 'x']);
  assert.throws(() => first.insert(3, 'x'), RangeError);
  assert.throws(() => first.remove(2), RangeError);
  assert.throws(() => first.at(-1), RangeError);
});
