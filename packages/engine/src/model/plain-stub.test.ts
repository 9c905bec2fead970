import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { silentLogger } from '../logger.js';
import { compilePredicate } from '../matching/compile.js';
import { plainView } from '../matching/plain-view.js';
import { rewriteStub } from './old-spellings.js';
import { isPlainPredicate, isPlainStub } from './plain-stub.js';
import { readOptions } from './read-options.fixture.js';
import { stubContext } from './read-stub.js';
import { resolveScripts } from './script-sources.js';
import { checkStub } from './stub-checks.js';
import type { JsonObject, Profile, StubJson } from './types.js';
import { addUnknownKeys } from './unknown-keys.js';

/** Mostly `usual`. */
const mostly = (usual: fc.Arbitrary<unknown>, ...rare: fc.Arbitrary<unknown>[]) =>
  fc.oneof({ weight: 8, arbitrary: usual }, ...rare);
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const odd = fc.oneof(fc.constant(null), fc.constant([]), fc.constant([1, 'x']), fc.constant({}), scalar);
const name = fc.constantFrom('path', 'method', 'body', 'headers', 'query', '__proto__', 'length', '0');
const operand = fc.oneof(
  fc.dictionary(name, scalar),
  fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, fc.oneof(scalar, odd)))),
  odd,
);
const operatorName = fc.constantFrom('equals', 'deepEquals', 'contains', 'startsWith', 'endsWith', 'exists');
const rareName = fc.constantFrom('matches', 'not', 'and', 'inject', 'except', 'jsonpath', 'xpath', 'other');
const predicate = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(operatorName, mostly(fc.dictionary(name, scalar), operand))
      .map(([key, value]) => ({ [key]: value })),
  },
  fc.dictionary(fc.oneof(operatorName, rareName, fc.constantFrom('caseSensitive', 'keyCaseSensitive')), operand, {
    maxKeys: 3,
  }),
  odd,
);
const is = fc.record(
  {
    statusCode: mostly(fc.integer({ min: 90, max: 1010 }), fc.constant('200'), fc.constant(200.5), odd),
    headers: mostly(fc.dictionary(fc.string(), scalar), fc.dictionary(fc.string(), odd), odd),
    body: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 3 })),
    _mode: odd,
  },
  { requiredKeys: [] },
);
const response = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is }) },
  fc.record(
    { is, repeat: odd, behaviors: odd, _behaviors: odd, _rift: odd, proxy: odd, fault: odd },
    { requiredKeys: [] },
  ),
  odd,
);
const stub = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        predicates: fc.array(predicate, { maxLength: 2 }),
        responses: fc.array(response, { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['responses'] },
    ),
  },
  fc.record(
    {
      id: odd,
      predicates: fc.oneof(fc.array(predicate, { maxLength: 2 }), odd),
      responses: fc.oneof(fc.array(response, { maxLength: 2 }), odd),
      rules: odd,
      matches: odd,
      scenarioName: odd,
      _links: odd,
    },
    { requiredKeys: [] },
  ),
  odd,
);

/** As it comes over the wire: `__proto__` is a name like others. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function checksFindNothing(given: unknown, profile: Profile): void {
  const options = {
    ...readOptions({ profile, allowInjection: false }),
    // every predicate is compiled and tried
    checkPredicates: (predicates: readonly unknown[], request: JsonObject) => {
      for (const each of predicates) {
        const context = { encoding: 'utf8', scripts: undefined, logger: silentLogger } as const;
        compilePredicate(each, context).test(plainView(request));
      }
      return undefined;
    },
  };
  const context = stubContext({ protocol: 'http' }, options, 'door');
  const rewritten = rewriteStub(given, 'http', profile);
  assert.equal(rewritten, given);
  assert.deepEqual(checkStub(rewritten, context, 'stub'), []);
  const resolved = resolveScripts(given as StubJson, 'stub', {}, undefined);
  assert.deepEqual(resolved, { stub: given, invalid: [] });
  assert.equal(resolved.stub, given);
  const warnings: [] = [];
  addUnknownKeys(given as StubJson, 0, warnings);
  assert.deepEqual(warnings, []);
}

test('the checks find nothing in a plain stub, and nothing has to be rewritten or resolved', () => {
  let plain = 0;
  let others = 0;
  fc.assert(
    fc.property(stub, (generated) => {
      const given = sent(generated);
      if (!isPlainStub(given)) others++;
      else {
        plain++;
        for (const profile of ['rift', 'mountebank'] as const) checksFindNothing(given, profile);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(plain > 100 && others > 100, `${plain} plain stubs and ${others} others were tried`);
});

test('what nearly everybody writes is plain', () => {
  const predicates = [{ equals: { method: 'GET', path: '/a', query: { q: 1 } }, caseSensitive: true }];
  const responses = [{ is: { statusCode: 200, headers: { 'X-A': 'b', 'X-N': 1 }, body: { a: [{ b: null }] } } }];
  assert.ok(isPlainStub({ predicates, responses }));
  assert.ok(isPlainStub({ id: 's', responses }));
});

test('what has to be looked at more closely is not plain', () => {
  const responses = [{ is: {} }];
  for (const given of [
    { responses: [] },
    { predicates: [] },
    { responses, scenarioName: 's' },
    { responses, _links: {} },
    { responses, id: 1 },
    { responses: [{ is: {}, behaviors: [] }] },
    { responses: [{ is: { statusCode: '200' } }] },
    { responses: [{ is: { statusCode: 1000 } }] },
    { responses: [{ is: { headers: { a: ['b'] } } }] },
    { responses, predicates: [{ matches: { path: 'a' } }] },
    { responses, predicates: [{ equals: { path: 'a' }, jsonpath: { selector: '$' } }] },
    { responses, predicates: [{ equals: { path: 'a' }, contains: { path: 'b' } }] },
    { responses, predicates: [{ equals: { body: null } }] },
    [],
    null,
    'text',
  ]) {
    assert.equal(isPlainStub(given), false, JSON.stringify(given));
  }
  assert.equal(isPlainPredicate({ not: { equals: { path: 'a' } } }), false);
});

test('a document that is nested deeply is not plain', () => {
  let body: unknown = 'x';
  for (let level = 0; level < 30; level++) body = [body];
  const responses = [{ is: {} }];
  assert.equal(isPlainStub({ responses: [{ is: { body } }] }), false);
  for (const key of ['equals', 'caseSensitive', 'keyCaseSensitive', 'other']) {
    assert.equal(isPlainStub({ responses, predicates: [{ exists: { path: true }, [key]: body }] }), false, key);
  }
});
