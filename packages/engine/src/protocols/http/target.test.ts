import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastFolding, parsePairs, pathOf, rawQueryOf, Target } from './target.js';

const paths: [string, string][] = [
  ['/', '/'],
  ['/a%20b/c?x=1', '/a%20b/c'],
  ['/a/../b/./c;p=1?d=%zz#frag', '/b/c;p=1'],
  ['/a%2Fb', '/a%2Fb'],
  ['/a/%2e%2E/b', '/b'],
  ['/a\\b', '/a/b'],
  ['/a"<>`{}b', '/a%22%3C%3E%60%7B%7Db'],
  ['/a#b', '/a'],
  ['/a//b', '/a//b'],
  ['//a/b', '//a/b'],
  ['//', '//'],
  ['/.hidden', '/.hidden'],
  ['/a/..', '/'],
  ['http://other.test/abs?k=v', '/abs'],
  ['http://other.test', '/'],
  ['HTTPS://h:99/x/../y', '/y'],
  ['*', '/*'],
  ['*a/../b?c', '/b'],
  ['foo://h', ''],
  ['foo://h/x?y', '/x'],
  ['/?', '/'],
];

for (const [target, expected] of paths) {
  test(`the path of ${target} is ${expected}`, () => assert.equal(pathOf(target), expected));
}

test('the query starts after the first question mark and ends before the fragment', () => {
  assert.equal(rawQueryOf('/a?b?c=1#d'), 'b?c=1');
  assert.equal(rawQueryOf('/a'), '');
  assert.equal(rawQueryOf('/a?'), '');
});

const queries: [string, Record<string, string | string[]>][] = [
  ['x=1&y=two&x=3&z&w=&q=a+b%26c', { x: ['1', '3'], y: 'two', z: '', w: '', q: 'a b&c' }],
  ['a[]=1&a[]=2&o[k]=v', { 'a[]': ['1', '2'], 'o[k]': 'v' }],
  ['d=%zz', { d: '%zz' }],
  ['d=%ff', { d: '\ufffd' }],
  ['=v&&', { '': 'v' }],
  ['a;b=1', { 'a;b': '1' }],
];

for (const [text, expected] of queries) {
  test(`the pairs of ${text} are ${JSON.stringify(expected)}`, () =>
    assert.deepEqual({ ...parsePairs(text) }, expected));
}

test('a name like __proto__ is an ordinary name', () => {
  assert.equal(JSON.stringify(parsePairs('__proto__=a&constructor=b')), '{"__proto__":"a","constructor":"b"}');
});

test('pairs past the thousandth are ignored', () => {
  const text = Array.from({ length: 1100 }, (_, i) => `k${i}=1`).join('&');
  assert.equal(Object.keys(parsePairs(text)).length, 1000);
});

test('a parameter is found as it is in the map of all pairs', () => {
  const names = ['a', 'A', 'b', 'ab', 'aB', '', 'k', '\u212a', '%61', 'a+', 'é', 'length', '__proto__', 'a[]'];
  const values = ['', '1', 'two', '=', '=x', 'a b', '%20', '+', 'é', null];
  // every pair of pairs, with separators that say nothing in between
  const pairs = names.flatMap((name) => values.map((value) => (value === null ? name : `${name}=${value}`)));
  for (const first of pairs) {
    for (const second of ['', ...pairs]) {
      for (const between of ['&', '&&']) {
        const query = `${first}${between}${second}`;
        const target = new Target(`/?${query}`);
        for (const name of ['a', 'b', 'ab', '', 'a=', '=', 'k', 'a ', 'é', 'length', '__proto__', 'x']) {
          assert.deepEqual(target.parameter(name), lastFolding(parsePairs(query), name), `${name} of ${query}`);
        }
      }
    }
  }
});

test('of more than a thousand pairs the rest is ignored when one of them is asked for', () => {
  const target = new Target(`/?${'a&'.repeat(1000)}b`);
  assert.equal(target.parameter('b'), undefined);
  assert.equal((target.parameter('a') as string[]).length, 1000);
});
