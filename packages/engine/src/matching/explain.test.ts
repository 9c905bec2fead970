import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import { compilePredicate } from './compile.js';
import { explainStub } from './explain.js';
import { plainView } from './plain-view.js';
import { defaultRequest } from './testing/behaviours.fixture.js';
import { bendRequest, generatePredicate, generateRequest, requestObject } from './testing/generator.fixture.js';
import { Random, seedOfRun } from './testing/random.fixture.js';

const context = { encoding: 'utf8', scripts: undefined, logger: silentLogger } as const;
const explain = (predicates: unknown[], request: object) =>
  explainStub(predicates, plainView({ ...defaultRequest, ...request }), context);

const gold = [{ equals: { method: 'GET', path: '/pay', headers: { 'x-tier': 'gold' } } }];

test('a refusal names the leaf, what was expected and what was there', async () => {
  const found = await explain(gold, { path: '/pay', headers: { 'X-Tier': 'silver' } });
  assert.deepEqual(found.refusal, {
    predicateIndex: 0,
    path: 'predicates[0].equals.headers.x-tier',
    operator: 'equals',
    field: 'headers.x-tier',
    expected: 'gold',
    actual: 'silver',
    explanation: 'expected header x-tier to equal "gold", but it was "silver"',
  });
  assert.deepEqual([found.satisfied, found.total, found.matched, found.methodAndPathHold], [2, 3, false, true]);
});

test('a stub whose predicates hold is not refused', async () => {
  const found = await explain(gold, { path: '/pay', headers: { 'X-Tier': 'Gold' } });
  assert.deepEqual([found.matched, found.refusal, found.refusals, found.satisfied], [true, undefined, [], 3]);
});

test('hints say what is nearly right', async () => {
  const hint = async (predicate: object, request: object) => (await explain([predicate], request)).refusal?.hint;
  assert.equal(await hint({ equals: { path: '/A' }, caseSensitive: true }, { path: '/a' }), 'differs only in case');
  assert.equal(await hint({ equals: { body: 'a' } }, { body: ' a\n' }), 'differs only in surrounding blanks');
  assert.equal(await hint({ equals: { query: { q: '1' } } }, {}), 'field is absent');
  assert.equal(
    await hint({ equals: { body: '1' }, jsonpath: { selector: '$.id' } }, { body: 'x' }),
    'body is not JSON',
  );
  assert.equal(await hint({ equals: { body: '1' }, xpath: { selector: '//a' } }, { body: 'x' }), 'body is not XML');
  for (const body of ['<r><b>1</b>', '<!DOCTYPE r><r/>', '<r/><r/>']) {
    assert.equal(await hint({ equals: { body: '1' }, xpath: { selector: '//a' } }, { body }), 'body is not XML');
  }
  assert.equal(
    await hint({ equals: { body: '1' }, jsonpath: { selector: '$.id' } }, { body: '{}' }),
    'selector found nothing',
  );
  assert.equal(await hint({ equals: { query: { q: '1' } } }, { query: { q: ['2', '3'] } }), 'repeated value');
  assert.equal(await hint({ equals: { body: { v: null } } }, { body: '{"v":"null"}' }), 'null and text differ');
});

test('an object operand on a body names the first place that differs', async () => {
  const predicate = { equals: { body: { user: { name: 'x', id: 5 } } } };
  const { refusal } = await explain([predicate], { body: '{"user":{"name":"X","id":6}}' });
  assert.equal(refusal?.field, 'body.user.id');
  assert.deepEqual([refusal?.expected, refusal?.actual], [5, 6]);
});

test('a selector shows what it found, and nothing when the body does not parse', async () => {
  const predicate = { equals: { body: '1' }, jsonpath: { selector: '$.id' } };
  const { refusal } = await explain([predicate], { body: '{"id":7}' });
  assert.deepEqual([refusal?.field, refusal?.selector, refusal?.actual], ['body', '$.id', 7]);
  assert.ok(!('actual' in ((await explain([predicate], { body: 'x' })).refusal ?? {})));
});

test('a false or reports its alternatives, a false not is negated', async () => {
  const or = { or: [{ equals: { path: '/a' } }, { equals: { path: '/b' } }] };
  const { refusal } = await explain([or], { path: '/c' });
  assert.equal(refusal?.path, 'predicates[0].or');
  assert.equal(refusal?.alternatives?.length, 2);
  const not = (await explain([{ not: { equals: { path: '/a' } } }], { path: '/a' })).refusal;
  assert.deepEqual([not?.path, not?.operator, not?.negated], ['predicates[0].not.equals.path', 'equals', true]);
});

test('what was really compared is shown when folding or except changed it', async () => {
  const { refusal } = await explain([{ equals: { path: '/A1' }, except: '\\d' }], { path: '/b2' });
  assert.deepEqual(refusal?.compared, { expected: '/a', actual: '/b' });
});

test('a predicate that fails to run is an error, unless an earlier one is false', async () => {
  const broken = { equals: { body: 'x' }, xpath: { selector: '//q:a' } };
  assert.match(String((await explain([broken], { body: '<a/>' })).error?.reason.message), /malformed xpath/);
  assert.equal((await explain([{ equals: { path: '/x' } }, broken], { body: '<a/>' })).error, undefined);
});

test('explanations and verdicts agree on generated stubs', async () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  for (let pair = 0; pair < 1500; pair++) {
    const near = generateRequest(random);
    const json = generatePredicate(random, near);
    const view = plainView(requestObject(bendRequest(random, near)));
    const note = `RIFT_SEED=${seed} ${JSON.stringify([json, view.toJSON()])}`;
    let holds: boolean | Promise<boolean> | undefined;
    try {
      holds = compilePredicate(json, context).test(view);
    } catch {}
    const found = await explainStub([json], view, context);
    if (holds === undefined) continue;
    assert.equal(found.matched, holds, note);
    assert.equal(found.refusals.length, found.refusalCount, note);
    assert.equal(found.refusals.length > 0 || found.error !== undefined, !holds, note);
    assert.ok(holds ? found.satisfied === found.total : found.satisfied <= found.total, note);
  }
});
