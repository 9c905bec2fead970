// The same codec over TLS: protocol negotiation, client certificates, faults inside and below TLS, broken handshakes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect, type TlsOptions } from 'node:tls';
import {
  caCertificate,
  clientCertificate,
  clientKey,
  serverCertificate,
  serverKey,
  strangerCertificate,
  strangerKey,
} from './certificates.test-help.js';
import { createWireServer, type Exchange, mountebankLimits, PreparedResponse, type WireServer } from './index.js';
import { RawClient, withoutDate } from './raw-client.test-help.js';

const hello = new PreparedResponse({
  statusCode: 200,
  headers: [],
  body: 'hello',
  framing: 'content-length',
  connection: 'close',
});
const HELLO = 'HTTP/1.1 200 OK\r\nConnection: close\r\nDate: D\r\nContent-Length: 5\r\n\r\nhello';
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

async function serve(
  t: TestContext,
  tls: TlsOptions = {},
  onRequest: (exchange: Exchange) => void = (exchange) => exchange.send(hello),
  errors: (NodeJS.ErrnoException & Error)[] = [],
): Promise<{ port: number; server: WireServer }> {
  const server = createWireServer({
    limits: { ...mountebankLimits, tlsHandshakeTimeoutMs: 300 },
    tls: { key: serverKey, cert: serverCertificate, ...tls },
    onRequest,
    onConnect: 'own-port',
    onError: (error) => errors.push(error),
  });
  t.after(() => server.close({ graceMs: 0 }));
  return { port: (await server.listen({ port: 0, host: '127.0.0.1' })).port, server };
}

interface Answer {
  text: string;
  protocol: string | false | null;
  reused: boolean;
  session: Buffer | undefined;
  /** `end`, or the code of the error. */
  closedBy: string;
}

/** Sends bytes over TLS, verifying the server, and collects everything until the connection has gone. */
function ask(port: number, input: string, options: ConnectionOptions = {}): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    let reused = false;
    let session: Buffer | undefined;
    let closedBy: string | undefined;
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: caCertificate, ...options }, () => {
      reused = socket.isSessionReused();
      socket.write(input);
    });
    socket.on('session', (data) => {
      session = data;
    });
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('end', () => {
      closedBy ??= 'end';
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      closedBy ??= error.code;
    });
    socket.on('close', () => {
      resolve({
        text: withoutDate(text),
        protocol: socket.alpnProtocol,
        reused,
        session,
        closedBy: closedBy ?? 'close',
      });
    });
  });
}

test('a request over TLS is answered, and http/1.1 is negotiated though HTTP/2 is offered', async (t) => {
  const { port } = await serve(t);
  const { text, protocol } = await ask(port, GET, { ALPNProtocols: ['h2', 'http/1.1'] });
  assert.deepEqual({ text, protocol }, { text: HELLO, protocol: 'http/1.1' });
});

test('the connection knows that it is encrypted and who its client is', async (t) => {
  let seen: unknown;
  const { port } = await serve(t, {}, (exchange) => {
    const { encrypted, remoteAddress, remotePort } = exchange.request.connection;
    seen = { encrypted, remoteAddress, hasPort: remotePort > 0 };
    exchange.send(hello);
  });
  await ask(port, GET);
  assert.deepEqual(seen, { encrypted: true, remoteAddress: '127.0.0.1', hasPort: true });
});

test('TLS 1.2 and 1.3 are spoken', async (t) => {
  const { port } = await serve(t);
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.equal((await ask(port, GET, { minVersion: version, maxVersion: version })).text, HELLO);
  }
});

test('a session is resumed', async (t) => {
  const { port } = await serve(t);
  const first = await ask(port, GET);
  assert.equal(first.reused, false);
  assert.ok(first.session !== undefined);
  assert.equal((await ask(port, GET, { session: first.session })).reused, true);
});

test('many handshakes at once are told apart', async (t) => {
  const { port } = await serve(t, {}, (exchange) => {
    const { remotePort } = exchange.request.connection;
    exchange.send(
      new PreparedResponse({
        statusCode: 200,
        headers: [],
        body: String(remotePort),
        framing: 'none',
        connection: 'close',
      }),
    );
  });
  const bodies = await Promise.all(
    Array.from({ length: 30 }, async () => (await ask(port, GET)).text.split('\r\n\r\n')[1]),
  );
  assert.equal(new Set(bodies).size, 30);
});

test('without a request for it, a client certificate is neither needed nor looked at', async (t) => {
  const { port } = await serve(t, { ca: caCertificate, rejectUnauthorized: true });
  assert.equal((await ask(port, GET)).text, HELLO);
  assert.equal((await ask(port, GET, { key: strangerKey, cert: strangerCertificate })).text, HELLO);
});

test('a certificate that is asked for and not required: every client is served', async (t) => {
  const { port } = await serve(t, { requestCert: true, rejectUnauthorized: false });
  assert.equal((await ask(port, GET)).text, HELLO);
  assert.equal((await ask(port, GET, { key: strangerKey, cert: strangerCertificate })).text, HELLO);
});

test('a certificate that is required: only the holder of one from the CA is served', async (t) => {
  const { port } = await serve(t, { requestCert: true, rejectUnauthorized: true, ca: caCertificate });
  assert.equal((await ask(port, GET, { key: clientKey, cert: clientCertificate })).text, HELLO);
  assert.equal((await ask(port, GET)).text, '');
  assert.equal((await ask(port, GET, { key: strangerKey, cert: strangerCertificate })).text, '');
});

test('plain HTTP on the TLS port is closed without an answer', async (t) => {
  const errors: Error[] = [];
  const { port } = await serve(t, {}, undefined, errors);
  const client = new RawClient(port);
  client.send(GET);
  assert.equal(await client.untilClosed(), '');
  assert.equal(errors.length, 1);
});

test('a client that opens TCP and sends nothing is closed after the time for the handshake', async (t) => {
  const { port, server } = await serve(t);
  const client = new RawClient(port);
  assert.equal(await client.untilClosed(), '');
  assert.equal(client.closedBy, 'end');
  assert.equal((await ask(port, GET)).text, HELLO);
  await server.close({ graceMs: 0 });
  assert.equal(server.connections, 0);
});

test('clients that are gone before their handshake begins leave nothing behind', async (t) => {
  const { port, server } = await serve(t);
  // in one turn of the loop more connections come than are accepted before their clients go
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const client = new RawClient(port);
      client.socket.once('connect', () => {
        client.send('\x16\x03\x01\x00\xf0 is no hello');
        client.socket.resetAndDestroy();
      });
      await once(client.socket, 'close');
    }),
  );
  assert.equal((await ask(port, GET)).text, HELLO);
  // ends when every descriptor has been given back
  await server.close({ graceMs: 0 });
});

test('a client that sends no more in the midst of its handshake is closed at once', { timeout: 20_000 }, async (t) => {
  const server = createWireServer({
    limits: { ...mountebankLimits, tlsHandshakeTimeoutMs: 600_000 },
    tls: { key: serverKey, cert: serverCertificate },
    onRequest: (exchange) => exchange.send(hello),
  });
  t.after(() => server.close({ graceMs: 0 }));
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  // the first bytes of a handshake record
  for (const begun of ['', '\x16\x03\x01\x02\x00\x01']) {
    const client = new RawClient(port);
    client.socket.end(Buffer.from(begun, 'latin1'));
    assert.equal(await client.untilClosed(), '');
  }
  assert.equal((await ask(port, GET)).text, HELLO);
});

test('a client that sends no more after its request still gets its answer', async (t) => {
  const { port } = await serve(t, {}, (exchange) => {
    // by then the end of what the client sends has come
    setTimeout(() => exchange.send(hello), 100);
  });
  const client = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: caCertificate });
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  client.end(GET);
  await once(client, 'close');
  assert.equal(withoutDate(text), HELLO);
});

test('a reset resets the TCP connection', async (t) => {
  const { port } = await serve(t, {}, (exchange) => exchange.reset());
  const { text, closedBy } = await ask(port, GET);
  assert.deepEqual({ text, closedBy }, { text: '', closedBy: 'ECONNRESET' });
});

test('raw bytes go into the TLS stream, or below it', async (t) => {
  const { port } = await serve(t, {}, (exchange) =>
    exchange.sendRaw('RAW BYTES', true, exchange.request.target === '/below'),
  );
  assert.equal((await ask(port, GET)).text, 'RAW BYTES');
  const below = await ask(port, GET.replace('/', '/below'));
  assert.equal(below.text, '');
  assert.match(below.closedBy, /^ERR_SSL_/);
});

test('an empty answer is an orderly end after a complete handshake', async (t) => {
  const { port } = await serve(t, {}, (exchange) => exchange.sendRaw(''));
  const { text, closedBy, protocol } = await ask(port, GET, { ALPNProtocols: ['http/1.1'] });
  assert.deepEqual({ text, closedBy, protocol }, { text: '', closedBy: 'end', protocol: 'http/1.1' });
});

test('CONNECT leads to the own port, where TLS begins anew', async (t) => {
  const { port } = await serve(t);
  const outer = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: caCertificate });
  t.after(() => outer.destroy());
  outer.write('CONNECT elsewhere:443 HTTP/1.1\r\nHost: a\r\n\r\n');
  const established = await new Promise<string>((resolve) => outer.once('data', (data) => resolve(String(data))));
  assert.equal(established, 'HTTP/1.1 200 Connection established\r\n\r\n');
  assert.equal((await ask(port, GET, { socket: outer })).text, HELLO);
});

test('a wrong key or certificate is an error at creation', () => {
  const create = (tls: TlsOptions) => () => createWireServer({ limits: mountebankLimits, onRequest: () => {}, tls });
  assert.throws(create({ key: strangerKey, cert: serverCertificate }), { code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' });
  assert.throws(create({ key: 'no key', cert: serverCertificate }));
});
