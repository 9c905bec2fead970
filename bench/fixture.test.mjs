import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { imposters, stubsOf } from './fixture.mjs';
import { comparison, dimensions } from './scenarios.mjs';
import { mappingsOf } from './wiremock.mjs';

const digests = {
  Simple: [199, '66a84a52d8d2e61b'],
  API: [50_212, '0bb5461ec6caa234'],
  Regex: [12_785, '7b59491aca789bc5'],
  Complex: [17_383, '936f076b833ec8bc'],
  JSONBody: [9_574, 'cd4291876531c582'],
  JSONPath: [11_174, 'c61ada8876fd72df'],
  XPath: [12_824, '867a4a3b6ad17a1b'],
  Template: [13_233, 'bc2b760092c29ef8'],
  Header: [15_885, '97ed3cc31c569074'],
  Query: [15_085, '5fe276793054e68c'],
  DeepEquals: [12_856, 'ce199a587a8a802f'],
  Literal: [29_369, '55566d5c717cf0aa'],
  MethodMix: [32_029, '8625416f88c02fc8'],
  BodyField: [41_985, 'f6d9a269a4163e86'],
};

for (const [name, [bytes, digest]] of Object.entries(digests)) {
  test(`the stubs of ${name} are byte for byte those published`, () => {
    const text = JSON.stringify(stubsOf[name]);
    assert.equal(Buffer.byteLength(text), bytes);
    assert.equal(createHash('sha256').update(text).digest('hex').slice(0, 16), digest);
  });
}

test('all imposters together have 1,512 stubs', () => {
  assert.equal(
    imposters.reduce((sum, { stubs }) => sum + stubs.length, 0),
    1512,
  );
});

test("the answer of the stub at a scenario's position has its marker", () => {
  for (const { name, marker, answer } of [...comparison, ...dimensions]) assert.ok(answer.body.includes(marker), name);
  assert.equal(comparison.length, 13);
});

const mappings = { Simple: 3, API: 311, Regex: 101, Complex: 101, XPath: 51, Query: 101, BodyField: 201, Literal: 201 };
for (const [name, count] of Object.entries(mappings)) {
  test(`${name} becomes ${count} WireMock mappings with rising priorities`, () => {
    const made = mappingsOf(stubsOf[name]);
    assert.equal(made.length, count);
    for (let i = 1; i < made.length; i++) assert.ok(made[i].priority > made[i - 1].priority);
  });
}

test('a stub that WireMock cannot express stops the translation', () => {
  assert.throws(() => mappingsOf([{ predicates: [{ inject: 'x' }], responses: [{ is: {} }] }]), /inject/);
  assert.throws(() => mappingsOf([{ predicates: [{ deepEquals: { query: {} } }], responses: [{ is: {} }] }]), /query/);
  const refused = (predicate, why, responses = [{ is: {} }]) =>
    assert.throws(() => mappingsOf([{ predicates: [predicate], responses }]), why);
  refused({ equals: { path: '/a' }, except: 'b' }, /except/);
  refused({ equals: { path: '/a' }, caseSensitive: true }, /caseSensitive/);
  refused({ contains: { body: 'a' }, jsonpath: { selector: '$.a' } }, /under a selector/);
  refused({ matches: { path: '^/sweep$' } }, /the pattern/);
  refused({ exists: { body: false }, xpath: { selector: '//a' } }, /exists on body/);
  refused({ equals: { path: '/a' } }, /_behaviors/, [{ is: {}, _behaviors: {} }]);
  refused({ equals: { path: '/a' } }, /take turns/, [{ is: {} }, { is: {} }]);
});

test('the request of a stub with two query parameters is translated field by field', () => {
  const { request, priority } = mappingsOf(stubsOf.Query)[99];
  assert.equal(priority, 100);
  assert.deepEqual(request, {
    urlPath: '/query/search',
    queryParameters: { page: { equalTo: '100' }, size: { equalTo: '10' } },
  });
});

test('each branch of an or is a mapping of its own', () => {
  const [first, second] = mappingsOf(stubsOf.Complex).slice(48, 50);
  assert.deepEqual([first.priority, second.priority], [49, 50]);
  assert.deepEqual(second.request.headers, { 'Content-Type': { contains: 'application/json' } });
});
