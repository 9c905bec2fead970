// The same scripts and behaviors, the same raw requests, sent to the real Mountebank and to ours: the bytes that come back
// have to be the same. What a mended defect touches is left out by its number.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { type Mountebank, rawExchange, startMountebank } from '@rift-ts/oracle';
import type { JsonObject } from '../../model/types.js';
import { imposters } from '../proxy/proxy.test-help.js';

interface Row {
  readonly name: string;
  readonly stub: unknown;
  readonly requests: readonly string[];
  /** A mended defect that shows in every answer. */
  readonly mended?: string;
}

const get = (target: string, ...lines: string[]) =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const post = (body: string) =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const usual = get('/ab/c?k=1&K=2&e=', 'X-Id: one');

const rows: Row[] = [];
const row = (name: string, response: JsonObject, requests: readonly string[] = [usual], mended?: string) =>
  rows.push({ name, stub: { responses: [response] }, requests, mended });
const behave = (name: string, body: unknown, behaviors: unknown[], requests?: readonly string[], mended?: string) =>
  row(name, { is: { body }, behaviors } as JsonObject, requests, mended);

// --- response inject: what a function may give, and how it may fail
for (const text of [
  'c => ({ statusCode: 201, body: c.request.path })',
  "c => { c.callback({ body: 'cb' }); return { body: 'ret' }; }",
  "c => { setTimeout(() => c.callback({ body: '2' }), 60); setTimeout(() => c.callback({ body: '1' }), 5); }",
  "c => { throw 'text'; }",
  "c => { throw { message: 'm', a: 1 }; }",
  'c => { throw { a: 1 }; }',
  "c => { throw new Error('boom'); }",
  'c => 5',
  'c => false',
  "c => 'text'",
  'c => [1, 2]',
  "c => ({ body: Buffer.from('abc') })",
  'c => ({ body: new Date(0) })',
  'c => ({ body: new Map([[1, 2]]) })',
  'c => ({ body: { a: undefined, f() {}, d: new Date(0), n: NaN } })',
  "c => ({ headers: { 'X-D': new Date(0), N: NaN }, body: 'x' })",
  'c => ({ statusCode: NaN, body: NaN })',
  'c => ({ body: Infinity })',
  'c => ({ body: true })',
  'c => ({ body: null })',
  'c => ({ body: () => 1 })',
  "c => ({ body: Symbol('x') })",
  "c => ({ body: new String('boxed') })",
  "c => ({ body: { toString() { return 'ts'; } } })",
  "c => ({ get body() { return 'getter'; } })",
  "c => Object.create({ body: 'inherited' })",
  "c => new Proxy({ body: 'px' }, {})",
  "c => new (class R { constructor() { this.body = 'cls'; } })()",
  "c => ({ then(done) { done({ body: 'thenable' }); } })",
  "c => new Promise((done) => setTimeout(() => done({ body: 'later' }), 20))",
  'function* g() { yield 1; }',
  'function (c) { return { body: String(this) }; }',
  'function () { return { body: String(arguments.length) }; }',
  'c => ({ body: [typeof require, typeof module, typeof exports, typeof __dirname, typeof __filename].join() })',
  'c => ({ body: [typeof config, typeof injectState, typeof done, typeof imposterState, typeof callback].join() })',
  "async () => ({ body: typeof (await import('node:path')).join })",
  'function (c, s, l, cb, i) { return { body: [c.state === i, s === i, c.callback === cb, c.logger === l].join() }; }',
  'c => ({ body: JSON.stringify(c.request.query) })',
  'c => ({ body: Object.keys(c).join() })',
  'c => ({ body: JSON.stringify([c.query, c.path, c.method, c.body]) })',
  "c => { c.logger.info('x'); return { body: 'log' }; }",
  "c => ({ headers: { 'Set-Cookie': ['a', 'b'], 'X-N': null, 'X-B': true }, body: '' })",
  "c => ({ headers: null, body: 'x' })",
  "c => ({ headers: { 'Content-Length': 100 }, body: 'short' })",
  "c => ({ statusCode: '404', body: 'nf' })",
  "c => ({ statusCode: 204, body: 'x' })",
  "c => ({ _mode: 'binary', body: 'AQID' })",
  "c => ({ is: { body: 'x' }, body: 'y' })",
  'c => ({ blocked: true })',
  "c => ({ fault: '' })",
  "c => ({ fault: 'OTHER', statusCode: 201, body: 'x' })",
  "c => ({ fault: 'RANDOM_DATA_THEN_CLOSE' })",
  'c => {',
  "c => ({ body: 'x' }) // comment",
  '({ a: 1 })',
  'undefined',
  '42',
  'x = 5',
  'c => { undeclared = 5; }',
  'c => { nope(); }',
  'c => { null.x; }',
  'class A {}',
]) {
  row(`inject ${text}`, { inject: text });
}
const twice = [usual, usual];
row('state', { inject: 'c => { c.state.n = (c.state.n || 0) + 1; return { body: String(c.state.n) }; }' }, twice);
row(
  'injectState',
  { inject: "(c, s) => { s.n = (s.n || 0) + 1; return { body: s.n + ':' + JSON.stringify(c.state) }; }" },
  twice,
);

// --- predicate inject
for (const text of [
  "c => c.request.query.k === '1'",
  "(req, logger, state) => req.path === '/ab/c'",
  "c => 'x'",
  'c => 0',
  'c => null',
  'c => {}',
  "c => { throw new Error('boom'); }",
  'c =>',
  '5',
  '(c, l, s) => { s.n = (s.n || 0) + 1; return s.n > 1; }',
  'c => c.state === undefined',
  "c => Object.keys(c).join() === 'request,state,logger,requestFrom,method,path,query,headers,body,ip'",
]) {
  const stub = { responses: [{ is: { body: 'yes' } }], predicates: [{ inject: text }] };
  rows.push({ name: `predicate ${text}`, stub, requests: twice });
}

// --- copy
const everyToken = '<$X|$X[0]|$X[1]|$X[2]>';
for (const [from, selector, options, body] of [
  ['PATH', 'a'],
  ['path', '(a)(b)/(c)'],
  ['path', 'A', { ignoreCase: true }],
  ['path', '$'],
  ['path', '\\w+', undefined, '$$X $X$X $x'],
  ['path', '[a-c]', undefined, '$X[0]$X[1]$X[10]'],
  ['path', '\\d+'],
  ['method', 'G', undefined, { a: '$X', $X: 1, b: ['$X', 2, null, true] }],
  [{ query: 'k' }, '.*'],
  [{ query: 'K' }, '.*'],
  [{ query: 'e' }, '.*'],
  [{ query: 'e' }, '.+'],
  [{ headers: 'x-id' }, 'o(.)'],
  [{ headers: 'HOST' }, 'localhost'],
] as const) {
  const name = `copy ${JSON.stringify(from)} ${selector} ${JSON.stringify(body ?? '')}`;
  const using = { method: 'regex', selector, ...(options === undefined ? {} : { options }) };
  behave(name, body ?? everyToken, [{ copy: { from, into: '$X', using } }]);
}
behave('copy with a group that took no part', everyToken, [copyOf('path', 'regex', '(a)|(z)')], [usual], 'F23');
behave('copy of a missing header', everyToken, [copyOf({ headers: 'nope' }, 'regex', '.+')], [usual], 'F23');
row(
  'copy into the status and headers',
  {
    is: { statusCode: '$X', headers: { 'X-$X': 'v$X' } },
    behaviors: [copyOf('path', 'regex', '\\d+')],
  } as unknown as JsonObject,
  [get('/404')],
);

function copyOf(from: unknown, method: string, selector: string, more: object = {}): unknown {
  return { copy: { from, into: '$X', using: { method, selector, ...more } } };
}

for (const [selector, body] of [
  ['$..t', '{"a":[{"t":"x"},{"t":2},{"t":null}]}'],
  ['$.a', '{"a":[1,2]}'],
  ['$.a', '{"a":true}'],
  ['$.a', '{"a":null}'],
  ['$.a', '{"a":""}'],
  ['$.a', '{"a":[]}'],
  ['a.b', '{"a":{"b":1}}'],
  ['$.a[*]', '{"a":[1,2,3]}'],
  ['$.a[?(@.x>1)].y', '{"a":[{"x":1,"y":"p"},{"x":2,"y":"q"}]}'],
  ['$.a[-1:]', '{"a":[1,2,3]}'],
  ['$.a.length', '{"a":[1,2,3]}'],
  ['$.a.b~', '{"a":{"b":1}}'],
  ["$['a b']", '{"a b":1}'],
  ['$.T', '{"t":1}'],
  ['$', '"text"'],
  ['$', '5'],
  ['$[0].x', '[{"x":1}]'],
  ['$.x', '[{"x":1}]'],
  ['$.x', 'not json'],
] as const) {
  behave(`copy jsonpath ${selector} of ${body}`, everyToken, [copyOf('body', 'jsonpath', selector)], [post(body)]);
}
behave('copy jsonpath of an object', everyToken, [copyOf('body', 'jsonpath', '$.a')], [post('{"a":{}}')], 'F23');

for (const [selector, body, ns] of [
  ['//a', '<r><a>1</a><a>2</a></r>'],
  ['//a/@k', '<a k="v"/>'],
  ['//a', '<a/>'],
  ['//a', '<a><b/></a>'],
  ['//a', '<a> x </a>'],
  ['//a/text()', '<a>t</a>'],
  ['//p:a', '<r xmlns:q="u"><q:a>1</q:a></r>', { p: 'u' }],
  ['//a', '<r xmlns="u"><a>1</a></r>'],
  ['//*[local-name()="a"]', '<r xmlns="u"><a>1</a></r>'],
  ['//a[1]', '<r><a>1</a><a>2</a></r>'],
  ['//a', 'nope'],
  ['//a', '<r>'],
  ['//a', '<a>&lt;&amp;</a>'],
  ['//a', '<a><![CDATA[c<d]]></a>'],
  ['/a/b/c', '<a><b><c>deep</c></b></a>'],
  ['//comment()', '<a><!--hey--></a>'],
  ['//p:a', '<a/>'],
] as const) {
  const more = ns === undefined ? {} : { ns };
  behave(`copy xpath ${selector} of ${body}`, everyToken, [copyOf('body', 'xpath', selector, more)], [post(body)]);
}

// --- lookup
const folder = mkdtempSync(join(tmpdir(), 'rift-lookup-'));
const files = {
  'cities.csv': 'code,city,temp\nOSL,Oslo,4\nBER,Berlin,9\nX1,"Washington, DC",20\n',
  'quotes.csv': 'code,city\nA,"a ""q"" b"\nB, sp \nC,"multi\nline"\nD,x"y\nE,ok\n',
  'crlf.csv': 'code,city\r\nA,1\r\nB,2\r\n',
  'twice.csv': 'code,code\nA,1\nB,A\n',
  'open.csv': 'code,city\nA,"x\nB,2\n',
  'after.csv': 'code,city\nA,"x"y\nB,2\n',
  'ragged.csv': 'code,city\nA,1\nB,2,3\nC,4\n',
  'token.csv': 'code,city\nA,${r}[code]\n',
  'empty.csv': '',
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
after(() => rmSync(folder, { recursive: true }));
const lookups = ['OSL', 'X1', 'osl', 'A', 'B', 'C', 'D', 'E', '1'].map((key) => get(`/${key}`));
for (const name of [...Object.keys(files), 'missing.csv']) {
  const using = { method: 'regex', selector: '\\w+$' };
  const fromDataSource = { csv: { path: join(folder, name), keyColumn: 'code' } };
  const lookup = { key: { from: 'path', using }, fromDataSource, into: '${r}' };
  behave(`lookup in ${name}`, '<${r}[city]|${r}["code"]|${r}[\'temp\']|${r}>', [{ lookup }], lookups);
}

// --- wait
for (const wait of ['5', '-5', ' 5', '5.7', '5ms', "() => '3'", '() => ({})', '() => null', '() => {}', 1.5, 0]) {
  behave(`wait ${JSON.stringify(wait)}`, 'ok', [{ wait }]);
}
for (const wait of ["() => { throw new Error('w'); }", '() =>', '', 'x']) {
  behave(`wait ${JSON.stringify(wait)}`, 'ok', [{ wait }]);
}

// --- decorate
for (const text of [
  'c => { c.response.body += c.request.path; }',
  '(request, response, logger) => { response.body += request.method; }',
  "c => 'text'",
  'c => 5',
  'c => [1]',
  'c => null',
  'c => false',
  'c => ({})',
  'c => { c.response.body = Object.keys(c).join(); }',
  'c => { c.response.body = JSON.stringify(c.response); }',
  '(r, s, l) => { s.body = [typeof r.state, typeof l.info, r.response === s, r.request.path, r.path].join(); }',
  'c => { c.response.body = 7; }',
  'c => { delete c.response.body; }',
  "c => { c.response = { body: 'n' }; }",
  'c => { c.response.statusCode = 418; }',
  "async c => { c.response.body = 'later'; return c.response; }",
  "c => ({ headers: { A: 'b' }, body: 'x' })",
  'c => { c.response.headers = { A: 1 }; }',
  "c => new Promise((done) => setTimeout(() => done({ body: 'd' }), 10))",
]) {
  behave(`decorate ${text}`, 'x', [{ decorate: text }]);
}
behave('decorate throws', 'x', [{ decorate: "c => { throw new Error('boom'); }" }], [usual], 'F21');
behave('decorate an object body', { a: 1 }, [{ decorate: 'c => { c.response.body.e = 1; }' }]);
behave('decorate an array body', [0], [{ decorate: 'c => { c.response.body.push(1); }' }]);
behave('decorate twice', 'x', [
  { decorate: "c => { c.request.path = 'z'; }" },
  { decorate: 'c => { c.response.body += c.request.path; }' },
]);
behave(
  'decorate with state',
  'x',
  [{ decorate: 'c => { c.state.d = (c.state.d || 0) + 1; c.response.body += c.state.d; }' }],
  twice,
);
row('decorate changes the length of a body', {
  is: { body: 'x', headers: { 'Content-Length': 1 } },
  behaviors: [{ decorate: "c => { c.response.body = 'long'; }" }],
});

// --- shellTransform
for (const command of [
  'echo \'{"body":"a"}\' #',
  'echo 5 #',
  "echo '[1]' #",
  'echo \'"t"\' #',
  'exit 3 #',
  'echo err >&2; exit 3 #',
  'echo \'{"body":"a"}\'; exit 1 #',
  'echo plain #',
  'true #',
  'printf \'  {"body":"ws"}\\n\\n\' #',
  'echo \'{"statusCode":203,"headers":{"A":"b"},"body":{"k":1}}\' #',
  "node -e 'console.log(JSON.stringify({ body: process.argv.slice(1).map((x) => Object.keys(JSON.parse(x)).join()) }))'",
  "node -e 'console.log(JSON.stringify({ body: Object.keys(JSON.parse(process.env.MB_REQUEST)).join() }))'",
]) {
  behave(`shellTransform ${command}`, 'x', [{ shellTransform: command }]);
}
behave('shellTransform of an apostrophe', "it's", [{ shellTransform: 'true' }], [usual], 'F24');

// --- order
behave('copy then decorate', '$X', [
  copyOf('path', 'regex', '\\w+'),
  { decorate: "c => { c.response.body += '$X'; }" },
]);
behave('decorate then copy', '$X', [
  { decorate: "c => { c.response.body += '$X'; }" },
  copyOf('path', 'regex', '\\w+'),
]);
row('the old object form', {
  is: { body: '$X' },
  _behaviors: {
    decorate: "c => { c.response.body += '$X'; }",
    copy: { from: 'path', into: '$X', using: { method: 'regex', selector: '\\w+' } },
    wait: 1,
  },
});

let mountebank: Mountebank;
before(async () => {
  mountebank = await startMountebank('--allowInjection');
});
after(() => mountebank.stop());

async function answers(port: number, requests: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (const request of requests) {
    const raw = await rawExchange(port, [request], { quietMs: 60 });
    all.push(`${normalised(raw.bytes.toString('latin1'))} [${raw.end}]`);
  }
  return all;
}

/** What differs by nature made equal: times, addresses, and in errors the stack traces (F22) with what follows from them. */
function normalised(answer: string): string {
  const [head, body = ''] = answer.split(/\r\n\r\n(.*)/s, 2);
  const lines = head!.split('\r\n').map((line) => (/^Date: .* 20\d\d /.test(line) ? 'Date: now' : line));
  if (!lines.includes('content-type: application/json')) return [...lines, '', body].join('\n');
  const json = JSON.parse(/\{.*\}/s.exec(body)![0]) as { errors: { stack?: string }[] };
  for (const error of json.errors) if (typeof error === 'object') delete error.stack;
  return `${lines[0]} ${JSON.stringify(json).replace(/(::ffff:)?127\.0\.0\.1(:\d+)?/g, 'ADDRESS')}`;
}

async function compare(t: TestContext, { stub, requests, mended }: Row): Promise<void> {
  const creation = { protocol: 'http', stubs: [stub] };
  const created = await mountebank.admin('POST', '/imposters', creation);
  assert.equal(created.status, 201, created.text);
  const { port } = JSON.parse(created.text) as { port: number };
  const theirs = await answers(port, requests);
  await mountebank.admin('DELETE', `/imposters/${port}`);
  const own = await imposters(t).createFrom(structuredClone(creation));
  const ours = await answers(own.port, requests);
  // A defect that is not there any more would mean that the row can be compared
  if (mended === undefined) assert.deepEqual(ours, theirs);
  else assert.notDeepEqual(ours, theirs);
}

for (const each of rows) {
  test(`as Mountebank: ${each.name}${each.mended === undefined ? '' : ` (but for ${each.mended})`}`, (t) =>
    compare(t, each));
}
