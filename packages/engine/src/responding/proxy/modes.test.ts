import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prettyBytes } from '../../model/imposter-text.js';
import { bodies, imposter, imposters, origin, recordedPredicates, send, stubsOf } from './proxy.test-help.js';

const byPath = [{ matches: { path: true } }];

/** The text that a stub's responses replay. */
function replayed(stub: { responses?: unknown }): unknown[] {
  return (stub.responses as { is: { body: unknown } }[]).map(({ is }) => is.body);
}

test('proxyOnce asks the upstream once for each list of generated predicates', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, predicateGenerators: byPath } }] }]);
  assert.deepEqual(await bodies(recording.port, '/a', '/a', '/a', '/b'), ['n1', 'n1', 'n1', 'n2']);
  assert.deepEqual(recordedPredicates(recording), [[{ deepEquals: { path: '/a' } }], [{ deepEquals: { path: '/b' } }]]);
  assert.deepEqual(stubsOf(recording)[2], { responses: [{ proxy: { to: url, predicateGenerators: byPath } }] });
});

test('proxyOnce without generators proxies exactly once', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'no such mode' } }] }]);
  assert.deepEqual(await bodies(recording.port, '/a', '/b'), ['n1', 'n1']);
  assert.deepEqual(recordedPredicates(recording), [[]]);
});

test('proxyAlways collects the answers to equal requests in one stub at the end', async (t) => {
  const { url } = await origin(t);
  const proxy = { to: url, mode: 'proxyAlways', predicateGenerators: [{ matches: { path: true, method: true } }] };
  const recording = await imposter(t, [{ responses: [{ proxy }] }]);
  assert.deepEqual(await bodies(recording.port, '/a', '/a', '/b'), ['n1', 'n2', 'n3']);
  const [first, second, third] = stubsOf(recording);
  assert.deepEqual(first, { responses: [{ proxy }] });
  assert.deepEqual(second.predicates, [{ deepEquals: { path: '/a' } }, { deepEquals: { method: 'GET' } }]);
  assert.deepEqual(replayed(second), ['n1', 'n2']);
  assert.deepEqual(third.predicates, [{ deepEquals: { path: '/b' } }, { deepEquals: { method: 'GET' } }]);
  assert.deepEqual(replayed(third), ['n3']);
});

test('proxyAlways appends to a stub of the user that has the same predicates', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [
    { responses: [{ proxy: { to: url, mode: 'proxyAlways' } }] },
    { responses: [{ is: { body: 'u' } }] },
  ]);
  await bodies(recording.port, '/a');
  const stubs = stubsOf(recording);
  assert.equal(stubs.length, 2);
  assert.deepEqual(replayed(stubs[1]), ['u', 'n1']);
  assert.equal('predicates' in stubs[1], false);
});

test('proxyAlways compares predicates whatever the order of their keys and passes by stubs before the proxy', async (t) => {
  const { url } = await origin(t);
  const predicates = [{ deepEquals: { query: { y: '2', x: '1' } }, caseSensitive: true }];
  const proxy = {
    to: url,
    mode: 'proxyAlways',
    predicateGenerators: [{ matches: { query: true }, caseSensitive: true }],
  };
  const never = { equals: { method: 'NEVER' } };
  const recording = await imposter(t, [
    { predicates: [...predicates, never], responses: [{ is: { body: 'before' } }] },
    { responses: [{ proxy }] },
    { predicates: [never, ...predicates], responses: [{ is: { body: 'other order' } }] },
    { predicates, responses: [{ is: { body: 'same' } }] },
    { predicates, responses: [{ is: { body: 'second' } }] },
  ]);
  await bodies(recording.port, '/?x=1&y=2');
  assert.deepEqual(stubsOf(recording).slice(2).map(replayed), [['other order'], ['same', 'n1'], ['second']]);
});

test('a response appended by proxyAlways is served in its turn', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [
    {
      predicates: [{ equals: { method: 'POST' } }],
      responses: [{ proxy: { to: url, mode: 'proxyAlways' } }],
    },
    { responses: [{ is: { body: 'u' } }] },
  ]);
  await send(recording.port, '/', { method: 'POST' });
  assert.deepEqual(await bodies(recording.port, '/', '/', '/'), ['u', 'n1', 'u']);
});

test('proxyTransparent records nothing', async (t) => {
  const { url } = await origin(t);
  const stubs = [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent', predicateGenerators: byPath } }] }];
  const recording = await imposter(t, stubs);
  assert.deepEqual(await bodies(recording.port, '/a', '/a'), ['n1', 'n2']);
  assert.deepEqual(stubsOf(recording), stubs);
});

test('proxyOnce inserts directly before the stub of the proxy, wherever it stands by then', async (t) => {
  const { url } = await origin(t);
  const user = { predicates: [{ equals: { path: '/x' } }], responses: [{ is: { body: 'x' } }] };
  const recording = await imposter(t, [user, { responses: [{ proxy: { to: url, predicateGenerators: byPath } }] }]);
  await bodies(recording.port, '/a');
  recording.insertStub(0, structuredClone(user));
  await bodies(recording.port, '/b');
  assert.deepEqual(recordedPredicates(recording), [
    user.predicates,
    user.predicates,
    [{ deepEquals: { path: '/a' } }],
    [{ deepEquals: { path: '/b' } }],
  ]);
});

test('a recorded stub stands in front of the other responses of the proxy stub', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [
    { responses: [{ proxy: { to: url, predicateGenerators: byPath } }, { is: { body: 'second' } }] },
  ]);
  assert.deepEqual(await bodies(recording.port, '/a', '/a', '/a'), ['n1', 'n1', 'n1']);
});

test('proxies take part in cycling and repeat', async (t) => {
  const { url } = await origin(t);
  const proxying = await imposter(t, [
    { responses: [{ proxy: { to: url, mode: 'proxyTransparent' }, repeat: 2 }, { is: { body: 'z' } }] },
  ]);
  assert.deepEqual(await bodies(proxying.port, '/', '/', '/', '/'), ['n1', 'n2', 'z', 'n3']);
});

test('addWaitBehavior records the time that the upstream took as a wait of the replay', async (t) => {
  const { url } = await origin(t, (_, response) => setTimeout(() => response.end('slow'), 150));
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, addWaitBehavior: true } }] }]);
  await bodies(recording.port, '/');
  const [{ is, behaviors }] = stubsOf(recording)[0].responses as {
    is: { _proxyResponseTime: number };
    behaviors: unknown;
  }[];
  assert.ok(is._proxyResponseTime >= 149, `took ${is._proxyResponseTime}`);
  assert.deepEqual(behaviors, [{ wait: is._proxyResponseTime }]);
});

test('addDecorateBehavior changes replays but not the first answer', async (t) => {
  const { url } = await origin(t);
  const addDecorateBehavior = "c => { c.response.body += ' D'; }";
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, addDecorateBehavior } }] }]);
  assert.deepEqual(await bodies(recording.port, '/', '/'), ['n1', 'n1 D']);
  const [response] = stubsOf(recording)[0].responses as { behaviors: unknown }[];
  assert.deepEqual(response.behaviors, [{ decorate: addDecorateBehavior }]);
});

test("the proxy response's own behaviors run once and are baked into the recording", async (t) => {
  const { url } = await origin(t);
  const behaviors = [{ decorate: "c => { c.response.body += ' P'; }" }];
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url }, behaviors }] }]);
  assert.deepEqual(await bodies(recording.port, '/', '/'), ['n1 P', 'n1 P']);
  const [response] = stubsOf(recording)[0].responses as { is: { body: string } }[];
  assert.deepEqual(Object.keys(response), ['is']);
  assert.equal(response.is.body, 'n1 P');
});

test('saved proxy responses can be removed, and the upstream is asked again', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
  await bodies(recording.port, '/');
  recording.clearProxyResponses();
  assert.equal(recording.stubCount, 1);
  assert.deepEqual(await bodies(recording.port, '/', '/'), ['n2', 'n2']);
});

test('profile rift marks proxied answers and notes in the stub where it came from', async (t) => {
  const { url } = await origin(t);
  const recording = await imposters(t, 'rift').createFrom({
    protocol: 'http',
    stubs: [{ responses: [{ proxy: { to: url, addWaitBehavior: true } }] }],
  });
  const live = await send(recording.port, '/');
  assert.equal(live.headers['x-rift-proxy'], 'true');
  assert.match(String(live.headers['x-rift-proxy-latency']), /^\d+$/);
  assert.equal(live.headers['x-rift-imposter'], 'true');
  assert.equal(stubsOf(recording)[0].recordedFrom, url);
  const replay = await send(recording.port, '/');
  assert.equal(replay.headers['x-rift-proxy'], undefined);
});

test('profile mountebank adds no header and no key of its own', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, addWaitBehavior: true } }] }]);
  const live = await send(recording.port, '/');
  assert.deepEqual(
    live.rawHeaders.filter((name) => name.startsWith('x-rift')),
    [],
  );
  assert.deepEqual(Object.keys(stubsOf(recording)[0]), ['predicates', 'responses']);
});

test('what a proxy appends to one of many stubs is shown, also by an answer whose bytes are kept', async (t) => {
  const { url } = await origin(t);
  const others = Array.from({ length: 40 }, (_, index) => ({
    predicates: [{ equals: { path: `/other${index}` } }],
    responses: [{ is: { body: 'o' } }],
  }));
  const proxy = { to: url, mode: 'proxyAlways', predicateGenerators: byPath };
  const recording = await imposter(t, [...others, { responses: [{ proxy }] }]);
  const shown = () => [prettyBytes(recording.toJson('full'))].flat().map(String).join('');
  for (const path of ['/a', '/a', '/b', '/a']) {
    shown();
    const [recorded] = await bodies(recording.port, path);
    const text = shown();
    assert.ok(text.includes(`"body": "${recorded}"`), text);
    assert.deepEqual(JSON.parse(text).stubs.length, recording.stubs.length);
  }
});
