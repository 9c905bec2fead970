import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Profile } from '@rift-ts/engine';
import { engine, freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';

const profiles: readonly Profile[] = ['mountebank', 'rift'];

interface Answer {
  readonly status: number;
  readonly body: string;
}

function send(port: number, path: string, headers: Record<string, string> = {}, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers, agent: agent ?? false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

function stub(path: string, body: string, extra: object = {}, statusCode = 200): object {
  return { predicates: [{ equals: { path } }], responses: [{ is: { statusCode, body } }], ...extra };
}

const door = [
  stub('/door', 'closed', { scenarioName: 'door', requiredScenarioState: 'Started', newScenarioState: 'open' }, 423),
  stub('/door', 'welcome', { scenarioName: 'door', requiredScenarioState: 'open' }),
];

/** An imposter on a free port, served while `use` runs. */
async function withImposter(
  profile: Profile,
  creation: object,
  use: (port: number, admin: TestAdmin) => Promise<void>,
): Promise<void> {
  const imposters = engine(profile, { allowInjection: true }, '127.0.0.1');
  await withAdmin(profile, { imposters }, async (admin) => {
    const port = await freePort();
    const created = await admin.call('POST', '/imposters', { protocol: 'http', port, ...creation });
    assert.equal(created.status, 201, created.body);
    await use(port, admin);
  });
}

for (const profile of profiles) {
  test(`${profile}: a scenario goes through its states and starts again after a reset`, async () => {
    await withImposter(profile, { stubs: door }, async (port, admin) => {
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await send(port, '/door')).status);
      assert.deepEqual(statuses, [423, 200, 200]);
      const flowId = String(port);
      const listed = await admin.call('GET', `/imposters/${port}/scenarios`);
      assert.deepEqual(listed.json(), { flowId, scenarios: [{ name: 'door', state: 'open' }] });
      const reset = await admin.call('POST', `/imposters/${port}/scenarios/reset`);
      assert.deepEqual([reset.status, reset.json()], [200, { flowId, reset: true }]);
      assert.equal((await send(port, '/door')).status, 423);
    });
  });

  test(`${profile}: the state of a scenario belongs to one flow`, async () => {
    const creation = { stubs: door, _rift: { flowState: { flowIdSource: 'header:X-Flow' } } };
    await withImposter(profile, creation, async (port, admin) => {
      const put = await admin.call('PUT', `/imposters/${port}/scenarios/door/state`, { state: 'open', flowId: 'z' });
      assert.deepEqual([put.status, put.json()], [200, { flowId: 'z', name: 'door', state: 'open' }]);
      assert.equal((await send(port, '/door', { 'x-flow': 'z' })).status, 200);
      assert.equal((await send(port, '/door', { 'x-flow': 'y' })).status, 423);
      assert.equal((await send(port, '/door')).status, 423, 'without the header the flow is the port');
      const listed = await admin.call('GET', `/imposters/${port}/scenarios?flowId=y`);
      assert.deepEqual(listed.json().scenarios, [{ name: 'door', state: 'open' }]);
      await admin.call('POST', `/imposters/${port}/scenarios/reset`, { flowId: 'y' });
      assert.equal((await send(port, '/door', { 'x-flow': 'z' })).status, 200);
      assert.equal((await send(port, '/door', { 'x-flow': 'y' })).status, 423);
    });
  });
}

test('keys in snake case mean the same; camel case wins', async () => {
  const stubs = [
    stub('/', 'first', { scenarioName: 's', required_scenario_state: 'Started', new_scenario_state: 'two' }),
    stub('/', 'second', { scenarioName: 's', requiredScenarioState: 'two', required_scenario_state: 'Started' }),
  ];
  await withImposter('rift', { stubs }, async (port) => {
    assert.equal((await send(port, '/')).body, 'first');
    assert.equal((await send(port, '/')).body, 'second');
  });
});

test('a scenario name alone gates nothing and is listed as Started', async () => {
  await withImposter('rift', { stubs: [stub('/', 'always', { scenarioName: 'label' })] }, async (port, admin) => {
    assert.equal((await send(port, '/')).body, 'always');
    const { scenarios } = (await admin.call('GET', `/imposters/${port}/scenarios`)).json();
    assert.deepEqual(scenarios, [{ name: 'label', state: 'Started' }]);
  });
});

test('gates without a scenario name share the scenario without a name', async () => {
  const stubs = [
    stub('/go', 'gone', { newScenarioState: 'there' }),
    stub('/at', 'here', { requiredScenarioState: 'there' }),
    stub('/at', 'not yet'),
  ];
  await withImposter('rift', { stubs }, async (port) => {
    assert.equal((await send(port, '/at')).body, 'not yet');
    await send(port, '/go');
    assert.equal((await send(port, '/at')).body, 'here');
  });
});

test('a catch-all before a gated stub wins', async () => {
  await withImposter('rift', { stubs: [{ responses: [{ is: { body: 'all' } }] }, ...door] }, async (port) => {
    assert.equal((await send(port, '/door')).body, 'all');
  });
});

test('a transition is made before the wait of its response', async () => {
  const slow = stub('/', 'slow', { scenarioName: 's', newScenarioState: 'next' }) as { responses: object[] };
  slow.responses[0] = { is: { body: 'slow' }, behaviors: [{ wait: 60_000 }] };
  const stubs = [stub('/', 'fast', { scenarioName: 's', requiredScenarioState: 'next' }), slow];
  await withImposter('rift', { stubs }, async (port, admin) => {
    const waiting = send(port, '/').catch(() => undefined);
    for (;;) {
      const { numberOfRequests } = (await admin.call('GET', `/imposters/${port}`)).json();
      if (numberOfRequests === 1) break;
    }
    assert.equal((await send(port, '/')).body, 'fast');
    await admin.call('DELETE', `/imposters/${port}`);
    await waiting;
  });
});

test('a scenario cell that is no text is an error of the request, with its value', async () => {
  const creation = { stubs: door, _rift: { flowState: {} } };
  await withImposter('rift', creation, async (port, admin) => {
    await admin.call('PUT', `/admin/imposters/${port}/flow-state/${port}/door`, { value: { b: 1, a: [true] } });
    const { status, body } = await send(port, '/door');
    const message = `scenario state for ${port}/door is not a string: {"a":[true],"b":1}`;
    assert.deepEqual([status, JSON.parse(body)], [500, { errors: [{ code: '500', type: 'internal error', message }] }]);
  });
});

test('scenario endpoints refuse what they cannot read before they look for the imposter', async () => {
  await withAdmin('mountebank', {}, async ({ call }) => {
    const failure = async (method: string, path: string, body?: unknown) => {
      const answer = await call(method, path, body);
      const { code, type, message } = (answer.json().errors as Record<string, unknown>[])[0]!;
      assert.equal(String(answer.status), code);
      return [answer.status, type, message];
    };
    const state = '/imposters/65000/scenarios/x/state';
    const gone = [404, 'no such resource', 'Imposter not found on port 65000'];
    assert.deepEqual(await failure('PUT', state, {}), [400, 'bad data', 'missing required field: state']);
    assert.deepEqual(await failure('PUT', state, { state: 1 }), [400, 'bad data', 'missing required field: state']);
    assert.match(String((await failure('PUT', state, '{'))[2]), /^Invalid JSON: /);
    assert.match(String((await failure('POST', '/imposters/65000/scenarios/reset', '{'))[2]), /^Invalid JSON: /);
    assert.deepEqual(await failure('PUT', state, { state: 'a' }), gone);
    assert.deepEqual(await failure('POST', '/imposters/65000/scenarios/reset'), gone);
    assert.deepEqual(await failure('GET', '/imposters/65000/scenarios'), gone);
    assert.deepEqual((await call('GET', '/imposters/65000/scenarios')).json().errors, [
      { code: '404', type: 'no such resource', message: 'Imposter not found on port 65000' },
    ]);
  });
});

for (const profile of profiles) {
  test(`${profile}: flow state is written, read and deleted cell by cell`, async () => {
    await withImposter(profile, { _rift: { flowState: { ttlSeconds: 60 } } }, async (port, { call }) => {
      const base = `/admin/imposters/${port}/flow-state`;
      const missing = await call('GET', `${base}/f%201/k`);
      assert.deepEqual(
        [missing.status, missing.json().errors],
        [404, [{ code: '404', type: 'no such resource', message: 'flow-state key not found' }]],
      );
      const value = { n: 1, list: [null, 'x'] };
      assert.deepEqual((await call('PUT', `${base}/f%201/k`, { value })).json(), { flowId: 'f 1', key: 'k', value });
      assert.deepEqual((await call('GET', `${base}/f%201/k`)).json(), { flowId: 'f 1', key: 'k', value });
      await call('PUT', `${base}/f%201/null`, { value: null });
      assert.deepEqual((await call('GET', `${base}/f%201/null`)).json(), { flowId: 'f 1', key: 'null', value: null });
      for (let i = 0; i < 2; i++) {
        const deleted = await call('DELETE', `${base}/f%201/k`);
        assert.deepEqual([deleted.status, deleted.json()], [200, { flowId: 'f 1', key: 'k', deleted: true }]);
      }
      assert.deepEqual((await call('DELETE', `${base}/f%201`)).json(), { flowId: 'f 1', cleared: true });
      assert.equal((await call('GET', `${base}/f%201/null`)).status, 404);
    });
  });
}

test('flow state endpoints name what is wrong', async () => {
  await withImposter('mountebank', {}, async (port, { call }) => {
    const message = async (method: string, path: string, body?: unknown) => {
      const answer = await call(method, `/admin/imposters/${path}`, body);
      return [answer.status, (answer.json().errors as { message: string }[])[0]!.message];
    };
    assert.deepEqual(await message('PUT', `${port}/flow-state/f/k`, {}), [400, 'missing required field: value']);
    assert.match(String((await message('PUT', `${port}/flow-state/f/k`, '{'))[1]), /^Invalid JSON: /);
    assert.deepEqual(await message('POST', `${port}/flow-state/f/k`, {}), [404, 'Not Found']);
    assert.deepEqual(await message('GET', 'abc/flow-state/f/k'), [404, 'Not Found']);
    assert.deepEqual(await message('GET', '65000/flow-state/f/k'), [404, 'Imposter not found on port 65000']);
  });
});

test('an imposter without any state forgets what is written', async () => {
  await withImposter('rift', { stubs: [stub('/', 'x')] }, async (port, { call }) => {
    const cell = `/admin/imposters/${port}/flow-state/f/k`;
    assert.equal((await call('PUT', cell, { value: 1 })).status, 200);
    assert.equal((await call('GET', cell)).status, 404);
    await call('POST', `/imposters/${port}/stubs`, { stub: door[0] });
    await call('PUT', cell, { value: 1 });
    assert.equal((await call('GET', cell)).status, 200, 'its first stateful stub gave it a store');
    await call('PUT', `/imposters/${port}/stubs`, { stubs: [] });
    assert.equal((await call('GET', cell)).status, 200, 'which it keeps');
  });
});

test('what a flow store cannot be made of is refused, the time to live first', async () => {
  await withAdmin('rift', {}, async ({ call }) => {
    const flowState = { backend: 'nosuch', ttlSeconds: 0 };
    const answer = await call('POST', '/imposters', { protocol: 'http', port: 22200, _rift: { flowState } });
    assert.equal(answer.status, 400);
    assert.match(answer.body, /Flow store configuration error: flowState\.ttlSeconds must be >= 1 \(got 0\)/);
  });
});

test('a space serves its own flow and goes with its stubs, requests and states', async () => {
  const creation = {
    recordRequests: true,
    stubs: [stub('/s', 'global', { scenarioName: 'g' })],
    _rift: { flowState: { flowIdSource: 'header:X-Space' } },
  };
  await withImposter('rift', creation, async (port, { call }) => {
    const posted = await call('POST', `/imposters/${port}/spaces/a/stubs`, stub('/p', 'in a', { space: 'b' }));
    const own = { ...stub('/p', 'in a'), space: 'a' };
    assert.deepEqual([posted.status, posted.json()], [201, { space: 'a', stubs: [own] }]);
    assert.equal((await send(port, '/p', { 'X-Space': 'a' })).body, 'in a');
    assert.equal((await send(port, '/p', { 'X-Space': 'b' })).body, '');
    assert.equal((await send(port, '/p')).body, '');
    assert.deepEqual((await call('GET', `/imposters/${port}/spaces/a`)).json(), {
      space: 'a',
      stubs: [own],
      scenarios: [{ name: 'g', state: 'Started' }],
      numberOfRequests: 1,
    });
    await call('PUT', `/imposters/${port}/scenarios/g/state`, { state: 'on', flowId: 'a' });
    await call('PUT', `/admin/imposters/${port}/flow-state/a/other`, { value: 1 });
    const torn = await call('DELETE', `/imposters/${port}/spaces/a`);
    assert.deepEqual([torn.status, torn.json()], [200, { space: 'a', tornDown: true }]);
    assert.equal((await send(port, '/p', { 'X-Space': 'a' })).body, '');
    assert.deepEqual((await call('GET', `/imposters/${port}/spaces/a`)).json().scenarios, [
      { name: 'g', state: 'Started' },
    ]);
    assert.equal((await call('GET', `/admin/imposters/${port}/flow-state/a/other`)).status, 200);
    const ofA = (await call('GET', `/imposters/${port}/savedRequests?match=flow_id=a`)).json();
    assert.equal((ofA as unknown as unknown[]).length, 1, 'only what came after the teardown');
    const ofB = (await call('GET', `/imposters/${port}/savedRequests?match=flow_id=b`)).json();
    assert.equal((ofB as unknown as unknown[]).length, 1);
    assert.equal((await call('DELETE', `/imposters/${port}/spaces/never`)).status, 200);
    assert.deepEqual((await call('GET', `/imposters/${port}/spaces/a%20b/stubs`)).json(), { space: 'a b', stubs: [] });
  });
});

test('spaces refuse what is no stub and ids that are taken', async () => {
  await withImposter('rift', { stubs: [stub('/', 'x', { id: 'taken' })] }, async (port, { call }) => {
    const post = async (body: unknown) => {
      const answer = await call('POST', `/imposters/${port}/spaces/a/stubs`, body);
      return [answer.status, (answer.json().errors as { message: string }[] | undefined)?.[0]?.message];
    };
    assert.deepEqual(await post({}), [
      400,
      'body is not a stub: no recognised stub field present (expected at least one of scenarioName, ' +
        'requiredScenarioState, newScenarioState, space, id, routePattern, predicates, rules, responses, ' +
        'recordedFrom, delayRange, _verify)',
    ]);
    assert.deepEqual(await post({ predicates: [] }), [201, undefined]);
    assert.deepEqual(await post({ stub: stub('/e', 'in an envelope') }), [201, undefined]);
    assert.deepEqual(await post(stub('/', 'x', { id: 'taken' })), [409, "A stub with id 'taken' already exists"]);
    assert.match(String((await post({ id: 7, responses: [] }))[1]), /^Invalid stub: /);
  });
});

test('stubs are refused in one form on routes that Mountebank does not have', async () => {
  await withImposter('mountebank', { stubs: [stub('/', 'x', { id: 'a' })] }, async (port, { call }) => {
    for (const [method, path] of [
      ['PUT', 'stubs/by-id/a'],
      ['POST', 'spaces/s/stubs'],
    ] as const) {
      const { status, ...answer } = await call(method, `/imposters/${port}/${path}`, {
        predicates: [{}],
        responses: [],
      });
      const [error] = answer.json().errors as { [key: string]: unknown }[];
      assert.deepEqual([status, error!.code, error!.type], [400, '400', 'bad data'], answer.body);
      assert.equal('path' in error!, false);
    }
  });
});

test('chunks of a tcp connection go through a scenario, too', async () => {
  const answer = (data: string, extra: object) => ({ scenarioName: 's', ...extra, responses: [{ is: { data } }] });
  const stubs = [
    answer('first', { requiredScenarioState: 'Started', newScenarioState: 'next' }),
    answer('second', { requiredScenarioState: 'next' }),
  ];
  await withImposter('mountebank', { protocol: 'tcp', stubs }, async (port, { call }) => {
    const socket = connect(port, '127.0.0.1');
    const received = [];
    for (let i = 0; i < 3; i++) {
      socket.write('hello');
      const [data] = (await once(socket, 'data')) as [Buffer];
      received.push(data.toString());
    }
    socket.destroy();
    assert.deepEqual(received, ['first', 'second', 'second']);
    const { scenarios } = (await call('GET', `/imposters/${port}/scenarios`)).json();
    assert.deepEqual(scenarios, [{ name: 's', state: 'next' }]);
  });
});

const counter = (script: object) => ({ responses: [{ _rift: { script } }] });
const counting = counter({ engine: 'rhai', code: 'http(200, "" + ctx.state.incr("k"))' });

test('scripts count by flow, and share cells with the admin API', async () => {
  const creation = { stubs: [counting], _rift: { flowState: { flowIdSource: 'header:X-T' } } };
  await withImposter('mountebank', creation, async (port, { call }) => {
    const counts = [];
    for (const headers of [{ 'X-T': 'a' }, { 'X-T': 'a' }, { 'X-T': 'b' }, {}]) {
      counts.push((await send(port, '/', headers as Record<string, string>)).body);
    }
    assert.deepEqual(counts, ['1', '2', '1', '1']);
    const base = `/admin/imposters/${port}/flow-state`;
    assert.equal((await call('GET', `${base}/${port}/k`)).json().value, 1);
    await call('PUT', `${base}/a/k`, { value: 10 });
    assert.equal((await send(port, '/', { 'X-T': 'a' })).body, '11');
  });
});

test('ten thousand requests over a hundred flows and fifty connections lose no transition and no count', async () => {
  const flows = 100;
  const each = 100;
  const once = { scenarioName: 'once', requiredScenarioState: 'Started', newScenarioState: 'done' };
  const creation = {
    stubs: [
      { predicates: [{ equals: { path: '/count' } }], ...counting },
      stub('/', 'first', once, 201),
      stub('/', 'later', { scenarioName: 'once', requiredScenarioState: 'done' }),
    ],
    _rift: { flowState: { flowIdSource: 'header:X-Flow' } },
  };
  await withImposter('rift', creation, async (port, { call }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const firsts = new Map<string, number>();
    const counts: string[] = [];
    let next = 0;
    const work = async () => {
      while (next < flows * each) {
        const flow = `flow ${Math.floor(next++ / 10) % flows}`;
        const count = next % 10 === 0;
        const { status, body } = await send(port, count ? '/count' : '/', { 'X-Flow': flow }, agent);
        if (count) counts.push(`${flow} ${body}`);
        else if (status === 201) firsts.set(flow, (firsts.get(flow) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 50 }, work));
    agent.destroy();
    assert.equal(firsts.size, flows);
    assert.equal(counts.length, (flows * each) / 10);
    assert.equal(new Set(counts).size, counts.length, 'no count was given twice');
    assert.deepEqual([...new Set(firsts.values())], [1]);
    assert.equal((await call('GET', `/imposters/${port}`)).json().numberOfRequests, flows * each);
  });
});
