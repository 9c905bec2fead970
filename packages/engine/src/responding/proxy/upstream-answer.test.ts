import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { JsonObject } from '../../model/types.js';
import { bodies, imposter, imposters, lines, origin, rawOrigin, send, stubsOf } from './proxy.test-help.js';

/** The recorded `is` of the first stub. */
function recorded(stubs: JsonObject[]): JsonObject {
  return (stubs[0].responses as { is: JsonObject }[])[0].is;
}

/** An upstream whose answer is the same bytes whatever is asked; the connection is closed behind it. */
function answering(t: Parameters<typeof rawOrigin>[0], bytes: string | Buffer): Promise<string> {
  return rawOrigin(t, (socket) => socket.once('data', () => socket.end(bytes)));
}

test('repeated header lines are recorded as arrays by their spelling and replayed line by line', async (t) => {
  const head = 'X-A: 1\r\nx-a: 2\r\nX-A: 3\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n';
  const recording = await imposter(t, [
    { responses: [{ proxy: { to: await answering(t, `HTTP/1.1 200 OK\r\n${head}`) } }] },
  ]);
  const live = await send(recording.port, '/');
  const { headers } = recorded(stubsOf(recording));
  assert.deepEqual(headers, { 'X-A': ['1', '3'], 'x-a': '2', 'Set-Cookie': ['a=1', 'b=2'], 'Content-Length': '0' });
  const replay = await send(recording.port, '/');
  for (const { rawHeaders } of [live, replay]) {
    assert.deepEqual(lines(rawHeaders, 'x-a').sort(), ['1', '2', '3']);
    assert.deepEqual(lines(rawHeaders, 'set-cookie'), ['a=1', 'b=2']);
  }
});

test('an answer is recorded with its keys in order and its time', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
  await send(recording.port, '/');
  const is = recorded(stubsOf(recording));
  assert.deepEqual(Object.keys(is), ['statusCode', 'headers', 'body', '_mode', '_proxyResponseTime']);
  assert.equal(is.statusCode, 200);
  assert.equal(is._mode, 'text');
  assert.ok(Number.isInteger(is._proxyResponseTime));
});

const bytes = Buffer.from([1, 2, 255]);
const binary: [name: string, headers: { [name: string]: string }, body: Buffer][] = [
  ['an image', { 'Content-Type': 'image/png' }, bytes],
  ['a type in upper case', { 'Content-Type': 'IMAGE/PNG' }, bytes],
  ['an unknown type whose bytes are no UTF-8', { 'Content-Type': 'x/y' }, bytes],
  ['no type and bytes that are no UTF-8', {}, bytes],
  ['gzip text', { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }, gzipSync('zipped')],
  ['brotli JSON', { 'Content-Type': 'application/json', 'Content-Encoding': 'br' }, brotliCompressSync('{"br":true}')],
];
for (const [name, headers, body] of binary) {
  test(`${name} is recorded as base64 and replayed byte for byte`, async (t) => {
    const { url, seen } = await origin(t, (_, response) => response.writeHead(200, headers).end(body));
    const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
    const live = await send(recording.port, '/');
    const replay = await send(recording.port, '/');
    assert.equal(recorded(stubsOf(recording)).body, body.toString('base64'));
    assert.equal(recorded(stubsOf(recording))._mode, 'binary');
    for (const answer of [live, replay]) {
      assert.deepEqual(answer.bytes, body);
      assert.equal(answer.headers['content-encoding'], headers['Content-Encoding']);
    }
    assert.equal(seen.length, 1);
  });
}

const texts: [name: string, body: string, recorded: unknown, replay?: string][] = [
  ['an object', '{"a":1,  "b":[2]}', { a: 1, b: [2] }, '{\n    "a": 1,\n    "b": [\n        2\n    ]\n}'],
  ['an array', ' [1.5, -2] ', [1.5, -2], '[\n    1.5,\n    -2\n]'],
  ['a JSON text', '"q"', '"q"'],
  ['null', 'null', 'null'],
  ['zero', '0', '0'],
  ['an integer past 2^53', '{"id":9007199254740993}', '{"id":9007199254740993}'],
  ['a fraction with a trailing zero', '{"price":1.50}', '{"price":1.50}'],
  ['an exponent', '[1e3]', '[1e3]'],
  ['digits inside texts', '{"1.50":"1e3 \\" 007"}', { '1.50': '1e3 " 007' }, '{\n    "1.50": "1e3 \\" 007"\n}'],
  ['broken JSON', '{"a":', '{"a":'],
  ['no JSON', 'plain é', 'plain é'],
  ['nothing', '', ''],
];
for (const [name, body, is, replay = body] of texts) {
  test(`a body that is ${name}: live as it came, recorded without loss`, async (t) => {
    const { url } = await origin(t, (_, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body),
    );
    const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
    assert.deepEqual(await bodies(recording.port, '/', '/'), [body, replay]);
    assert.deepEqual(recorded(stubsOf(recording)).body, is);
  });
}

test('a behavior that leaves the body alone leaves its bytes alone', async (t) => {
  const { url } = await origin(t, (_, response) => response.end('{"a":1,  "b":2}'));
  const decorate = "c => { c.response.headers['X-Seen'] = 'yes'; }";
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url }, behaviors: [{ decorate }] }] }]);
  const live = await send(recording.port, '/');
  assert.equal(live.body, '{"a":1,  "b":2}');
  assert.equal(live.headers['x-seen'], 'yes');
});

test('a behavior that changes the body has it serialized, with the length that it has now', async (t) => {
  const { url } = await origin(t, (_, response) => response.end('{"a":1}'));
  const decorate = 'c => { c.response.body.b = 2; }';
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url }, behaviors: [{ decorate }] }] }]);
  const live = await send(recording.port, '/');
  assert.equal(live.body, '{\n    "a": 1,\n    "b": 2\n}');
  assert.equal(live.headers['content-length'], String(live.bytes.length));
});

test('chunked answers, and answers that end with their connection', async (t) => {
  const chunked =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nTrailer: t\r\n\r\n';
  for (const [answer, body] of [
    [chunked, 'abcde'],
    ['HTTP/1.1 200 OK\r\n\r\nuntil the end', 'until the end'],
    ['HTTP/1.0 203 Fine\r\nX-Y: z\r\n\r\nold', 'old'],
  ]) {
    const recording = await imposter(t, [{ responses: [{ proxy: { to: await answering(t, answer) } }] }]);
    assert.deepEqual(await bodies(recording.port, '/', '/'), [body, body]);
  }
});

test('interim answers are passed over', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
  const to = await answering(t, `${early}HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx`);
  const { port } = await imposter(t, [{ responses: [{ proxy: { to } }] }]);
  const live = await send(port, '/');
  assert.deepEqual([live.status, live.body], [201, 'x']);
});

test('redirects are passed through', async (t) => {
  const { url, seen } = await origin(t, (_, response) =>
    response.writeHead(302, { Location: '/elsewhere?x=1' }).end('moved'),
  );
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
  const live = await send(port, '/moved');
  assert.deepEqual([live.status, live.headers.location, live.body], [302, '/elsewhere?x=1', 'moved']);
  assert.equal(seen.length, 1);
});

test('204 and 304 have no body, live and replayed', async (t) => {
  for (const status of [204, 304]) {
    const { url } = await origin(t, (_, response) => response.writeHead(status, { ETag: '"e"' }).end());
    const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
    for (const answer of [await send(recording.port, '/'), await send(recording.port, '/')]) {
      assert.deepEqual([answer.status, answer.body, answer.headers.etag], [status, '', '"e"']);
    }
    assert.equal(recorded(stubsOf(recording)).body, '');
  }
});

for (const profile of ['mountebank', 'rift'] as const) {
  test(`profile ${profile}: the answer to HEAD keeps the upstream's length, also when replayed to HEAD only`, async (t) => {
    const { url } = await origin(t, (_, response) => response.writeHead(200, { 'Content-Length': 1234 }).end());
    const recording = await imposters(t, profile).createFrom({
      protocol: 'http',
      stubs: [{ responses: [{ proxy: { to: url } }] }],
    });
    for (let i = 0; i < 2; i++) {
      const answer = await send(recording.port, '/', { method: 'HEAD' });
      assert.deepEqual([answer.status, answer.headers['content-length'], answer.body], [200, '1234', '']);
    }
    assert.equal((await send(recording.port, '/')).headers['content-length'], '0');
  });

  test(`profile ${profile}: an answer to HEAD without a length gets none`, async (t) => {
    const { url } = await origin(t, (_, response) => response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end());
    const { port } = await imposters(t, profile).createFrom({
      protocol: 'http',
      stubs: [{ responses: [{ proxy: { to: url } }] }],
    });
    assert.equal((await send(port, '/', { method: 'HEAD' })).headers['content-length'], undefined);
  });
}

test('the connection header of the upstream decides about the connection of the client', async (t) => {
  const { url } = await origin(t, (_, response) => response.writeHead(200, { Connection: 'keep-alive' }).end('k'));
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
  assert.equal((await send(port, '/')).headers.connection, 'keep-alive');
});

test('defaults fill in what the upstream left empty in profile mountebank only', async (t) => {
  for (const [profile, body] of [
    ['mountebank', 'default'],
    ['rift', ''],
  ] as const) {
    const { url } = await origin(t, (_, response) => response.end());
    const { port } = await imposters(t, profile).createFrom({
      protocol: 'http',
      defaultResponse: { body: 'default' },
      stubs: [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }],
    });
    assert.equal((await send(port, '/')).body, body);
  }
});
