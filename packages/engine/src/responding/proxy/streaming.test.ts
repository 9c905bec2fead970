import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { bodies, imposter, imposters, origin, send, stubsOf } from './proxy.test-help.js';

const MIB = 1024 * 1024;
const BIG = 100 * MIB;

/** Writes `length` bytes as fast as the other side takes them; `written` counts what was handed over. */
function pour(response: ServerResponse, length: number) {
  const poured = { written: 0, hash: createHash('sha256') };
  const block = Buffer.alloc(64 * 1024, 'stream me ');
  const more = () => {
    while (poured.written < length) {
      block.writeUInt32BE(poured.written / block.length, 0);
      const chunk = Buffer.from(block);
      poured.written += chunk.length;
      poured.hash.update(chunk);
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
  return poured;
}

/** The answer to a request, its body not yet read. */
async function open(port: number): Promise<IncomingMessage> {
  const outgoing = request({ host: '127.0.0.1', port, path: '/', agent: false }).end();
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
  return message;
}

for (const framing of ['Content-Length', 'chunks']) {
  test(`100 MB delimited by ${framing} pass through as fast as the client reads, and no faster`, async (t) => {
    let poured: ReturnType<typeof pour> | undefined;
    const { url } = await origin(t, (_, response) => {
      if (framing === 'Content-Length') response.setHeader('Content-Length', BIG);
      poured = pour(response, BIG);
    });
    const { port } = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }]);
    const message = await open(port);
    message.pause();
    let before = -1;
    while (poured!.written !== before) {
      before = poured!.written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(poured!.written < 40 * MIB, `${poured!.written} bytes were taken although nobody read them`);
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of message) {
      hash.update(chunk);
      length += chunk.length;
    }
    assert.equal(length, BIG);
    assert.equal(hash.digest('hex'), poured!.hash.digest('hex'));
  });
}

test('the limit for kept bodies does not hold for streamed ones', async (t) => {
  const { url } = await origin(t, (_, response) => response.end('x'.repeat(300_000)));
  const { port } = await imposters(t, 'rift', { maxBodyBytes: 1000 }).createFrom({
    protocol: 'http',
    stubs: [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }],
  });
  assert.equal((await send(port, '/')).bytes.length, 300_000);
});

test('events of a stream arrive while the upstream is still answering', async (t) => {
  let upstream: ServerResponse | undefined;
  const { url } = await origin(t, (_, response) => {
    upstream = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
  });
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }]);
  const message = await open(port);
  const [first] = await once(message, 'data');
  assert.equal(String(first), 'data: 1\n\n');
  upstream!.end('data: 2\n\n');
  const [second] = await once(message, 'data');
  assert.equal(String(second), 'data: 2\n\n');
});

test('an upstream that dies in the middle of a streamed body cuts the connection of the client', async (t) => {
  let upstream: ServerResponse | undefined;
  const { url } = await origin(t, (_, response) => {
    upstream = response;
    response.writeHead(200, { 'Content-Length': 10 * MIB });
    response.write(Buffer.alloc(MIB));
  });
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }]);
  const message = await open(port);
  const read = (async () => {
    for await (const _ of message);
  })();
  await new Promise((resolve) => setTimeout(resolve, 20));
  upstream!.destroy();
  await assert.rejects(read, { code: 'ECONNRESET' });
  // and the imposter serves on
  const second = await open(port);
  assert.equal(second.statusCode, 200);
  second.destroy();
});

test('a client that leaves in the middle of a streamed body ends the call of the upstream', async (t) => {
  let closed: Promise<unknown> | undefined;
  const { url } = await origin(t, (_, response) => {
    closed = once(response, 'close');
    pour(response, BIG);
  });
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }]);
  const message = await open(port);
  message.destroy();
  await closed;
});

test('a large answer that is recorded is kept whole', async (t) => {
  const body = Buffer.alloc(3 * MIB, 'text that repeats ');
  const { url, seen } = await origin(t, (_, response) => response.end(body));
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
  for (let i = 0; i < 2; i++) assert.ok((await send(recording.port, '/')).bytes.equals(body));
  assert.equal(seen.length, 1);
});

test('where `matches` are kept the body is kept for them', async (t) => {
  const { url } = await origin(t, (_, response) => response.end('x'.repeat(100_000)));
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }], {
    recordMatches: true,
  });
  assert.deepEqual(await bodies(recording.port, '/'), ['x'.repeat(100_000)]);
  const [match] = recording.stubs[0].matches;
  assert.equal(match.response.body, 'x'.repeat(100_000));
  assert.deepEqual(match.responseConfig, { proxy: { to: url, mode: 'proxyTransparent' } });
  assert.equal(stubsOf(recording).length, 1);
});

test('`matches` show the mode that counts', async (t) => {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url } }] }], { recordMatches: true });
  await send(recording.port, '/');
  assert.deepEqual(recording.stubs[1].matches[0].responseConfig, { proxy: { to: url, mode: 'proxyOnce' } });
});
