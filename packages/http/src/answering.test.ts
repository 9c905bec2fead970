// The answering side over real sockets: order, streams, raw bytes, resets, clients that vanish, closing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import {
  createWireServer,
  type Exchange,
  mountebankLimits,
  PreparedResponse,
  type ResponseParts,
  type WireServer,
  type WireServerOptions,
} from './index.js';
import { RawClient, roundTrip, withoutDate } from './raw-client.test-help.js';

async function serve(
  t: TestContext,
  onRequest: (exchange: Exchange) => void,
  options: Partial<WireServerOptions> = {},
): Promise<{ port: number; server: WireServer }> {
  const server = createWireServer({ limits: mountebankLimits, onRequest, ...options });
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => server.close({ graceMs: 0 }));
  return { port, server };
}

function response(body: string, parts: Partial<ResponseParts> = {}): PreparedResponse {
  return new PreparedResponse({
    statusCode: 200,
    headers: [],
    body,
    framing: 'content-length',
    connection: 'keep',
    ...parts,
  });
}

const get = (target: string, more = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const ok = (body: string): string => `HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const okClose = (body: string): string =>
  `HTTP/1.1 200 OK\r\nConnection: close\r\nDate: D\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Resolves once `count` exchanges have come in. */
function collector(count: number): { exchanges: Exchange[]; take: (exchange: Exchange) => void; all: Promise<void> } {
  const exchanges: Exchange[] = [];
  let done: () => void;
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const take = (exchange: Exchange): void => {
    exchanges.push(exchange);
    if (exchanges.length === count) done();
  };
  return { exchanges, take, all };
}

test('answers leave in the order of the requests, whatever the order in which they are made', async (t) => {
  const { exchanges, take, all } = collector(3);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.send(get('/1') + get('/2') + get('/3', 'Connection: close\r\n'));
  await all;
  for (const exchange of [...exchanges].reverse()) exchange.send(response(exchange.request.target));
  assert.equal(withoutDate(await client.untilClosed()), ok('/1') + ok('/2') + okClose('/3'));
});

test('a request keeps its own bytes while others come in on the same connection', async (t) => {
  const { exchanges, take, all } = collector(2);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.send(get('/1', 'X: one\r\n'));
  client.send(get('/2', 'X: two\r\n'));
  await all;
  assert.deepEqual(
    exchanges.map(({ request }) => [request.target, request.header('x'), request.header('none')]),
    [
      ['/1', 'one', undefined],
      ['/2', 'two', undefined],
    ],
  );
  client.socket.destroy();
});

test('more pipelined requests than may wait are read when there is room', async (t) => {
  const waiting: Exchange[] = [];
  let most = 0;
  const { port } = await serve(t, (exchange) => {
    waiting.push(exchange);
    most = Math.max(most, waiting.length);
    setImmediate(() => waiting.shift()?.send(response('x')));
  });
  const client = new RawClient(port);
  client.send(get('/').repeat(999) + get('/', 'Connection: close\r\n'));
  const answers = withoutDate(await client.untilClosed());
  assert.equal(answers, ok('x').repeat(999) + okClose('x'));
  assert.ok(most <= 64, `${most} were waiting`);
});

test('an answer that closes ends the connection, and later requests are aborted', async (t) => {
  const { exchanges, take, all } = collector(2);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.send(get('/1') + get('/2'));
  await all;
  let aborted = 0;
  exchanges[1].onAbort(() => aborted++);
  exchanges[0].send(response('x', { connection: 'close' }));
  assert.equal(withoutDate(await client.untilClosed()), okClose('x'));
  assert.equal(aborted, 1);
  assert.equal(exchanges[1].aborted, true);
  exchanges[1].send(response('never'));
});

test('a second answer to the same request is ignored', async (t) => {
  const { port } = await serve(t, (exchange) => {
    exchange.send(response('first'));
    exchange.send(response('second'));
    exchange.reset();
  });
  assert.equal(await roundTrip(port, get('/', 'Connection: close\r\n')), okClose('first'));
});

test('a client that has ended its side still gets its answer', async (t) => {
  const { exchanges, take, all } = collector(1);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.socket.end(get('/'));
  await all;
  setTimeout(() => exchanges[0].send(response('x')), 20);
  assert.equal(withoutDate(await client.untilClosed()), ok('x'));
});

test('a client that ends in the middle of a head or of a body is told so', async (t) => {
  const refusals: string[] = [];
  const { port } = await serve(t, () => {}, {
    refuse(refusal) {
      refusals.push(refusal);
      return undefined;
    },
  });
  for (const begun of ['GET / HT', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab']) {
    const client = new RawClient(port);
    client.socket.end(begun);
    assert.equal(await client.untilClosed(), 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  }
  assert.deepEqual(refusals, ['bad-request', 'body-incomplete']);
});

test('a client that vanishes aborts its exchange, and answers to it do nothing', async (t) => {
  const { exchanges, take, all } = collector(1);
  const { port, server } = await serve(t, take);
  const client = new RawClient(port);
  client.send(get('/'));
  await all;
  const gone = new Promise<void>((resolve) => exchanges[0].onAbort(resolve));
  client.socket.resetAndDestroy();
  await gone;
  assert.equal(exchanges[0].aborted, true);
  assert.equal(server.connections, 0);
  exchanges[0].send(response('x'));
  exchanges[0].sendRaw('x');
  exchanges[0].reset();
  exchanges[0].destroy();
  exchanges[0].sendStream(response(''), Readable.from(['x']));
  let late = false;
  exchanges[0].onAbort(() => {
    late = true;
  });
  assert.equal(late, true);
});

test('a stream is sent in chunks, or as it is when the response has a length', async (t) => {
  const { port } = await serve(t, (exchange) => {
    const parts: Partial<ResponseParts> =
      exchange.request.target === '/length' ? { headers: [['Content-Length', '5']] } : {};
    exchange.sendStream(response('', parts), Readable.from([Buffer.from('abc'), Buffer.from('de')]));
  });
  const close = 'Connection: close\r\n';
  assert.equal(
    await roundTrip(port, get('/chunks') + get('/chunks', close)),
    'HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n' +
      'HTTP/1.1 200 OK\r\nConnection: close\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  );
  assert.equal(
    await roundTrip(port, get('/length', close)),
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\nDate: D\r\n\r\nabcde',
  );
  assert.equal(
    await roundTrip(port, 'GET / HTTP/1.0\r\n\r\n'),
    'HTTP/1.1 200 OK\r\nConnection: close\r\nDate: D\r\n\r\nabcde',
  );
  assert.equal(
    await roundTrip(port, `HEAD /length HTTP/1.1\r\nHost: a\r\n${close}\r\n`),
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\nDate: D\r\n\r\n',
  );
});

test('answers of every size reach a client that reads late, whole and in order', async (t) => {
  const bodyOf = (target: string): string => {
    const [, number, size] = target.split('/');
    return number.padEnd(3, '.').repeat(Number(size) / 3);
  };
  const { port } = await serve(t, (exchange) => {
    const { target } = exchange.request;
    // some at once, some later, some streamed: each way of writing after each other
    if (target.endsWith('/later')) setImmediate(() => exchange.send(response(bodyOf(target))));
    else if (target.endsWith('/stream')) {
      const body = bodyOf(target);
      exchange.sendStream(response('', { headers: [['Content-Length', `${body.length}`]] }), Readable.from([body]));
    } else exchange.send(response(bodyOf(target)));
  });
  const sizes = [3, 300, 3000, 30_000, 99_999, 300_000, 999_999];
  const targets = Array.from({ length: 60 }, (_, i) => {
    const way = ['', '/later', '/stream'][i % 3];
    return `/${i}/${sizes[i % sizes.length]}${way}`;
  });
  const client = new RawClient(port);
  client.socket.pause();
  for (const target of targets) client.send(get(target));
  client.send(get('/end/3', 'Connection: close\r\n'));
  await roundTrip(port, get('/other/3', 'Connection: close\r\n'));
  client.socket.resume();
  let expected = '';
  for (const target of targets) {
    const body = bodyOf(target);
    expected += target.endsWith('/stream')
      ? `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nDate: D\r\n\r\n${body}`
      : ok(body);
  }
  const got = withoutDate(await client.untilClosed());
  assert.equal(got.length, (expected + okClose('end')).length);
  assert.ok(got === expected + okClose('end'), 'bytes differ');
});

test('a stream that fails cuts the connection', async (t) => {
  const { port } = await serve(t, (exchange) => {
    const body = new Readable({ read() {} });
    body.push('abc');
    setImmediate(() => body.destroy(new Error('upstream gone')));
    exchange.sendStream(response(''), body);
  });
  const answer = await roundTrip(port, get('/'));
  assert.equal(answer.includes('0\r\n\r\n'), false);
});

test('a stream that fails before its turn cuts the connection after the answers before it', async (t) => {
  const { exchanges, take, all } = collector(2);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.send(get('/1') + get('/2'));
  await all;
  const body = new Readable({ read() {} });
  const failed = new Promise((resolve) => body.once('close', resolve));
  exchanges[1].sendStream(response(''), body);
  body.destroy(new Error('upstream gone'));
  await failed;
  exchanges[0].send(response('x'));
  assert.equal(withoutDate(await client.untilClosed()), ok('x'));
});

test('a client that pipelines large answers and reads none is not answered on and on', async (t) => {
  let answered = 0;
  const large = response('x'.repeat(1_000_000));
  const { port } = await serve(t, (exchange) => {
    answered++;
    exchange.send(large);
  });
  const client = new RawClient(port);
  client.socket.pause();
  client.send(get('/').repeat(200));
  const other = new RawClient(port);
  other.send(get('/', 'Connection: close\r\n'));
  await other.untilClosed();
  assert.ok(answered < 30, `${answered} answers were made`);
  client.socket.destroy();
});

test('a stream waits for a client that does not read', async (t) => {
  let produced = 0;
  const total = 64 * 1024 * 1024;
  const piece = Buffer.alloc(65_536, 'x');
  const stalled = new Promise<Readable>((resolve) => {
    serve(t, (exchange) => {
      const body = new Readable({
        read() {
          produced += piece.length;
          this.push(produced > total ? null : piece);
        },
      });
      body.on('pause', () => resolve(body));
      exchange.sendStream(response(''), body);
    }).then(({ port }) => {
      const client = new RawClient(port);
      client.socket.pause();
      client.send(get('/'));
      t.after(() => client.socket.destroy());
    });
  });
  await stalled;
  assert.ok(produced < total, `${produced} bytes were produced for a client that reads nothing`);
});

test('raw bytes go out as they are', async (t) => {
  const { port } = await serve(t, (exchange) => exchange.sendRaw('\x00\xff no http'));
  assert.equal(await roundTrip(port, get('/')), '\x00\xff no http');
});

test('raw bytes may leave the connection open', async (t) => {
  const { port } = await serve(t, (exchange) => {
    if (exchange.request.target === '/raw') exchange.sendRaw('RAW', false);
    else exchange.send(response('x'));
  });
  assert.equal(await roundTrip(port, get('/raw') + get('/', 'Connection: close\r\n')), `RAW${okClose('x')}`);
});

test('a reset is a TCP RST', async (t) => {
  const { port } = await serve(t, (exchange) => exchange.reset());
  const client = new RawClient(port);
  client.send(get('/'));
  assert.equal(await client.untilClosed(), '');
  assert.equal(client.closedBy, 'ECONNRESET');
});

test('an exchange that is destroyed sends nothing', async (t) => {
  const { port } = await serve(t, (exchange) => exchange.destroy());
  const client = new RawClient(port);
  client.send(get('/'));
  assert.equal(await client.untilClosed(), '');
  assert.equal(client.closedBy, 'end');
});

test('faults come in their turn, too', async (t) => {
  const { exchanges, take, all } = collector(2);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.send(get('/1') + get('/2'));
  await all;
  exchanges[1].sendRaw('broken');
  exchanges[0].send(response('x'));
  assert.equal(withoutDate(await client.untilClosed()), `${ok('x')}broken`);
});

test('100 Continue comes after the answers before it', async (t) => {
  const { exchanges, take, all } = collector(1);
  const { port } = await serve(t, take);
  const client = new RawClient(port);
  client.send(`${get('/1')}POST /2 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n`);
  await all;
  exchanges[0].send(response('x'));
  assert.equal(
    withoutDate(await client.untilReceived('100 Continue\r\n\r\n')),
    `${ok('x')}HTTP/1.1 100 Continue\r\n\r\n`,
  );
  client.socket.destroy();
});

test('what the handler throws ends the connection and is reported', async (t) => {
  const errors: string[] = [];
  const { port } = await serve(
    t,
    () => {
      throw new Error('broken handler');
    },
    { onError: (error) => errors.push(error.message) },
  );
  assert.equal(await roundTrip(port, get('/')), '');
  assert.deepEqual(errors, ['broken handler']);
});

test('CONNECT leads to the own port', async (t) => {
  const targets: string[] = [];
  const { port } = await serve(
    t,
    (exchange) => {
      targets.push(exchange.request.target);
      exchange.send(response('x'));
    },
    { onConnect: 'own-port' },
  );
  const established = 'HTTP/1.1 200 Connection established\r\n\r\n';
  assert.equal(
    await roundTrip(port, `CONNECT far.away:443 HTTP/1.1\r\nHost: a\r\n\r\n${get('/', 'Connection: close\r\n')}`),
    established + okClose('x'),
  );
  assert.deepEqual(targets, ['/']);
});

test('CONNECT is handed over with the bytes behind it, or closes the connection', async (t) => {
  const { port } = await serve(t, () => {}, {
    onConnect(request, tunnel, firstBytes) {
      tunnel.end(`${request.target} ${firstBytes}`);
    },
  });
  assert.equal(await roundTrip(port, 'CONNECT h:1 HTTP/1.1\r\nHost: a\r\n\r\nabc'), 'h:1 abc');
  const { port: without } = await serve(t, () => {});
  assert.equal(await roundTrip(without, 'CONNECT h:1 HTTP/1.1\r\nHost: a\r\n\r\n'), '');
});

/** A client that has connected through a server, and the server's end. */
async function tunnelled(t: TestContext): Promise<{ client: RawClient; tunnel: Duplex; server: WireServer }> {
  let opened: (tunnel: Duplex) => void;
  const open = new Promise<Duplex>((resolve) => {
    opened = resolve;
  });
  const { port, server } = await serve(t, () => {}, { onConnect: (_request, tunnel) => opened(tunnel) });
  const client = new RawClient(port);
  t.after(() => client.socket.destroy());
  client.send('CONNECT h:1 HTTP/1.1\r\nHost: a\r\n\r\n');
  return { client, tunnel: await open, server };
}

test('what comes after CONNECT waits for whoever reads from the tunnel', async (t) => {
  const { client, tunnel } = await tunnelled(t);
  client.send('later');
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  const [bytes] = await once(tunnel, 'data');
  assert.equal(bytes.toString(), 'later');
});

test('a server that closes at once ends its tunnels', async (t) => {
  const { tunnel, server } = await tunnelled(t);
  await server.close({ graceMs: 0 });
  assert.ok(tunnel.destroyed);
});

test('a refused connection gets no byte', async (t) => {
  const { port } = await serve(t, (exchange) => exchange.send(response('x')), { onConnection: () => false });
  assert.equal(await roundTrip(port, get('/')), '');
});

test('a connection has one object, whose data is kept from request to request', async (t) => {
  let closed: unknown;
  const gone = new Promise<void>((resolve) => {
    serve(
      t,
      (exchange) => {
        const { connection } = exchange.request;
        connection.data = Number(connection.data ?? 0) + 1;
        exchange.send(response(`${connection.data} ${connection.remoteAddress} ${connection.encrypted}`));
      },
      {
        onClose: (connection) => {
          closed = connection.data;
          resolve();
        },
      },
    ).then(async ({ port }) => {
      const answer = await roundTrip(port, get('/') + get('/', 'Connection: close\r\n'));
      assert.equal(answer, ok('1 127.0.0.1 false') + okClose('2 127.0.0.1 false'));
    });
  });
  await gone;
  assert.equal(closed, 2);
});

test('a graceful close ends idle connections, and busy ones with their answer', async (t) => {
  const { exchanges, take, all } = collector(2);
  const { port, server } = await serve(t, take);
  const idle = new RawClient(port);
  idle.send(get('/1'));
  const busy = new RawClient(port);
  busy.send(get('/2'));
  await all;
  const [first, second] = exchanges[0].request.target === '/1' ? exchanges : [exchanges[1], exchanges[0]];
  first.send(response('idle now'));
  await idle.untilReceived('idle now');
  const closed = server.close({ graceMs: 10_000 });
  await idle.untilClosed();
  await assert.rejects(async () => {
    const late = new RawClient(port);
    await late.untilClosed();
    if (late.closedBy === 'ECONNREFUSED') throw new Error('refused');
  });
  second.send(response('last'));
  assert.equal(withoutDate(await busy.untilClosed()), okClose('last'));
  await closed;
});

test('a graceful close cuts what is left after its time; a close without grace at once', async (t) => {
  for (const graceMs of [30, 0]) {
    const { take, all } = collector(1);
    const { port, server } = await serve(t, take);
    const client = new RawClient(port);
    client.send(get('/'));
    await all;
    await server.close({ graceMs });
    assert.equal(await client.untilClosed(), '');
  }
});

test('a port that is taken is reported as such', async (t) => {
  const { port } = await serve(t, () => {});
  const second = createWireServer({ limits: mountebankLimits, onRequest: () => {} });
  await assert.rejects(second.listen({ port, host: '127.0.0.1' }), { code: 'EADDRINUSE' });
});

test('a request that is answered later is what it was, whatever other clients have sent since', async (t) => {
  const { exchanges, take, all } = collector(40);
  const { port } = await serve(t, take);
  const clients = Array.from({ length: 40 }, () => new RawClient(port));
  const body = (number: number): string => `body of ${number}`;
  for (const [number, client] of clients.entries()) {
    const text = number % 2 === 0 ? '' : body(number);
    const more = `X-Number: ${number}\r\n${text === '' ? '' : `Content-Length: ${text.length}\r\n`}`;
    client.send(`PUT /target/${number} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n${text}`);
  }
  await all;
  for (const exchange of exchanges) {
    const { request } = exchange;
    const number = Number(request.header('x-number'));
    assert.equal(request.target, `/target/${number}`);
    assert.equal(request.body.toString(), number % 2 === 0 ? '' : body(number));
    assert.ok(request.rawHeaders.includes(`${number}`));
    exchange.send(response(`${number}`));
  }
  assert.equal(new Set(exchanges.map(({ request }) => request.target)).size, 40);
  for (const [number, client] of clients.entries())
    assert.equal(withoutDate(await client.untilClosed()), okClose(`${number}`));
});
