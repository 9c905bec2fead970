// What a response becomes, row by row: stub, request, the response data before defaults are merged.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, RequestJson } from '../../model/types.js';
import { imposter, request } from './examples.fixture.js';

type Row = [name: string, response: JsonObject, ...steps: [RequestJson, unknown][]];

const copy = (from: unknown, into: string, selector: string, more: object = {}) =>
  ({ copy: { from, into, using: { method: 'regex', selector, ...more } } }) as unknown as JsonObject;
const lookup = (selector: string, csv: object, more: object = {}) =>
  ({
    lookup: {
      key: { from: 'path', using: { method: 'regex', selector }, ...more },
      fromDataSource: { csv },
      into: '${r}',
    },
  }) as unknown as JsonObject;
const is = (body: unknown, ...behaviors: JsonObject[]) => ({ is: { body }, behaviors }) as unknown as JsonObject;
const GET = (target: string, headers = {}) => request(`GET ${target}`, headers);
const POST = (body: string, headers = {}) => request('POST /', headers, body);
const body = (text: unknown) => ({ body: text });

const allColumns = '${r}[city] ${r}[\'temp\'] ${r}["code"] ${r}[nope]';
const cities = { path: 'cities.csv', keyColumn: 'code' };
const files = {
  'cities.csv': 'code,city,temp\nOSL,Oslo,4\nBER,Berlin,9\nX1,"Washington, DC",20\n',
  'semi.csv': 'code;city\nOSL;Oslo\n',
  'bom.csv': '\ufeffcode,city\n\nOSL,Oslo\n\nBER,Berlin\n',
  'ragged.csv': 'code,city\nOSL,Oslo\nBER,Berlin,more\nPAR,Paris\n',
  'broken.csv': 'code,city\nOSL,"Oslo\n',
  'wide.csv': 'code::city\nOSL::Oslo\n',
  'quotes.csv': 'code,city\nA,"a ""q"" b"\nB, sp \nC,"multi\nline"\nD,x"y\nE,ok\n',
  'crlf.csv': 'code,city\r\nA,1\r\nB,2\r\n',
  'twice.csv': 'code,code\nA,1\nB,A\n',
  'empty.csv': '',
  'accent.csv': 'code,city\ne\u0301,first\n\u00e9,second\n',
};

const rows: Row[] = [
  // --- response inject
  [
    'an injected response is the response',
    { inject: 'c => ({ statusCode: 201, body: c.request.path })' },
    [GET('/p'), { statusCode: 201, body: '/p' }],
  ],
  [
    'an injected function of the old form calls back',
    { inject: '(req, state, logger, cb) => { cb({ body: req.method }); }' },
    [GET('/'), body('GET')],
  ],
  [
    'an injected function may call back later',
    { inject: "c => { setTimeout(() => c.callback({ body: 'late' }), 50); }" },
    [GET('/'), body('late')],
  ],
  ['an injected promise is awaited', { inject: "async c => ({ body: 'p' })" }, [GET('/'), body('p')]],
  [
    'the first of callback and return counts',
    { inject: "c => { c.callback({ body: 'cb' }); return { body: 'ret' }; }" },
    [GET('/'), body('cb')],
  ],
  [
    'the first of two callbacks counts',
    {
      inject:
        "c => { setTimeout(() => c.callback({ body: '2' }), 40); setTimeout(() => c.callback({ body: '1' }), 5); }",
    },
    [GET('/'), body('1')],
  ],
  [
    'state is kept between requests',
    { inject: 'c => { c.state.n = (c.state.n || 0) + 1; return { body: String(c.state.n) }; }' },
    [GET('/'), body('1')],
    [GET('/'), body('2')],
  ],
  [
    'injectState and imposter state are two objects',
    {
      inject: "(r, s, l, cb, i) => { s.n = (s.n || 0) + 1; i.m = (i.m || 0) + 10; return { body: s.n + ':' + i.m }; }",
    },
    [GET('/'), body('1:10')],
    [GET('/'), body('2:20')],
  ],
  [
    'the first argument has the request fields too',
    { inject: 'c => ({ body: Object.keys(c).join() })' },
    [GET('/'), body('request,state,logger,callback,requestFrom,method,path,query,headers,body,ip')],
  ],
  [
    'config.state is there from the start',
    { inject: "c => ({ body: c.state === undefined ? 'x' : { a: 1 } })" },
    [GET('/'), body({ a: 1 })],
  ],
  ['an empty object leaves everything to the defaults', { inject: 'c => ({})' }, [GET('/'), {}]],
  ['a text gives a response without keys', { inject: "c => 'text'" }, [GET('/'), {}]],
  ['a number gives a response without keys', { inject: 'c => 5' }, [GET('/'), {}]],
  ['false gives a response without keys', { inject: 'c => false' }, [GET('/'), {}]],
  ['an array gives a response without keys', { inject: 'c => [1, 2]' }, [GET('/'), {}]],
  [
    'a fault key is handed on',
    { inject: "c => ({ fault: 'CONNECTION_RESET_BY_PEER' })" },
    [GET('/'), { fault: 'CONNECTION_RESET_BY_PEER' }],
  ],
  [
    'behaviors run on an injected response',
    { inject: "c => ({ body: '${x}' })", behaviors: [copy('path', '${x}', '\\w+')] },
    [GET('/q'), body('q')],
  ],
  [
    'injected code is strict: this is undefined',
    { inject: 'function (c) { return { body: String(this) }; }' },
    [GET('/'), body('undefined')],
  ],
  [
    'injected code has the names of a module',
    {
      inject:
        'c => ({ body: [typeof require, typeof module, typeof exports, typeof __dirname, typeof process, typeof Buffer].join() })',
    },
    [GET('/'), body('function,object,object,string,object,function')],
  ],
  [
    'injected code may require modules',
    { inject: "c => ({ body: require('path').basename('/a/b') })" },
    [GET('/'), body('b')],
  ],
  [
    'injected code may import modules',
    { inject: "async c => ({ body: (await import('node:path')).basename('/a/b') })" },
    [GET('/'), body('b')],
  ],
  [
    'a body is what JSON keeps of it',
    { inject: 'c => ({ body: { a: undefined, f() {}, d: new Date(0), n: NaN } })' },
    [GET('/'), body({ d: '1970-01-01T00:00:00.000Z', n: null })],
  ],
  [
    'a Buffer as body is its JSON',
    { inject: "c => ({ body: Buffer.from('a') })" },
    [GET('/'), body({ type: 'Buffer', data: [97] })],
  ],
  [
    'a header value is its text',
    { inject: 'c => ({ headers: { A: { toString: () => "t" }, B: 5, C: ["x", 1] } })' },
    [GET('/'), { headers: { A: 't', B: 5, C: ['x', 1] } }],
  ],
  [
    'a Date as body is its JSON',
    { inject: 'c => ({ body: new Date(0) })' },
    [GET('/'), body('"1970-01-01T00:00:00.000Z"')],
  ],
  ['a function as body is its text', { inject: 'c => ({ body: () => 1 })' }, [GET('/'), body('() => 1')]],
  [
    'inherited members of a response count',
    { inject: 'c => new (class { get body() { return "g"; } })()' },
    [GET('/'), body('g')],
  ],
  [
    'decorate prints no headers where the stub has none',
    is('x', { decorate: 'c => { c.response.body = JSON.stringify(c.response); }' }),
    [GET('/'), body('{"body":"x"}')],
  ],
  ['a thenable is awaited', { inject: "c => ({ then(done) { done({ body: 't' }); } })" }, [GET('/'), body('t')]],
  ['generators give a response without keys', { inject: 'function* g() { yield 1; }' }, [GET('/'), {}]],
  [
    'the request in config is a copy',
    { inject: 'c => { c.request.path = 1; return { body: "${x}" }; }', behaviors: [copy('path', '${x}', '.+')] },
    [GET('/q'), body('/q')],
  ],

  // --- copy
  [
    'copy fills status, header names, header values and body',
    {
      is: { statusCode: '$C', headers: { 'X-$C': 'v$C' }, body: '$C|$C[0]|$C[1]|$C[2]' },
      behaviors: [copy('path', '$C', '(\\d)(\\d)\\d')],
    },
    [GET('/s/404'), { statusCode: '404', headers: { 'X-404': 'v404' }, body: '404|404|4|0' }],
  ],
  ['copy without a match leaves the token', is('<$C[1]>', copy('path', '$C', '\\d+')), [GET('/none'), body('<$C[1]>')]],
  [
    'copy takes the first value of a repeated header',
    is('$H', copy({ headers: 'x-id' }, '$H', '.+')),
    [GET('/', { 'X-ID': ['one', 'two'] }), body('one')],
  ],
  ['copy finds query names without case', is('$Q', copy({ query: 'K' }, '$Q', '.+')), [GET('/?k=1&k=2'), body('1')]],
  ['copy finds the outer name with case only', is('$Q', copy({ QUERY: 'k' }, '$Q', '.+')), [GET('/?k=1'), body('$Q')]],
  [
    'copy reads forms',
    is('$Q', copy({ form: 'n' }, '$Q', '.+')),
    [POST('n=a+b', { 'Content-Type': 'application/x-www-form-urlencoded' }), body('a b')],
  ],
  ['copy finds fields without case', is('$M', copy('METHOD', '$M', '.+')), [GET('/'), body('GET')]],
  [
    'copy with ignoreCase',
    is('$X', copy('path', '$X', 'ABC', { options: { ignoreCase: true } })),
    [GET('/xabc'), body('abc')],
  ],
  ['copy is case-sensitive by default', is('$X', copy('path', '$X', 'ABC')), [GET('/xabc'), body('$X')]],
  [
    'copy with multiline',
    is('$X', copy('body', '$X', '^b.$', { options: { multiline: true } })),
    [POST('a\nbc\nd'), body('bc')],
  ],
  [
    'copy by jsonpath gives all results in order',
    is('$J $J[1] $J[2]', copy('body', '$J', '$..t', { method: 'jsonpath' })),
    [POST('{"a":[{"t":"x"},{"t":2},{"t":null}]}'), body('x 2 null')],
    [POST('nope'), body('$J $J[1] $J[2]')],
  ],
  [
    'copy by jsonpath folds no case',
    is('$J', copy('body', '$J', '$.T', { method: 'jsonpath' })),
    [POST('{"t":"low","T":"UP"}'), body('UP')],
  ],
  [
    'copy by jsonpath needs no root',
    is('$J', copy('body', '$J', ' a.b ', { method: 'jsonpath' })),
    [POST('{"a":{"b":1}}'), body('1')],
  ],
  [
    'copy by jsonpath takes an index without root',
    is('$J', copy('body', '$J', '[0].c', { method: 'jsonpath' })),
    [POST('[{"c":1}]'), body('1')],
  ],
  [
    'copy by jsonpath gives an array of scalars as one text',
    is('$J', copy('body', '$J', '$.a', { method: 'jsonpath' })),
    [POST('{"a":[1,2]}'), body('1,2')],
  ],
  [
    'copy by jsonpath gives objects as compact JSON',
    is('$J', copy('body', '$J', '$.a', { method: 'jsonpath' })),
    [POST('{"a": {"b": [1, {"c": null}]}}'), body('{"b":[1,{"c":null}]}')],
  ],
  [
    'copy by xpath with a namespace',
    is('$T $T[1]', copy('body', '$T', '//p:t/@k', { method: 'xpath', ns: { p: 'urn:x' } })),
    [POST('<r xmlns:z="urn:x"><z:t k="1"/><z:t k="2"/></r>'), body('1 2')],
    [POST('zzz'), body('$T $T[1]')],
  ],
  [
    'copy by xpath takes numbers',
    is('$T', copy('body', '$T', 'count(//a)', { method: 'xpath' })),
    [POST('<r><a/><a/></r>'), body('2')],
  ],
  [
    'copy by xpath takes strings',
    is('$T', copy('body', '$T', 'string(//a)', { method: 'xpath' })),
    [POST('<r><a>x</a></r>'), body('x')],
  ],
  [
    'copy fills nested texts and keys, a renamed key moves to the end',
    is({ k$V: 'v$V', l: ['$V', { z: '$V' }], n: 5 }, copy('path', '$V', '\\w+')),
    [GET('/q'), body({ l: ['q', { z: 'q' }], n: 5, kq: 'vq' })],
  ],
  [
    'later copies see what earlier ones inserted',
    is('A', copy('path', 'A', '\\w+'), copy('method', 'B', '.+')),
    [GET('/B'), body('GET')],
  ],
  [
    'copies of the old object form',
    {
      is: { body: '$A $B' },
      _behaviors: { copy: [copy('path', '$A', '\\w+').copy!, copy('method', '$B', '.+').copy!] },
    },
    [GET('/q'), body('q GET')],
  ],
  ['a missing header copies nothing', is('<$X>', copy({ headers: 'nope' }, '$X', '.*')), [GET('/'), body('<$X>')]],
  ['a missing field copies nothing', is('<$X>', copy('nope', '$X', '.*')), [GET('/'), body('<$X>')]],
  ['a leaf inside a text field copies nothing', is('<$X>', copy({ path: 'k' }, '$X', '.*')), [GET('/'), body('<$X>')]],
  [
    'a group that took no part is empty',
    is('<$X|$X[1]|$X[2]>', copy('path', '$X', '(a)|(z)')),
    [GET('/a'), body('<a|a|>')],
  ],
  ['an empty value is a value', is('<$X>', copy({ query: 'e' }, '$X', '.*')), [GET('/?e='), body('<>')]],
  ['an index without a value stays', is('$X[1]', copy('path', '$X', 'a')), [GET('/a'), body('a[1]')]],
  ['inserted text is taken literally', is('<$X>', copy('path', '$X', '.+')), [GET('/$&$1'), body('</$&$1>')]],
  [
    'a selector text with a dollar is matched literally as token',
    is('$$X $X$X $x', copy('path', '$X', '\\w+')),
    [GET('/ab'), body('$ab abab $x')],
  ],
  [
    'keys named __proto__ are ordinary',
    is(JSON.parse('{"__proto__":"$X"}'), copy('path', '$X', '\\w+')),
    [GET('/ab'), body(JSON.parse('{"__proto__":"ab"}'))],
  ],

  // --- lookup
  [
    'lookup fills the columns of a row',
    is(allColumns, lookup('\\w+$', cities)),
    [GET('/w/OSL'), body('Oslo 4 OSL ${r}[nope]')],
    [GET('/w/X1'), body('Washington, DC 20 X1 ${r}[nope]')],
    [GET('/w/osl'), body(allColumns)],
  ],
  [
    'lookup fills a status',
    { is: { statusCode: '20${r}[temp]', body: 'b' }, behaviors: [lookup('\\w+$', cities)] },
    [GET('/OSL'), { statusCode: '204', body: 'b' }],
  ],
  [
    'lookup takes the key of an index',
    is(allColumns, lookup('/(\\w+)/', cities, { index: 1 })),
    [GET('/BER/x'), body('Berlin 9 BER ${r}[nope]')],
  ],
  [
    'lookup with an index that selects nothing',
    is(allColumns, lookup('/(\\w+)/', cities, { index: 9 })),
    [GET('/BER/x'), body(allColumns)],
  ],
  [
    'lookup with another delimiter',
    is('${r}[city]', lookup('\\w+$', { path: 'semi.csv', keyColumn: 'code', delimiter: ';' })),
    [GET('/OSL'), body('Oslo')],
  ],
  [
    'lookup with a delimiter of several characters',
    is('${r}[city]', lookup('\\w+$', { path: 'wide.csv', keyColumn: 'code', delimiter: '::' })),
    [GET('/OSL'), body('Oslo')],
  ],
  [
    'lookup in a missing file',
    is('${r}[city]', lookup('\\w+$', { path: 'missing.csv', keyColumn: 'code' })),
    [GET('/OSL'), body('${r}[city]')],
  ],
  [
    'lookup by an unknown column',
    is('${r}[city]', lookup('\\w+$', { path: 'cities.csv', keyColumn: 'CODE' })),
    [GET('/OSL'), body('${r}[city]')],
  ],
  [
    'lookup by jsonpath',
    is('${r}[city]', {
      lookup: {
        key: { from: 'body', using: { method: 'jsonpath', selector: '$.c' } },
        fromDataSource: { csv: cities },
        into: '${r}',
      },
    }),
    [POST('{"c":"BER"}'), body('Berlin')],
    [POST('{}'), body('${r}[city]')],
  ],
  [
    'lookup in a file with a byte order mark and empty lines',
    is('${r}[city]', lookup('\\w+$', { path: 'bom.csv', keyColumn: 'code' })),
    [GET('/BER'), body('Berlin')],
  ],
  [
    'a row of another length ends the table',
    is('${r}[city]', lookup('\\w+$', { path: 'ragged.csv', keyColumn: 'code' })),
    [GET('/OSL'), body('Oslo')],
    [GET('/BER'), body('${r}[city]')],
    [GET('/PAR'), body('${r}[city]')],
  ],
  [
    'a broken file gives nothing',
    is('${r}[city]', lookup('\\w+$', { path: 'broken.csv', keyColumn: 'code' })),
    [GET('/OSL'), body('${r}[city]')],
  ],
  [
    'keys are compared by collation',
    is('${r}[city]', lookup('[^/]+$', { path: 'accent.csv', keyColumn: 'code' })),
    [{ ...GET('/'), path: '/\u00e9' }, body('first')],
  ],
  [
    'a regex with a group and no index falls back to the group',
    is('${r}[city]', lookup('/c/(\\w+)', cities)),
    [GET('/c/OSL'), body('Oslo')],
  ],

  // --- decorate
  [
    'decorate changes the response in place',
    is('x', { decorate: 'c => { c.response.body += c.request.path; }' }),
    [GET('/p'), body('x/p')],
    [GET('/p'), body('x/p')],
  ],
  [
    'decorate of the old form',
    is('x', { decorate: '(request, response, logger) => { response.body += request.method; }' }),
    [GET('/'), body('xGET')],
  ],
  [
    'decorate may return a response',
    is('x', { decorate: "c => ({ statusCode: 202, body: 'new' })" }),
    [GET('/'), { statusCode: 202, body: 'new' }],
  ],
  ['decorate may return a promise', is('x', { decorate: "async c => ({ body: 'p' })" }), [GET('/'), body('p')]],
  ['decorate that returns false keeps the response', is('x', { decorate: 'c => false' }), [GET('/'), body('x')]],
  [
    'decorate with a promise for nothing keeps the response',
    is('x', { decorate: "async c => { c.response.body = 'y'; }" }),
    [GET('/'), body('y')],
  ],
  ['decorate that returns a text gives a response without keys', is('x', { decorate: "c => 'text'" }), [GET('/'), {}]],
  [
    'decorate changes a copy of the request',
    is(
      'x',
      { decorate: "c => { c.request.path = '/other'; }" },
      { decorate: 'c => { c.response.body = c.request.path; }' },
    ),
    [GET('/orig'), body('/orig')],
  ],
  [
    'decorate shares the state of the imposter',
    is('x', { decorate: 'c => { c.state.d = (c.state.d || 0) + 1; c.response.body += c.state.d; }' }),
    [GET('/'), body('x1')],
    [GET('/'), body('x2')],
  ],
  [
    'behaviors run in array order: decorate then copy',
    is('${v}', { decorate: "c => { c.response.body += '!${v}'; }" }, copy('path', '${v}', '\\w+')),
    [GET('/q'), body('q!q')],
  ],
  [
    'behaviors run in array order: copy then decorate',
    is('${v}', copy('path', '${v}', '\\w+'), { decorate: "c => { c.response.body += '!${v}'; }" }),
    [GET('/q'), body('q!${v}')],
  ],
  [
    'the old object form runs copy before decorate',
    {
      is: { body: '${v}' },
      _behaviors: { decorate: "c => { c.response.body += '!${v}'; }", copy: copy('path', '${v}', '\\w+').copy! },
    },
    [GET('/q'), body('q!${v}')],
  ],
  [
    'decorate sees headers where the stub has none',
    is('x', { decorate: "c => { c.response.headers['X-Q'] = '1'; }" }),
    [GET('/'), { body: 'x', headers: { 'X-Q': '1' } }],
  ],
  [
    'headers that decorate left alone do not appear',
    is('x', { decorate: "c => { c.response.body = 'y'; }" }),
    [GET('/'), body('y')],
  ],
  [
    'the keys of the argument of decorate',
    is('x', { decorate: 'c => { c.response.body = Object.keys(c).join(); }' }),
    [GET('/'), body('request,response,logger,state,requestFrom,method,path,query,headers,body,ip')],
  ],
  [
    'decorate edits an object body',
    is({ d: false }, { decorate: 'function (q, r) { r.body.e = 1; }' }),
    [GET('/'), body({ d: false, e: 1 })],
  ],
  [
    'decorate calls text methods on an object body',
    is({ d: false }, { decorate: 'function (q, r) { r.body = r.body.replace("false", "true"); }' }),
    [GET('/'), body('{"d":true}')],
  ],
  [
    'decorate sees an object body as an object',
    is(
      { d: 1 },
      { decorate: 'c => { c.response.headers["X-Q"] = typeof c.response.body + Object.keys(c.response.body); }' },
    ),
    [GET('/'), { body: { d: 1 }, headers: { 'X-Q': 'objectd' } }],
  ],
  [
    'decorate parses an object body',
    is({ d: 1 }, { decorate: 'c => { c.response.body = JSON.parse(c.response.body).d + 1; }' }),
    [GET('/'), body(2)],
  ],
  [
    'decorate sees an array body as an array',
    is([1, 2], {
      decorate:
        'c => { c.response.body = Array.isArray(c.response.body) + ":" + c.response.body.includes(2) + c.response.body.replace("1", "3"); }',
    }),
    [GET('/'), body('true:true[3,2]')],
  ],
  [
    'decorate of plain statements about config',
    is('x', { decorate: 'config.response.body = config.request.path;' }),
    [GET('/s'), body('/s')],
  ],

  // --- wait
  ['a wait of a number', is('x', { wait: 5 }), [GET('/'), body('x')]],
  ['a wait of numeric text', is('x', { wait: '5ms' }), [GET('/'), body('x')]],
  ['a wait of a negative text is none', is('x', { wait: '-5' }), [GET('/'), body('x')]],
  ['a wait range', is('x', { wait: { min: 1, max: 2 } }), [GET('/'), body('x')]],
  ['a wait function', is('x', { wait: '() => 5' }), [GET('/'), body('x')]],
  [
    'a wait function in its object form',
    is('x', { wait: { inject: 'function () { return 1; }' } }),
    [GET('/'), body('x')],
  ],
  ['a wait function that gives nothing', is('x', { wait: '() => {}' }), [GET('/'), body('x')]],
  ['a wait function that gives a promise', is('x', { wait: 'async () => 1' }), [GET('/'), body('x')]],

  // --- shellTransform
  [
    'a shell command makes the response',
    is('x', { shellTransform: 'echo \'{"body":"from shell"}\' #' }),
    [GET('/'), body('from shell')],
  ],
  [
    'a shell command has the request in its environment',
    is('x', {
      shellTransform: 'echo "{\\"body\\":\\"len $(printf %s "$MB_REQUEST" | head -c 12 | wc -c | tr -d \' \')\\"}" #',
    }),
    [GET('/'), body('len 12')],
  ],
  [
    'a shell command that gives a number makes a response without keys',
    is('x', { shellTransform: 'echo 5 #' }),
    [GET('/'), {}],
  ],
  [
    'an apostrophe in the request runs nothing',
    is("it's", {
      shellTransform: `node -e 'console.log(JSON.stringify({ body: process.argv.slice(1).map((text) => JSON.parse(text).body) }))'`,
    }),
    [POST("'; touch owned; echo '"), body(["'; touch owned; echo '", "it's"])],
  ],
  [
    'a long command line goes without arguments',
    is('x'.repeat(2100), {
      shellTransform: `node -e 'console.log(JSON.stringify({ body: [process.argv.length, JSON.parse(process.env.MB_RESPONSE).body.length] }))'`,
    }),
    [GET('/'), body([1, 2100])],
  ],
];

for (const [name, response, ...steps] of rows) {
  test(name, async () => {
    const served = imposter({ files });
    try {
      for (const [to, expected] of steps) assert.deepEqual((await served.serve(response, to)).data, expected);
    } finally {
      await served.close();
    }
  });
}
