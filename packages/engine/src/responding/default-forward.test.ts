import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { imposters, origin, send, stubsOf } from './proxy/proxy.test-help.js';

const stub = { predicates: [{ equals: { path: '/own' } }], responses: [{ is: { body: 'own' } }] };

for (const profile of ['mountebank', 'rift'] as const) {
  test(`profile ${profile}: defaultForward answers what no stub matches, and is not recorded`, async (t) => {
    const { url, seen } = await origin(t, (message, response) => {
      response.writeHead(203, { 'X-Up': 'u', 'Keep-Alive': 'timeout=9', Connection: 'keep-alive' });
      message.pipe(response);
    });
    const all = imposters(t, profile);
    const forwarding = await all.createFrom({
      protocol: 'http',
      defaultForward: url,
      defaultResponse: { statusCode: 404, headers: { 'X-Default': 'd' }, body: 'default' },
      stubs: [stub],
    });
    const matched = await send(forwarding.port, '/own');
    assert.equal(matched.body, 'own');
    assert.equal(matched.headers['x-rift-default-forward'], undefined);
    const headers = { 'X-Client': 'c' };
    const forwarded = await send(forwarding.port, '/other?a=1', { method: 'POST', headers, body: 'up' });
    assert.deepEqual([forwarded.status, forwarded.body], [203, 'up']);
    assert.equal(forwarded.headers['x-up'], 'u');
    assert.equal(forwarded.headers['x-default'], undefined);
    assert.equal(forwarded.headers['keep-alive'], undefined);
    assert.equal(forwarded.headers['x-rift-default-forward'], 'true');
    assert.equal(forwarded.headers['x-rift-no-match'], undefined);
    assert.equal(forwarded.headers['x-rift-proxy'], undefined);
    const [{ method, url: target, headers: received }] = seen;
    assert.deepEqual([method, target, received.host], ['POST', '/other?a=1', url.slice('http://'.length)]);
    assert.equal(received['x-client'], 'c');
    assert.deepEqual(stubsOf(forwarding), [stub]);
  });

  test(`profile ${profile}: an upstream of defaultForward that is not there`, async (t) => {
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
    });
    const defaultForward = `http://127.0.0.1:${port}`;
    const forwarding = await imposters(t, profile).createFrom({ protocol: 'http', defaultForward });
    const answer = await send(forwarding.port, '/');
    assert.equal(answer.status, 502);
    assert.equal(answer.headers['x-rift-default-forward-error'], 'true');
    const message = `defaultForward upstream error: Unable to connect to "${defaultForward}"`;
    assert.deepEqual(JSON.parse(answer.body), { errors: [{ code: '502', type: 'upstream failure', message }] });
  });
}

test('a path of defaultForward stands in front of the path of the request', async (t) => {
  const { url, seen } = await origin(t);
  const forwarding = await imposters(t).createFrom({ protocol: 'http', defaultForward: `${url}/base/` });
  await send(forwarding.port, '/x/../y?q');
  assert.equal(seen[0].url, '/base/x/../y?q');
});

test('the answer to HEAD keeps its length', async (t) => {
  const { url } = await origin(t, (_, response) => response.writeHead(200, { 'Content-Length': 77 }).end());
  const forwarding = await imposters(t, 'rift').createFrom({ protocol: 'http', defaultForward: url });
  assert.equal((await send(forwarding.port, '/', { method: 'HEAD' })).headers['content-length'], '77');
});
