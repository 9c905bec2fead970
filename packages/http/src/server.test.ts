import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createWireServer, PreparedResponse, type WireLimits } from './index.js';
import { RawClient, roundTrip, withoutDate } from './raw-client.test-help.js';

const limits: WireLimits = {
  maxHeadBytes: 16_384,
  maxHeaderLines: 2000,
  maxBodyBytes: undefined,
  headTimeoutMs: 60_000,
  bodyTimeoutMs: 60_000,
  keepAliveTimeoutMs: 5000,
  tlsHandshakeTimeoutMs: 10_000,
  maxConnections: undefined,
};
const hello = new PreparedResponse({
  statusCode: 200,
  headers: [['X-A', 'é']],
  body: 'hello',
  framing: 'content-length',
  connection: 'keep',
});
const server = createWireServer({ limits, onRequest: (exchange) => exchange.send(hello) });
let port: number;
before(async () => {
  ({ port } = await server.listen({ port: 0, host: '127.0.0.1' }));
});
after(() => server.close({ graceMs: 0 }));

const HELLO = 'HTTP/1.1 200 OK\r\nX-A: \xe9\r\nDate: D\r\nContent-Length: 5\r\n\r\nhello';

test('a kept connection answers one request after another', async () => {
  const client = new RawClient(port);
  for (let i = 0; i < 3; i++) {
    client.received = '';
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(withoutDate(await client.untilReceived('hello')), HELLO);
  }
  client.socket.destroy();
});

test('a close asked for by the client is announced and done', async () => {
  assert.equal(
    await roundTrip(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    'HTTP/1.1 200 OK\r\nX-A: \xe9\r\nConnection: close\r\nDate: D\r\nContent-Length: 5\r\n\r\nhello',
  );
});

test('a malformed request gets the bytes that Node sends', async () => {
  assert.equal(await roundTrip(port, 'NOPE\r\n\r\n'), 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
});
