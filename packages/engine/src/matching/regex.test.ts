import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import { checkPredicates } from './check.js';
import { compilePredicate } from './compile.js';
import { LinearRegex } from './linear-regex.js';
import { plainView } from './plain-view.js';
import { finds, mayWait } from './regex.js';
import { worstSteps } from './regex-cost.js';
import { defaultRequest } from './testing/behaviours.fixture.js';
import { pairsOfRun, Random, seedOfRun } from './testing/random.fixture.js';

const pieces = [
  'a',
  'B',
  '.',
  '\\d',
  '\\W',
  '\\s',
  '[a-c]',
  '[^b]',
  '\\b',
  '\\B',
  '^',
  '$',
  'k',
  'ſ',
  '\\u212a',
  '\\xe9',
  'É',
  '-',
  '\\n',
];

function pattern(random: Random, depth: number): string {
  let source = '';
  for (let count = random.below(4); count >= 0; count--) {
    let piece =
      depth > 0 && random.chance(0.4)
        ? `${random.pick(['(', '(?:'])}${pattern(random, depth - 1)})`
        : random.pick(pieces);
    if (random.chance(0.35) && !/^(?:\\b|\\B|\^|\$)$/.test(piece))
      piece += random.pick(['*', '+', '?', '{2}', '{1,3}', '{0,2}?', '*?', '+?', '{2,}']);
    source += piece;
  }
  return random.chance(0.25) ? `${source}|${random.pick(pieces)}` : source;
}

test('the linear automaton gives the verdict of JavaScript', () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  const wanted = pairsOfRun(10_000);
  for (let pair = 0; pair < wanted; pair++) {
    const source = pattern(random, 2);
    const flags = random.pick(['', 'i']);
    const text = Array.from({ length: random.below(9) }, () => random.pick([...'aAbBck1 -\nſKéÉ\ud83d'])).join('');
    const automaton = LinearRegex.of(source, flags);
    assert.ok(automaton !== undefined, source);
    assert.equal(
      automaton.test(text),
      new RegExp(source, flags).test(text),
      `RIFT_SEED=${seed} /${source}/${flags} on ${JSON.stringify(text)}`,
    );
  }
});

test('look-around, back-references and huge repetitions have no automaton', () => {
  for (const source of ['(?=a)', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', 'a{6000}', '(a{100}){100}', '[']) {
    assert.equal(LinearRegex.of(source, ''), undefined, source);
  }
});

test('patterns that backtrack without end are told apart from patterns that do not', () => {
  for (const source of [
    '(a+)+$',
    '(a|a)*$',
    '^(.*)*x',
    '(x+x+)+y',
    '(?:a?){30}a{30}',
    '(.*,){11}P',
    '(?=(a+)+b)',
    '([',
  ]) {
    assert.ok(worstSteps(source, '')(1000) > 1e12, source);
  }
  for (const source of [
    '^/api/v[0-9]+/x/[a-z0-9-]+$',
    '/regex/pattern1/[a-zA-Z0-9]+',
    '(a|b)*c',
    '^\\d+$',
    'foo.*bar',
    '^(GET|POST) ',
    '\\s*',
  ]) {
    assert.ok(worstSteps(source, '')(1000) < 1e7, source);
  }
});

test('a pattern that backtracks without end is decided in linear time', () => {
  const text = `${'a'.repeat(50_000)}!`;
  assert.equal(finds('^(a+)+$', '', text), false);
  assert.equal(finds('(a|a)*!$', 'i', text), true);
  assert.equal(mayWait('^(a+)+$', '', false), false);
});

const context = { encoding: 'utf8', scripts: undefined, logger: silentLogger } as const;

test('a pattern that only a worker can decide gives a promise, and the verdict of JavaScript', async () => {
  const predicate = { or: [{ equals: { path: '/no' } }, { matches: { body: '(?=(a+)+b)', path: '^/' } }] };
  const compiled = compilePredicate(predicate, context);
  const holds = compiled.test(plainView({ ...defaultRequest, body: `${'a'.repeat(18)}b${'c'.repeat(30)}` }));
  assert.ok(holds instanceof Promise);
  assert.equal(await holds, true);
  assert.equal(await compiled.test(plainView({ ...defaultRequest, body: 'c'.repeat(60) })), false);
  const strips = compilePredicate({ equals: { body: '!' }, except: '^(a+)+' }, context);
  assert.equal(await strips.test(plainView({ ...defaultRequest, body: `${'a'.repeat(5000)}!` })), true);
});

test('a pattern that takes too long in the worker ends its request with an error, and only that', async () => {
  const compiled = compilePredicate({ matches: { body: '^(?!(a+)+$)b' } }, context);
  const endless = compiled.test(plainView({ ...defaultRequest, body: `${'a'.repeat(60)}!` }));
  assert.ok(endless instanceof Promise);
  await assert.rejects(
    endless,
    (error: RiftError) => error instanceof RiftError && /took longer than/.test(error.message),
  );
  assert.equal(await compiled.test(plainView({ ...defaultRequest, body: 'b'.repeat(60) })), true);
});

test('a malformed pattern is refused with the reason of JavaScript', () => {
  const error = checkPredicates([{ equals: { path: '/' } }, { matches: { path: 'a(' } }], defaultRequest, 'utf8');
  assert.equal(error?.code, 'bad data');
  assert.match(String(error?.message), /^Invalid regular expression: \/a\(\/i?: /);
});
