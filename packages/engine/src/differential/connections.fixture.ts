// What becomes of the connection, and cross-origin requests.

import {
  answer,
  CHUNKED,
  CLOSE,
  DATE,
  type DifferentialCase,
  get,
  is,
  post,
  raw,
  responses,
  send,
  usual,
} from './case.fixture.js';

const head = (...lines: string[]) => send('HEAD', '/', lines);

const KEEP = is({ body: 'k', headers: { Connection: 'keep-alive' } });
export const connections: readonly DifferentialCase[] = [
  {
    name: 'several requests on a kept connection',
    imposter: KEEP,
    requests: [[get('/1'), get('/2'), post('3'), head()]],
  },
  { name: 'HEAD and GET on a kept connection', imposter: KEEP, requests: [head() + get(), [head(), get()]] },
  {
    name: 'a kept connection with Content-Length',
    imposter: is({ body: 'k', headers: { Connection: 'keep-alive', 'Content-Length': 0 } }),
    requests: [get() + get(), [get(), get()]],
  },
  {
    name: 'HTTP/1.0 is closed though the stub keeps the connection',
    imposter: KEEP,
    requests: [raw('GET / HTTP/1.0')],
  },
  {
    name: 'HTTP/1.0 with keep-alive to a stub that closes',
    imposter: is({ body: 'k' }),
    requests: [raw('GET / HTTP/1.0', 'Connection: keep-alive')],
  },
  { name: 'HEAD of HTTP/1.0', imposter: is({ body: 'k' }), requests: [raw('HEAD / HTTP/1.0')] },
  {
    name: 'HTTP/1.0 never gets chunks, whatever the stub asks for',
    imposter: is({ body: 'k', headers: { 'Transfer-Encoding': 'chunked' } }),
    requests: [raw('GET / HTTP/1.0')],
    fix: 'http-1.0-chunks',
    ours: [answer('200 OK', [CLOSE, DATE], 'k')],
  },
  {
    name: 'HTTP/1.0 without keep-alive is closed though the stub keeps the connection and has a length',
    imposter: is({ body: 'k', headers: { Connection: 'keep-alive', 'Content-Length': 0 } }),
    requests: [raw('GET / HTTP/1.0')],
    fix: 'F19',
    ours: [answer('200 OK', ['Connection: keep-alive', 'Content-Length: 1', DATE], 'k')],
  },
  {
    name: 'HTTP/1.0 with keep-alive is closed as well',
    imposter: is({ body: 'k', headers: { Connection: 'keep-alive', 'Content-Length': 0 } }),
    requests: [raw('GET / HTTP/1.0', 'Connection: keep-alive')],
    fix: 'http-1.0-closed',
    ours: [answer('200 OK', ['Connection: keep-alive', 'Content-Length: 1', DATE], 'k')],
  },
  {
    name: 'Content-Length in two spellings is the true length in both',
    imposter: is({ body: 'k', headers: { 'content-length': 5, 'Content-Length': 7 } }),
    requests: [get()],
    fix: 'one-length',
    ours: [answer('200 OK', ['content-length: 1', 'Content-Length: 1', CLOSE, DATE], 'k')],
  },
  {
    name: 'a client that asks to keep the connection gets it closed',
    imposter: is({ body: 'k' }),
    requests: [get('/', 'Connection: keep-alive')],
  },
  {
    name: 'a client that asks to close gets the connection closed, the header as configured',
    imposter: KEEP,
    requests: [get('/', 'Connection: close')],
    fix: 'F19',
    ours: [answer('200 OK', ['Connection: keep-alive', DATE, CHUNKED], '1\r\nk\r\n0\r\n\r\n')],
  },
];

export const halfClosed: readonly DifferentialCase[] = [
  {
    name: 'the client ends its side while its answer waits',
    imposter: is({ body: 'k' }, { behaviors: [{ wait: 100 }] }),
    requests: [get()],
    halfClose: true,
    fix: 'half-closed',
    ours: [usual('200 OK', [], 'k')],
  },
  ...(
    [
      ['after its request', is({ body: 'k' }), get()],
      ['after its request, the stub keeps the connection', KEEP, get()],
      ['after two pipelined requests', KEEP, get('/1') + get('/2')],
      ['in the middle of a head', KEEP, 'GET / HT'],
      ['behind a line of a head', KEEP, 'GET / HTTP/1.1\r\nHost: m\r\n'],
      ['in the middle of a body', KEEP, raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 10').concat('half')],
      [
        'in the middle of a chunk',
        KEEP,
        raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('5\r\nab'),
      ],
      [
        'before the last chunk',
        KEEP,
        raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('2\r\nab\r\n'),
      ],
      ['after a request and the half of another', KEEP, [get(), 'GET / HT']],
      ['after empty lines', KEEP, '\r\n\r\n'],
      ['after HEAD', KEEP, head()],
      [
        'before a body that it announced with Expect',
        KEEP,
        raw('POST / HTTP/1.1', 'Host: m', 'Expect: 100-continue', 'Content-Length: 3'),
      ],
    ] as const
  ).map(
    ([when, imposter, bytes]): DifferentialCase => ({
      name: `the client ends its side ${when}`,
      imposter: { ...imposter, recordRequests: true },
      requests: [bytes],
      halfClose: true,
    }),
  ),
];

const PREFLIGHT = [
  'Origin: http://o.test',
  'Access-Control-Request-Method: PUT',
  'Access-Control-Request-Headers: X-A, X-B',
];
const options = (...lines: string[]) => send('OPTIONS', '/', lines);
const NO_HEADERS_ASKED = usual(
  '200 OK',
  ['Access-Control-Allow-Methods: PUT', 'Access-Control-Allow-Origin: http://o.test'],
  '',
);
export const cors: readonly DifferentialCase[] = [
  { name: 'CORS: a full preflight', imposter: { allowCORS: true, stubs: [] }, requests: [options(...PREFLIGHT)] },
  {
    name: 'CORS: names of the preflight in any case',
    imposter: { allowCORS: true },
    requests: [
      options(...PREFLIGHT.map((line) => line.toLowerCase())),
      options(...PREFLIGHT.map((line) => line.toUpperCase())),
    ],
  },
  {
    name: 'CORS: other requests get nothing',
    imposter: { allowCORS: true },
    requests: [get('/', 'Origin: http://o.test'), options(), get('/', ...PREFLIGHT)],
  },
  {
    name: 'CORS: a preflight without headers asked for',
    imposter: { allowCORS: true },
    requests: [options('Origin: http://o.test', 'Access-Control-Request-Method: PUT')],
    fix: 'F33',
    ours: [NO_HEADERS_ASKED],
  },
  {
    name: 'CORS: a preflight with an empty list of headers',
    imposter: { allowCORS: true },
    requests: [
      options('Origin: http://o.test', 'Access-Control-Request-Method: PUT', 'Access-Control-Request-Headers:'),
    ],
    fix: 'F33',
    ours: [NO_HEADERS_ASKED],
  },
  {
    name: 'CORS: no origin, or an empty one',
    imposter: { allowCORS: true },
    requests: [options(...PREFLIGHT.slice(1)), options('Origin:', ...PREFLIGHT.slice(1))],
  },
  {
    name: 'CORS: no method asked for',
    imposter: { allowCORS: true },
    requests: [options(PREFLIGHT[0]!, PREFLIGHT[2]!)],
  },
  {
    name: 'CORS: headers of the stub are replaced where they stand, in their case',
    imposter: {
      allowCORS: true,
      ...is({ statusCode: 201, headers: { 'access-control-allow-origin': '*' }, body: 'z' }),
    },
    requests: [options(...PREFLIGHT)],
  },
  {
    name: 'CORS: all three headers of the stub are replaced',
    imposter: {
      allowCORS: true,
      ...is({
        headers: {
          'access-control-allow-methods': 'x',
          A: 'b',
          'ACCESS-CONTROL-ALLOW-HEADERS': 'y',
          'Access-control-allow-origin': 'z',
        },
      }),
    },
    requests: [options(...PREFLIGHT), get('/', ...PREFLIGHT)],
  },
  { name: 'CORS: not without allowCORS', imposter: { stubs: [] }, requests: [options(...PREFLIGHT)] },
  { name: 'CORS: allowCORS false', imposter: { allowCORS: false }, requests: [options(...PREFLIGHT)] },
  { name: 'CORS: allowCORS as text', imposter: { allowCORS: 'yes' }, requests: [options(...PREFLIGHT)] },
  {
    name: 'CORS: a preflight goes through the stubs and is recorded',
    imposter: {
      allowCORS: true,
      recordRequests: true,
      ...responses({ inject: 'c => ({ statusCode: 299, body: c.request.method })' }),
    },
    requests: [options(...PREFLIGHT)],
    after: true,
  },
];
