import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AcceptMeter, silentLogger } from '@rift-ts/engine';
import { answers, exchange, occupied } from '../cli/program.test-help.js';
import { type MetricsServerOptions, startMetricsServer } from './metrics-server.js';

async function open(t: TestContext, more: Partial<MetricsServerOptions> = {}) {
  const accepts = new AcceptMeter();
  const server = await startMetricsServer({
    port: 0,
    localOnly: false,
    allows: () => true,
    metrics: async () => 'all_is 1\n',
    accepts,
    logger: silentLogger,
    ...more,
  });
  t.after(() => server.close());
  return { server, accepts };
}

test('GET /metrics gives the text, with or without a query', async (t) => {
  const { server, accepts } = await open(t);
  for (const path of ['/metrics', '/metrics?name=a']) {
    const { status, headers, body } = await exchange(server, path);
    assert.deepEqual([status, body], [200, 'all_is 1\n']);
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  }
  assert.equal(accepts.accepted, 2);
});

test('every other path and method is not found', async (t) => {
  const { server } = await open(t);
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/metrics/'],
    ['GET', '/Metrics'],
    ['POST', '/metrics'],
    ['DELETE', '/metrics'],
    ['OPTIONS', '/metrics'],
  ] as const) {
    const { status, body } = await exchange({ ...server, method }, path);
    assert.deepEqual([status, body], [404, 'Not Found\n'], `${method} ${path}`);
  }
  assert.equal((await exchange({ ...server, method: 'HEAD' }, '/metrics')).status, 404);
});

test('metrics that cannot be collected are an error without details', async (t) => {
  const { server } = await open(t, { metrics: () => Promise.reject(new Error('inner')) });
  const { status, body } = await exchange(server, '/metrics');
  assert.deepEqual([status, body], [500, 'The metrics cannot be collected\n']);
});

test('an address that is not allowed is disconnected', async (t) => {
  const { server } = await open(t, { allows: () => false });
  assert.equal(await answers(server.port), false);
});

test('for this machine only it listens on the loopback addresses, otherwise on all', async (t) => {
  const { server } = await open(t, { localOnly: true });
  assert.deepEqual([await answers(server.port), await answers(server.port, '127.0.0.2')], [true, false]);
  const { server: open2 } = await open(t);
  assert.deepEqual([await answers(open2.port), await answers(open2.port, '127.0.0.2')], [true, true]);
});

test('a taken port is refused, and a closed server has freed its own', async (t) => {
  const port = await occupied(t);
  await assert.rejects(open(t, { port }), { code: 'EADDRINUSE' });
  const { server } = await open(t);
  await server.close();
  const { server: next } = await open(t, { port: server.port });
  assert.equal(next.port, server.port);
});
