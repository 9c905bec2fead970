import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, PredicateJson } from '../../model/types.js';
import { generatePredicates } from './generate-predicates.js';

const noScripts = () => Promise.reject(new Error('no scripts here'));
const body = '{"k":"V","n":[1,{"z":2}],"o":{"p":{"q":1},"r":2}}';
const request = {
  requestFrom: '127.0.0.1:1',
  method: 'POST',
  path: '/p/q',
  query: { a: '1', b: ['X', 'Y'], j: '{"x":7}' },
  headers: { 'X-H': 'Vv', 'X-Other': 'o', Accept: '*/*' },
  body,
  ip: '127.0.0.1',
};
const xml = { ...request, body: '<r><n>5</n><n>6</n><p:m xmlns:p="urn:x">7</p:m></r>' };
const query = request.query;

const table: [name: string, generator: JsonObject, predicates: unknown[], of?: typeof request][] = [
  ['no field asked for gives nothing', { matches: {} }, []],
  [
    'whole fields are compared with deepEquals, in key order',
    { matches: { path: true, method: true } },
    [{ deepEquals: { path: '/p/q' } }, { deepEquals: { method: 'POST' } }],
  ],
  ['a whole object field', { matches: { query: true } }, [{ deepEquals: { query } }]],
  [
    'one key of a field is compared with equals',
    { matches: { query: { a: true } } },
    [{ equals: { query: { a: '1' } } }],
  ],
  [
    'several keys of a field make one predicate',
    { matches: { query: { b: true, a: true } } },
    [{ equals: { query: { b: ['X', 'Y'], a: '1' } } }],
  ],
  ['a missing key gives an empty object', { matches: { query: { zz: true } } }, [{ equals: { query: {} } }]],
  ['a leaf other than true counts as true', { matches: { query: { a: 'x' } } }, [{ equals: { query: { a: '1' } } }]],
  ['a field that is neither true nor an object gives nothing', { matches: { path: false, method: 'x' } }, []],
  ['a field that the request lacks must not exist', { matches: { form: true } }, [{ exists: { form: false } }]],
  [
    'keys of a field that the request lacks: the field must not exist',
    { matches: { form: { a: true } }, predicateOperator: 'contains' },
    [{ exists: { form: false } }],
  ],
  [
    'parameters come before the operator',
    { matches: { headers: { 'X-H': true } }, caseSensitive: true },
    [{ caseSensitive: true, equals: { headers: { 'X-H': 'Vv' } } }],
  ],
  [
    'unknown keys are copied like parameters',
    { matches: { path: true }, except: '\\d', comment: 'c' },
    [{ except: '\\d', comment: 'c', deepEquals: { path: '/p/q' } }],
  ],
  [
    'a header name is found without case and recorded as received',
    { matches: { headers: { 'x-h': true, ACCEPT: true } } },
    [{ equals: { headers: { 'X-H': 'Vv', Accept: '*/*' } } }],
  ],
  ['the whole body is its text', { matches: { body: true } }, [{ deepEquals: { body } }]],
  ['keys of a JSON body', { matches: { body: { k: true } } }, [{ equals: { body: { k: 'V' } } }]],
  [
    'nested keys of a JSON body',
    { matches: { body: { o: { p: true }, n: true } } },
    [{ equals: { body: { o: { p: { q: 1 } }, n: [1, { z: 2 }] } } }],
  ],
  ['keys of a body that is no JSON', { matches: { body: { k: true } } }, [{ equals: { body: {} } }], xml],
  [
    'one result of a selector is the value',
    { matches: { body: true }, jsonpath: { selector: '$.k' } },
    [{ jsonpath: { selector: '$.k' }, deepEquals: { body: 'V' } }],
  ],
  [
    'a result of a selector keeps its type',
    { matches: { body: true }, jsonpath: { selector: '$..z' } },
    [{ jsonpath: { selector: '$..z' }, deepEquals: { body: 2 } }],
  ],
  [
    'an array that a selector finds is one value',
    { matches: { body: true }, jsonpath: { selector: '$.n' } },
    [{ jsonpath: { selector: '$.n' }, deepEquals: { body: [1, { z: 2 }] } }],
  ],
  [
    'several results of a selector are an array in document order',
    { matches: { body: true }, jsonpath: { selector: '$.o.*' } },
    [{ jsonpath: { selector: '$.o.*' }, deepEquals: { body: [{ q: 1 }, 2] } }],
  ],
  [
    'a selector that finds nothing gives an empty text',
    { matches: { body: true }, jsonpath: { selector: '$.zz' } },
    [{ jsonpath: { selector: '$.zz' }, deepEquals: { body: '' } }],
  ],
  [
    'a selector is applied to the texts of the keys asked for',
    { matches: { query: { a: true, j: true } }, jsonpath: { selector: '$.x' } },
    [{ jsonpath: { selector: '$.x' }, equals: { query: { a: '', j: 7 } } }],
  ],
  [
    'keys of what a selector finds in a text field',
    { matches: { body: { r: true } }, jsonpath: { selector: '$.o' } },
    [{ jsonpath: { selector: '$.o' }, equals: { body: { r: 2 } } }],
  ],
  [
    'an XPath selector gives the texts of the nodes',
    { matches: { body: true }, xpath: { selector: '//n' } },
    [{ xpath: { selector: '//n' }, deepEquals: { body: ['5', '6'] } }],
    xml,
  ],
  [
    'an XPath selector with namespaces',
    { matches: { body: true }, xpath: { selector: '//q:m', ns: { q: 'urn:x' } } },
    [{ xpath: { selector: '//q:m', ns: { q: 'urn:x' } }, deepEquals: { body: '7' } }],
    xml,
  ],
  [
    'an XPath count is a number',
    { matches: { body: true }, xpath: { selector: 'count(//n)' } },
    [{ xpath: { selector: 'count(//n)' }, deepEquals: { body: 2 } }],
    xml,
  ],
  [
    'an XPath selector on a body that is no XML gives an empty text',
    { matches: { body: true }, xpath: { selector: '//n' } },
    [{ xpath: { selector: '//n' }, deepEquals: { body: '' } }],
  ],
  [
    'an ignored key is left out',
    { matches: { query: true }, ignore: { query: 'a' } },
    [{ deepEquals: { query: { b: ['X', 'Y'], j: '{"x":7}' } } }],
  ],
  [
    'all keys ignored leave an empty object',
    { matches: { query: true }, ignore: { query: ['a', 'b', 'j'] } },
    [{ deepEquals: { query: {} } }],
  ],
  [
    'a field that ignore does not name loses nothing',
    { matches: { path: true, query: true }, ignore: { query: ['a', 'b'] } },
    [{ deepEquals: { path: '/p/q' } }, { deepEquals: { query: { j: '{"x":7}' } } }],
  ],
  [
    'ignored headers are found without case',
    { matches: { headers: true }, ignore: { headers: ['x-other', 'ACCEPT'] } },
    [{ deepEquals: { headers: { 'X-H': 'Vv' } } }],
  ],
  [
    'a text field has no keys to ignore',
    { matches: { path: true }, ignore: { path: 'p' } },
    [{ deepEquals: { path: '/p/q' } }],
  ],
  [
    'an operator of its own on a whole field',
    { matches: { path: true }, predicateOperator: 'startsWith' },
    [{ startsWith: { path: '/p/q' } }],
  ],
  [
    'an operator of its own on keys of a field',
    { matches: { query: { a: true } }, predicateOperator: 'contains', caseSensitive: true },
    [{ caseSensitive: true, contains: { query: { a: '1' } } }],
  ],
  [
    'exists asks for the presence of every leaf',
    { matches: { headers: { 'X-H': true }, query: true, method: true }, predicateOperator: 'exists' },
    [
      { exists: { headers: { 'X-H': true } } },
      { exists: { query: { a: true, b: true, j: true } } },
      { exists: { method: true } },
    ],
  ],
];

for (const [name, generator, predicates, of = request] of table) {
  test(`predicate generators: ${name}`, () => {
    assert.deepEqual(generatePredicates([generator], of, noScripts), predicates);
    const [first] = generatePredicates([generator], of, noScripts) as PredicateJson[];
    assert.equal(JSON.stringify(first), JSON.stringify(predicates[0]), 'order of keys');
  });
}

test('predicate generators: ignore one level deeper drops inside the key', () => {
  const deep = { ...request, form: { a: { b: '1', c: '2' }, d: '3' } };
  const made = generatePredicates([{ matches: { form: true }, ignore: { form: { a: ['b'] } } }], deep, noScripts);
  assert.deepEqual(made, [{ deepEquals: { form: { a: { c: '2' }, d: '3' } } }]);
});

test('predicate generators: names like __proto__ are ordinary names', () => {
  const odd = { ...request, query: JSON.parse('{"__proto__":"p","constructor":"c"}') };
  const wanted = JSON.parse('{"query":{"__proto__":true,"constructor":true,"toString":true}}');
  const made = generatePredicates([{ matches: wanted }], odd, noScripts);
  assert.equal(JSON.stringify(made), '[{"equals":{"query":{"__proto__":"p","constructor":"c"}}}]');
});

test('predicate generators: several generators add up in their order, a script gives its predicates as they are', async () => {
  const generators: JsonObject[] = [
    { matches: { path: true } },
    { inject: 'f', matches: { method: true } },
    { matches: { method: true } },
  ];
  const calls: unknown[] = [];
  const made = await generatePredicates(generators, request, async (source, json) => {
    calls.push([source, json]);
    const predicates: PredicateJson[] = [{ equals: { path: 'x' } }, { exists: { body: true } }];
    return predicates;
  });
  assert.deepEqual(calls, [['f', request]]);
  assert.deepEqual(made, [
    { deepEquals: { path: '/p/q' } },
    { equals: { path: 'x' } },
    { exists: { body: true } },
    { deepEquals: { method: 'POST' } },
  ]);
});

test('predicate generators: a malformed XPath selector is an error that names it', () => {
  assert.throws(() => generatePredicates([{ matches: { body: true }, xpath: { selector: '//[' } }], xml, noScripts), {
    code: 'bad data',
    message: 'malformed xpath predicate selector',
  });
});

test('predicate generators: the request is not changed', () => {
  const before = structuredClone(request);
  generatePredicates(
    [{ matches: { query: true, headers: true }, ignore: { query: 'a', headers: 'X-H' } }],
    request,
    noScripts,
  );
  assert.deepEqual(request, before);
});
