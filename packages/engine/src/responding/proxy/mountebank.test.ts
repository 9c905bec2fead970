// The same stubs and the same requests, sent to the real Mountebank and to ours: the bytes that come back, what the
// upstream got to see, and the stubs that were recorded have to be the same. Where a defect of Mountebank is mended on
// purpose the row names it, and what it touches is left out.

import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Mountebank, rawExchange, startMountebank } from '@rift-ts/oracle';
import type { JsonObject } from '../../model/types.js';
import { imposters } from './proxy.test-help.js';

interface Row {
  readonly name: string;
  /** `UP` stands for the upstream's URL. */
  readonly stubs: unknown;
  /** Raw requests, `~` for a line end; each on a connection of its own. */
  readonly requests: readonly string[];
  readonly imposter?: JsonObject;
  /** A mended defect and the answers (by position) that it touches; the stubs too where it says so. */
  readonly mended?: { readonly item: string; readonly answers: readonly number[]; readonly stubs?: boolean };
}

const get = (target: string, ...lines: string[]) =>
  `GET ${target} HTTP/1.1~Host: h~${lines.map((l) => `${l}~`).join('')}~`;
const post = (target: string, body: string, ...lines: string[]) =>
  `POST ${target} HTTP/1.1~Host: h~Content-Length: ${body.length}~${lines.map((l) => `${l}~`).join('')}~${body}`;
const once = (predicateGenerators: unknown, more: object = {}) => [
  { responses: [{ proxy: { to: 'UP', predicateGenerators, ...more } }] },
];
const always = (predicateGenerators: unknown) => once(predicateGenerators, { mode: 'proxyAlways' });
/** Mountebank edits the headers of a response that it appends to a stub in place (what F18 is about). */
const editsInPlace = { item: 'F18', answers: [], stubs: true };
const byPath = [{ matches: { path: true } }];

const rows: Row[] = [
  { name: 'proxyOnce by path', stubs: once(byPath), requests: [get('/a'), get('/a'), get('/b'), get('/a')] },
  { name: 'proxyOnce without generators', stubs: once([]), requests: [get('/a'), get('/b')] },
  { name: 'an unknown mode', stubs: once(byPath, { mode: 'x' }), requests: [get('/a'), get('/a')] },
  {
    name: 'proxyAlways by path and method',
    stubs: always([{ matches: { path: true, method: true } }]),
    requests: [get('/a'), get('/a'), get('/b'), post('/a', 'x')],
    mended: editsInPlace,
  },
  {
    name: 'proxyAlways in front of a stub of the user',
    stubs: [...always([]), { responses: [{ is: { body: 'u' } }] }],
    requests: [get('/a'), get('/b')],
    mended: editsInPlace,
  },
  {
    name: 'proxyAlways does not care for the order of query keys',
    stubs: always([{ matches: { query: true } }]),
    requests: [get('/?x=1&y=2'), get('/?y=2&x=1'), get('/?x=1')],
    mended: editsInPlace,
  },
  {
    name: 'proxyTransparent',
    stubs: once(byPath, { mode: 'proxyTransparent' }),
    requests: [get('/a'), get('/a'), post('/a', 'body')],
  },
  {
    name: 'recordings stand between earlier stubs and the proxy',
    stubs: [
      { predicates: [{ equals: { path: '/x' } }], responses: [{ is: { body: 'x' } }] },
      ...once(byPath),
      { responses: [{ is: { body: 'last' } }] },
    ],
    requests: [get('/a'), get('/x'), get('/b'), get('/a')],
  },
  {
    name: 'a proxy among other responses of its stub',
    stubs: [{ responses: [{ proxy: { to: 'UP', predicateGenerators: byPath } }, { is: { body: 'second' } }] }],
    requests: [get('/a'), get('/b'), get('/c'), get('/a'), get('/b')],
  },
  {
    name: 'a repeated transparent proxy in a cycle',
    stubs: [{ responses: [{ proxy: { to: 'UP', mode: 'proxyTransparent' }, repeat: 2 }, { is: { body: 'z' } }] }],
    requests: [get('/'), get('/'), get('/'), get('/')],
  },
  {
    name: 'generators of several fields with parameters',
    stubs: once([
      { matches: { path: true, query: { a: true } }, caseSensitive: true, except: '\\d+', keyCaseSensitive: false },
      { matches: { headers: { 'X-H': true } }, comment: 'kept' },
    ]),
    requests: [get('/p1?a=Q&b=2', 'X-H: v'), get('/p2?a=Q', 'X-H: v'), get('/p1?a=q', 'X-H: v')],
  },
  {
    name: 'a whole query with repeated keys, and method',
    stubs: once([{ matches: { method: true, query: true } }]),
    requests: [get('/?a=1&b=2&b=3&c'), get('/?c&b=2&b=3&a=1'), get('/')],
  },
  {
    name: 'a form',
    stubs: once([{ matches: { form: true, body: true } }]),
    requests: [post('/', 'a=1&b=two+words&a=2', 'Content-Type: application/x-www-form-urlencoded')],
  },
  {
    name: 'JSONPath generators',
    stubs: once([{ matches: { body: true }, jsonpath: { selector: '$..z' } }]),
    requests: [post('/', '{"z":1}'), post('/', '{"q":{"z":1}}'), post('/', '{"a":[{"z":2},{"z":1}]}'), post('/', '{}')],
  },
  {
    name: 'XPath generators',
    stubs: once([{ matches: { body: true }, xpath: { selector: '//p:n', ns: { p: 'urn:x' } } }]),
    requests: [post('/', '<r xmlns="urn:x"><n>5</n><n>6</n></r>'), post('/', '<r xmlns:q="urn:x"><q:n>5</q:n></r>')],
  },
  ...[['<r', '<n>5<n>6</n></r>', '<n k=1 k="2">&bad;</n>'], ['<N>5</n>'], ['n'], ['<r><n>5</n><n>6']].map((bodies) => ({
    name: `XPath generators on broken XML: ${bodies.join(' and ')}`,
    stubs: once([{ matches: { body: true }, xpath: { selector: '//n' } }]),
    requests: bodies.map((body) => post('/', body)),
  })),
  {
    name: 'XPath generators that find all texts of broken XML',
    stubs: once([{ matches: { body: true }, xpath: { selector: '//text()' } }]),
    requests: ['n', '{"a":1}', '<n>5</m>6</n>7', '<', '<n><!--5</n>'].map((body) => post('/', body)),
  },
  ...(
    [
      { matches: {} },
      { matches: { query: { zz: true }, path: true } },
      { matches: { query: { a: 'x' } } },
      { matches: { headers: { 'X-H': true } }, caseSensitive: true },
      { matches: { body: true, method: true } },
      { matches: { query: { a: true, j: true } }, jsonpath: { selector: '$.x' } },
      { matches: { query: true }, jsonpath: { selector: '$.x' } },
      { matches: { body: true }, jsonpath: { selector: '$.n' }, caseSensitive: true },
      { matches: { body: true }, jsonpath: { selector: '$.zz' } },
      { matches: { body: true }, jsonpath: { selector: '$..*' } },
      { matches: { body: true }, xpath: { selector: '//n' } },
      { matches: { query: true }, ignore: { query: ['a', 'j', 'nope'] }, keyCaseSensitive: true },
    ] as JsonObject[]
  ).map((generator) => ({
    name: `the generator ${JSON.stringify(generator)}`,
    stubs: once([generator]),
    requests: [post('/p/q?a=1&b=X&j=%7B%22x%22:7%7D', '{"k":"V","n":[1,{"z":2}]}', 'X-H: Vv')],
  })),
  {
    name: 'XPath generators that count or find attributes',
    stubs: [
      {
        predicates: [{ equals: { path: '/count' } }],
        ...once([{ matches: { body: true }, xpath: { selector: 'count(//n)' } }])[0],
      },
      ...once([{ matches: { body: true }, xpath: { selector: '//n/@k' } }]),
    ],
    requests: [post('/count', '<r><n>5</n><n>6</n></r>'), post('/', '<r><n k="1"/><n k="2"/><n/></r>')],
  },
  {
    name: 'ignored keys of a query',
    stubs: once([{ matches: { query: true }, ignore: { query: 'startDate' } }]),
    requests: [get('/?a=1&startDate=x'), get('/?a=1')],
  },
  {
    name: 'a generator script',
    stubs: once([{ inject: 'c => [{ equals: { path: c.request.path } }, { exists: { body: false } }]' }]),
    requests: [get('/a'), get('/a'), get('/b')],
  },
  {
    name: 'a generator script that throws',
    stubs: once([{ inject: "c => { if (c.request.path !== '/') throw new Error('boom'); return []; }" }]),
    requests: [get('/a')],
  },
  {
    name: 'targets are passed on as they are',
    stubs: once([], { mode: 'proxyTransparent' }),
    requests: [
      get('/p%20q?x=+&y'),
      get('/a/../b?'),
      get('/q?filter[name]={x}|y'),
      get('/a//b///c'),
      get('http://x.test/abs?k'),
      get('/semi;p=1?x=1;y=2&x=3'),
    ],
  },
  {
    name: 'header lines of the request',
    stubs: once([], { mode: 'proxyTransparent' }),
    requests: [
      'GET / HTTP/1.1~x-b: 1~hOSt: h~X-Cc: c~Accept-Encoding: gzip, br~Connection: keep-alive~~',
      'GET / HTTP/1.1~Host: h~Connection: close~Cookie: a=1; b=2~~',
    ],
  },
  {
    name: 'injected headers',
    stubs: once([], { mode: 'proxyTransparent', injectHeaders: { 'X-New': 'n', 'x-old': 5, Host: 'Over.Test' } }),
    requests: [get('/', 'X-Old: o'), get('/')],
  },
  {
    name: 'request bodies',
    stubs: once([], { mode: 'proxyTransparent' }),
    requests: [
      post('/', 'abc'),
      'POST / HTTP/1.1~Host: h~~',
      'DELETE / HTTP/1.1~Host: h~~',
      'DELETE / HTTP/1.1~Host: h~Content-Length: 2~~de',
      'PUT / HTTP/1.1~Host: h~Transfer-Encoding: chunked~~3~abc~0~~',
    ],
  },
  { name: 'repeated answer headers', stubs: once(byPath), requests: [get('/headers'), get('/headers')] },
  { name: 'a binary answer', stubs: once(byPath), requests: [get('/png'), get('/png')] },
  { name: 'a gzip answer', stubs: once(byPath), requests: [get('/gzip'), get('/gzip')] },
  { name: 'a chunked answer', stubs: once(byPath), requests: [get('/chunked'), get('/chunked')] },
  { name: 'an answer with its own date and connection', stubs: once(byPath), requests: [get('/date'), get('/date')] },
  { name: 'a redirect', stubs: once(byPath), requests: [get('/moved'), get('/moved')] },
  { name: 'an answer without a body', stubs: once(byPath), requests: [get('/204'), get('/204'), get('/304')] },
  {
    name: 'a JSON answer is recorded as a value',
    stubs: once(byPath),
    requests: [get('/json'), get('/json')],
    mended: { item: 'F12', answers: [0] },
  },
  {
    name: 'HEAD is recorded with the length of the upstream',
    stubs: once([{ matches: { method: true } }]),
    requests: ['HEAD /a HTTP/1.1~Host: h~~'],
    mended: { item: 'F38', answers: [0] },
  },
  {
    name: 'defaults for what an answer lacks',
    stubs: once([], { mode: 'proxyTransparent' }),
    requests: [get('/empty'), get('/204')],
    imposter: { defaultResponse: { statusCode: 202, headers: { 'X-D': 'd' }, body: 'default' } },
  },
  {
    name: 'added behaviors',
    stubs: once(byPath, { addDecorateBehavior: "c => { c.response.body += ' D'; }" }),
    requests: [get('/a'), get('/a')],
  },
  {
    name: 'own behaviors are baked in',
    stubs: [
      {
        responses: [
          {
            proxy: { to: 'UP', predicateGenerators: byPath },
            behaviors: [
              { decorate: "c => { c.response.body += ' P'; c.response.headers['X-P'] = c.request.path; }" },
              { copy: { from: 'path', into: ' P', using: { method: 'regex', selector: '\\w+' } } },
            ],
          },
        ],
      },
    ],
    requests: [get('/a'), get('/a')],
  },
  {
    name: 'a decorate that makes a new response',
    stubs: [
      {
        responses: [{ proxy: { to: 'UP' }, behaviors: [{ decorate: "c => ({ statusCode: 201, body: 'new' })" }] }],
      },
    ],
    requests: [get('/a'), get('/b')],
  },
  {
    name: 'an upstream that is not there',
    stubs: [{ responses: [{ proxy: { to: 'http://127.0.0.1:1' } }] }],
    requests: [get('/a'), get('/b')],
  },
  {
    name: 'a host that does not resolve',
    stubs: [{ responses: [{ proxy: { to: 'http://no-such-host.invalid' } }] }],
    requests: [get('/a')],
  },
  {
    name: 'options of the TLS call that are wrong',
    stubs: [{ responses: [{ proxy: { to: 'https://127.0.0.1:1', key: 'no', cert: 'no' } }] }],
    requests: [get('/a')],
  },
];

const ok = (headers: string, body: Buffer | string) =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n`),
    Buffer.from(body),
  ]);
const answers: { readonly [path: string]: Buffer } = {
  '/headers': ok('X-A: 1\r\nx-a: 2\r\nX-A: 3\r\nSet-Cookie: a\r\nX-Empty:\r\nSet-Cookie: b\r\n', 'h'),
  '/png': ok('Content-Type: image/png\r\n', Buffer.from([1, 2, 255])),
  '/gzip': ok('Content-Encoding: gzip\r\n', gzipSync('zipped')),
  '/chunked': Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'),
  '/date': ok('Date: Mon, 28 May 2018 10:59:51 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=7\r\n', 'd'),
  '/moved': Buffer.from('HTTP/1.1 302 Found\r\nLocation: /else?x\r\nContent-Length: 5\r\n\r\nmoved'),
  '/204': Buffer.from('HTTP/1.1 204 No Content\r\nX-Y: z\r\n\r\n'),
  '/304': Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "e"\r\n\r\n'),
  '/json': ok('Content-Type: application/json\r\n', '{"a":1,  "b":[2]}'),
  '/empty': ok('', ''),
};

/** Answers by path, else with a count; notes every request. */
class Upstream {
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  requests: string[] = [];

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    let pending = '';
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (;;) {
        const end = pending.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = pending.slice(0, end);
        const start = end + 4;
        const stop = /^transfer-encoding/im.test(head)
          ? pending.indexOf('0\r\n\r\n', start) + 5
          : start + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        if (stop < start || pending.length < stop) return;
        this.requests.push(pending.slice(0, stop));
        pending = pending.slice(stop);
        const [method, target] = head.split(' ');
        const counted = `n${this.requests.length}`;
        const answer = answers[target] ?? ok('Content-Type: text/plain\r\n', method === 'HEAD' ? '' : counted);
        socket.write(answer);
      }
    });
  }
}

const upstream = new Upstream();
let mountebank: Mountebank;
before(async () => {
  await upstream.start();
  mountebank = await startMountebank('--allowInjection');
});
after(async () => {
  upstream.stop();
  await mountebank.stop();
});

/** Everything a row made happen, with what differs by nature made equal. */
interface Result {
  readonly answers: string[];
  readonly upstream: string[];
  readonly stubs: unknown;
}

async function play(row: Row, port: number, stubs: () => Promise<unknown>): Promise<Result> {
  upstream.requests = [];
  const answers: string[] = [];
  for (const request of row.requests) {
    const raw = await rawExchange(port, [request.replaceAll('~', '\r\n')], { quietMs: 300 });
    answers.push(`${normalised(raw.bytes.toString('latin1'))} [${raw.end}]`);
  }
  return { answers, upstream: upstream.requests, stubs: withoutTimes(await stubs()) };
}

function normalised(answer: string): string {
  const [head, body] = answer.split(/\r\n\r\n(.*)/s, 2);
  const lines = head.split('\r\n').map((line) => (/^Date: .* 20(?!18)\d\d /.test(line) ? 'Date: now' : line));
  if (!lines.includes('content-type: application/json')) return [...lines, '', body].join('\n');
  // an error: stack traces are mended (F22); length of the chunk and connection headers follow from that
  const json = JSON.parse(/\{.*\}/s.exec(body)![0]) as { errors: { stack?: string }[] };
  for (const error of json.errors) delete error.stack;
  return `${lines[0]} ${JSON.stringify(json)}`;
}

function withoutTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === '_proxyResponseTime' ? 'time' : member)));
}

/** Without the headers that Mountebank sets when it sends a response. */
function withoutEdits(stubs: unknown): unknown {
  const edited = new Set(['Content-Length', 'Connection']);
  return JSON.parse(JSON.stringify(stubs, (key, member) => (edited.has(key) ? undefined : member)));
}

for (const row of rows) {
  const mended = row.mended === undefined ? '' : ` (${row.mended.item} left out)`;
  test(`as Mountebank: ${row.name}${mended}`, async (t) => {
    const stubs = JSON.parse(JSON.stringify(row.stubs).replaceAll('"UP"', JSON.stringify(upstream.url)));
    const creation = { protocol: 'http', ...row.imposter, stubs };

    const created = await mountebank.admin('POST', '/imposters', creation);
    assert.equal(created.status, 201, created.text);
    const { port } = JSON.parse(created.text) as { port: number };
    const path = `/imposters/${port}?replayable=true`;
    const theirs = await play(row, port, async () => JSON.parse((await mountebank.admin('GET', path)).text).stubs);
    await mountebank.admin('DELETE', path);

    const own = await imposters(t).createFrom(structuredClone(creation));
    const ours = await play(row, own.port, async () => own.toJson('replayable').stubs);

    const answersOf = ({ answers }: Result) => answers.filter((_, i) => !row.mended?.answers.includes(i));
    assert.deepEqual(answersOf(ours), answersOf(theirs));
    assert.deepEqual(ours.upstream, theirs.upstream);
    const stubsOf = ({ stubs }: Result) => JSON.stringify(row.mended?.stubs ? withoutEdits(stubs) : stubs, null, 1);
    assert.equal(stubsOf(ours), stubsOf(theirs));
  });
}
