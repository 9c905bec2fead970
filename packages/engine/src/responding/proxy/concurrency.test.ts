import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { imposter, origin, recordedPredicates, send, stubsOf } from './proxy.test-help.js';

const byPath = [{ matches: { path: true } }];

/** An upstream that answers when it is told to. */
async function held(t: TestContext) {
  const waiting: ServerResponse[] = [];
  let arrived = () => {};
  const { url, seen } = await origin(t, (_, response) => {
    waiting.push(response);
    arrived();
  });
  return {
    url,
    seen,
    /** Resolves when `count` requests wait. */
    async waits(count: number): Promise<void> {
      while (waiting.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    },
    answer(body: string): void {
      waiting.shift()!.end(body);
    },
    die(): void {
      waiting.shift()!.destroy();
    },
  };
}

/** Resolves when the imposter has counted that many requests. */
async function counted(of: { numberOfRequests: number }, count: number): Promise<void> {
  while (of.numberOfRequests < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('200 concurrent first requests in proxyOnce: one call and one recording for each list of predicates', async (t) => {
  const { url, seen } = await origin(t, (_, response) => setTimeout(() => response.end(`n${seen.length}`), 50));
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, predicateGenerators: byPath } }] }]);
  const paths = Array.from({ length: 200 }, (_, i) => `/p${i % 4}`);
  const answers = await Promise.all(paths.map((path) => send(recording.port, path)));
  assert.equal(seen.length, 4);
  assert.deepEqual(
    recordedPredicates(recording)
      .map((predicates) => JSON.stringify(predicates))
      .sort(),
    [0, 1, 2, 3].map((i) => `[{"deepEquals":{"path":"/p${i}"}}]`),
  );
  for (let i = 4; i < 200; i++) assert.equal(answers[i].body, answers[i % 4].body);
});

test('requests that waited are answered by the recorded stub, added behaviors included', async (t) => {
  const upstream = await held(t);
  const addDecorateBehavior = "c => { c.response.body += ' replay'; }";
  const recording = await imposter(t, [{ responses: [{ proxy: { to: upstream.url, addDecorateBehavior } }] }]);
  const first = send(recording.port, '/');
  await upstream.waits(1);
  const second = send(recording.port, '/');
  await counted(recording, 2);
  upstream.answer('live');
  assert.deepEqual([(await first).body, (await second).body], ['live', 'live replay']);
  assert.equal(upstream.seen.length, 1);
});

test('when the first call fails, those that waited ask for themselves, and one of them is recorded', async (t) => {
  const upstream = await held(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: upstream.url } }] }]);
  const first = send(recording.port, '/');
  await upstream.waits(1);
  const others = [1, 2, 3].map(() => send(recording.port, '/'));
  await counted(recording, 4);
  upstream.die();
  assert.equal((await first).status, 500);
  await upstream.waits(3);
  for (const body of ['a', 'b', 'c']) upstream.answer(body);
  const all = await Promise.all(others);
  assert.deepEqual(all.map(({ body }) => body).sort(), ['a', 'b', 'c']);
  assert.equal(recording.stubCount, 2);
});

test('a client that leaves does not keep the answer from being recorded', async (t) => {
  const upstream = await held(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: upstream.url, predicateGenerators: byPath } }] }]);
  const { request } = await import('node:http');
  const leaving = request({ host: '127.0.0.1', port: recording.port, path: '/gone' });
  leaving.on('error', () => {});
  leaving.end();
  await upstream.waits(1);
  const staying = send(recording.port, '/gone');
  await counted(recording, 2);
  leaving.destroy();
  upstream.answer('kept');
  assert.equal((await staying).body, 'kept');
  assert.deepEqual(recordedPredicates(recording), [[{ deepEquals: { path: '/gone' } }]]);
});

test('proxyAlways records every concurrent answer, in one stub', async (t) => {
  const { url, seen } = await origin(t, (_, response) => setTimeout(() => response.end('x'), 20));
  const proxy = { to: url, mode: 'proxyAlways', predicateGenerators: byPath };
  const recording = await imposter(t, [{ responses: [{ proxy }] }]);
  await Promise.all(Array.from({ length: 50 }, () => send(recording.port, '/a')));
  assert.equal(seen.length, 50);
  assert.equal(recording.stubCount, 2);
  assert.equal((stubsOf(recording)[1].responses as unknown[]).length, 50);
});

test('an answer that comes when its stub has been replaced is served and not recorded', async (t) => {
  const upstream = await held(t);
  for (const mode of ['proxyOnce', 'proxyAlways']) {
    const recording = await imposter(t, [{ responses: [{ proxy: { to: upstream.url, mode } }] }]);
    const late = send(recording.port, '/');
    await upstream.waits(1);
    recording.replaceStubs([{ responses: [{ is: { body: 'new' } }] }]);
    upstream.answer('late');
    assert.equal((await late).body, 'late');
    assert.equal(recording.stubCount, 1);
    assert.deepEqual(stubsOf(recording)[0].responses, [{ is: { body: 'new' } }]);
  }
});

test('generated predicates that do not match their own request are recorded once', async (t) => {
  const { url } = await origin(t);
  const predicateGenerators = [{ inject: "c => [{ equals: { path: '/never' } }]" }];
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, predicateGenerators } }] }]);
  for (const body of ['n1', 'n2', 'n3']) assert.equal((await send(recording.port, '/')).body, body);
  assert.equal(recording.stubCount, 2);
});
