import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonSelector, selectJson } from './jsonpath.js';
import { pairsOfRun } from './testing/random.fixture.js';

const selectors = [
  '$.a',
  '$.a.b',
  '$.a[0]',
  '$[0]',
  '$[1].b',
  '$..a',
  '$..a.b',
  '$..a[0]',
  '$.*',
  '$[*]',
  '$.a[*].b',
  '$..*',
  "$['a']",
  '$["a"].b',
  '$.a.*',
  '$.a.length',
  '$..length',
  '$.length',
  '$..a..b',
  '$.a..b',
  '$a',
  '$..[0]',
  '$...a',
  '$.[a]',
  '$.a.',
  '$.a[01]',
  '$.',
  '$',
  '$..',
  '$.a b',
  '$.a-b',
  "$.a['b']",
];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.constantFrom(0, 1, '', 'ab', null, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', 'length', '*', '$', 'a b'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('plain JSONPath selectors find what jsonpath-plus finds, in the same order', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(...selectors), (value, selector) => {
      assert.deepEqual(jsonSelector(selector)(value), selectJson(selector, value));
    }),
    { numRuns: pairsOfRun(4000) },
  );
});

test('a JSONPath filter cannot run code', () => {
  const globals = globalThis as { jsonpathRan?: boolean };
  for (const code of [
    "this.constructor.constructor('globalThis.jsonpathRan = true')()",
    "@.constructor.constructor('globalThis.jsonpathRan = true')()",
    '(function () { globalThis.jsonpathRan = true; return true; })()',
    "''.sub.constructor('globalThis.jsonpathRan = true')()",
    'process.exit(3)',
    '@.a = 2',
  ]) {
    const value = { list: [{ a: 1 }] };
    jsonSelector(`$.list[?(${code})]`)(value);
    jsonSelector(`$.list[(${code})]`)(value);
    assert.equal(globals.jsonpathRan, undefined, code);
    assert.deepEqual(value, { list: [{ a: 1 }] }, code);
  }
});

test('names of prototypes are ordinary names in JSON', () => {
  const value: unknown = JSON.parse('{"__proto__": {"a": 1}, "list": [{"constructor": 2}]}');
  assert.deepEqual(jsonSelector('$.__proto__.a')(value), [1]);
  assert.deepEqual(jsonSelector('$.toString')(value), []);
  assert.deepEqual(jsonSelector('$..constructor')(value), [2]);
});

test('a JSONPath filter whose regular expression takes too long is ended and named', () => {
  const selector = '$[?(@.a.match(/(a+)+$/))]';
  assert.deepEqual(selectJson(selector, [{ a: 'baa' }, { a: 'b' }]), [{ a: 'baa' }]);
  assert.throws(() => selectJson(selector, [{ a: `${'a'.repeat(40)}!` }]), {
    code: 'bad data',
    message: `JSONPath ${selector} took longer than 1000 ms on this request`,
  });
});

test('JSONPath searches a document that is nested deeper than calls can be', () => {
  let nested: unknown = { a: 1 };
  for (let i = 0; i < 100_000; i++) nested = [nested];
  assert.deepEqual(jsonSelector('$..a')(nested), [1]);
});
