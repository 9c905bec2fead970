import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { hasRedis, type Redis, startRedis } from '@rift-ts/oracle';
import { type Served, serve } from '../../cli/program.test-help.js';

function creation(redis: Redis): object {
  return {
    protocol: 'http',
    stubs: [
      {
        scenarioName: 'order',
        requiredScenarioState: 'Started',
        newScenarioState: 'Paid',
        predicates: [{ equals: { path: '/order' } }],
        responses: [{ is: { statusCode: 201 } }],
      },
      {
        scenarioName: 'order',
        requiredScenarioState: 'Paid',
        predicates: [{ equals: { path: '/order' } }],
        responses: [{ is: { statusCode: 200 } }],
      },
      {
        predicates: [{ equals: { path: '/count' } }],
        responses: [{ _rift: { script: { engine: 'rhai', code: 'http(200, "" + ctx.state.incr("n"))' } } }],
      },
      { predicates: [{ equals: { path: '/plain' } }], responses: [{ is: { statusCode: 204 } }] },
    ],
    _rift: { flowState: { backend: 'redis', flowIdSource: 'header:X-Flow', redis: { url: redis.url } } },
  };
}

interface Node {
  readonly server: Served;
  readonly port: number;
  /** The status of a request of a flow. */
  ask(path: string, flow?: string): Promise<number>;
}

async function node(t: TestContext, redis: Redis): Promise<Node> {
  const server = await serve(t, 'rift', ['--host', '127.0.0.1', '--allowInjection']);
  const created = await server.call('/imposters', { method: 'POST', body: creation(redis) });
  assert.equal(created.status, 201, created.body);
  const port = Number(created.json().port);
  const ask: Node['ask'] = async (path, flow = 'f') =>
    (await server.call(path, { port, headers: { 'X-Flow': flow } })).status;
  return { server, port, ask };
}

if (hasRedis) {
  test('two processes share scenarios and cells; when one is killed the other goes on', async (t) => {
    const redis = await startRedis((end) => t.after(end));
    const [one, two] = await Promise.all([node(t, redis), node(t, redis)]);
    const flows = Array.from({ length: 20 }, (_, i) => `flow ${i}`);
    const statuses = await Promise.all(flows.flatMap((flow) => [one.ask('/order', flow), two.ask('/order', flow)]));
    // a request matched before the other's transition answers 201, too
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 201 && status !== 200),
      [],
    );
    for (const flow of flows) assert.equal(await two.ask('/order', flow), 200);
    const cell = (of: Node) => `/admin/imposters/${of.port}/flow-state/f1/n`;
    await one.server.call(cell(one), { method: 'PUT', body: { value: { b: 1, a: 2 } } });
    assert.deepEqual((await two.server.call(cell(two))).json().value, { a: 2, b: 1 });
    const shown = await one.server.call(`/imposters/${one.port}`);
    assert.equal(shown.body.includes('redis://'), false, 'where Redis is may hold a password');
    const bodies = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const { server, port } = i % 2 === 0 ? one : two;
        return (await server.call('/count', { port, headers: { 'X-Flow': 'counted' } })).body;
      }),
    );
    assert.deepEqual(
      bodies.map(Number).sort((a, b) => a - b),
      bodies.map((_, i) => i + 1),
    );
    one.server.signal('SIGKILL');
    await one.server.ended;
    assert.equal(await two.ask('/order', 'flow 3'), 200);
    assert.equal(await two.ask('/order', 'new'), 201);
    assert.equal(await two.ask('/order', 'new'), 200);
  });

  test('while Redis is away what needs state answers 503, the rest is served, and it recovers by itself', async (t) => {
    const redis = await startRedis((end) => t.after(end));
    const { server, port, ask } = await node(t, redis);
    assert.equal(await ask('/order'), 201);
    await redis.stop();
    const lost = await server.call('/order', { port });
    const [error] = lost.json().errors as { [key: string]: string }[];
    assert.equal(lost.status, 503);
    assert.deepEqual(Object.keys(error!), ['code', 'type', 'message', 'feature', 'detail']);
    assert.deepEqual(
      [error!.code, error!.type, error!.feature, error!.message],
      ['503', 'backend unavailable', 'flowState', `flowState: ${error!.detail}`],
    );
    assert.equal(await ask('/plain'), 204);
    const script = await server.call('/count', { port });
    assert.deepEqual(
      [script.status, script.headers['x-rift-script-error'], (script.json().errors as { type: string }[])[0]!.type],
      [500, 'true', 'script error'],
    );
    const scenarios = await server.call(`/imposters/${port}/scenarios`);
    assert.equal(scenarios.status, 503);
    assert.equal((scenarios.json().errors as { type: string }[])[0]!.type, 'backend unavailable');
    await redis.start();
    let status = await ask('/order');
    while (status === 503) {
      await setTimeout(20);
      status = await ask('/order');
    }
    assert.equal(status, 201, 'this Redis came back empty');
  });

  test('an imposter whose Redis is out of reach is refused and leaves nothing behind', async (t) => {
    const redis = await startRedis((end) => t.after(end));
    await redis.stop();
    const server = await serve(t, 'rift', ['--host', '127.0.0.1', '--allowInjection']);
    const refused = await server.call('/imposters', { method: 'POST', body: creation(redis) });
    assert.equal(refused.status, 400);
    const [error] = refused.json().errors as { type: string; message: string }[];
    assert.equal(error!.type, 'bad data');
    assert.match(
      error!.message,
      /^Flow store configuration error: failed to build the Redis flow store: .*ECONNREFUSED/,
    );
    assert.deepEqual((await server.call('/imposters')).json().imposters, []);
  });
}
