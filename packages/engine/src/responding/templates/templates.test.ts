// `${request.…}`, `{{ … }}` and date tokens over HTTP.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject, Profile } from '../../model/types.js';
import { seededRandom } from '../../random.js';
import { type Answer, type Call, imposters, origin, send } from '../proxy/proxy.test-help.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface Given {
  readonly stub?: JsonObject;
  readonly imposter?: JsonObject;
  readonly profile?: Profile;
  readonly warnings?: string[];
  readonly debug?: boolean;
}

/** Port of an imposter whose only stub has the response. */
async function serving(t: TestContext, response: unknown, given: Given = {}): Promise<number> {
  const { stub, imposter, profile = 'rift', warnings = [], debug = false } = given;
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (message: string, ...args: unknown[]) => {
      let used = 0;
      warnings.push(message.replace(/%s/g, () => String(args[used++])));
    },
    enabled: () => true,
  };
  const all = imposters(t, profile, { loggerFor: () => logger, debug, random: seededRandom(1) });
  const { port } = await all.createFrom({ protocol: 'http', stubs: [{ ...stub, responses: [response] }], ...imposter });
  return port;
}

interface Row {
  readonly name: string;
  readonly is: JsonObject;
  /** Beside `is`. */
  readonly more?: JsonObject;
  readonly stub?: JsonObject;
  readonly path?: string;
  readonly call?: Call;
  readonly body?: string | RegExp;
  readonly headers?: { readonly [lowerName: string]: string | undefined };
}

const copyPath = {
  behaviors: [{ copy: { from: 'path', into: '${request.path}', using: { method: 'regex', selector: '\\d+' } } }],
};
const decorate = (code: string) => ({ behaviors: [{ decorate: `config => { ${code} }` }] });

const INTERPOLATION: readonly Row[] = [
  {
    name: 'method, path, query and headers; what is not there is empty',
    is: {
      body: '${request.method} ${request.path}?q=${request.query.q} [${request.headers.x-id}] [${request.query.none}]',
    },
    path: '/s?q=a%20b',
    call: { headers: { 'X-Id': '7' } },
    body: 'GET /s?q=a b [7] []',
  },
  { name: 'header values', is: { headers: { 'X-Echo': '${request.path}' } }, path: '/e', headers: { 'x-echo': '/e' } },
  {
    name: 'each of several values of a header',
    is: { headers: { 'X-Echo': ['a', '${request.method}', 'b'] } },
    headers: { 'x-echo': 'a, GET, b' },
  },
  {
    name: 'the body of the request',
    is: { body: '<${request.body}>' },
    call: { method: 'POST', body: 'päck' },
    body: '<päck>',
  },
  {
    name: 'a body that is no text is base64',
    is: { body: '${request.body}' },
    call: { method: 'POST', body: Buffer.from([0xff, 0x00]) },
    body: '/wA=',
  },
  {
    name: 'repeated query parameters are joined by commas',
    is: { body: '${request.query.a}' },
    path: '/?a=1&a=2&b=3',
    body: '1,2',
  },
  {
    name: 'names that nothing has are empty',
    is: { body: '[${request.nope}][${request.query}][${request.a.b}]' },
    body: '[][][]',
  },
  {
    name: 'what is not spelled as a token stays',
    is: { body: '${requestx} ${request.a.b.c} ${name} ${request.} ${ request.path} ${request.query.a b}' },
    body: '${requestx} ${request.a.b.c} ${name} ${request.} ${ request.path} ${request.query.a b}',
  },
  {
    name: 'JSON bodies are filled as text, without escaping',
    is: { body: { path: '${request.path}', list: ['${request.query.q}'] } },
    path: '/j?q=%22,%22x',
    body: '{"path":"/j","list":["","x"]}',
    headers: { 'content-type': 'application/json' },
  },
  {
    name: 'a JSON body keeps the type that is configured',
    is: { headers: { 'content-TYPE': 'text/x' }, body: ['${request.path}'] },
    body: '["/"]',
    headers: { 'content-type': 'text/x' },
  },
  {
    name: 'names as those of prototypes',
    is: { body: '[${request.query.__proto__}${request.headers.constructor}]' },
    body: '[]',
  },
  {
    name: 'inserted text is not searched again',
    is: { body: '${request.query.a}', headers: { 'X-A': '${request.query.a}' } },
    path: '/?a=%24%7Brequest.path%7D%7B%7BNOW%7D%7D%7B%7Buuid%7D%7D',
    body: '${request.path}{{NOW}}{{uuid}}',
    headers: { 'x-a': '${request.path}{{NOW}}{{uuid}}' },
  },
  {
    name: 'dollar signs in values mean nothing',
    is: { body: '[${request.query.a}]' },
    path: '/?a=%24%26%24%60%241',
    body: '[$&$`$1]',
  },
  {
    name: 'routePattern names segments',
    stub: { routePattern: '/o/:oid/i/:iid' },
    is: { body: '${request.pathParams.oid}-${request.path_params.iid}' },
    path: '/o/5/i/9',
    body: '5-9',
  },
  {
    name: 'routePattern does not decide about the match',
    stub: { routePattern: '/o/:oid/i/:iid' },
    is: { body: '${request.pathParams.oid}-${request.pathParams.iid}' },
    path: '/o/5',
    body: '-',
  },
  {
    name: 'route_pattern, a trailing slash is a segment more',
    stub: { route_pattern: '/o/:oid' },
    is: { body: '[${request.pathParams.oid}]' },
    path: '/o/5/',
    body: '[]',
  },
  {
    name: 'path segments come undecoded',
    stub: { routePattern: '/o/:oid' },
    is: { body: '[${request.pathParams.oid}]' },
    path: '/o/a%20b',
    body: '[a%20b]',
  },
  {
    name: 'a token that a copy fills is left to the copy',
    is: { body: '<${request.path}>' },
    more: copyPath,
    path: '/a/12',
    body: '<12>',
  },
  {
    name: 'other tokens beside such a copy are filled',
    is: { body: '<${request.path}> ${request.method}' },
    more: copyPath,
    path: '/a/12',
    body: '<12> GET',
  },
  {
    name: 'behaviors see the filled response, JSON as an object',
    is: { body: { p: '${request.path}' } },
    more: decorate('config.response.body.q = config.response.body.p + "!"'),
    path: '/d',
    body: '{"p":"/d","q":"/d!"}',
    headers: { 'content-type': 'application/json' },
  },
  {
    name: 'tokens that a behavior makes stay',
    is: { body: '' },
    more: decorate('config.response.body = "${" + "request.path}"'),
    body: '${request.path}',
  },
  {
    name: 'inject responses are not filled',
    is: {},
    more: { is: null, inject: 'config => ({ body: "${" + "request.path}" })' },
    body: '${request.path}',
  },
];

const later =
  (ms: number, withinMs = 2000) =>
  (text: string) => {
    const distance = Date.parse(text) - Date.now() - ms;
    assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    assert.ok(Math.abs(distance) <= withinMs, `${text} is ${distance} ms off`);
  };
const DAY = 86_400_000;

test('date tokens are moments, all of one body from one now', async (t) => {
  const is = { body: '{{NOW}} {{DAYS+1}} {{DAYS-2}} {{NOW}}' };
  const [now, tomorrow, before, again] = (await send(await serving(t, { is }), '/')).body.split(' ');
  later(0)(now);
  later(DAY)(tomorrow);
  later(-2 * DAY)(before);
  assert.equal(again, now);
  assert.equal(Date.parse(tomorrow) - Date.parse(now), DAY);
});

const DATES: readonly Row[] = [
  {
    name: 'a date out of range',
    is: { body: '{{DAYS+99999999999999999999}} {{MONTHS-9999999999}}' },
    body: '{{DAYS+99999999999999999999}} {{MONTHS-9999999999}}',
  },
  {
    name: 'other spellings',
    is: { body: '{{days+1}} {{DAYS+}} {{ NOW }} {{DAYS 1}} {{NOW+1}} {{DAYS+1x}}' },
    body: '{{days+1}} {{DAYS+}} {{ NOW }} {{DAYS 1}} {{NOW+1}} {{DAYS+1x}}',
  },
  { name: 'headers have no date tokens', is: { headers: { 'X-D': '{{NOW}}' } }, headers: { 'x-d': '{{NOW}}' } },
  {
    name: 'JSON bodies have them',
    is: { body: { at: '{{NOW}}' } },
    body: /^\{"at":"\d{4}-[^"]+"\}$/,
    headers: { 'content-type': 'application/json' },
  },
  { name: 'binary bodies have none', is: { body: 'e3tOT1d9fQ==', _mode: 'binary' }, body: '{{NOW}}' },
  {
    name: 'tokens that a script makes are expanded',
    is: { body: 'x' },
    more: decorate('config.response.body = "{{" + "NOW}}"'),
    body: /^\d{4}-/,
  },
  {
    name: 'a script sees the token',
    is: { body: '{{NOW}}' },
    more: decorate('config.response.body = String(config.response.body.length)'),
    body: '7',
  },
  {
    name: 'what a copy puts in is no token, what is beside it is one',
    is: { body: '[X] {{NOW}}' },
    more: { behaviors: [{ copy: { from: { query: 'q' }, into: '[X]', using: { method: 'regex', selector: '.*' } } }] },
    path: '/?q=%7B%7BNOW%7D%7D',
    body: /^\{\{NOW\}\} \d{4}-[^{]*$/,
  },
  {
    name: 'a copy beside a date out of range',
    is: { body: '[X] {{DAYS+99999999999999999999}}' },
    more: { behaviors: [{ copy: { from: 'path', into: '[X]', using: { method: 'regex', selector: '.*' } } }] },
    body: '/ {{DAYS+99999999999999999999}}',
  },
  {
    name: 'a response with a wait',
    is: { body: { at: '{{DAYS+1}}' } },
    more: { behaviors: [{ wait: 1 }] },
    body: /^\{"at":"\d{4}-/,
  },
  {
    name: 'inject responses have none',
    is: {},
    more: { is: null, inject: 'config => ({ body: "{{NOW}}" })' },
    body: '{{NOW}}',
  },
];

const EXPRESSIONS: readonly Row[] = [
  {
    name: 'a filter and a JSON path',
    is: { body: "{{request.path | last_segment}}/{{request.json '$.u[1].n'}}" },
    path: '/x/y',
    call: { method: 'POST', body: '{"u":[{},{"n":"z"}]}' },
    body: 'y/z',
  },
  {
    name: 'method and query',
    is: { body: '{{ request.method }} {{request.query.a.b}}' },
    path: '/?a.b=c',
    body: 'GET c',
  },
  {
    name: 'a header in any case',
    is: { body: "{{request.header 'x-ID'}}" },
    call: { headers: { 'X-Id': '7' } },
    body: '7',
  },
  {
    name: 'header values are filled',
    is: { headers: { 'X-A': '{{request.path}} ${request.method} {{request.method}}' } },
    path: '/p',
    headers: { 'x-a': '/p GET GET' },
  },
  {
    name: 'text of the request is never evaluated',
    is: { body: "${request.headers.x-p} {{request.header 'x-p'}}" },
    call: { headers: { 'X-P': '{{uuid}}${request.path}{{NOW}}' } },
    body: '{{uuid}}${request.path}{{NOW}} {{uuid}}${request.path}{{NOW}}',
  },
  { name: 'an expression that fails is empty', is: { body: '[{{nope}}]' }, body: '[]' },
  { name: 'uuid', is: { body: '{{uuid}}' }, body: UUID },
  { name: 'two random UUIDs differ', is: { body: '{{uuid}}={{uuid}}' }, body: /^(.{36})=(?!\1)/ },
  { name: 'randomInt', is: { body: '{{randomInt -3 -3}} {{randomInt 1 6}}' }, body: /^-3 [1-6]$/ },
  { name: 'now', is: { body: '{{now}}' }, body: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/ },
  { name: 'now in a format', is: { body: "{{now format='%Y|%H:%M %%' offset='-1h'}}" }, body: /^\d{4}\|\d\d:\d\d %$/ },
  { name: 'date tokens in headers', is: { headers: { 'X-D': '{{NOW}}' } }, headers: {}, body: '' },
  {
    name: 'several filters',
    is: { body: "{{request.path | last_segment | regex '([a-z]+)-(\\d+)' 2 | json}}" },
    path: '/q/ab-12',
    body: '12',
  },
  {
    name: 'json escapes',
    is: { body: '{"q":"{{request.query.q | json}}"}' },
    path: '/?q=%22a%0A',
    body: '{"q":"\\"a\\n"}',
  },
  {
    name: 'last_segment without trailing slashes',
    is: { body: '{{request.path | last_segment}}' },
    path: '/a/b//',
    body: 'b',
  },
  {
    name: 'kinds of JSON values',
    is: {
      body: "{{request.json '$.n'}} {{request.json '$.b'}} {{request.json '$.z'}} {{request.json '$.o'}} {{request.json '$.l[1]'}}",
    },
    call: { method: 'POST', body: '{"n":1.5,"b":true,"z":null,"o":{"a": [1]},"l":[0,"x"]}' },
    body: '1.5 true null {"a":[1]} x',
  },
  {
    name: 'the whole body',
    is: { body: "{{request.json '$'}}" },
    call: { method: 'POST', body: '[ 1 ]' },
    body: '[1]',
  },
  { name: 'braces within leave it alone', is: { body: '{{ {x} }}' }, body: '{{ {x} }}' },
  {
    name: 'a pattern in a JSON body is written as anywhere else',
    is: { body: { n: "{{request.header 'X-P' | regex '(\\d+)\"' 1}}" } },
    call: { headers: { 'X-P': 'a22"' } },
    body: /"n": ?"22"/,
  },
  { name: 'in JSON bodies', is: { body: { p: '{{request.path}}' } }, path: '/j', body: /"p": ?"\/j"/ },
  {
    name: 'with behaviors, before them',
    is: { body: '{{request.path}}' },
    more: decorate('config.response.body += "{{uuid}}"'),
    path: '/b',
    body: '/b{{uuid}}',
  },
  {
    name: 'a reserved expression',
    is: { body: '{{id}} {{request.method}}' },
    more: { behaviors: [{ copy: { from: 'path', into: '{{id}}', using: { method: 'regex', selector: '.+' } } }] },
    path: '/c',
    body: '/c GET',
  },
];

function check(row: Row, answer: Answer): void {
  if (row.body instanceof RegExp) assert.match(answer.body, row.body);
  else if (row.body !== undefined) assert.equal(answer.body, row.body);
  for (const [name, value] of Object.entries(row.headers ?? {})) assert.equal(answer.headers[name], value, name);
}

for (const row of [...INTERPOLATION, ...DATES]) {
  test(`profile rift: ${row.name}`, async (t) => {
    const port = await serving(t, { is: row.is, ...row.more }, { stub: row.stub });
    for (let i = 0; i < 2; i++) check(row, await send(port, row.path ?? '/', row.call));
  });
}

for (const profile of ['mountebank', 'rift'] as const) {
  for (const row of EXPRESSIONS) {
    test(`profile ${profile}, templated: ${row.name}`, async (t) => {
      const response = { is: row.is, ...row.more, _rift: { templated: true } };
      check(row, await send(await serving(t, response, { stub: row.stub, profile }), row.path ?? '/', row.call));
    });
  }
}

for (const row of INTERPOLATION.filter(({ headers, more }) => headers === undefined && more?.inject === undefined)) {
  test(`profile mountebank, templated: ${row.name}`, async (t) => {
    const response = { is: row.is, ...row.more, _rift: { templated: true } };
    const port = await serving(t, response, { stub: row.stub, profile: 'mountebank' });
    check(row, await send(port, row.path ?? '/', row.call));
  });
}

test('profile mountebank: without templated every token is literal', async (t) => {
  const body = '${request.path} {{NOW}} {{uuid}} {{DAYS+1}}';
  const is = { headers: { 'X-T': body }, body };
  const answer = await send(await serving(t, { is }, { profile: 'mountebank' }), '/');
  assert.deepEqual([answer.body, answer.headers['x-t']], [body, body]);
});

test('profile rift: without templated expressions are literal', async (t) => {
  const is = { headers: { 'X-T': '{{uuid}}' }, body: '{{uuid}} ${request.method}' };
  const answer = await send(await serving(t, { is }), '/');
  assert.deepEqual([answer.body, answer.headers['x-t']], ['{{uuid}} GET', '{{uuid}}']);
});

test('profile mountebank, templated: a JSON body has its four blanks', async (t) => {
  const response = { is: { body: { p: '${request.path}' } }, _rift: { templated: true } };
  assert.equal((await send(await serving(t, response, { profile: 'mountebank' }), '/')).body, '{\n    "p": "/"\n}');
});

test('profile mountebank, templated: date tokens in the body and in headers', async (t) => {
  const response = { is: { headers: { 'X-D': '{{DAYS+1}}' }, body: '{{NOW}}' }, _rift: { templated: true } };
  const answer = await send(await serving(t, response, { profile: 'mountebank' }), '/');
  later(0)(answer.body);
  later(DAY)(String(answer.headers['x-d']));
});

test('control characters never leave an expression in a header, and are told of', async (t) => {
  const warnings: string[] = [];
  const response = { is: { headers: { 'X-Q': '{{request.query.q}}' } }, _rift: { templated: true } };
  const answer = await send(await serving(t, response, { warnings }), '/?q=a%0D%0ASet-Cookie:%20x');
  assert.equal(answer.headers['x-q'], 'aSet-Cookie: x');
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.equal(warnings.filter((line) => line.includes('control characters')).length, 1);
});

test('a query value cannot make header lines through ${request.…}', async (t) => {
  const answer = await send(
    await serving(t, { is: { headers: { 'X-Q': '${request.query.q}' } } }),
    '/?q=a%0D%0ASet-Cookie:%20x',
  );
  assert.equal(answer.status, 500);
  assert.equal(answer.headers['set-cookie'], undefined);
});

const REASONS: readonly (readonly [expression: string, reason: string | RegExp, body?: string])[] = [
  ['nope', "unknown template function: 'nope'"],
  ['uuid | nope', "unknown template filter: 'nope'"],
  ['|', 'empty template expression'],
  ['uuid |', 'empty filter after `|`'],
  ['request.query.q', "no such query parameter: 'q'"],
  ["request.header 'X-Q'", "no such header: 'X-Q'"],
  ['state.k', "no such state key: 'k'"],
  ["request.json '$.a'", /^request body is not valid JSON: ./, 'no'],
  ["request.json 'a'", "jsonpath must start with '$': 'a'", '{}'],
  ["request.json '$.a.b'", "jsonpath: no such key 'a' in '$.a.b'", '{}'],
  ["request.json '$[2]'", "jsonpath: index 2 out of bounds in '$[2]'", '[0,1]'],
  ["request.json '$[x]'", "invalid array index 'x' in jsonpath: '$[x]'", '[]'],
  ["request.json '$[0'", "unterminated '[' in jsonpath: '$[0'", '[1]'],
  ['now x=1', "now: unknown argument 'x=1' (expected offset='...' or format='...')"],
  ["now offset='1y'", "invalid offset unit 'y' (expected s/m/h/d)"],
  ["now offset='xd'", "invalid offset number 'x' in 'xd'"],
  ["now format='%Q'", "now: invalid strftime format string '%Q'"],
  ["now format='100%'", "now: invalid strftime format string '100%'"],
  ['randomInt 1 x', "randomInt: invalid integer 'x'"],
  ['randomInt 2 1', 'randomInt: lower bound 2 is greater than upper bound 1'],
  ['randomInt 1', 'randomInt requires two integer arguments: randomInt a b'],
  ["uuid | regex '(' 1", /^regex filter: invalid pattern '\('/],
  ["request.method | regex 'x' 0", "regex filter: pattern 'x' did not match"],
  ["request.method | regex 'POST' 1", 'regex filter: no capture group 1'],
  ["uuid | regex '.' x", "regex filter: invalid group number 'x'"],
];

test('why an expression fails: empty and a warning, with --debug an error', async (t) => {
  for (const [expression, reason, body = ''] of REASONS) {
    const response = { is: { body: `[{{${expression}}}]` }, _rift: { templated: true } };
    const warnings: string[] = [];
    const lenient = await send(await serving(t, response, { warnings }), '/', { method: 'POST', body });
    assert.deepEqual([lenient.status, lenient.body], [200, '[]'], expression);
    const expected = (told: string) => {
      const start = `template error in \`{{${expression}}}\`: `;
      assert.ok(told.startsWith(start), told);
      if (typeof reason === 'string') assert.equal(told.slice(start.length), reason);
      else assert.match(told.slice(start.length), reason);
    };
    const told = warnings.filter((line) => line.startsWith('rift::template: '));
    assert.equal(told.length, 1, expression);
    expected(told[0].slice('rift::template: '.length));

    const strict = await send(await serving(t, response, { debug: true }), '/', { method: 'POST', body });
    assert.equal(strict.status, 500);
    assert.equal(strict.headers['x-rift-template-error'], 'true');
    const [{ code, type, message }] = (JSON.parse(strict.body) as { errors: [{ [key: string]: string }] }).errors;
    assert.deepEqual([code, type], ['500', 'internal error']);
    assert.ok(message.startsWith('template rendering failed: '));
    expected(message.slice('template rendering failed: '.length));
  }
});

test('profile rift: date tokens of the default response', async (t) => {
  const imposter = {
    stubs: [],
    defaultResponse: { statusCode: 404, headers: { 'X-D': 'd' }, body: { at: '{{NOW}}' } },
  };
  const answer = await send(await serving(t, {}, { imposter }), '/');
  later(0)((JSON.parse(answer.body) as { at: string }).at);
  assert.deepEqual([answer.status, answer.headers['x-d']], [404, 'd']);
  assert.equal(answer.headers['x-rift-default-response'], 'true');
  const literal = await send(await serving(t, {}, { imposter, profile: 'mountebank' }), '/');
  assert.ok(literal.body.includes('{{NOW}}'));
});

test('profile rift: nothing but date tokens is expanded in the default response', async (t) => {
  const imposter = { stubs: [], defaultResponse: { body: '${request.path} {{uuid}}' } };
  assert.equal((await send(await serving(t, {}, { imposter }), '/')).body, '${request.path} {{uuid}}');
});

test('profile rift: what an upstream sent is literal, also when it is replayed', async (t) => {
  const text = '${request.path} {{NOW}}';
  const { url } = await origin(t, (_, response) => response.end(text));
  const port = await serving(t, { proxy: { to: url, mode: 'proxyOnce' } });
  for (let i = 0; i < 2; i++) assert.equal((await send(port, '/')).body, text);
});

test('an expression reads the state of the flow, as text', async (t) => {
  const response = { is: { body: '{{state.text}} {{state.number}} {{state.object}}' }, _rift: { templated: true } };
  const all = imposters(t, 'rift');
  const made = await all.createFrom({
    protocol: 'http',
    _rift: { flowState: { flowIdSource: 'header:X-Flow' } },
    stubs: [{ responses: [response] }],
  });
  await made.flow.store.set('f', 'text', '"a \\"b\\""');
  await made.flow.store.set('f', 'number', '7');
  await made.flow.store.set('f', 'object', '{"a":1}');
  const answer = await send(made.port, '/', { headers: { 'X-Flow': 'f' } });
  assert.equal(answer.body, 'a "b" 7 {"a":1}');
  assert.equal((await send(made.port, '/', { headers: { 'X-Flow': 'other' } })).body, '  ');
});
