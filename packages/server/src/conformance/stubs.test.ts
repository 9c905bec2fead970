// Rift's keys of imposters and stubs: what is kept, what is shown, which spellings mean the same, in which order a request
// is worked on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@rift-ts/engine';
import { creationOf, is, on, profiles, served } from './served.test-help.js';

for (const profile of profiles) {
  const setting = { profile };

  test(`${profile}: Rift's keys of a stub come back as they were sent`, () => {
    const stub = {
      id: 's1',
      space: 'red',
      routePattern: '/a/:x',
      responses: [{ is: { body: 'k' }, _rift: { templated: true } }],
    };
    return served(
      { stubs: [stub] },
      async ({ shown }) => {
        const { _links, ...kept } = (await shown()).stubs[0];
        assert.deepEqual(kept, stub);
      },
      setting,
    );
  });

  test(`${profile}: of the flow state the imposter shows what is known, the replayable form what was sent`, () => {
    const flowState = { backend: 'inmemory', ttlSeconds: 9, flowIdSource: 'header:X-T', colour: 'red' };
    return served(
      { _rift: { flowState }, stubs: [on('/', is('b'))] },
      async ({ shown, admin }) => {
        const { colour, ...known } = flowState;
        assert.deepEqual((await shown())._rift.flowState, known);
        assert.equal((await admin('GET', '%?replayable=true')).json._rift.flowState.colour, colour);
      },
      setting,
    );
  });

  test(`${profile}: keys of stubs in snake case mean the same`, () =>
    served(
      {
        stubs: [
          { ...on('/', is('first')), scenarioName: 's', required_scenario_state: 'Started', new_scenario_state: 'two' },
          { ...on('/', is('second')), scenarioName: 's', requiredScenarioState: 'two' },
        ],
      },
      async ({ bodies }) => assert.deepEqual(await bodies('/', 2), ['first', 'second']),
      setting,
    ));

  test(`${profile}: matches are kept with recordMatches`, () =>
    served(
      { recordMatches: true, stubs: [on('/', is('b'))] },
      async ({ get, shown }) => {
        await get('/');
        assert.equal((await shown()).stubs[0].matches.length, 1);
      },
      setting,
    ));

  test(`${profile}: the keys of an imposter have their order`, () =>
    served(
      { serviceName: 's', defaultForward: 'http://u' },
      async ({ shown, admin }) => {
        const only = (keys: string) => keys.split(' ').filter((key) => profile === 'rift' || !key.startsWith('+'));
        const plain = (keys: string) => only(keys).map((key) => key.replace('+', ''));
        assert.deepEqual(
          Object.keys(await shown()),
          plain(
            'protocol port numberOfRequests +enabled recordRequests defaultForward serviceName requests stubs _links',
          ),
        );
        assert.deepEqual(
          Object.keys((await admin('GET', '/imposters')).json.imposters[0]),
          plain('protocol port numberOfRequests +stubCount +enabled +recordRequests _links'),
        );
      },
      setting,
    ));

  test(`${profile}: a response may be spelled flat`, () =>
    served(
      { stubs: [{ responses: [{ statusCode: '202', headers: { 'X-N': 7 }, body: 'flat' }] }] },
      async ({ get }) => {
        const answer = await get('/');
        assert.deepEqual([answer.status, answer.headers['x-n'], answer.body], [202, '7', 'flat']);
      },
      setting,
    ));

  test(`${profile}: rules are predicates`, () =>
    served(
      { stubs: [{ rules: [{ equals: { path: '/only' } }], responses: [is('r')] }] },
      async ({ get }) => {
        assert.equal((await get('/only')).body, 'r');
        const other = await get('/else');
        assert.deepEqual([other.status, other.body], [200, '']);
      },
      setting,
    ));

  test(`${profile}: delayRange delays the responses that have no wait of their own`, () =>
    served(
      {
        stubs: [
          { delayRange: [{ min: '60', max: '60' }], responses: [is('slow'), is('fast', { _behaviors: { wait: 0 } })] },
        ],
      },
      async ({ get }) => {
        const timed = async () => {
          const begun = performance.now();
          await get('/');
          return performance.now() - begun;
        };
        assert.ok((await timed()) >= 59);
        // the fastest of a few: a busy machine may be slow, but not at least as slow each time
        const fast = [];
        for (let turn = 0; turn < 5; turn += 1) {
          fast.push(await timed());
          await get('/');
        }
        assert.ok(Math.min(...fast) < 60, `${fast}`);
      },
      setting,
    ));

  test(`${profile}: a wait between two numbers needs no injection, one with a function does`, async () => {
    const wait = (value: unknown) => ({ stubs: [{ responses: [is('w', { _behaviors: { wait: value } })] }] });
    assert.equal((await creationOf(wait({ min: 30, max: 30 }), setting)).status, 201);
    const refused = await creationOf(wait({ inject: 'function(){return 1}' }), setting);
    assert.deepEqual([refused.status, refused.errors[0].code], [400, 'invalid injection']);
    await served(
      wait({ min: 30, max: 30 }),
      async ({ get }) => {
        const begun = performance.now();
        await get('/');
        assert.ok(performance.now() - begun >= 29);
      },
      setting,
    );
  });

  test(`${profile}: _behaviors become behaviors in their order`, () => {
    const copy = (into: string) => ({ from: 'path', into, using: { method: 'regex', selector: '.+' } });
    const [A, B] = [copy('${A}'), copy('${B}')];
    return served(
      { stubs: [{ responses: [is('x', { _behaviors: { decorate: '(c)=>{}', repeat: 2, copy: [A, B], wait: 3 } })] }] },
      async ({ shown }) => {
        const [response] = (await shown()).stubs[0].responses;
        assert.equal(
          JSON.stringify(response),
          JSON.stringify({
            is: { body: 'x' },
            repeat: 2,
            behaviors: [{ wait: 3 }, { copy: A }, { copy: B }, { decorate: '(c)=>{}' }],
          }),
        );
      },
      setting,
    );
  });

  test(`${profile}: repeat may stand among the behaviors, unknown ones may not`, async () => {
    await served(
      { stubs: [{ responses: [is('a', { behaviors: [{ repeat: 2 }] }), is('b')] }] },
      async ({ bodies }) => assert.deepEqual(await bodies('/', 4), ['a', 'a', 'b', 'a']),
      setting,
    );
    const refused = await creationOf({ stubs: [{ responses: [is('a', { behaviors: [{ zap: 1 }] })] }] }, setting);
    assert.deepEqual([refused.status, refused.errors[0].message], [400, 'Unrecognized behavior: "zap"']);
  });

  test(`${profile}: a disabled imposter counts nothing`, () =>
    served(
      { stubs: [on('/', is('b'))] },
      async ({ get, admin, shown }) => {
        await admin('POST', '%/disable');
        assert.equal((await get('/')).status, 503);
        assert.equal((await shown()).numberOfRequests, 0);
        await admin('POST', '%/enable');
        assert.equal((await get('/')).status, 200);
        assert.equal((await shown()).numberOfRequests, 1);
      },
      setting,
    ));

  test(`${profile}: a response that fails has had its turn`, () =>
    served(
      { stubs: [{ responses: [{ inject: "() => { throw new Error('x') }" }, is('2')] }] },
      async ({ get }) => {
        const failed = await get('/');
        assert.equal(JSON.parse(failed.body).errors[0].code, 'invalid injection');
        assert.equal((await get('/')).body, '2');
      },
      setting,
    ));

  test(`${profile}: latency of a fault comes on top of a wait`, () =>
    served(
      {
        stubs: [
          {
            responses: [
              is('x', { _behaviors: { wait: 60 }, _rift: { fault: { latency: { probability: 1, ms: 60 } } } }),
            ],
          },
        ],
      },
      async ({ get }) => {
        const begun = performance.now();
        await get('/');
        assert.ok(performance.now() - begun >= 118);
      },
      setting,
    ));

  test(`${profile}: a scenario moves before the response waits`, () =>
    served(
      {
        stubs: [
          {
            ...on('/', is('slow', { _behaviors: { wait: 500 } })),
            scenarioName: 's',
            requiredScenarioState: 'Started',
            newScenarioState: 'next',
          },
          { ...on('/', is('next')), scenarioName: 's', requiredScenarioState: 'next' },
        ],
      },
      async ({ get, shown }) => {
        const slow = get('/');
        while ((await shown()).numberOfRequests === 0);
        assert.equal((await get('/')).body, 'next');
        assert.equal((await slow).body, 'slow');
      },
      setting,
    ));

  test(`${profile}: a stub goes on with its responses when another is put before it`, () =>
    served(
      { stubs: [on('/', is('1'), is('2'), is('3'))] },
      async ({ get, admin }) => {
        assert.equal((await get('/')).body, '1');
        await admin('POST', '%/stubs', { index: 0, stub: on('/other', is('o')) });
        assert.equal((await get('/')).body, '2');
      },
      setting,
    ));
}

test('a repeat beside _behaviors: Mountebank never runs them, Rift does', async () => {
  const creation = { stubs: [{ responses: [is('x', { _behaviors: { wait: 200 }, repeat: 2 }), is('y')] }] };
  const took = async (profile: 'mountebank' | 'rift') => {
    const times: number[] = [];
    await served(
      creation,
      async ({ get }) => {
        for (const body of ['x', 'x', 'y']) {
          const begun = performance.now();
          assert.equal((await get('/')).body, body);
          times.push(performance.now() - begun);
        }
      },
      { profile },
    );
    return times.slice(0, 2);
  };
  assert.ok((await took('rift')).every((ms) => ms >= 199));
  assert.ok((await took('mountebank')).some((ms) => ms < 200));
});

test('warnings stand in the imposter, in profile mountebank only where Rift is used', async () => {
  const twice = [on('/m', is('1')), on('/m', is('2'))];
  const types = (json: { _rift?: { warnings: { warningType: string }[] } }) =>
    json._rift?.warnings.map(({ warningType }) => warningType);
  await served({ stubs: twice }, async ({ shown, admin }) => {
    const json = await shown();
    assert.deepEqual(types(json), ['exact_duplicate']);
    assert.equal(Object.keys(json).at(-1), '_rift');
    assert.equal((await admin('GET', '%?replayable=true')).json._rift, undefined);
    assert.equal(types((await admin('DELETE', '%/stubs/1')).json), undefined);
    assert.deepEqual(types((await admin('POST', '%/stubs', { stub: { ...twice[0], id: 'x' } })).json), [
      'exact_duplicate',
    ]);
  });
  const mountebank = { profile: 'mountebank' as const };
  await served({ stubs: twice }, async ({ shown }) => assert.equal((await shown())._rift, undefined), mountebank);
  const named = [{ ...twice[0], id: 'a' }, twice[1]!];
  await served(
    { stubs: named },
    async ({ shown }) => assert.deepEqual(types(await shown()), ['exact_duplicate']),
    mountebank,
  );
});

test('an unknown key of Rift is kept and reported', () =>
  served({ _rift: { flowstate: {} } }, async ({ shown }) =>
    assert.deepEqual((await shown())._rift.warnings, [
      { warningType: 'unknown_key', message: "Unknown key '_rift.flowstate' (did you mean 'flowState'?)" },
    ]),
  ));

test('stubs by id', () =>
  served({ stubs: ['a', 'b', 'c'].map((id) => ({ id, ...on(`/${id}`, is(id)) })) }, async ({ get, admin, shown }) => {
    const ids = async () => (await shown()).stubs.map(({ id }: { id: string }) => id);
    const put = await admin('PUT', '%/stubs/by-id/b', { id: 'zzz', ...on('/b', is('new')) });
    assert.equal(put.status, 200);
    assert.deepEqual(await ids(), ['a', 'b', 'c']);
    assert.equal((await get('/b')).body, 'new');
    const taken = await admin('POST', '%/stubs', { stub: { id: 'b', responses: [is('x')] } });
    assert.deepEqual(
      [taken.status, taken.json.errors],
      [409, [{ code: '409', type: 'resource conflict', message: "A stub with id 'b' already exists" }]],
    );
    await admin('DELETE', '%/stubs/by-id/a');
    assert.deepEqual(await ids(), ['b', 'c']);
    const gone = await admin('GET', '%/stubs/by-id/a');
    assert.deepEqual([gone.status, gone.json.errors[0].type], [404, 'no such resource']);
  }));

test('a stub replaced by id goes on with its turn', () =>
  served({ stubs: [{ id: 's', responses: [is('1'), is('2'), is('3')] }] }, async ({ get, admin }) => {
    assert.equal((await get('/')).body, '1');
    await admin('PUT', '%/stubs/by-id/s', { responses: [is('4'), is('5'), is('6')] });
    assert.equal((await get('/')).body, '5');
  }));

test('warnings are in the log once, also where the imposter does not show them', async () => {
  for (const profile of profiles) {
    const lines: string[] = [];
    const loggerFor = () => ({ ...silentLogger, warn: (line: string) => void lines.push(line) });
    const stubs = [on('/m', is('1')), on('/m', is('2'))];
    await served(
      { stubs },
      async ({ shown, admin }) => {
        await shown();
        await admin('POST', '%/stubs', { stub: on('/other', is('3')) });
        await shown();
      },
      { profile, options: { loggerFor } },
    );
    assert.deepEqual(
      lines,
      ['Stub at index 1 has identical predicates to stub at index 0 and will never match'],
      profile,
    );
  }
});
