import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hits } from './hits.js';
import { RegexAutomaton } from './regex-automaton.js';

const automatonOf = (sources: readonly string[], ignoreCase = false): RegexAutomaton =>
  new RegexAutomaton(sources.map((source, atom) => ({ source, ignoreCase, atom })));

function found(automaton: RegexAutomaton, text: string): number[] {
  const hits = new Hits(0);
  automaton.scan(text, hits);
  return Array.from({ length: hits.count }, (_, at) => hits.at(at)).sort((a, b) => a - b);
}

/** What is found once the states for a text have been made. */
function settled(automaton: RegexAutomaton, text: string): number[] {
  for (let pass = 0; pass < 1000; pass++) found(automaton, text);
  return found(automaton, text);
}

test('patterns are told apart by classes, anchors and counts', () => {
  const sources = ['^[ab]+$', '[ab]+', '^[ab]{2}$', '^[ab]{3}$', '[^ab]', '^\\d', '\\d$', '^.$', 'x|[ab]b', '$'];
  for (const text of ['', 'ab', 'aba', 'c', '1', 'a1', '1a', '\n']) {
    const matching = sources.flatMap((source, atom) => (new RegExp(source).test(text) ? [atom] : []));
    assert.deepEqual(settled(automatonOf(sources), text), matching, JSON.stringify(text));
  }
});

test('what an automaton cannot express is taken to hold', () => {
  assert.deepEqual(settled(automatonOf(['(a)\\1', 'a(?!b)', '\\bb', '(?<=x)b']), 'ab'), [0, 1, 2, 3]);
});

test('a thousand patterns that no literal tells apart come down to the one that matches', () => {
  const classesOf = (number: number): string =>
    [...number.toString(2).padStart(10, '0')].map((bit) => (bit === '1' ? '[a-m]' : '[n-z]')).join('');
  const sources = Array.from({ length: 1000 }, (_, number) => `/${classesOf(number)}/[0-9]+`);
  const automaton = automatonOf(sources);
  assert.deepEqual(settled(automaton, '/nnnnnnnnnb/1'), [1]);
  assert.deepEqual(
    settled(automaton, `x/${'b'.repeat(7)}nnn/1`),
    [1016 - 0].filter((number) => number < 1000),
  );
});

test('a pass makes only so many steps, then rules nothing out', () => {
  const sources = Array.from({ length: 200 }, (_, number) => `^[a-f]{${number + 1}}[0-9]{20}$`);
  const automaton = automatonOf(sources);
  const text = `${'a'.repeat(30)}${'7'.repeat(20)}`;
  assert.equal(found(automaton, text).length, 200);
  // one step further than the budget at most: that of one state
  assert.ok(automaton.inspect().stepsLeft > -40_000);
  assert.ok(settled(automaton, text).includes(29));
  assert.ok(settled(automaton, text).length < 150);
});

test('an automaton whose states multiply stays within its memory and hides nothing', () => {
  const automaton = automatonOf(Array.from({ length: 40 }, (_, number) => `[ab]a[ab]{${number + 8}}c`));
  let seed = 12345;
  const text = (): string => {
    let made = '';
    for (let at = 0; at < 60; at++) {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      made += seed & 0x10000 ? 'a' : 'b';
    }
    return `${made}c`;
  };
  let most = 0;
  for (let pass = 0; pass < 3000; pass++) {
    const given = text();
    const hits = new Set(found(automaton, given));
    most = Math.max(most, automaton.inspect().cells);
    if (pass % 50 === 0) {
      for (let number = 0; number < 40; number++) {
        if (new RegExp(`[ab]a[ab]{${number + 8}}c`).test(given)) assert.ok(hits.has(number), `${number} on ${given}`);
      }
    }
  }
  assert.ok(most < 2 ** 22, `${most} cells`);
});

test('hostile patterns are bounded', () => {
  const words = Array.from({ length: 10_000 }, (_, number) => `[a-c]w${number}`).join('|');
  const sources = [
    '(a{1000}){1000}',
    '(?:(?:(?:(?:a|b){9}){9}){9}){9}',
    '((a+)+)+$',
    `${'(?:'.repeat(60)}a${')?'.repeat(60)}`,
    words,
    '(?:){1000000}b',
  ];
  const automaton = automatonOf(sources);
  const text = `${'a'.repeat(40)}!b`;
  const hits = settled(automaton, text);
  assert.ok(hits.includes(3) && hits.includes(5));
  assert.deepEqual(automaton.inspect().unbounded, 1);
  assert.ok(automaton.inspect().cells < 2 ** 20);
});

test('high counts are told apart, and never against what JavaScript says', () => {
  const units = ['[ab]', 'a', '(?:ab|b)', '.'];
  const counts = ['{99}', '{101}', '{150}', '{150,}', '{120,140}', '{0,130}', '{700}', '{2000}'];
  const sources = units.flatMap((unit) => counts.flatMap((count) => [`^${unit}${count}$`, `x${unit}${count}y`]));
  const automaton = automatonOf(sources);
  for (const length of [98, 99, 100, 101, 119, 120, 140, 141, 150, 151, 700, 701, 2000]) {
    for (const body of ['a'.repeat(length), 'ab'.repeat(length), 'b'.repeat(length)]) {
      for (const text of [body, `x${body}y`]) {
        for (let pass = 0; pass < 40; pass++) {
          const hits = new Set(found(automaton, text));
          const missing = sources.filter((source, atom) => new RegExp(source).test(text) && !hits.has(atom));
          assert.deepEqual(missing, [], `${text.length} units`);
          if (pass > 2) pass += 5;
        }
      }
    }
  }
  assert.deepEqual(settled(automatonOf(['^[ab]{150}$', '^[ab]{151}$', '^[ab]{149}$']), 'ab'.repeat(75)), [0]);
});
