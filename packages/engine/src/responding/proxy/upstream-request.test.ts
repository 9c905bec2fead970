import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rawExchange } from '@rift-ts/oracle';
import { imposter, rawOrigin, send } from './proxy.test-help.js';

interface RawRequest {
  head: string[];
  body: Buffer;
}

/** An upstream that notes requests as bytes and answers 200; bodies are read by their Content-Length. */
async function noting(t: TestContext): Promise<{ url: string; requests: RawRequest[]; connections(): number }> {
  const requests: RawRequest[] = [];
  let connections = 0;
  const url = await rawOrigin(t, (socket) => {
    connections++;
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const end = pending.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = pending.subarray(0, end).toString('latin1').split('\r\n');
        const length = Number(/^content-length: *(\d+)/im.exec(head.join('\n'))?.[1] ?? 0);
        const rest = pending.subarray(end + 4);
        const chunked = /^transfer-encoding:.*chunked/im.test(head.join('\n'));
        const size = chunked ? rest.indexOf('0\r\n\r\n') + 5 : length;
        if (rest.length < size || size === 4) return;
        requests.push({ head, body: rest.subarray(0, size) });
        pending = rest.subarray(size);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
        if (!head[0].startsWith('HEAD')) socket.write('ok');
      }
    });
  });
  return { url, requests, connections: () => connections };
}

function transparent(t: TestContext, to: string, more: object = {}) {
  return imposter(t, [{ responses: [{ proxy: { to, mode: 'proxyTransparent', ...more } }] }]);
}

for (const target of [
  '/p%20q?x=+&y',
  '/calc?',
  '/a/../b/./c;p=1',
  '/q?filter[name]={x}|y',
  '//a//b',
  '/UPPER?Q=%c3%A9',
  'http://other.test/abs?k',
]) {
  test(`the upstream sees the target ${target} as it was sent`, async (t) => {
    const { url, requests } = await noting(t);
    const { port } = await transparent(t, url);
    await rawExchange(port, [`GET ${target} HTTP/1.1\r\nHost: me\r\n\r\n`], { quietMs: 20 });
    assert.equal(requests[0].head[0], `GET ${target} HTTP/1.1`);
  });
}

test('header lines keep case, order and repetition; Host names the upstream', async (t) => {
  const { url, requests } = await noting(t);
  const { port } = await transparent(t, url);
  const head = 'GET / HTTP/1.1\r\nX-Aa: 1\r\nHoSt: me\r\nACCEPT-encoding: gzip\r\nX-Aa: 2\r\nConnection: close\r\n\r\n';
  await rawExchange(port, [head], { quietMs: 20 });
  assert.deepEqual(requests[0].head.slice(1), [
    'X-Aa: 1',
    `host: ${url.slice('http://'.length)}`,
    'ACCEPT-encoding: gzip',
    'X-Aa: 2',
    'Connection: close',
  ]);
});

test('injected headers replace those of the same name in any case, Host included', async (t) => {
  const { url, requests } = await noting(t);
  const injectHeaders = { 'X-New': 'n', Host: 'Over.Test', 'x-aa': 5, 'X-Many': ['1', '2'] };
  const { port } = await transparent(t, url, { injectHeaders });
  await rawExchange(port, ['GET / HTTP/1.1\r\nHost: me\r\nX-Aa: 1\r\nX-Keep: k\r\n\r\n'], { quietMs: 20 });
  assert.deepEqual(requests[0].head.slice(1), [
    'Host: Over.Test',
    'x-aa: 5',
    'X-Keep: k',
    'X-New: n',
    'X-Many: 1',
    'X-Many: 2',
    'Connection: keep-alive',
  ]);
});

test('predicate generators see the request without injected headers', async (t) => {
  const { url } = await noting(t);
  const proxy = {
    to: url,
    injectHeaders: { 'X-New': 'n' },
    predicateGenerators: [{ matches: { headers: { 'X-New': true, 'X-Own': true } } }],
  };
  const recording = await imposter(t, [{ responses: [{ proxy }] }]);
  await send(recording.port, '/', { headers: { 'X-Own': 'o' } });
  assert.deepEqual(recording.stubs[0].json.predicates, [{ equals: { headers: { 'X-Own': 'o' } } }]);
});

test('a binary body reaches the upstream byte for byte', async (t) => {
  const { url, requests } = await noting(t);
  const { port } = await transparent(t, url);
  const body = Buffer.from([0xff, 0x00, 0x41, 0xc3, 0x28, 0x0d, 0x0a]);
  await send(port, '/', { method: 'POST', body });
  assert.deepEqual(requests[0].body, body);
  assert.ok(requests[0].head.includes('Content-Length: 7'));
});

test('a gzip body reaches the upstream compressed as it was sent', async (t) => {
  const { url, requests } = await noting(t);
  const { port } = await transparent(t, url);
  const body = gzipSync('{"k":1}');
  await send(port, '/', { method: 'PUT', body, headers: { 'Content-Encoding': 'gzip' } });
  assert.deepEqual(requests[0].body, body);
  assert.ok(requests[0].head.includes('Content-Encoding: gzip'));
});

test('a chunked body is sent in chunks again', async (t) => {
  const { url, requests } = await noting(t);
  const { port } = await transparent(t, url);
  const request = 'POST / HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n';
  await rawExchange(port, [request], { quietMs: 20 });
  assert.equal(requests[0].body.toString(), '3\r\nabc\r\n0\r\n\r\n');
  assert.equal(requests[0].head.filter((line) => /^content-length/i.test(line)).length, 0);
});

test('GET and DELETE with a body, and POST without one', async (t) => {
  const { url, requests } = await noting(t);
  const { port } = await transparent(t, url);
  await send(port, '/', { method: 'GET', headers: { 'Content-Length': '3' }, body: 'get' });
  await send(port, '/', { method: 'DELETE', headers: { 'Content-Length': '3' }, body: 'del' });
  await rawExchange(port, ['POST / HTTP/1.1\r\nHost: me\r\n\r\n'], { quietMs: 20 });
  assert.deepEqual(
    requests.map(({ head, body }) => `${head[0].split(' ')[0]} ${body}`),
    ['GET get', 'DELETE del', 'POST '],
  );
  assert.ok(requests[2].head.includes('Content-Length: 0'));
});

test('connections to the upstream are kept and used again', async (t) => {
  const { url, connections } = await noting(t);
  const { port } = await transparent(t, url);
  for (let i = 0; i < 5; i++) {
    await rawExchange(port, ['GET / HTTP/1.1\r\nHost: me\r\nConnection: keep-alive\r\n\r\n'], { quietMs: 20 });
  }
  assert.equal(connections(), 1);
});

test('pathRewrite replaces its first occurrence in the path as plain text; recording sees the original path', async (t) => {
  const { url, requests } = await noting(t);
  const proxy = {
    to: url,
    pathRewrite: { from: '/v.2', to: "/$&'v1" },
    predicateGenerators: [{ matches: { path: true } }],
  };
  const recording = await imposter(t, [{ responses: [{ proxy }] }]);
  await send(recording.port, '/a/v.2/x/v.2?y=/v.2');
  await send(recording.port, '/none?y=/v.2');
  assert.deepEqual(
    requests.map(({ head }) => head[0].split(' ')[1]),
    ["/a/$&'v1/x/v.2?y=/v.2", '/none?y=/v.2'],
  );
  assert.deepEqual(recording.stubs[0].json.predicates, [{ deepEquals: { path: '/a/v.2/x/v.2' } }]);
});
