// Answers: defaults, bodies, headers, framing and what becomes of the connection.

import type { Json, JsonObject } from '../model/types.js';
import { answer, CLOSE, DATE, type DifferentialCase, get, is, raw, responses, send, usual } from './case.fixture.js';

const head = (...lines: string[]) => send('HEAD', '/', lines);
const own = (headers: JsonObject, more: JsonObject = {}): JsonObject => is({ headers, body: 'b', ...more });

// --- defaults
const DEFAULTS: JsonObject = { statusCode: 404, headers: { 'X-Def': 'd' }, body: 'none' };
const defaultsOf: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  [
    'each key falls back by itself',
    {
      defaultResponse: DEFAULTS,
      stubs: [
        { predicates: [{ equals: { path: '/a' } }], responses: [{ is: { body: 'A' } }] },
        { predicates: [{ equals: { path: '/b' } }], responses: [{ is: { statusCode: 200, headers: { 'X-B': '1' } } }] },
        { predicates: [{ equals: { path: '/c' } }], responses: [{ is: { body: '', statusCode: 0 } }] },
      ],
    },
    ['/a', '/b', '/c', '/zz'],
  ],
  ['no stubs, no defaults', { stubs: [] }, ['/']],
  ['an imposter without stubs', {}, ['/']],
  ['keep-alive by default headers', { defaultResponse: { headers: { connection: 'keep-alive' } } }, ['/other']],
  [
    'own headers replace the default ones, Connection too',
    { defaultResponse: { headers: { connection: 'keep-alive' } }, ...is({ headers: { X: '1' } }) },
    ['/own'],
  ],
  ['empty own headers replace the default ones', { defaultResponse: DEFAULTS, ...is({ headers: {} }) }, ['/']],
  ['null falls back', { defaultResponse: DEFAULTS, ...is({ statusCode: null, headers: null, body: null }) }, ['/']],
  ['false falls back', { defaultResponse: DEFAULTS, ...is({ statusCode: false, headers: false, body: false }) }, ['/']],
  ['0 falls back', { defaultResponse: DEFAULTS, ...is({ statusCode: 0, headers: 0, body: 0 }) }, ['/']],
  ['empty texts fall back', { defaultResponse: DEFAULTS, ...is({ statusCode: '', headers: '', body: '' }) }, ['/']],
  ['an empty object does not fall back', { defaultResponse: DEFAULTS, ...is({ body: {} }) }, ['/']],
  ['an empty array does not fall back', { defaultResponse: DEFAULTS, ...is({ body: [] }) }, ['/']],
  ['the mode falls back', { defaultResponse: { _mode: 'binary' }, ...is({ body: 'AQID' }) }, ['/']],
  ['a default binary body', { defaultResponse: { _mode: 'binary', body: 'AQID' } }, ['/']],
  ['the own mode comes first', { defaultResponse: { _mode: 'binary', body: 'AQID' }, ...is({ _mode: 'text' }) }, ['/']],
  ['a default object body', { defaultResponse: { body: { a: 1 } } }, ['/']],
  ['a default status as text', { defaultResponse: { statusCode: '418' } }, ['/']],
  [
    'inject and behaviors in the default response have no effect',
    { defaultResponse: { body: 'D', inject: 'c => ({})', behaviors: [{ wait: 5000 }] } },
    ['/'],
  ],
  [
    'an inject answer falls back',
    { defaultResponse: { statusCode: 202, body: 'D' }, ...responses({ inject: 'c => ({})' }) },
    ['/'],
  ],
  ['a default Content-Length', { defaultResponse: { headers: { 'Content-Length': 9 }, body: 'four' } }, ['/']],
  ['an empty default response', { defaultResponse: {}, ...is({ body: 'x' }) }, ['/']],
  ['unknown keys of the default response', { defaultResponse: { body: 'x', nonsense: 1 } }, ['/']],
];

// --- bodies
const bodies: readonly (readonly [string, JsonObject])[] = [
  ['a text', { body: 'hi' }],
  ['a text outside ASCII', { body: 'héllo €' }],
  ['an emoji', { body: '😀' }],
  ['a lone surrogate', { body: '\ud800' }],
  ['line ends', { body: 'a\r\nb\n' }],
  ['a text that looks like JSON', { body: '{"a":1}' }],
  ['an object', { statusCode: '404', body: { a: [1], b: null } }],
  ['an object with keys that are numbers', { body: { b: 1, 2: 2, 1: 3 } }],
  ['nested empty objects and arrays', { body: { a: {}, b: [], c: [{}] } }],
  ['text outside ASCII in an object', { body: { é: '€\u2028' } }],
  ['an empty array', { body: [] }],
  ['an empty object', { body: {} }],
  ['an array', { body: [1, 'a', null, true, [2]] }],
  ['a number', { body: 42 }],
  ['a fraction', { body: 1.5 }],
  ['a large number', { body: 1e21 }],
  ['a negative number', { body: -1 }],
  ['true', { body: true }],
  ['0', { body: 0 }],
  ['false', { body: false }],
  ['null', { body: null }],
  ['none', {}],
  ['binary', { body: 'AQID/w=\n=', _mode: 'binary' }],
  ['binary with characters outside the alphabet', { body: 'A-Q_I!D', _mode: 'binary' }],
  ['binary of an odd length', { body: 'AQIDB', _mode: 'binary' }],
  ['an empty binary body', { body: '', _mode: 'binary' }],
  ['binary of nothing but blanks', { body: '  ', _mode: 'binary' }],
  ['an unknown mode', { body: 'AQID', _mode: 'nonsense' }],
  ['the mode in another case', { body: 'AQID', _mode: 'BINARY' }],
  ['a mode that is no text', { body: 'AQID', _mode: true }],
  ['a large text', { body: 'x'.repeat(200_000) }],
  ['a large object', { body: { list: Array.from({ length: 2000 }, (_, i) => i) } }],
];

// --- headers
const headerRows: readonly (readonly [string, Json | undefined])[] = [
  ['names keep their case and order', { 'content-TYPE': 'text/x', 'Set-Cookie': ['a=1', 'b=2'], 'X-N': 5 }],
  ['an array of any header', { 'X-A': ['1', '2'], b: ['x'] }],
  ['an empty array', { 'X-A': [] }],
  ['an array of numbers and null', { 'X-A': [1, null, true] }],
  ['one name in two cases', { 'X-a': '1', 'x-A': '2' }],
  ['null', { X: null }],
  ['an object', { X: { a: 1 } }],
  ['an empty text', { X: '' }],
  ['true and false', { X: true, Y: false }],
  ['0 and a fraction', { X: 0, Y: 1.5 }],
  ['blanks around a value', { X: '  a  ' }],
  ['a tab in a value', { X: 'a\tb' }],
  ['a name that is a number comes first', { b: '1', 5: '2' }],
  ['an own Date', { Date: 'now-ish' }],
  ['an own date in lower case', { date: 'then' }],
  ['an own Server', { Server: 's', 'X-Powered-By': 'p' }],
  ['an own Keep-Alive', { Connection: 'keep-alive', 'Keep-Alive': 'timeout=9' }],
  ['Connection: keep-alive', { Connection: 'keep-alive' }],
  ['Connection in another case', { CONNECTION: 'Keep-Alive' }],
  ['Connection: close', { connection: 'close' }],
  ['Connection: Close', { Connection: 'Close' }],
  ['an empty Connection', { Connection: '' }],
  ['Connection: upgrade', { Connection: 'upgrade', Upgrade: 'x' }],
  ['Connection as a list with close', { Connection: 'x, close' }],
  ['Connection as an array', { Connection: ['keep-alive', 'x'] }],
  ['Connection: null', { Connection: null }],
  ['Content-Length is corrected, its name kept', { 'content-length': 1 }],
  ['Content-Length too high', { 'Content-Length': 100 }],
  ['Content-Length as text', { 'CONTENT-LENGTH': '7' }],
  ['Content-Length that is no number', { 'Content-Length': 'x' }],
  ['Content-Length as an array', { 'Content-Length': ['1', '2'], A: 'b' }],
  ['Content-Length as an empty array', { 'content-length': [] }],
  ['Content-Length before other headers', { 'Content-Length': 0, A: 'b' }],
  ['no headers', undefined],
];

/** Not for HTTP/1.0: there Mountebank sends chunks that the client cannot read. */
const chunkedRows: readonly (readonly [string, JsonObject])[] = [
  ['Transfer-Encoding: chunked', { 'Transfer-Encoding': 'chunked' }],
  ['transfer-encoding: chunked in lower case', { 'transfer-encoding': 'chunked' }],
  ['Transfer-Encoding: chunked and Date', { Date: 'now-ish', 'Transfer-Encoding': 'chunked' }],
  ['Transfer-Encoding: gzip, chunked', { 'Transfer-Encoding': 'gzip, chunked' }],
  ['Latin-1', { X: 'é' }],
];

const statuses: readonly unknown[] = [
  100,
  101,
  102,
  103,
  199,
  200,
  201,
  202,
  203,
  204,
  205,
  206,
  207,
  208,
  226,
  299,
  300,
  301,
  302,
  303,
  304,
  305,
  306,
  307,
  308,
  400,
  401,
  402,
  403,
  404,
  405,
  406,
  407,
  408,
  409,
  410,
  411,
  412,
  413,
  414,
  415,
  416,
  417,
  418,
  419,
  421,
  422,
  423,
  424,
  425,
  426,
  428,
  429,
  431,
  451,
  499,
  500,
  501,
  502,
  503,
  504,
  505,
  506,
  507,
  508,
  509,
  510,
  511,
  599,
  600,
  999,
  201.7,
  '201',
  '201.7',
  ' 204 ',
  '0x1F4',
  '2e2',
  0,
  '',
  null,
  false,
];
const badStatuses: readonly unknown[] = ['abc', 99, 1000, -1, '99', 1e9, true, {}, [], [201], '200 OK', 0.5];

const SECOND = get('/second');

export const defaults: readonly DifferentialCase[] = [
  ...defaultsOf.map(
    ([what, imposter, paths]): DifferentialCase => ({
      name: `defaults: ${what}`,
      imposter,
      requests: paths.map((path) => get(path)),
    }),
  ),
  {
    name: 'defaults: headers set for one request do not stay for the next',
    imposter: { defaultResponse: { headers: { A: 'b' } }, allowCORS: true },
    requests: [
      send('OPTIONS', '/', ['Origin: o', 'Access-Control-Request-Method: PUT', 'Access-Control-Request-Headers: x']),
      get('/'),
    ],
    fix: 'F18',
    ours: [
      usual(
        '200 OK',
        [
          'A: b',
          'Access-Control-Allow-Headers: x',
          'Access-Control-Allow-Methods: PUT',
          'Access-Control-Allow-Origin: o',
        ],
        '',
      ),
      usual('200 OK', ['A: b'], ''),
    ],
  },
];

export const bodiesAndHeaders: readonly DifferentialCase[] = [
  ...bodies.map(
    ([what, response]): DifferentialCase => ({
      name: `body: ${what}`,
      imposter: is(response),
      requests: [get(), get(), head()],
    }),
  ),
  ...bodies
    .filter(
      ([, { body, _mode }]) =>
        typeof body !== 'number' && !(_mode === 'binary' && typeof body !== 'string') && body !== true,
    )
    .map(
      ([what, response]): DifferentialCase => ({
        name: `body with Content-Length: ${what}`,
        imposter: is({ ...response, headers: { 'Content-Length': 1 } }),
        requests: [get(), head(), raw('GET / HTTP/1.0')],
      }),
    ),
  ...headerRows.map(
    ([what, headers]): DifferentialCase => ({
      name: `headers: ${what}`,
      imposter: is({ headers, body: 'b' }),
      requests: [get(), head(), raw('GET / HTTP/1.0')],
    }),
  ),
  ...headerRows.map(
    ([what, headers]): DifferentialCase => ({
      name: `headers with an empty body: ${what}`,
      imposter: is({ headers, statusCode: 404 }),
      requests: [get()],
    }),
  ),
  ...chunkedRows.map(
    ([what, headers]): DifferentialCase => ({
      name: `headers: ${what}`,
      imposter: is({ headers, body: 'b' }),
      requests: [get(), head()],
    }),
  ),
  ...statuses.map(
    (statusCode): DifferentialCase => ({
      name: `status ${JSON.stringify(statusCode)}`,
      imposter: is({ statusCode, body: 'b' }),
      requests: [get(), head()],
    }),
  ),
  ...[100, 204, 304].map(
    (statusCode): DifferentialCase => ({
      name: `status ${statusCode} with headers of a body`,
      imposter: is({ statusCode, body: 'dropped', headers: { 'Content-Length': 7, 'Content-Type': 'x' } }),
      requests: [get(), head()],
    }),
  ),
  ...[204, 304].map(
    (statusCode): DifferentialCase => ({
      name: `status ${statusCode} with Transfer-Encoding`,
      imposter: is({ statusCode, body: 'dropped', headers: { 'Transfer-Encoding': 'chunked' } }),
      requests: [get(), head()],
    }),
  ),
  ...[204, 304].map(
    (statusCode): DifferentialCase => ({
      name: `status ${statusCode} on a kept connection`,
      imposter: is({ statusCode, body: 'dropped', headers: { Connection: 'keep-alive' } }),
      requests: [get() + SECOND, get()],
    }),
  ),
  ...badStatuses.map(
    (statusCode): DifferentialCase => ({
      name: `unsendable status ${JSON.stringify(statusCode)}`,
      imposter: is({ statusCode, body: 'b' }),
      requests: [get()],
    }),
  ),
  ...(
    [
      ['a line feed in a value', { X: 'a\nb' }],
      ['a carriage return in a value', { X: 'a\rb' }],
      ['a null character in a value', { X: 'a\0b' }],
      ['DEL in a value', { X: 'a\x7f' }],
      ['a character above 255 in a value', { X: '€' }],
      ['a character above 255 in one of several values', { X: ['a', '€'] }],
      ['a blank in a name', { 'X N': '1' }],
      ['an empty name', { '': '1' }],
      ['a colon in a name', { 'X:': '1' }],
      ['a name outside ASCII', { é: '1' }],
      ['a line end in a name', { 'X\r\nY': '1' }],
    ] as const
  ).map(
    ([what, headers]): DifferentialCase => ({
      name: `unsendable header: ${what}`,
      imposter: is({ headers: headers as unknown as JsonObject, body: 'b' }),
      requests: [get()],
    }),
  ),
  {
    name: 'a number as body with Content-Length is counted as text',
    imposter: own({ 'Content-Length': 1 }, { body: 42 }),
    requests: [get()],
    fix: 'F20',
    ours: [answer('200 OK', ['Content-Length: 2', CLOSE, DATE], '42')],
  },
  ...[['a', 'b'], 'ab', 5, true].map(
    (headers): DifferentialCase => ({
      name: `headers that are no object are none: ${JSON.stringify(headers)}`,
      imposter: is({ headers, body: 'b' }),
      requests: [get()],
      fix: 'header-shapes',
      ours: [usual('200 OK', [], 'b')],
    }),
  ),
  {
    name: 'a header outside ASCII is Latin-1 beside a text of known length, too',
    imposter: is({ headers: { X: 'é', 'Content-Length': 1 }, body: 'b' }),
    requests: [get()],
    fix: 'header-encoding',
    ours: [answer('200 OK', ['X: \xe9', 'Content-Length: 1', CLOSE, DATE], 'b')],
  },
  {
    name: 'a number as body in binary mode is sent as text',
    imposter: is({ body: 42, _mode: 'binary' }),
    requests: [get()],
    fix: 'F20',
    ours: [usual('200 OK', [], '42')],
  },
  {
    name: 'base64 ends at the first padding, and the size of the chunk is that of the bytes',
    imposter: is({ body: 'AQ==AQID', _mode: 'binary' }),
    requests: [get()],
    fix: 'base64-padding',
    ours: [usual('200 OK', [], '\u0001')],
  },
  {
    name: 'an object as body in binary mode is sent as JSON',
    imposter: is({ body: { a: 1 }, _mode: 'binary' }),
    requests: [get()],
    fix: 'F20',
    ours: [usual('200 OK', [], '{\n    "a": 1\n}')],
  },
];
