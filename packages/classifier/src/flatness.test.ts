// That the work of a search does not grow with the number of rules, counted instead of timed: what the index looks at for
// one input among 100, 1,000 and 10,000 rules of each shape.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, matches, present, some, type Texts, test as tested, textsAccess } from './cases.fixture.js';
import { RuleIndex } from './rule-index.js';
import type { Condition } from './types.js';

interface Shape {
  readonly condition: (number: number, count: number) => Condition;
  readonly input: (number: number, count: number) => Texts;
}

const side = (count: number): number => Math.ceil(Math.sqrt(count));

const shapes: Readonly<Record<string, Shape>> = {
  'method and path': {
    condition: (n) => all(tested('method x', 'equals', 'GET'), tested('path x', 'equals', `/r${n}`)),
    input: (n) => ({ 'method x': 'GET', 'path x': `/r${n}` }),
  },
  'path startsWith': {
    condition: (n) => tested('path x', 'startsWith', `/r${n}/`),
    input: (n) => ({ 'path x': `/r${n}/x` }),
  },
  'path contains': {
    condition: (n) => tested('path x', 'contains', `/r${n}/`),
    input: (n) => ({ 'path x': `/a/r${n}/x` }),
  },
  'path endsWith': {
    condition: (n) => tested('path x', 'endsWith', `/r${n}`),
    input: (n) => ({ 'path x': `/a/r${n}` }),
  },
  'path matches': {
    condition: (n) => matches('path x', `^/api/v[0-9]+/r${n}/[a-z0-9-]+$`),
    input: (n) => ({ 'path x': `/api/v2/r${n}/abc-1` }),
  },
  'path matches, flag i': {
    condition: (n) => matches('path x', `^/API/v[0-9]+/R${n}/[a-z0-9-]+$`, 'i'),
    input: (n) => ({ 'path x': `/api/v2/r${n}/abc-1` }),
  },
  'header equals': {
    condition: (n) => all(tested('path x', 'equals', '/'), tested('header tenant', 'equals', `t${n}`)),
    input: (n) => ({ 'path x': '/', 'header tenant': `t${n}` }),
  },
  'header exists under many names': {
    condition: (n) => present(`header x-${n}`),
    input: (n) => ({ 'header accept': '*/*', [`header x-${n}`]: '' }),
  },
  'query parameter equals': {
    condition: (n) => tested('query id', 'equals', `${n}`),
    input: (n) => ({ 'query id': `${n}` }),
  },
  'body contains': {
    condition: (n) => tested('body x', 'contains', `<id>${n}</id>`),
    input: (n) => ({ 'body x': `<order><id>${n}</id></order>` }),
  },
  'body matches': {
    condition: (n) => matches('body x', `<id>\\s*${n}\\s*</id>`),
    input: (n) => ({ 'body x': `<order><id> ${n} </id></order>` }),
  },
  'long bodies that differ in the middle': {
    condition: (n) => tested('body x', 'contains', `${'<head/>'.repeat(20)}<id>${n}</id>${'<tail/>'.repeat(20)}`),
    input: (n) => ({ 'body x': `<order>${'<head/>'.repeat(20)}<id>${n}</id>${'<tail/>'.repeat(20)}</order>` }),
  },
  'JSON fields under many names': {
    condition: (n) => tested(`json f${n}`, 'equals', 'yes'),
    input: (n) => ({ [`json f${n}`]: 'yes', 'json other': 'no' }),
  },
  'pairs of unselective tests': {
    condition: (n, count) =>
      all(
        tested('path x', 'equals', `/${Math.floor(n / side(count))}`),
        tested('query id', 'equals', `${n % side(count)}`),
      ),
    input: (n, count) => ({ 'path x': `/${Math.floor(n / side(count))}`, 'query id': `${n % side(count)}` }),
  },
  'pairs, one of them a literal': {
    condition: (n, count) =>
      all(
        tested('path x', 'startsWith', `/${Math.floor(n / side(count))}/`),
        tested('header tenant', 'equals', `${n % side(count)}`),
      ),
    input: (n, count) => ({ 'path x': `/${Math.floor(n / side(count))}/x`, 'header tenant': `${n % side(count)}` }),
  },
  'or of ands': {
    condition: (n) =>
      some(
        all(tested('method x', 'equals', 'GET'), tested('path x', 'equals', `/r${n}`)),
        all(tested('method x', 'equals', 'POST'), tested('query id', 'equals', `${n}`)),
      ),
    input: (n) => ({ 'method x': 'POST', 'path x': '/', 'query id': `${n}` }),
  },
  'or of more ands than are kept apart': {
    condition: (n) =>
      some(
        ...Array.from({ length: 40 }, (_, at) =>
          all(tested('path x', 'equals', '/'), tested('query id', 'equals', `${n}-${at}`)),
        ),
      ),
    input: (n) => ({ 'path x': '/', 'query id': `${n}-17` }),
  },
};

const found = (list: RuleIndex<Texts, number>, input: Texts, wanted: number): number | undefined =>
  list.first(input, (rule) => rule === wanted);

for (const [name, { condition, input }] of Object.entries(shapes)) {
  test(`${name}: as much work among 10,000 rules as among 100`, () => {
    for (const count of [100, 1000, 10_000]) {
      const rules = Array.from({ length: count }, (_, number) => number);
      const list = RuleIndex.build(rules, (number) => condition(number, count), textsAccess);
      for (const wanted of [0, Math.floor(count / 2), count - 1]) {
        const given = input(wanted, count);
        assert.equal(found(list, given, wanted), wanted);
        const work = list.inspect(given);
        // a number in a text also has the numbers that are part of it
        assert.ok(work.candidates <= 6, `${work.candidates} candidates among ${count}`);
        assert.ok(work.clauses <= 10, `${work.clauses} clauses among ${count}`);
        assert.ok(work.sources <= 4, `${work.sources} sources among ${count}`);
      }
      const none = list.inspect({ 'path x': '/none', 'method x': 'PUT', 'body x': 'none', 'query id': 'none' });
      assert.ok(none.candidates === 0, `${none.candidates} candidates for an input that fits nothing`);
    }
  });
}

test('patterns that only differ in counts are told apart once their automaton is made', () => {
  const counts = Array.from({ length: 1000 }, (_, n) => n + 1);
  const list = RuleIndex.build(counts, (count) => matches('path x', `^/[a-c]+/[0-9]{${count}}$`), textsAccess);
  const input = (count: number) => ({ 'path x': `/abc/${'7'.repeat(count)}` });
  // made step by step: no search takes longer than trying the patterns one by one
  for (let search = 0; search < 300; search++) list.inspect(input(1000));
  for (const count of [1, 99, 100, 101, 555, 999, 1000]) {
    assert.equal(
      list.first(input(count), () => true),
      count,
    );
    assert.equal(list.inspect(input(count)).candidates, 1);
  }
  assert.equal(list.inspect(input(1001)).candidates, 0);
});
