import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import { compilePredicate } from './compile.js';
import { predicateFindings } from './findings.js';

const kinds = (predicates: unknown) => predicateFindings(predicates).map(({ kind, path }) => `${kind} ${path}`);

test('an operator behind another one is reported as ignored, at any depth', () => {
  const two = { equals: { path: '/a' }, contains: { path: 'z' }, caseSensitive: true, comment: 'x' };
  assert.deepEqual(kinds([two, { not: { and: [two] } }]), [
    'ignored_operator predicates[0].contains',
    'ignored_operator predicates[1].not.and[0].contains',
  ]);
});

test('a pattern that does not compile is reported where it stands', () => {
  assert.deepEqual(kinds([{ matches: { path: '/', headers: { x: ['a', '['] } } }, { equals: {}, except: '(' }]), [
    'invalid_regex predicates[0].matches.headers.x[1]',
    'invalid_regex predicates[1].except',
  ]);
});

test('patterns are called unsafe exactly where Mountebank warns', () => {
  const unsafe = [
    '(a?)*',
    '(a{2}){3}',
    '(a{2})+',
    'a?'.repeat(26),
    'a*'.repeat(26),
    '(a+)?',
    '(a|b+)+',
    '(a{1}){1}',
    '(?:a+b)+',
    '(a*?)+',
    '^(a+)+$',
  ];
  const safe = ['a?'.repeat(25), 'a*'.repeat(25), '(?=a+)*', '([a-z]+)', '((a+)b)c*', '^/x/\\d+$'];
  for (const path of unsafe)
    assert.deepEqual(kinds([{ matches: { path } }]), ['unsafe_regex predicates[0].matches.path'], path);
  for (const path of safe) assert.deepEqual(kinds([{ matches: { path } }]), [], path);
});

test("compiling a predicate with an unsafe pattern logs Mountebank's warning", () => {
  const lines: unknown[][] = [];
  const warn = (...line: unknown[]) => lines.push(line);
  const logger = { ...silentLogger, warn, enabled: () => true };
  compilePredicate(
    { not: { equals: { path: '/' }, except: '(a+)+' } },
    { encoding: 'utf8', scripts: undefined, logger },
  );
  assert.deepEqual(lines, [
    ['If mountebank becomes unresponsive, it is because of this unsafe regular expression: %s', '(a+)+'],
  ]);
});

test('what is malformed is passed over', () => {
  for (const predicates of [
    undefined,
    null,
    {},
    [null, 'x', { or: 5 }, { matches: null }, { matches: 'x(' }, { not: [] }],
  ]) {
    assert.deepEqual(kinds(predicates), []);
  }
});
