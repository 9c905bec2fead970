// Generated rules, inputs and regular expressions for the differential tests. Values come from a small alphabet, so that
// generated inputs are near what generated rules ask.
import fc from 'fast-check';
import type { Texts } from './cases.fixture.js';
import type { Condition, Key, Test } from './types.js';

/** Seed and size of the differential tests: RIFT_DIFF_SEED, RIFT_DIFF_RUNS (a factor). fast-check prints the seed. */
export function runs(usual: number): { seed: number; numRuns: number } {
  const factor = Number(process.env.RIFT_DIFF_RUNS ?? 1);
  return { seed: Number(process.env.RIFT_DIFF_SEED ?? 20_260_731), numRuns: Math.ceil(usual * factor) };
}

const units = [
  'a',
  'b',
  'A',
  '/',
  '1',
  '-',
  '\n',
  ' ',
  'k',
  '\u212a',
  's',
  '\u017f',
  '\u00e4',
  '\u00c4',
  '\ud83d',
  '\ude00',
  '\ufeff',
  '\u2028',
];
const unit = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('a', 'b', '/') }, fc.constantFrom(...units));
const text = fc.array(unit, { maxLength: 7 }).map((parts) => parts.join(''));
const literal = fc.array(unit, { maxLength: 3 }).map((parts) => parts.join(''));

const names = ['a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'constructor'];
const key: fc.Arbitrary<Key> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ family: 'path', name: 'x' }) },
  fc
    .constantFrom('header', 'query', 'json')
    .chain((family) => fc.constantFrom(...names).map((name) => ({ family, name }))),
  fc.constant({ family: 'body', name: '' }),
);

const atomSource = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', '/', '1', 'A', 'k', 's', '\u00e4', 'ab', '/a', 'a/b', '\\/', '-') },
  fc.constantFrom(
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\b',
    '\\B',
    '[^]',
    '[]',
    '\\n',
    '\\0',
    '\\cJ',
    '\\x61',
  ),
  fc.constantFrom(
    '\\u0061',
    '\\u{2}',
    '\\p{L}',
    '\\-',
    '\\ud83d\\ude00',
    '\ud83d\ude00',
    '\u017f',
    '\u212a',
    '{',
    '}',
    ']',
  ),
  fc.constantFrom(
    '[ab]',
    '[^ab]',
    '[a-c1]',
    '[\\w-]',
    '[^\\W]',
    '[\\s\\S]',
    '[\\d/]',
    '[^/]',
    '[A-z]',
    '[\\b]',
    '[k-s]',
  ),
  fc.constantFrom('^', '$', '\\1', '\\2', '\\k<n>', '\\8'),
);
const quantifier = fc.constantFrom(
  '',
  '',
  '',
  '',
  '?',
  '*',
  '+',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0}',
  '{1,2}',
  '{2,}',
  '{0,3}',
  '{3,40}',
);

/** A regular expression over the whole syntax without flag u; some are invalid. */
const source: fc.Arbitrary<string> = fc.letrec<{ choice: string; row: string; part: string; group: string }>((tie) => ({
  choice: fc.array(tie('row'), { minLength: 1, maxLength: 3, size: 'max' }).map((rows) => rows.join('|')),
  row: fc
    .tuple(
      fc.constantFrom('', '', '^'),
      fc.array(tie('part'), { maxLength: 5, size: 'max' }),
      fc.constantFrom('', '', '$'),
    )
    .map(([begin, parts, end]) => begin + parts.join('') + end),
  part: fc.tuple(fc.oneof({ weight: 4, arbitrary: atomSource }, tie('group')), quantifier).map(([a, b]) => a + b),
  group: fc
    .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>', '(?i:', '(?-i:'), tie('choice'))
    .map(([open, inner]) => `${open}${inner})`),
})).choice;

const pattern = fc.tuple(source, fc.constantFrom('', 'i')).map(([source, flags]) => ({ source, flags }));

const isValid = ({ source, flags }: { source: string; flags: string }): boolean => {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
};
export const validPattern = pattern.filter(isValid);

const test: fc.Arbitrary<Test> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('equals' as const), literal).map(([op, value]) => ({ op, value })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('startsWith' as const, 'endsWith' as const, 'contains' as const), literal)
      .map(([op, value]) => ({ op, value })),
  },
  { weight: 3, arbitrary: validPattern.map(({ source, flags }) => ({ op: 'matches' as const, source, flags })) },
  { weight: 2, arbitrary: fc.constantFrom({ op: 'present' as const }, { op: 'absent' as const }) },
);

export const condition: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('test' as const), key, test }) },
    fc.record({ kind: fc.constant('all' as const), of: fc.array(tie('tree'), { maxLength: 3, size: 'max' }) }),
    fc.record({ kind: fc.constant('some' as const), of: fc.array(tie('tree'), { maxLength: 4, size: 'max' }) }),
    fc.constantFrom<Condition>({ kind: 'any' }, { kind: 'never' }),
  ),
})).tree;

/** Texts that patterns and literals of this file may fit. */
export const nearText = fc.oneof(
  text,
  literal,
  fc.array(literal, { maxLength: 4 }).map((parts) => parts.join('a')),
);

export const input: fc.Arbitrary<Texts> = fc
  .array(fc.tuple(key, fc.oneof({ weight: 4, arbitrary: nearText }, fc.array(nearText, { maxLength: 3 }))), {
    maxLength: 8,
  })
  .map((entries) => Object.fromEntries(entries.map(([{ family, name }, texts]) => [`${family} ${name}`, texts])));
