import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, cases, type Texts, test as tested, textsAccess } from './cases.fixture.js';
import { RuleIndex } from './rule-index.js';
import type { Access, Condition, Search } from './types.js';

function rest<Rule>(search: Search<Rule>): Rule[] {
  const found: Rule[] = [];
  for (let rule = search.next(); rule !== undefined; rule = search.next()) found.push(rule);
  return found;
}

for (const { name, rules, input, holding } of cases) {
  // once as they are, and once among so many that they are indexed
  for (const others of [0, 20]) {
    test(`index among ${others} others: ${name}`, () => {
      const other: Condition = tested('path x', 'equals', 'elsewhere');
      const all = [...rules, ...Array<Condition>(others).fill(other)];
      const list = RuleIndex.build([...all.keys()], (position) => all[position], textsAccess);
      const found = rest(list.search(input));
      assert.deepEqual(
        holding.filter((position) => !found.includes(position)),
        [],
        'excluded although they hold',
      );
      assert.deepEqual(
        found,
        [...found].sort((a, b) => a - b),
      );
      if (others > 0) assert.deepEqual(found, holding, 'these cases are decided exactly');
    });
  }
}

/** The exact predicate of rules that are paths. */
const isPath = (path: string, input: Texts): boolean => input['path x'] === path;

const any: Condition = { kind: 'any' };
const byPath = (path: string): Condition => tested('path x', 'equals', path);

test('edits give new lists and leave the old one as it is', () => {
  const first = RuleIndex.build(['a', 'c'], () => any, textsAccess);
  const inserted = first.insert(1, 'b').insert(3, 'd');
  assert.deepEqual([...first], ['a', 'c']);
  assert.deepEqual([...inserted], ['a', 'b', 'c', 'd']);
  assert.deepEqual([...inserted.remove(0)], ['b', 'c', 'd']);
  assert.deepEqual([...inserted.replace(3, 'x')], ['a', 'b', 'c', 'x']);
  assert.deepEqual([...first.remove(0).remove(0)], []);
  assert.throws(() => first.insert(3, 'x'), RangeError);
  assert.throws(() => first.remove(2), RangeError);
  assert.throws(() => first.at(-1), RangeError);
  assert.throws(() => first.at(0.5), RangeError);
});

test('adding 10,000 rules with a search after each indexes each rule a few times only', () => {
  let asked = 0;
  const counted = (path: string): Condition => {
    asked++;
    return byPath(path);
  };
  let list = RuleIndex.build<Texts, string>([], counted, textsAccess);
  for (let number = 0; number < 10_000; number++) {
    list = list.insert(number, `/${number}`);
    const wanted = `/${number >> 1}`;
    assert.equal(
      list.first({ 'path x': wanted }, (rule) => rule === wanted),
      wanted,
    );
  }
  // a logarithm of the number for the segments that grow, as much again for merging what is searched a lot
  assert.ok(asked < 40 * 10_000, `${asked} conditions asked for`);
  assert.ok(list.inspect({ 'path x': '/9999' }).segments <= 8);
});

test('rules inserted before the last one, one by one, cost no more than at the end', () => {
  let asked = 0;
  const counted = (path: string): Condition => {
    asked++;
    return byPath(path);
  };
  let list = RuleIndex.build<Texts, string>(['last'], counted, textsAccess);
  for (let number = 0; number < 5000; number++) {
    list = list.insert(list.length - 1, `/${number}`);
    if (number % 10 === 0) assert.equal(list.first({ 'path x': `/${number}` }, isPath), `/${number}`);
  }
  assert.ok(asked < 40 * 5000, `${asked} conditions asked for`);
  assert.equal(list.at(4999), '/4999');
  assert.equal(list.at(5000), 'last');
  assert.deepEqual([...list].slice(0, 3), ['/0', '/1', '/2']);
});

test('removing and replacing rules of a large list rebuilds nothing', () => {
  let asked = 0;
  const counted = (path: string): Condition => {
    asked++;
    return byPath(path);
  };
  const paths = Array.from({ length: 20_000 }, (_, number) => `/${number}`);
  let list = RuleIndex.build<Texts, string>(paths, counted, textsAccess);
  assert.equal(list.first({ 'path x': '/7' }, isPath), '/7');
  assert.equal(asked, 20_000);
  for (let number = 0; number < 100; number++) {
    list = list.remove(number).replace(5000 + number, `/new${number}`);
    assert.equal(list.first({ 'path x': `/${2 * number}` }, isPath), undefined);
    assert.equal(list.first({ 'path x': `/new${number}` }, isPath), `/new${number}`);
  }
  assert.ok(asked < 20_000 + 2000, `${asked} conditions asked for`);
  assert.equal(list.length, 19_900);
  assert.equal(list.at(0), '/1');
});

test('any number of edits in one place keep the order', () => {
  const begin = Array.from({ length: 200 }, (_, number) => `/${number}`);
  let expected = begin;
  let list = RuleIndex.build<Texts, string>(begin, byPath, textsAccess);
  for (let number = 0; number < 300; number++) {
    // labels run out of room between two neighbours after some forty halvings, here with removed rules around
    const edited = number % 3;
    list = list
      .insert(100, `/new${number}`)
      .replace(edited, `/first${number}`)
      .remove(101 + edited);
    expected = expected
      .toSpliced(100, 0, `/new${number}`)
      .with(edited, `/first${number}`)
      .toSpliced(101 + edited, 1);
    assert.equal(list.at(100), expected[100]);
    assert.equal(list.at(number % 200), expected[number % 200]);
    const wanted = expected[(number * 7) % 200];
    assert.equal(list.first({ 'path x': wanted }, isPath), wanted);
  }
  assert.deepEqual([...list], expected);
});

test('a list of several segments that is searched a lot becomes one', () => {
  let list = RuleIndex.build<Texts, string>(
    Array.from({ length: 100 }, (_, number) => `/${number}`),
    byPath,
    textsAccess,
  );
  list = list.insert(100, '/new');
  assert.equal(list.inspect({ 'path x': '/none' }).segments, 2);
  for (let search = 0; search < 1000; search++) list.first({ 'path x': '/none' }, () => true);
  assert.equal(list.inspect({ 'path x': '/none' }).segments, 1);
});

test('a search goes on over the list it began with, and several may be open at once', () => {
  const rules = Array.from({ length: 40 }, (_, number) => number);
  const list = RuleIndex.build<Texts, number>(rules, (number) => byPath(`/${number % 4}`), textsAccess);
  const one = list.search({ 'path x': '/1' });
  const two = list.search({ 'path x': '/2' });
  assert.equal(one.next(), 1);
  assert.equal(two.next(), 2);
  const shorter = list.remove(5).insert(0, 1);
  assert.equal(one.next(), 5);
  const three = shorter.search({ 'path x': '/1' });
  assert.equal(two.next(), 6);
  assert.deepEqual(rest(one), [9, 13, 17, 21, 25, 29, 33, 37]);
  two.close();
  assert.deepEqual(rest(three), [1, 1, 9, 13, 17, 21, 25, 29, 33, 37]);
});

test('an exception of the accepting function leaves the list usable', () => {
  const list = RuleIndex.build<Texts, number>(Array.from({ length: 20 }).keys(), () => any, textsAccess);
  assert.throws(() =>
    list.first({}, () => {
      throw new Error('no');
    }),
  );
  assert.equal(
    list.first({}, (rule) => rule === 7),
    7,
  );
});

/** Counts how often each family is read. */
function counting(): { access: Access<Texts>; reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const access: Access<Texts> = {
    ...textsAccess,
    extractor: (key) => {
      const extract = textsAccess.extractor(key);
      return (input) => {
        reads.set(key.family, (reads.get(key.family) ?? 0) + 1);
        return extract(input);
      };
    },
  };
  return { access, reads };
}

test('a dear key is not read when cheap tests exclude the rules that need it', () => {
  const { access, reads } = counting();
  const rules = Array.from({ length: 100 }, (_, number) =>
    number % 2 === 0
      ? byPath(`/${number}`)
      : all(byPath('/orders'), tested('body x', 'equals', `order ${number}`), tested('query id', 'equals', '1')),
  );
  const list = RuleIndex.build<Texts, number>(rules.keys(), (number) => rules[number], access);
  assert.equal(
    list.first({ 'path x': '/98' }, () => true),
    98,
  );
  assert.equal(
    list.first({ 'path x': '/none', 'body x': 'order 3' }, () => true),
    undefined,
  );
  assert.deepEqual([...reads.keys()], ['path']);
  assert.equal(
    list.first({ 'path x': '/orders', 'body x': 'order 3', 'query id': '1' }, () => true),
    3,
  );
  assert.ok(reads.has('body'));
});

test('a search that ends early does not read what only later rules need', () => {
  const { access, reads } = counting();
  const rules = Array.from({ length: 100 }, (_, number) =>
    number < 50 ? byPath(`/${number}`) : tested('body x', 'contains', `order ${number}`),
  );
  const list = RuleIndex.build<Texts, number>(rules.keys(), (number) => rules[number], access);
  assert.equal(
    list.first({ 'path x': '/7', 'body x': 'order 77' }, () => true),
    7,
  );
  assert.equal(reads.get('body'), undefined);
  assert.equal(
    list.first({ 'path x': '/none', 'body x': 'order 77' }, () => true),
    77,
  );
  assert.equal(reads.get('body'), 1);
});

test('whoever prepares an index is told of each rule that was read', () => {
  const rules = Array.from({ length: 20 }, (_, rule) => rule);
  const list = RuleIndex.build<Texts, number>(rules, (rule) => byPath(`/${rule}`), textsAccess);
  const told: number[] = [];
  list.prepare((rule) => told.push(rule));
  assert.deepEqual(told, rules);
  list.prepare((rule) => told.push(rule));
  assert.equal(told.length, rules.length, 'an index is made once');
});
