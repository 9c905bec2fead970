// Reading requests: what is refused before it is a request, targets, versions, pipelining, expectations.
// Mountebank reads requests with Node's parser; RFC 9112.

import { answer, type DifferentialCase, get, is, post, raw, send } from './case.fixture.js';

const OK = is({ body: 'ok', headers: { Connection: 'keep-alive' } });
const refusals: readonly (readonly [string, string | Buffer])[] = [
  ['an unknown method', raw('FOO / HTTP/1.1', 'Host: m')],
  ['a method in lower case', raw('get / HTTP/1.1', 'Host: m')],
  ['a method with a wrong last letter', raw('GEX / HTTP/1.1', 'Host: m')],
  ['bytes outside ASCII in the target', raw('GET /\xe9 HTTP/1.1', 'Host: m')],
  ['UTF-8 in the target', Buffer.from('GET /é HTTP/1.1\r\nHost: m\r\n\r\n')],
  ['a target that starts with neither slash, star nor scheme', raw('GET foo HTTP/1.1', 'Host: m')],
  ['a target that is a query only', raw('GET ?a=1 HTTP/1.1', 'Host: m')],
  ['no target', raw('GET HTTP/1.1', 'Host: m')],
  ['a control character in the target', raw('GET /a\x01b HTTP/1.1', 'Host: m')],
  ['a tab in the target', raw('GET /a\tb HTTP/1.1', 'Host: m')],
  ['a blank in the target', raw('GET /a b HTTP/1.1', 'Host: m')],
  ['obsolete folding of a header', raw('GET / HTTP/1.1', 'Host: m', 'X: a', ' b')],
  ['obsolete folding with a tab', raw('GET / HTTP/1.1', 'Host: m', 'X: a', '\tb')],
  ['a blank before the colon', raw('GET / HTTP/1.1', 'Host: m', 'X : a')],
  ['a blank before the first header name', raw('GET / HTTP/1.1', ' Host: m')],
  ['a header line without a colon', raw('GET / HTTP/1.1', 'Host: m', 'nocolon')],
  ['an empty header name', raw('GET / HTTP/1.1', 'Host: m', ': v')],
  ['a header name with a character that is no token', raw('GET / HTTP/1.1', 'Host: m', 'X(y): v')],
  ['a header name with a byte outside ASCII', raw('GET / HTTP/1.1', 'Host: m', 'X\xe9: v')],
  ['a bare CR in a value', raw('GET / HTTP/1.1', 'Host: m', 'X: a\rb')],
  ['a null byte in a value', raw('GET / HTTP/1.1', 'Host: m', 'X: a\0b')],
  ['a control character in a value', raw('GET / HTTP/1.1', 'Host: m', 'X: a\x01b')],
  ['DEL in a value', raw('GET / HTTP/1.1', 'Host: m', 'X: a\x7fb')],
  ['bare LF line ends', 'GET / HTTP/1.1\nHost: m\n\n'],
  ['a bare LF after a header', 'GET / HTTP/1.1\r\nHost: m\nX: y\r\n\r\n'],
  ['a bare LF at the end of the head', 'GET / HTTP/1.1\r\nHost: m\r\n\n'],
  [
    'two equal Content-Length headers',
    raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 1', 'Content-Length: 1').concat('a'),
  ],
  [
    'two different Content-Length headers',
    raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 1', 'Content-Length: 2').concat('ab'),
  ],
  ['a list in Content-Length', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 1, 1').concat('a')],
  ['a sign in Content-Length', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: +1').concat('a')],
  ['a negative Content-Length', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: -1').concat('a')],
  ['letters in Content-Length', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: abc').concat('a')],
  ['hexadecimal Content-Length', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 0x1').concat('a')],
  ['an empty Content-Length', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length:').concat('a')],
  [
    'a Content-Length past 64 bits',
    raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 99999999999999999999').concat('a'),
  ],
  [
    'Content-Length with Transfer-Encoding',
    raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 1', 'Transfer-Encoding: chunked').concat('1\r\na\r\n0\r\n\r\n'),
  ],
  [
    'Transfer-Encoding with Content-Length',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked', 'Content-Length: 1').concat('1\r\na\r\n0\r\n\r\n'),
  ],
  [
    'a transfer encoding that does not end in chunked',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: gzip').concat('a'),
  ],
  [
    'chunked before another encoding',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked, gzip').concat('1\r\na\r\n0\r\n\r\n'),
  ],
  [
    'chunked twice',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked, chunked').concat('1\r\na\r\n0\r\n\r\n'),
  ],
  ['identity as transfer encoding', raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: identity').concat('a')],
  [
    'a chunk size that is no number',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('x\r\na\r\n0\r\n\r\n'),
  ],
  ['an empty chunk size', raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('\r\na\r\n0\r\n\r\n')],
  [
    'a chunk size with 0x',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('0x1\r\na\r\n0\r\n\r\n'),
  ],
  [
    'a chunk that is longer than its size',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('1\r\nab\r\n0\r\n\r\n'),
  ],
  [
    'a chunk that ends in a bare LF',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('1\r\na\n0\r\n\r\n'),
  ],
  [
    'a chunk size that ends in a bare LF',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('1\na\r\n0\r\n\r\n'),
  ],
  [
    'a chunk size past 64 bits',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('11111111111111111\r\na\r\n0\r\n\r\n'),
  ],
  ['HTTP/1.2', raw('GET / HTTP/1.2', 'Host: m')],
  ['a version without a number', raw('GET / HTTP/x.1', 'Host: m')],
  ['a version in lower case', raw('GET / http/1.1', 'Host: m')],
  ['two blanks in the request line', raw('GET  / HTTP/1.1', 'Host: m')],
  ['a blank behind the version', raw('GET / HTTP/1.1 ', 'Host: m')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS client hello', Buffer.from('16030100c5010000c10303', 'hex')],
  ['a head of 17,000 bytes', get('/', `X: ${'a'.repeat(17_000)}`)],
  ['a target of 17,000 bytes', get(`/${'a'.repeat(17_000)}`)],
  [
    'a head of 17,000 bytes in many lines',
    get('/', ...Array.from({ length: 170 }, (_, i) => `X-${i}: ${'a'.repeat(100)}`)),
  ],
  ['no Host in HTTP/1.1', raw('GET / HTTP/1.1')],
  ['no Host in HTTP/1.1, on a connection to be kept', raw('GET / HTTP/1.1', 'Connection: keep-alive')],
];

const accepted: readonly (readonly [string, string | readonly string[]])[] = [
  ['two Host headers', raw('GET / HTTP/1.1', 'Host: a', 'Host: b')],
  ['an empty Host header', raw('GET / HTTP/1.1', 'Host:')],
  ['no Host in HTTP/1.0', raw('GET / HTTP/1.0')],
  ['HTTP/1.0 that asks to keep the connection', raw('GET / HTTP/1.0', 'Connection: keep-alive')],
  ['empty lines before the request', `\r\n\r\n${get()}`],
  ['a header value without blanks around it', raw('GET / HTTP/1.1', 'Host:m', 'X:y')],
  ['blanks and tabs around a value', raw('GET / HTTP/1.1', 'Host: m', 'X: \t y \t ')],
  ['bytes outside ASCII in a value', get('/', 'X: \xe9\xff')],
  ['a tab inside a value', get('/', 'X: a\tb')],
  ['a header name with every token character', get('/', "!#$%&'*+-.^_`|~09azAZ: v")],
  ['an upgrade is answered as any request', get('/', 'Connection: Upgrade', 'Upgrade: websocket')],
  [
    'HTTP/2 over an upgrade is answered as any request',
    get('/', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
  ],
  [
    'a body with a chunk extension',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('3;a=b\r\nabc\r\n0\r\n\r\n'),
  ],
  [
    'a chunked body with trailers',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n'),
  ],
  [
    'an upper-case hexadecimal chunk size',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('A\r\n0123456789\r\n0\r\n\r\n'),
  ],
  [
    'gzip before chunked is read as chunked',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: gzip, chunked').concat('3\r\nabc\r\n0\r\n\r\n'),
  ],
  [
    'chunked in any case',
    raw('POST / HTTP/1.1', 'Host: m', 'transfer-encoding: CHUNKED').concat('3\r\nabc\r\n0\r\n\r\n'),
  ],
  [
    'two lines of Transfer-Encoding',
    raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked').concat(
      '3\r\nabc\r\n0\r\n\r\n',
    ),
  ],
  ['a body in two parts', [raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 6').concat('abc'), 'def']],
  ['a head in two parts', ['GET / HT', 'TP/1.1\r\nHost: m\r\n\r\n']],
  [
    'chunks in several parts',
    [raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat('3\r'), '\nabc\r\n0', '\r\n\r\n'],
  ],
  ['a body of GET', send('GET', '/', [], 'body')],
  ['a body of DELETE', send('DELETE', '/', [], 'body')],
  ['a Content-Length with leading zeros', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 003').concat('abc')],
  ['Content-Length 0', raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 0')],
  ['a POST without a length has no body', raw('POST / HTTP/1.1', 'Host: m')],
  ['a head of 15,000 bytes', get('/', `X: ${'a'.repeat(15_000)}`)],
  ['500 header lines', get('/', ...Array.from({ length: 500 }, (_, i) => `X-${i}: a`))],
];

const METHODS = [
  'ACL',
  'BIND',
  'CHECKOUT',
  'COPY',
  'DELETE',
  'GET',
  'HEAD',
  'LINK',
  'LOCK',
  'M-SEARCH',
  'MERGE',
  'MKACTIVITY',
  'MKCALENDAR',
  'MKCOL',
  'MOVE',
  'NOTIFY',
  'OPTIONS',
  'PATCH',
  'POST',
  'PROPFIND',
  'PROPPATCH',
  'PURGE',
  'PUT',
  'REBIND',
  'REPORT',
  'SEARCH',
  'SOURCE',
  'SUBSCRIBE',
  'TRACE',
  'UNBIND',
  'UNLINK',
  'UNLOCK',
  'UNSUBSCRIBE',
  'QUERY',
  'BREW',
];

/** Versions that Node's parser takes for 1.0 and that are refused here (docs/wire.md). */
const versions: readonly (readonly [string, string])[] = [
  ['HTTP/0.9', 'GET /\r\n\r\n'],
  ['HTTP/0.9 spelled out', raw('GET / HTTP/0.9', 'Host: m')],
  ['HTTP/2.0', raw('GET / HTTP/2.0', 'Host: m')],
];

export const parsing: readonly DifferentialCase[] = [
  ...versions.map(
    ([version, bytes]): DifferentialCase => ({
      name: `refused: ${version}`,
      imposter: OK,
      requests: [bytes],
      fix: 'http-versions',
      ours: [answer('400 Bad Request', ['Connection: close'], '')],
    }),
  ),
  ...refusals.map(
    ([what, bytes]): DifferentialCase => ({
      name: `refused and not counted: ${what}`,
      imposter: { ...OK, recordRequests: true },
      requests: [bytes],
      after: true,
    }),
  ),
  ...accepted.map(
    ([what, bytes]): DifferentialCase => ({
      name: `read: ${what}`,
      imposter: { ...OK, recordRequests: true },
      requests: [bytes],
      after: true,
    }),
  ),
  ...METHODS.map(
    (method): DifferentialCase => ({
      name: `method ${method}`,
      imposter: OK,
      requests: [raw(`${method} / HTTP/1.1`, 'Host: m')],
    }),
  ),
  {
    name: 'refused in the middle of a kept connection: the answers before it are sent',
    imposter: OK,
    requests: [
      [get(), raw('nonsense')],
      [get() + get(), raw('nonsense')],
    ],
  },
  {
    name: 'bytes behind the last request of a closed connection are not answered',
    imposter: is({ body: 'ok' }),
    requests: [get() + get()],
  },
  {
    name: 'pipelined requests are answered in order, a slow one first',
    imposter: {
      stubs: [
        {
          predicates: [{ equals: { path: '/slow' } }],
          responses: [{ is: { body: 'slow', headers: { Connection: 'keep-alive' } }, behaviors: [{ wait: 120 }] }],
        },
        { responses: [{ is: { body: 'fast', headers: { Connection: 'keep-alive' } } }] },
      ],
    },
    requests: [[get('/slow') + get('/1') + get('/2'), get('/3')]],
  },
  {
    name: 'pipelined POST requests with bodies',
    imposter: { ...is({ body: 'k', headers: { Connection: 'keep-alive' } }), recordRequests: true },
    requests: [post('one') + post('') + post('three') + get('/4')],
    after: true,
  },
  {
    name: 'Expect: 100-continue is answered first, then the request',
    imposter: OK,
    requests: [
      [raw('POST / HTTP/1.1', 'Host: m', 'Expect: 100-continue', 'Content-Length: 3'), 'abc'],
      raw('POST / HTTP/1.1', 'Host: m', 'Expect: 100-continue', 'Content-Length: 3').concat('abc'),
      raw('POST / HTTP/1.1', 'Host: m', 'expect: 100-CONTINUE', 'Content-Length: 3').concat('abc'),
      raw('GET / HTTP/1.1', 'Host: m', 'Expect: 100-continue'),
      raw('GET / HTTP/1.0', 'Expect: 100-continue'),
    ],
  },
  {
    name: 'another Expect is answered with 417 and not counted, the connection is kept',
    imposter: { ...OK, recordRequests: true },
    requests: [
      raw('GET / HTTP/1.1', 'Host: m', 'Expect: nothing'),
      [raw('GET / HTTP/1.1', 'Host: m', 'Expect: nothing'), get()],
      raw('POST / HTTP/1.1', 'Host: m', 'Expect: nothing', 'Content-Length: 3').concat('abc').concat(get()),
    ],
    after: true,
  },
];
