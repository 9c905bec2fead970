// Each limit of a listener is kept, its answer is as promised, and the server goes on serving.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createWireServer,
  mountebankLimits,
  PreparedResponse,
  type WireLimits,
  type WireServerOptions,
} from './index.js';
import { RawClient, roundTrip, withoutDate } from './raw-client.test-help.js';

const hello = new PreparedResponse({
  statusCode: 200,
  headers: [],
  body: 'hello',
  framing: 'content-length',
  connection: 'keep',
});
const HELLO = 'HTTP/1.1 200 OK\r\nConnection: close\r\nDate: D\r\nContent-Length: 5\r\n\r\nhello';
const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

async function serve(
  t: TestContext,
  limits: Partial<WireLimits>,
  options: Partial<WireServerOptions> = {},
): Promise<number> {
  const server = createWireServer({
    limits: { ...mountebankLimits, ...limits },
    onRequest: (exchange) => exchange.send(hello),
    ...options,
  });
  t.after(() => server.close({ graceMs: 0 }));
  return (await server.listen({ port: 0, host: '127.0.0.1' })).port;
}

/** What the server must do with hostile input, before and after which it serves as ever. */
async function gets(port: number, input: string, expected: string): Promise<void> {
  assert.equal(await roundTrip(port, input), expected);
  assert.equal(await roundTrip(port, GET), HELLO);
}

test('a header of 64 KiB: 431 and close', async (t) => {
  const port = await serve(t, {});
  const head = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`;
  await gets(port, head, 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n');
});

test('a head of 17,000 bytes where 64 KiB are allowed: served', async (t) => {
  const port = await serve(t, { maxHeadBytes: 65_536 });
  await gets(port, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, HELLO);
});

test('a Content-Length of 1 GB over the limit: 413 at once, close', async (t) => {
  const port = await serve(t, { maxBodyBytes: 10_485_760 });
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\nabc';
  await gets(port, head, 'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n');
});

test('a Content-Length of 1 GB without a limit takes no memory before the bytes come', async (t) => {
  const port = await serve(t, {});
  const before = process.memoryUsage().arrayBuffers;
  const client = new RawClient(port);
  client.send('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1073741824\r\n\r\nabc');
  await client.untilReceived('100 Continue');
  assert.ok(process.memoryUsage().arrayBuffers - before < 100_000_000);
  client.socket.destroy();
  assert.equal(await roundTrip(port, GET), HELLO);
});

test('a body at the limit is served, one byte more is refused with the bytes that the user of the server chooses', async (t) => {
  const refusal = new PreparedResponse({
    statusCode: 413,
    headers: [],
    body: 'too large',
    framing: 'content-length',
    connection: 'keep',
  });
  const port = await serve(
    t,
    { maxBodyBytes: 100_000 },
    { refuse: (why) => (why === 'body-too-large' ? refusal : undefined) },
  );
  const post = (length: number): string =>
    `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
  await gets(port, post(100_000), HELLO);
  await gets(
    port,
    post(100_001),
    'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nDate: D\r\nContent-Length: 9\r\n\r\ntoo large',
  );
  await gets(
    port,
    post(100_001).replace('POST', 'HEAD'),
    'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nDate: D\r\nContent-Length: 9\r\n\r\n',
  );
});

test('a client that is refused while it sends a large body can read why', async (t) => {
  const port = await serve(t, { maxBodyBytes: 10 });
  const client = new RawClient(port);
  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n');
  client.send(Buffer.alloc(20_000_000, 'x'));
  assert.equal(await client.untilClosed(), 'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n');
  assert.equal(client.closedBy, 'end');
});

test('ambiguous framing and bare LF: 400 and close', async (t) => {
  const port = await serve(t, {});
  const post = 'POST / HTTP/1.1\r\nHost: a\r\n';
  await gets(port, `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`, BAD_REQUEST);
  await gets(port, `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`, BAD_REQUEST);
  await gets(port, 'GET / HTTP/1.1\nHost: a\n\n', BAD_REQUEST);
});

test('half a head that goes no further: 408 and close', async (t) => {
  const port = await serve(t, { headTimeoutMs: 100 });
  await gets(port, 'GET / HTTP/1.1\r\nHost: a\r\n', 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
});

test('a head that dribbles in: 408 in time, however often a byte comes', async (t) => {
  const port = await serve(t, { headTimeoutMs: 100 });
  const client = new RawClient(port);
  client.send('GET / HTTP/1.1\r\nX: ');
  const dribble = setInterval(() => client.send('x'), 10);
  t.after(() => clearInterval(dribble));
  assert.match(await client.untilClosed(), /^HTTP\/1\.1 408 /);
});

test('a connection on which nothing ever comes: 408 and close', async (t) => {
  const port = await serve(t, { headTimeoutMs: 100 });
  await gets(port, '', 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
});

test('a body that goes no further: refused and closed', async (t) => {
  const port = await serve(t, { bodyTimeoutMs: 100, headTimeoutMs: 100 });
  await gets(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab', BAD_REQUEST);
  await gets(port, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab', BAD_REQUEST);
});

test('an idle kept connection is closed without a byte', async (t) => {
  const port = await serve(t, { keepAliveTimeoutMs: 100, headTimeoutMs: 10_000 });
  await gets(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\nhello');
});

test('a pending answer has no time limit', async (t) => {
  const port = await serve(
    t,
    { keepAliveTimeoutMs: 20, headTimeoutMs: 20, bodyTimeoutMs: 20 },
    { onRequest: (exchange) => setTimeout(() => exchange.send(hello), 200) },
  );
  assert.equal(await roundTrip(port, GET), HELLO);
});

/** Longer than what the system takes for a client that does not read. */
const long = new PreparedResponse({
  statusCode: 200,
  headers: [],
  body: 'x'.repeat(16_000_000),
  framing: 'content-length',
  connection: 'keep',
});

/** Sends, reads nothing for longer than any limit, then everything. */
async function readLate(port: number, input: string, stop?: () => void): Promise<number> {
  const client = new RawClient(port);
  client.socket.pause();
  client.send(input);
  await new Promise((resolve) => setTimeout(resolve, 400));
  stop?.();
  client.socket.resume();
  await client.untilClosed();
  return client.received.length;
}

for (const [what, input] of [
  ['keeps the connection', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['has begun another head', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost:'],
  ['closes the connection', GET],
]) {
  test(`a client that ${what} and reads its answer for longer than the limit for idle ones gets all of it`, async (t) => {
    const port = await serve(
      t,
      { keepAliveTimeoutMs: 50, headTimeoutMs: 2000 },
      { onRequest: (exchange) => exchange.send(long) },
    );
    assert.ok((await readLate(port, input)) > 16_000_000);
  });
}

test('a client that has ended its side and reads for longer than the limit for idle ones gets all of its answer', async (t) => {
  const port = await serve(t, { keepAliveTimeoutMs: 50 }, { onRequest: (exchange) => exchange.send(long) });
  const client = new RawClient(port);
  client.socket.pause();
  client.socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await new Promise((resolve) => setTimeout(resolve, 400));
  client.socket.resume();
  assert.ok((await client.untilClosed()).length > 16_000_000);
});

test('a graceful close waits for a client that still reads an answer of a kept connection', async (t) => {
  const server = createWireServer({ limits: mountebankLimits, onRequest: (exchange) => exchange.send(long) });
  t.after(() => server.close({ graceMs: 0 }));
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  let closed: Promise<void> | undefined;
  const length = await readLate(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', () => {
    closed = server.close({ graceMs: 60_000 });
  });
  assert.ok(length > 16_000_000);
  await closed;
});

test('connections past the limit are served when others close', async (t) => {
  const port = await serve(t, { maxConnections: 2 });
  const kept = [new RawClient(port), new RawClient(port)];
  for (const client of kept) {
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.untilReceived('hello');
  }
  const third = new RawClient(port);
  third.send(GET);
  kept[0].received = '';
  kept[0].send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await kept[0].untilReceived('hello');
  assert.equal(third.received, '');
  kept[1].socket.destroy();
  assert.equal(withoutDate(await third.untilClosed()), HELLO);
  kept[0].socket.destroy();
});
