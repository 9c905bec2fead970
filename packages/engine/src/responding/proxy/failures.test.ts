import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Profile } from '../../model/types.js';
import { imposter, imposters, origin, rawOrigin, type Settings, send, stubsOf } from './proxy.test-help.js';

/** A port on which nobody listens. */
function deadPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** An imposter in front of an upstream that fails; nothing may be recorded. */
async function failing(t: TestContext, profile: Profile, proxy: { to: string }, settings?: Settings) {
  const recording = await imposters(t, profile, settings).createFrom({
    protocol: 'http',
    stubs: [{ responses: [{ proxy }] }],
  });
  const answer = await send(recording.port, '/');
  assert.equal(recording.stubCount, 1);
  return { ...answer, error: JSON.parse(answer.body).errors[0] };
}

test('an upstream that refuses the connection', async (t) => {
  const to = `http://127.0.0.1:${await deadPort()}`;
  const { status, error } = await failing(t, 'mountebank', { to });
  assert.equal(status, 500);
  assert.deepEqual(error, { code: 'invalid proxy', message: `Unable to connect to "${to}"`, name: 'Error' });
});

test('profile rift answers 502 and marks it', async (t) => {
  const to = `http://127.0.0.1:${await deadPort()}`;
  const { status, error, headers } = await failing(t, 'rift', { to });
  assert.equal(status, 502);
  assert.equal(headers['x-rift-proxy-error'], 'true');
  assert.equal(error.code, '502');
  assert.equal(error.type, 'upstream failure');
  assert.match(error.message, /^Proxy error: Unable to connect to "http:\/\/127.0.0.1:\d+": connect ECONNREFUSED/);
});

test('a host name that does not resolve', async (t) => {
  const to = 'http://no-such-host.invalid:81';
  const { status, error } = await failing(t, 'mountebank', { to });
  assert.equal(status, 500);
  assert.deepEqual(error, { code: 'invalid proxy', message: `Cannot resolve "${to}"`, name: 'Error' });
});

test('a scheme that is neither http nor https', async (t) => {
  const { error } = await failing(t, 'mountebank', { to: 'ftp://127.0.0.1:1' });
  assert.deepEqual(error, {
    code: 'invalid proxy',
    message: 'Unable to proxy to any protocol other than http and https',
    source: 'ftp://127.0.0.1:1',
    name: 'Error',
  });
});

const dying: [name: string, bytes: string, how: 'end' | 'resetAndDestroy'][] = [
  ['closes without a byte', '', 'end'],
  ['resets without a byte', '', 'resetAndDestroy'],
  ['closes in the middle of its head', 'HTTP/1.1 200 OK\r\nConte', 'end'],
  ['answers something that is no HTTP', 'hello there\r\n\r\n', 'end'],
  ['closes in the middle of its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'end'],
  ['resets in the middle of its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'resetAndDestroy'],
  ['closes between two chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'end'],
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'end'],
];
for (const [name, bytes, how] of dying) {
  for (const mode of ['proxyOnce', 'proxyTransparent']) {
    test(`an upstream that ${name}, ${mode}`, async (t) => {
      const to = await rawOrigin(t, (socket) => {
        socket.once('data', () => {
          if (bytes === '') socket[how]();
          else socket.write(bytes, () => setTimeout(() => socket[how](), 20));
        });
      });
      const { status, error } = await failing(t, 'mountebank', { to, mode } as { to: string });
      assert.equal(status, 500);
      assert.deepEqual(error, { code: 'invalid proxy', message: `Unable to connect to "${to}"`, name: 'Error' });
    });
  }
}

test('an upstream that hangs keeps only its own request waiting', async (t) => {
  const to = await rawOrigin(t, () => {});
  const recording = await imposter(t, [
    { predicates: [{ equals: { path: '/ok' } }], responses: [{ is: { body: 'ok' } }] },
    { responses: [{ proxy: { to } }] },
  ]);
  const hanging = send(recording.port, '/hang');
  hanging.catch(() => {});
  assert.equal((await send(recording.port, '/ok')).body, 'ok');
  assert.equal(recording.stubCount, 2);
});

test('an imposter that is deleted ends its calls', async (t) => {
  let closed: Promise<unknown> | undefined;
  const to = await rawOrigin(t, (socket) => {
    closed = once(socket.resume(), 'close');
  });
  const all = imposters(t);
  const { port } = await all.createFrom({ protocol: 'http', stubs: [{ responses: [{ proxy: { to } }] }] });
  const hanging = send(port, '/').catch(() => 'cut');
  while (closed === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  await all.delete(String(port));
  await closed;
  assert.equal(await hanging, 'cut');
});

/** An upstream that serves `served` requests a connection and hangs up on the next one. */
async function forgetful(t: TestContext, served: number) {
  const requests: string[] = [];
  const to = await rawOrigin(t, (socket) => {
    let count = 0;
    socket.on('data', (chunk) => {
      requests.push(String(chunk).split(' ')[0]);
      if (count++ < served) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.destroy();
    });
  });
  const { port } = await imposter(t, [{ responses: [{ proxy: { to, mode: 'proxyTransparent' } }] }]);
  // a client that lets connections be kept
  const call = async (method: string) =>
    (await send(port, '/', { method, headers: { Connection: 'keep-alive' } })).status;
  return { requests, call };
}

/** Longer than the time after which a kept connection may be stale. */
const idle = () => new Promise((resolve) => setTimeout(resolve, 700));

test('a request that finds its kept connection closed after a pause is sent again, if it may be', async (t) => {
  const { requests, call } = await forgetful(t, 1);
  assert.equal(await call('GET'), 200);
  await idle();
  assert.equal(await call('PUT'), 200);
  await idle();
  assert.equal(await call('POST'), 500);
  assert.deepEqual(requests, ['GET', 'PUT', 'PUT', 'POST']);
});

test('an upstream that hangs up on a connection in use is asked once', async (t) => {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const { requests, call } = await forgetful(t, 1);
    assert.equal(await call('GET'), 200);
    const began = performance.now();
    assert.equal(await call('GET'), 500);
    // a machine that was busy for so long left the connection idle
    if (performance.now() - began > 300) continue;
    assert.deepEqual(requests, ['GET', 'GET']);
    return;
  }
  assert.fail('no attempt was quick enough');
});

test('a body past the limit that would have to be kept', async (t) => {
  const { url } = await origin(t, (_, response) => response.end('x'.repeat(2000)));
  const rift = await failing(t, 'rift', { to: url }, { maxBodyBytes: 1999 });
  assert.equal(rift.status, 502);
  assert.match(rift.error.message, /the body is longer than 1999 bytes$/);
  const exact = await imposters(t, 'rift', { maxBodyBytes: 2000 }).createFrom({
    protocol: 'http',
    stubs: [{ responses: [{ proxy: { to: url } }] }],
  });
  assert.equal((await send(exact.port, '/')).status, 200);
});

test('nothing is recorded when a behavior fails', async (t) => {
  const { url } = await origin(t);
  const behaviors = [{ decorate: "() => { throw new Error('boom'); }" }];
  const stubs = [{ responses: [{ proxy: { to: url }, behaviors }] }];
  const strict = await imposter(t, stubs);
  const failed = await send(strict.port, '/');
  assert.equal(failed.status, 500);
  assert.equal(JSON.parse(failed.body).errors[0].message, 'invalid decorator injection');
  assert.equal(strict.stubCount, 1);

  const lenient = await imposters(t, 'rift').createFrom({ protocol: 'http', stubs });
  const served = await send(lenient.port, '/');
  assert.deepEqual([served.status, served.headers['x-rift-decorate-error']], [200, 'true']);
  assert.equal(lenient.stubCount, 1);
});

const generators: [name: string, inject: string, token: string, data: RegExp][] = [
  ['throws', "c => { throw new Error('boom'); }", 'script-error', /boom/],
  ['gives no array', 'c => 5', 'invalid-output', /no array of predicates/],
  ['gives an array of something else', 'c => [1]', 'invalid-output', /no array of predicates/],
];
for (const [name, inject, token, data] of generators) {
  test(`a predicate generator that ${name}: profile mountebank fails, profile rift hands the answer on`, async (t) => {
    const { url, seen } = await origin(t);
    const stubs = [{ responses: [{ proxy: { to: url, predicateGenerators: [{ inject }] } }] }];
    const strict = await imposters(t).create({ protocol: 'http', stubs } as never);
    const failed = await send(strict.port, '/');
    const [error] = JSON.parse(failed.body).errors;
    assert.equal(failed.status, 500);
    assert.deepEqual([error.code, error.message], ['invalid injection', 'invalid predicateGenerator injection']);
    assert.equal(error.source, `(${inject})(config);`);
    assert.match(error.data, data);
    assert.equal(failed.headers['x-rift-generator-error'], token);
    assert.equal(seen.length, 1);

    const lenient = await imposters(t, 'rift').create({ protocol: 'http', stubs } as never);
    const served = await send(lenient.port, '/');
    assert.deepEqual([served.status, served.body, served.headers['x-rift-generator-error']], [200, 'n2', token]);
    for (const { stubCount } of [strict, lenient]) assert.equal(stubCount, 1);
  });
}

for (const profile of ['mountebank', 'rift'] as const) {
  test(`profile ${profile}: a predicate generator that runs too long leaves the answer as it is`, async (t) => {
    const { url } = await origin(t);
    const proxy = { to: url, predicateGenerators: [{ inject: 'c => { for (;;); }' }] };
    const recording = await imposters(t, profile, { scriptTimeoutMs: 200 }).create({
      protocol: 'http',
      stubs: [{ responses: [{ proxy }] }],
    } as never);
    const served = await send(recording.port, '/');
    assert.deepEqual([served.status, served.body, served.headers['x-rift-generator-error']], [200, 'n1', 'timeout']);
    assert.deepEqual(stubsOf(recording).length, 1);
  });
}

test('an empty list from a predicate generator records a stub that matches everything', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [
    { responses: [{ proxy: { to: url, predicateGenerators: [{ inject: 'c => []' }] } }] },
  ]);
  await send(recording.port, '/');
  assert.deepEqual(stubsOf(recording)[0].predicates, []);
});
