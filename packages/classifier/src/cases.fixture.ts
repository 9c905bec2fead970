// The behaviour cases that every classifier runs: the oracle and the index alike.
import type { Access, Condition, Key, Test } from './types.js';

/** An input of the tests: the texts of each key, by "family name". */
export type Texts = Readonly<Record<string, string | readonly string[]>>;

export const textsAccess: Access<Texts> = {
  extractor: (key) => {
    const id = `${key.family} ${key.name}`;
    return (input) => (Object.hasOwn(input, id) ? input[id] : undefined);
  },
  enumerator: (family) =>
    family === 'header' || family === 'json'
      ? (input, visitor) => {
          for (const [id, texts] of Object.entries(input)) {
            if (!id.startsWith(`${family} `)) continue;
            for (const text of typeof texts === 'string' ? [texts] : texts) {
              if (visitor.name(id.slice(family.length + 1))) visitor.text(text);
            }
          }
        }
      : undefined,
  cost: (key) => ({ path: 0, method: 0, header: 1, query: 2, body: 3 })[key.family] ?? 4,
};

const keyOf = (id: string): Key => {
  const [family, ...name] = id.split(' ');
  return { family, name: name.join(' ') };
};

export const test = (
  id: string,
  op: Exclude<Test['op'], 'matches' | 'present' | 'absent'>,
  value: string,
): Condition => ({
  kind: 'test',
  key: keyOf(id),
  test: { op, value },
});
export const matches = (id: string, source: string, flags = ''): Condition => ({
  kind: 'test',
  key: keyOf(id),
  test: { op: 'matches', source, flags },
});
export const present = (id: string): Condition => ({ kind: 'test', key: keyOf(id), test: { op: 'present' } });
const absent = (id: string): Condition => ({ kind: 'test', key: keyOf(id), test: { op: 'absent' } });
export const all = (...of: Condition[]): Condition => ({ kind: 'all', of });
export const some = (...of: Condition[]): Condition => ({ kind: 'some', of });
const any: Condition = { kind: 'any' };
const never: Condition = { kind: 'never' };

/** Rules, an input, and the positions of the rules whose condition holds. */
export interface Case {
  readonly name: string;
  readonly rules: readonly Condition[];
  readonly input: Texts;
  readonly holding: readonly number[];
}

export const cases: readonly Case[] = [
  { name: 'no rule has no candidate', rules: [], input: { 'path x': '/a' }, holding: [] },
  {
    name: 'equals takes the whole text',
    rules: [test('path x', 'equals', '/a'), test('path x', 'equals', '/a/'), test('path x', 'equals', '')],
    input: { 'path x': '/a' },
    holding: [0],
  },
  {
    name: 'equals with the empty text needs an empty text, not a missing one',
    rules: [test('query a', 'equals', ''), test('query b', 'equals', '')],
    input: { 'query a': '' },
    holding: [0],
  },
  {
    name: 'any of repeated texts is enough',
    rules: [test('query a', 'equals', '1'), test('query a', 'equals', '2'), test('query a', 'equals', '3')],
    input: { 'query a': ['3', '1'] },
    holding: [0, 2],
  },
  {
    name: 'startsWith looks at the beginning only',
    rules: [test('path x', 'startsWith', '/a'), test('path x', 'startsWith', 'a'), test('path x', 'startsWith', '')],
    input: { 'path x': '/abc' },
    holding: [0, 2],
  },
  {
    name: 'endsWith looks at the end only',
    rules: [test('path x', 'endsWith', 'bc'), test('path x', 'endsWith', '/a'), test('path x', 'endsWith', '')],
    input: { 'path x': '/abc' },
    holding: [0, 2],
  },
  {
    name: 'contains looks everywhere, also for one text inside the other',
    rules: ['/', 'ab', 'abc', 'b', 'c', 'x', ''].map((value) => test('path x', 'contains', value)),
    input: { 'path x': '/abc' },
    holding: [0, 1, 2, 3, 4, 6],
  },
  {
    name: 'a regular expression is searched anywhere unless it is anchored',
    rules: [matches('path x', 'b+'), matches('path x', '^b'), matches('path x', 'c$'), matches('path x', '^/abc$')],
    input: { 'path x': '/abc' },
    holding: [0, 2, 3],
  },
  {
    name: 'flag i ignores case, its absence does not',
    rules: [matches('path x', 'ABC', 'i'), matches('path x', 'ABC')],
    input: { 'path x': '/abc' },
    holding: [0],
  },
  {
    name: 'flag i folds as JavaScript does without u: the Kelvin sign is no k, the long s no s',
    rules: [matches('path x', 'k', 'i'), matches('path x', 's', 'i'), matches('path x', '\u00e4', 'i')],
    input: { 'path x': '\u212a\u017f\u00c4' },
    holding: [2],
  },
  {
    name: 'present holds for an empty text, absent only without one',
    rules: [present('header a'), absent('header a'), present('header b'), absent('header b')],
    input: { 'header a': '' },
    holding: [0, 3],
  },
  {
    name: 'a key with an empty list of texts is absent',
    rules: [present('query a'), absent('query a')],
    input: { 'query a': [] },
    holding: [1],
  },
  {
    name: 'all needs every part, some needs one, any always holds, never never',
    rules: [
      all(test('path x', 'equals', '/a'), test('query a', 'equals', '1')),
      all(test('path x', 'equals', '/a'), test('query a', 'equals', '2')),
      some(test('path x', 'equals', '/b'), test('query a', 'equals', '1')),
      some(test('path x', 'equals', '/b'), test('query a', 'equals', '2')),
      any,
      never,
      all(),
      some(),
      all(any, never),
      some(any, never),
    ],
    input: { 'path x': '/a', 'query a': '1' },
    holding: [0, 2, 4, 6, 9],
  },
];
