import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPredicates } from './check.js';

const dummy = { requestFrom: '', method: 'GET', path: '/', query: {}, headers: {}, form: {}, body: '' };
const refused = (predicates: unknown, encoding: 'utf8' | 'base64' = 'utf8') => {
  const request = encoding === 'utf8' ? dummy : { data: 'test' };
  const error = checkPredicates(predicates, request, encoding);
  return error === undefined ? undefined : [error.answer.path, error.message, error.extras];
};

// [what is wrong, predicates, path, message, extras]
const rows: [string, unknown, string, string | RegExp, object][] = [
  ['no array', { a: 1 }, 'predicates', "'predicates' must be an array", {}],
  ['null', [null], 'predicates[0]', 'predicate must be an object', {}],
  [
    'no operator',
    [{ equal: { path: '/' } }],
    'predicates[0]',
    'missing predicate',
    { source: { equal: { path: '/' } } },
  ],
  ['a text', ['x'], 'predicates[0]', 'missing predicate', { source: 'x' }],
  ['an empty child', [{ equals: {} }, { not: {} }], 'predicates[1].not', 'missing predicate', { source: {} }],
  ['and without array', [{ not: { and: 'x' } }], 'predicates[0].not.and', "'and' must be an array", {}],
  ['a null child', [{ or: [null] }], 'predicates[0].or[0]', 'predicate must be an object', {}],
  ['a null operand', [{ exists: null }], 'predicates[0].exists', "'exists' must be an object", {}],
  [
    'a bad pattern',
    [{ matches: { path: '[' } }],
    'predicates[0].matches',
    /^Invalid regular expression: \/\[\/i: /,
    {},
  ],
  [
    'a bad except',
    [{ equals: { path: '/' }, except: '(' }],
    'predicates[0].equals',
    /^Invalid regular expression: \/\(\/gi: /,
    {},
  ],
  [
    'a bad XPath',
    [{ equals: { body: '' }, xpath: { selector: '//A[' } }],
    'predicates[0].equals',
    'malformed xpath predicate selector',
    { source: '//a[', inner: {} },
  ],
  [
    'an unknown function',
    [{ equals: { body: '' }, xpath: { selector: 'foo(//a)' } }],
    'predicates[0].equals',
    'malformed xpath predicate selector',
    { source: 'foo(//a)', inner: {} },
  ],
  [
    'no selector',
    [{ equals: { body: '' }, jsonpath: {} }],
    'predicates[0].equals',
    'the jsonpath predicate parameter must be an object with a text "selector"',
    {},
  ],
  [
    'namespaces that are no texts',
    [{ equals: { body: '' }, xpath: { selector: '//a', ns: { p: 1 } } }],
    'predicates[0].equals',
    'the "ns" of the xpath predicate parameter must be an object of texts',
    {},
  ],
];

for (const [what, predicates, path, message, extras] of rows) {
  test(`refused at creation: ${what}`, () => {
    const [foundPath, foundMessage, foundExtras] = refused(predicates) ?? [];
    assert.equal(foundPath, path);
    if (typeof message === 'string') assert.equal(foundMessage, message);
    else assert.match(String(foundMessage), message);
    assert.deepEqual(foundExtras, extras);
  });
}

test('refused in binary mode: matches, jsonpath, xpath', () => {
  assert.equal(
    refused([{ matches: { data: 'a' } }], 'base64')?.[1],
    'the matches predicate is not allowed in binary mode',
  );
  for (const parameter of ['jsonpath', 'xpath']) {
    const message = `the ${parameter} predicate parameter is not allowed in binary mode`;
    assert.equal(refused([{ equals: { data: 'YQ==' }, [parameter]: { selector: '$.a' } }], 'base64')?.[1], message);
  }
});

test('accepted at creation: what only some requests reach, and odd operands', () => {
  for (const predicate of [
    { matches: { path: '/x', body: '[' } },
    { and: [{ equals: { path: '/x' } }, { nothing: 1 }] },
    { equals: { body: 'x' }, xpath: { selector: '//p:a' } },
    { equals: { body: 'x' }, jsonpath: { selector: '$.[' } },
    { contains: { query: 'x', headers: 'y' } },
    { equals: 5 },
    { deepEquals: null },
    { inject: 'not code' },
    { equals: { path: '/' }, contains: null },
    { matches: { body: '(?=(a+)+b)', path: '^(?!(a+)+$)x' } },
  ]) {
    assert.equal(refused([predicate]), undefined, JSON.stringify(predicate));
  }
});
