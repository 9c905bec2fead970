// What users of Mountebank, its clients and comparable servers reported as wrong, tried on the real executables. Each
// test is one kind of fault with inputs of our own.

import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { freePorts, type Served, serve } from '../cli/program.test-help.js';
import { matchingReports } from './matching-reports.fixture.js';

type Names = readonly ['mb' | 'rift', readonly string[]];

/** Both names; the metrics port of `rift` is left to the system. */
const names: readonly Names[] = [
  ['mb', ['--nologfile', '--allowInjection']],
  ['rift', ['--allow-injection', '--metrics-port', '0']],
];

async function create(server: Served, imposter: object): Promise<number> {
  const answer = await server.call('/imposters', { method: 'POST', body: { protocol: 'http', ...imposter } });
  assert.equal(answer.status, 201, answer.body);
  return answer.json().port as number;
}

/** One raw request over a new connection; all bytes until the other side ends or has been quiet. */
function raw(port: number, bytes: string | Buffer, quietMs = 400): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const done = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    let timer = setTimeout(done, 5000);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    });
    socket.on('close', done);
    socket.on('error', done);
  });
}

for (const [name, flags] of names) {
  test(`${name}: what was reported as wrong matches`, async (t) => {
    const server = await serve(t, name, flags);
    for (const { kind, predicates, requests } of matchingReports) {
      await t.test(kind, async () => {
        const port = await create(server, {
          stubs: [{ predicates, responses: [{ is: { body: 'match' } }] }, { responses: [{ is: { body: 'none' } }] }],
        });
        for (const { body, headers, matches } of requests) {
          const answer = await server.call('/', { port, method: 'POST', body: body ?? '', headers });
          assert.equal(`${answer.status} ${answer.body}`, `200 ${matches ? 'match' : 'none'}`, body);
        }
      });
    }
  });

  test(`${name}: compressed request bodies are seen as what they hold; one that only claims to be is missing`, async (t) => {
    const server = await serve(t, name, flags);
    const port = await create(server, {
      recordRequests: true,
      stubs: [
        { predicates: [{ equals: { body: { unit: 'cm' } } }], responses: [{ is: { body: 'cm' } }] },
        { predicates: [{ exists: { body: false } }], responses: [{ is: { body: 'no body' } }] },
      ],
    });
    const post = async (encoding: string, body: Buffer) => {
      const head = `POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`;
      return (await raw(port, Buffer.concat([Buffer.from(head), body]))).toString().split('\r\n\r\n')[1];
    };
    const document = Buffer.from('{"unit":"cm","n":[1]}');
    assert.match(await post('gzip', gzipSync(document)), /cm/);
    assert.match(await post('br', brotliCompressSync(document)), /cm/);
    assert.match(await post('gzip', document), /no body/);
    assert.match(await post('br', gzipSync(document)), /no body/);
    assert.match(await post('gzip', gzipSync(document).subarray(0, 20)), /no body/);
    const { requests } = (await server.call(`/imposters/${port}`)).json() as { requests: { body?: string }[] };
    assert.deepEqual(
      requests.map(({ body }) => body),
      [`${document}`, `${document}`, undefined, undefined, undefined],
    );
  });

  test(`${name}: operands of and/or that are no list are refused with the reason`, async (t) => {
    const server = await serve(t, name, flags);
    for (const operand of [{ equals: { path: '/' } }, 'equals', 5, true]) {
      for (const operator of ['and', 'or']) {
        const answer = await server.call('/imposters', {
          method: 'POST',
          body: { protocol: 'http', stubs: [{ predicates: [{ [operator]: operand }], responses: [{ is: {} }] }] },
        });
        assert.equal(answer.status, 400);
        const [error] = answer.json().errors as { message: string }[];
        assert.match(error.message, new RegExp(`'${operator}' must be an array`));
      }
    }
  });

  test(`${name}: injected predicates share the imposter's state at any depth, and a decorator changes one answer only`, async (t) => {
    const server = await serve(t, name, flags);
    const counting = 'config => { config.state.seen = (config.state.seen || 0) + 1; return true; }';
    const port = await create(server, {
      stubs: [
        {
          predicates: [{ and: [{ inject: counting }, { not: { inject: 'config => config.state.seen > 2' } }] }],
          responses: [
            {
              is: { headers: { 'X-Seen': 'none' }, body: 'b' },
              behaviors: [
                { decorate: "c => { c.response.headers['X-Seen'] = String(c.state.seen); c.response.body += '!'; }" },
              ],
            },
          ],
        },
        { responses: [{ inject: 'c => ({ body: "after " + c.state.seen })' }] },
      ],
    });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await server.call('/', { port }));
    assert.deepEqual(
      answers.map(({ headers, body }) => [headers['x-seen'], body]),
      [
        ['1', 'b!'],
        ['2', 'b!'],
        [undefined, 'after 3'],
      ],
    );
  });

  test(`${name}: answers that wait hold up no other`, async (t) => {
    const server = await serve(t, name, flags);
    const port = await create(server, {
      stubs: [
        {
          predicates: [{ equals: { path: '/wait' } }],
          responses: [{ is: { body: 'w' }, behaviors: [{ wait: 60_000 }] }],
        },
        { predicates: [{ equals: { path: '/late' } }], responses: [{ inject: '() => new Promise(() => {})' }] },
        {
          predicates: [{ equals: { path: '/shell' } }],
          responses: [{ is: {}, behaviors: [{ shellTransform: 'sleep 60; echo {} #' }] }],
        },
        { responses: [{ is: { body: 'at once' } }] },
      ],
    });
    const waiting = ['/wait', '/late', '/shell'].map((path) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`));
      socket.on('error', () => {});
      return socket;
    });
    for (let i = 0; i < 20; i++) assert.equal((await server.call('/', { port })).body, 'at once');
    // and the imposter can be deleted while they wait
    assert.equal((await server.call(`/imposters/${port}`, { method: 'DELETE' })).status, 200);
    for (const socket of waiting) socket.destroy();
  });

  test(`${name}: values of other types in a response are served as their text`, async (t) => {
    const server = await serve(t, name, flags);
    const port = await create(server, {
      stubs: [
        {
          responses: [
            {
              is: {
                statusCode: '202',
                headers: { 'X-N': 7, 'X-T': true, 'X-L': [1, 'b', false] },
                body: null,
              },
            },
          ],
        },
      ],
    });
    const answer = (await raw(port, 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')).toString();
    assert.match(answer, /^HTTP\/1\.1 202 Accepted\r\n/);
    for (const line of ['X-N: 7', 'X-T: true', 'X-L: 1', 'X-L: b', 'X-L: false']) {
      assert.ok(answer.includes(`\r\n${line}\r\n`), `${line} in ${answer}`);
    }
    assert.equal((await server.call(`/imposters/${port}`)).status, 200);
  });

  test(`${name}: pages of every protocol open in a browser, with and without recordings`, async (t) => {
    const server = await serve(t, name, flags);
    const html = { headers: { Accept: 'text/html' } };
    for (const imposter of [
      { protocol: 'tcp', mode: 'binary', recordRequests: true, stubs: [{ responses: [{ is: { data: 'AQI=' } }] }] },
      { protocol: 'http', recordRequests: true },
      { protocol: 'https' },
      { protocol: 'smtp', recordRequests: true },
    ]) {
      const port = await create(server, imposter);
      if (imposter.protocol === 'tcp') await raw(port, Buffer.from([0, 255, 60, 62]));
      if (imposter.protocol === 'http') await server.call('/<script>alert(1)</script>?"=<b>', { port });
      const page = await server.call(`/imposters/${port}`, html);
      assert.equal(page.status, 200, `${imposter.protocol}: ${page.body}`);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      assert.doesNotMatch(page.body, /<script>alert/);
    }
    assert.equal((await server.call('/imposters', html)).status, 200);
  });

  test(`${name}: every one of many simultaneous requests is counted and recorded once`, async (t) => {
    const server = await serve(t, name, flags);
    const port = await create(server, { recordRequests: true, stubs: [{ responses: [{ is: { body: 'k' } }] }] });
    await Promise.all(
      Array.from({ length: 25 }, async (_, client) => {
        for (let i = 0; i < 12; i++)
          await server.call(`/${client}/${i}`, { port, method: 'PUT', body: `${client}.${i}` });
      }),
    );
    const shown = (await server.call(`/imposters/${port}`)).json() as {
      numberOfRequests: number;
      requests: { body: string }[];
    };
    assert.equal(shown.numberOfRequests, 300);
    assert.equal(new Set(shown.requests.map(({ body }) => body)).size, 300);
    assert.equal(shown.requests.length, 300);
    await server.call(`/imposters/${port}/savedRequests`, { method: 'DELETE' });
    await server.call('/again', { port });
    const after = (await server.call(`/imposters/${port}`)).json() as {
      numberOfRequests: number;
      requests: object[];
      stubs: object[];
    };
    assert.deepEqual([after.numberOfRequests, after.requests.length, after.stubs.length], [1, 1, 1]);
  });

  test(`${name}: clients that vanish at any byte are not recorded and hurt nobody`, async (t) => {
    const server = await serve(t, name, flags);
    const port = await create(server, {
      recordRequests: true,
      stubs: [
        { predicates: [{ equals: { path: '/big' } }], responses: [{ is: { body: 'z'.repeat(2_000_000) } }] },
        { responses: [{ is: { body: 'fine' } }] },
      ],
    });
    const head = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n';
    const vanish = (bytes: string, reset: boolean) =>
      new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(bytes, () => (reset ? socket.resetAndDestroy() : socket.destroy()));
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    for (let cut = 1; cut < head.length; cut++) await vanish(head.slice(0, cut), cut % 2 === 0);
    for (let cut = 0; cut < 4; cut++) await vanish(head + 'body'.slice(0, cut), false);
    // rift counts a request before it reads the body, Mountebank after
    const counted = name === 'rift' ? 4 : 0;
    const seen = async () => {
      const { numberOfRequests, requests } = (await server.call(`/imposters/${port}`)).json();
      return [numberOfRequests, requests];
    };
    while (((await seen())[0] as number) < counted) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(await seen(), [counted, []]);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => vanish('GET /big HTTP/1.1\r\nHost: h\r\n\r\n', i % 2 === 0)),
    );
    assert.equal((await server.call('/', { port })).body, 'fine');
    assert.equal((await server.call('/big', { port })).body.length, 2_000_000);
  });

  test(`${name}: a deleted imposter answers on no connection that a client kept, and its port is free at once`, async (t) => {
    const server = await serve(t, name, flags);
    const stub = (body: string) => [{ responses: [{ is: { headers: { Connection: 'keep-alive' }, body } }] }];
    const port = await create(server, { stubs: stub('first') });
    const kept = connect(port, '127.0.0.1');
    let heard = '';
    kept.on('data', (chunk) => {
      heard += chunk;
    });
    const closed = new Promise<void>((resolve) => kept.once('close', () => resolve()));
    kept.on('error', () => {});
    kept.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    while (!heard.includes('first')) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.call(`/imposters/${port}`, { method: 'DELETE' });
    await create(server, { port, stubs: stub('second') });
    kept.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await closed;
    assert.equal(heard.split('first').length, 2);
    assert.equal(heard.includes('second'), false);
    assert.equal((await server.call('/', { port })).body, 'second');
  });

  test(`${name}: recorded answers come back byte for byte, without asking the service again`, async (t) => {
    const packed = gzipSync('packed text');
    const [originPort] = await freePorts(1);
    let asked = 0;
    const origin = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        asked++;
        socket.end(
          Buffer.concat([
            Buffer.from(
              'HTTP/1.1 203 Fine\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\n' +
                `Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\nConnection: close\r\n\r\n`,
            ),
            packed,
          ]),
        );
      });
    });
    await new Promise<void>((resolve) => origin.listen(originPort, '127.0.0.1', resolve));
    t.after(() => new Promise((done) => origin.close(done)));
    const server = await serve(t, name, flags);
    const port = await create(server, {
      stubs: [
        {
          responses: [
            { proxy: { to: `http://127.0.0.1:${originPort}`, predicateGenerators: [{ matches: { path: true } }] } },
          ],
        },
      ],
    });
    const ask = () => raw(port, 'GET /r HTTP/1.1\r\nHost: h\r\n\r\n');
    const live = (await ask()).toString('latin1');
    const replayed = (await ask()).toString('latin1');
    assert.equal(asked, 1);
    for (const answer of [live, replayed]) {
      assert.match(answer, /^HTTP\/1\.1 203 /);
      assert.equal(answer.match(/^date:/gim)?.length, 1);
      assert.equal(answer.match(/^content-length:/gim)?.length, 1);
      assert.equal(answer.match(/^transfer-encoding:/gim), null);
      assert.equal(answer.match(/^connection:/gim)?.length, 1);
      assert.deepEqual(answer.match(/^Set-Cookie: .*$/gm), ['Set-Cookie: a=1; Path=/', 'Set-Cookie: b=2']);
      assert.ok(answer.endsWith(`\r\n\r\n${packed.toString('latin1')}`));
    }
  });
}
