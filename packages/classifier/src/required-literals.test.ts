import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePattern } from './regex-syntax.js';
import { requiredLiterals } from './required-literals.js';

/** Requirements in short: "op:literal|literal", one list an alternative. */
function required(source: string, ignoreCase = false): string[][] {
  return requiredLiterals(parsePattern(source)!, ignoreCase).map((alternative) =>
    alternative.map(({ op, literals }) => `${op}:${literals.join('|')}`),
  );
}

const table: [source: string, required: string[][]][] = [
  ['abc', [['contains:abc']]],
  ['^abc', [['startsWith:abc']]],
  ['abc$', [['endsWith:abc']]],
  ['^abc$', [['equals:abc']]],
  ['^$', [['equals:']]],
  ['', [[]]],
  ['.*', [[]]],
  ['^/api/v[0-9]+/resource17/[a-z]+$', [['contains:/resource17/', 'startsWith:/api/v']]],
  ['/users/\\d+/orders$', [['endsWith:/orders', 'contains:/users/']]],
  ['cat|dog', [['contains:cat'], ['contains:dog']]],
  ['^(get|put)$', [['equals:get|put']]],
  ['^/(a|b)/x', [['startsWith:/a/x|/b/x']]],
  ['https?://', [['contains:https://|http://']]],
  ['colou?r', [['contains:colour|color']]],
  ['(foo|.*)bar', [['contains:bar']]],
  ['(foo|[a-z]bar|baz+)', [['contains:foo|bar|ba']]],
  ['(foo|[a-z])', [[]]],
  ['a{3}b', [['contains:aaab']]],
  ['(?:ab){2,}c', [['contains:abab', 'contains:c']]],
  ['x*yz', [['contains:yz']]],
  ['[ab]c', [['contains:ac|bc']]],
  ['[^a]c', [['contains:c']]],
  ['a(?=b)\\bc', [['contains:ac']]],
  ['(a)\\1b', [['contains:b', 'contains:a']]],
  ['(?<!x)y', [['contains:y']]],
  ['a|', [['contains:a'], []]],
  ['[]', [['contains:']]],
  ['\\.json$', [['endsWith:.json']]],
  ['a^b', [['contains:ab']]],
];
for (const [source, expected] of table) {
  test(`what /${source}/ requires`, () => assert.deepEqual(required(source), expected));
}

test('an empty class never matches: no literal is enough', () => {
  assert.deepEqual(requiredLiterals(parsePattern('a[]')!, false), [[{ op: 'contains', literals: [] }]]);
});

test('with flag i literals are folded', () => {
  assert.deepEqual(required('^/Api/\u00e4[kK]', true), [['startsWith:/API/\u00c4K']]);
});

test('a long alternation stays one requirement', () => {
  const words = Array.from({ length: 10_000 }, (_, number) => `word${number}`);
  assert.deepEqual(
    required(`^/(?:${words.join('|')})$`)
      .flat()
      .map((each) => each.slice(0, 24)),
    [`endsWith:${words.join('|')}`.slice(0, 24), 'startsWith:/'],
  );
});

test('hostile patterns are read within bounds', () => {
  for (const source of [
    '(a{1000}){1000}',
    '(?:(?:(?:(?:a|b){9}){9}){9}){9}',
    `${'('.repeat(200)}a${')+'.repeat(200)}`,
    '(?:){1000000}a',
  ]) {
    const literals = requiredLiterals(parsePattern(source)!, false)
      .flat()
      .flatMap((each) => each.literals);
    assert.ok(literals.length <= 8 && literals.every(({ length }) => length <= 1000), source);
  }
  assert.equal(parsePattern('('.repeat(100_000)), undefined);
  assert.equal(parsePattern('a'.repeat(1_000_000)), undefined);
});
