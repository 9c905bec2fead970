import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readImposter } from './read-imposter.js';
import { readOptions } from './read-options.fixture.js';
import { plainResponse, type ResponsePlan, type StubPlan, stubPlan } from './stub-plan.js';
import type { JsonObject, Profile, ResponseJson } from './types.js';

async function plan(stub: object, profile: Profile = 'rift', more: object = {}): Promise<StubPlan> {
  const result = await readImposter({ protocol: 'http', stubs: [stub], ...more }, readOptions({ profile }));
  assert.ok('value' in result, JSON.stringify(result));
  return stubPlan(result.value.stubs[0]!, profile, result.value);
}

async function first(response: object, profile?: Profile): Promise<ResponsePlan> {
  return (await plan({ responses: [response] }, profile)).responses[0]!;
}

describe('repeat is a whole number of servings', () => {
  const rows: [object, number][] = [
    [{ is: {} }, 1],
    [{ is: {}, repeat: 3 }, 3],
    [{ is: {}, repeat: 1.5 }, 2],
    [{ is: {}, repeat: '2' }, 2],
    [{ is: {}, repeat: '' }, 1],
    [{ is: {}, _behaviors: { repeat: 4 } }, 4],
    [{ is: {}, behaviors: [{ repeat: 2 }] }, 2],
    [{ is: {}, behaviors: { repeat: 2 } }, 2],
    [{ is: {}, behaviors: [{ repeat: 2 }], repeat: 5 }, 5],
  ];
  for (const [response, repeat] of rows) {
    test(JSON.stringify(response), async () => {
      assert.equal((await first(response, 'mountebank')).repeat, repeat);
      assert.equal((await first(response, 'rift')).repeat, repeat);
    });
  }
});

test('a flat response is an is response with those fields', async () => {
  const { type, config, json } = await first({ statusCode: '202', headers: { 'X-N': 7 }, body: 'flat', other: 1 });
  assert.equal(type, 'is');
  assert.deepEqual(config, { statusCode: '202', headers: { 'X-N': 7 }, body: 'flat' });
  assert.deepEqual(json, { statusCode: '202', headers: { 'X-N': 7 }, body: 'flat', other: 1 });
});

test('flat fields beside an is are ignored', async () => {
  assert.deepEqual((await first({ is: { body: 'a' }, body: 'b' })).config, { body: 'a' });
});

test('a response with only _rift is a script or an empty is', async () => {
  const script = await first({ _rift: { script: { engine: 'js', code: 'pass()' } } });
  assert.equal(script.type, 'script');
  assert.deepEqual(script.script, { engine: 'js', code: 'pass()' });
  const empty = await first({ _rift: { templated: true } });
  assert.equal(empty.type, 'is');
  assert.deepEqual(empty.config, {});
  assert.deepEqual(empty.rift, { templated: true });
});

test('null types beside another are ignored, and the first of several counts in profile rift', async () => {
  assert.equal((await first({ proxy: null, inject: null, is: {} }, 'mountebank')).type, 'is');
  assert.equal((await first({ fault: 'x', inject: 'y', proxy: { to: 'http://h' } }, 'rift')).type, 'proxy');
});

test('a script without engine has the one of the imposter, else rhai', async () => {
  const stub = { responses: [{ _rift: { script: { code: 'x' } } }] };
  assert.equal((await plan(stub)).responses[0]!.script!.engine, 'rhai');
  const more = { _rift: { scriptEngine: { defaultEngine: 'javascript' } } };
  assert.equal((await plan(stub, 'rift', more)).responses[0]!.script!.engine, 'javascript');
});

test('behaviors keep their order; several in one object are split in profile rift', async () => {
  const copy = { from: 'path', into: 'x', using: { method: 'regex', selector: '.' } };
  const { behaviors } = await first({ is: {}, behaviors: [{ copy, wait: 1 }, { wait: { inject: 'f' }, note: 1 }, {}] });
  assert.deepEqual(behaviors, [{ copy }, { wait: 1 }, { wait: 'f' }]);
});

test('_behaviors beside a bare repeat run in profile rift only', async () => {
  const response = { is: {}, _behaviors: { wait: 700 }, repeat: 2 };
  assert.deepEqual((await first(response, 'mountebank')).behaviors, []);
  const plan = await first(response, 'rift');
  assert.deepEqual(plan.behaviors, [{ wait: 700 }]);
  assert.equal(plan.repeat, 2);
});

test('delayRange gives a wait to every is response that has none', async () => {
  const { responses } = await plan({
    delayRange: [
      { min: '60', max: '60' },
      { min: 1, max: 2 },
    ],
    responses: [{ is: {} }, { is: {}, behaviors: [{ wait: 0 }] }, { fault: 'x' }, { body: 'flat' }],
  });
  assert.deepEqual(
    responses.map(({ behaviors }) => behaviors),
    [[{ wait: 60 }], [{ wait: 0 }], [], [{ wait: 60 }]],
  );
  const range = await plan({ delayRange: [{ min: 40, max: 90 }], responses: [{ is: {} }] });
  assert.deepEqual(range.responses[0]!.behaviors, [{ wait: { min: 40, max: 90 } }]);
  const broken = await plan({ delayRange: 'x', responses: [{ is: {} }] }, 'mountebank');
  assert.deepEqual(broken.responses[0]!.behaviors, []);
});

test('rules are the predicates of a stub that has no others', async () => {
  const rules = [{ equals: { path: '/only' } }];
  const predicates = [{ exists: { body: true } }];
  const responses = [{ is: {} }];
  assert.deepEqual((await plan({ rules, responses })).predicates, rules);
  assert.deepEqual((await plan({ rules, predicates: [], responses })).predicates, rules);
  assert.deepEqual((await plan({ rules, predicates, responses })).predicates, predicates);
  assert.deepEqual((await plan({ responses })).predicates, []);
});

test('snake-case keys are read, the camelCase one wins, and other types are no keys', async () => {
  const both = await plan(
    {
      id: 5,
      scenarioName: 'n',
      required_scenario_state: 'Started',
      new_scenario_state: 'a',
      newScenarioState: 'b',
      route_pattern: '/:x',
      space: 'red',
      responses: [{ is: {} }],
    },
    'mountebank',
  );
  assert.equal(both.id, undefined);
  assert.equal(both.scenarioName, 'n');
  assert.equal(both.requiredScenarioState, 'Started');
  assert.equal(both.newScenarioState, 'b');
  assert.equal(both.routePattern, '/:x');
  assert.equal(both.space, 'red');
});

test('a stub without responses has none in profile rift', async () => {
  assert.deepEqual((await plan({ predicates: [] })).responses, []);
});

test('a response in Mountebank’s own spelling is compiled as it is', () => {
  const stub = { responses: [] };
  const response = { is: {}, behaviors: [{ wait: 1 }], note: 1 };
  assert.equal(plainResponse(response, stub, 'rift'), response);
});

test('every other spelling becomes a type key and an array of behaviors', () => {
  const rows: [ResponseJson, JsonObject, ResponseJson][] = [
    [{ body: 'flat' }, {}, { body: 'flat', is: { body: 'flat' }, behaviors: [] }],
    [{ is: { a: 1 }, behaviors: 0 }, {}, { is: { a: 1 }, behaviors: [] }],
    [{ _rift: { templated: true } }, {}, { _rift: { templated: true }, is: {}, behaviors: [] }],
    [{ is: {} }, { delayRange: [{ min: 5, max: 5 }] }, { is: {}, behaviors: [{ wait: 5 }] }],
    [{ fault: 'x' }, { delayRange: [{ min: 5, max: 5 }] }, { fault: 'x' }],
  ];
  for (const [response, stub, plain] of rows) {
    assert.deepEqual(plainResponse(response, { responses: [], ...stub }, 'mountebank'), plain);
  }
});
