// What the codec understands and what it refuses, as bytes in and bytes out. Each case runs with the bytes at once, one
// by one, and cut in two at every position: the outcome must be the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteByByte, type Conversation, converse } from './memory-connection.test-help.js';
import { refusalBytes } from './refusals.js';
import type { Refusal } from './types.js';

const OK = 'HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 2\r\n\r\nok';
const OK_CLOSE = 'HTTP/1.1 200 OK\r\nConnection: close\r\nDate: D\r\nContent-Length: 2\r\n\r\nok';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const NO_HOST =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
const EXPECTATION_FAILED =
  'HTTP/1.1 417 Expectation Failed\r\nDate: D\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
const H = 'Host: a\r\n';
const CHUNKED = `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n`;

interface Accepted {
  name: string;
  input: string;
  output?: string;
  closed?: boolean;
  /** Per request: method, target, body. */
  requests?: string[];
}

const accepted: Accepted[] = [
  { name: 'a GET', input: `GET /a%20b?x=1 HTTP/1.1\r\n${H}\r\n`, requests: ['GET /a%20b?x=1 '] },
  { name: 'empty lines before the request line', input: `\r\n\r\nGET / HTTP/1.1\r\n${H}\r\n` },
  { name: 'empty lines that end in LF alone, before the request line', input: `\n\nGET / HTTP/1.1\r\n${H}\r\n` },
  { name: 'several blanks in the request line', input: `GET   /   HTTP/1.1\r\n${H}\r\n` },
  { name: 'the asterisk form', input: `OPTIONS * HTTP/1.1\r\n${H}\r\n`, requests: ['OPTIONS * '] },
  {
    name: 'the absolute form',
    input: `GET http://u@h:80/x?y HTTP/1.1\r\n${H}\r\n`,
    requests: ['GET http://u@h:80/x?y '],
  },
  { name: 'visible ASCII that no URI may have', input: `GET /"<>\\^\`{|}# HTTP/1.1\r\n${H}\r\n` },
  { name: 'a method of WebDAV', input: `PROPFIND / HTTP/1.1\r\n${H}\r\n`, requests: ['PROPFIND / '] },
  { name: 'a method with a hyphen', input: `M-SEARCH * HTTP/1.1\r\n${H}\r\n`, requests: ['M-SEARCH * '] },
  { name: 'two Host headers', input: `GET / HTTP/1.1\r\n${H}${H}\r\n` },
  { name: 'an empty Host header', input: 'GET / HTTP/1.1\r\nHost:\r\n\r\n' },
  { name: 'a header value of bytes above 127', input: `GET / HTTP/1.1\r\n${H}X: \xe9\xff\r\n\r\n` },
  { name: 'HTTP/1.0 without Host, closed', input: 'GET / HTTP/1.0\r\n\r\n', output: OK_CLOSE, closed: true },
  {
    name: 'HTTP/1.0 that asks to be kept, closed',
    input: 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
    output: OK_CLOSE,
    closed: true,
  },
  {
    name: 'Connection: close in any case',
    input: `GET / HTTP/1.1\r\n${H}connection: Close\r\n\r\n`,
    output: OK_CLOSE,
    closed: true,
  },
  {
    name: 'close among other connection options',
    input: `GET / HTTP/1.1\r\n${H}Connection: x, close\r\n\r\n`,
    output: OK_CLOSE,
    closed: true,
  },
  {
    name: 'a connection option that only begins with close',
    input: `GET / HTTP/1.1\r\n${H}Connection: closed\r\n\r\n`,
  },
  {
    name: 'an upgrade, answered as any request',
    input: `GET / HTTP/1.1\r\n${H}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  },
  {
    name: 'a body by length',
    input: `POST / HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nab\r\nc`,
    requests: ['POST / ab\r\nc'],
  },
  { name: 'a body of length 0', input: `POST / HTTP/1.1\r\n${H}Content-Length: 0\r\n\r\n`, requests: ['POST / '] },
  { name: 'a body of a GET', input: `GET / HTTP/1.1\r\n${H}Content-Length: 1\r\n\r\nx`, requests: ['GET / x'] },
  {
    name: 'a length with blanks around',
    input: `POST / HTTP/1.1\r\n${H}Content-Length:  1 \r\n\r\nx`,
    requests: ['POST / x'],
  },
  {
    name: 'a chunked body',
    input: `${CHUNKED}3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`,
    requests: ['POST / abc0123456789'],
  },
  { name: 'an empty chunked body', input: `${CHUNKED}0\r\n\r\n`, requests: ['POST / '] },
  {
    name: 'chunk extensions, ignored',
    input: `${CHUNKED}1;a=b;c="d e\\"";f\r\nx\r\n0;z\r\n\r\n`,
    requests: ['POST / x'],
  },
  { name: 'trailer fields, ignored', input: `${CHUNKED}1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n`, requests: ['POST / x'] },
  { name: 'chunk sizes with leading zeros', input: `${CHUNKED}0001\r\nx\r\n000\r\n\r\n`, requests: ['POST / x'] },
  {
    name: 'CHUNKED in capitals',
    input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: CHUNKED\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    requests: ['POST / x'],
  },
  {
    name: 'gzip, chunked read as chunked',
    input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    requests: ['POST / x'],
  },
  {
    name: 'pipelined requests, in order',
    input: `GET /1 HTTP/1.1\r\n${H}\r\nPOST /2 HTTP/1.1\r\n${H}Content-Length: 1\r\n\r\nxGET /3 HTTP/1.1\r\n${H}\r\n`,
    output: OK + OK + OK,
    requests: ['GET /1 ', 'POST /2 x', 'GET /3 '],
  },
  {
    name: 'nothing after a request that closes',
    input: `GET /1 HTTP/1.1\r\n${H}Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n${H}\r\n`,
    output: OK_CLOSE,
    closed: true,
    requests: ['GET /1 '],
  },
  {
    name: 'Expect: 100-continue',
    input: `POST / HTTP/1.1\r\n${H}Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx`,
    output: CONTINUE + OK,
    requests: ['POST / x'],
  },
  {
    name: 'Expect: 100-continue of HTTP/1.0, ignored',
    input: 'POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx',
    output: OK_CLOSE,
    closed: true,
  },
  {
    name: 'another expectation: 417, and the connection is kept',
    input: `POST / HTTP/1.1\r\n${H}Expect: wonders\r\nContent-Length: 1\r\n\r\nxGET /2 HTTP/1.1\r\n${H}\r\n`,
    output: EXPECTATION_FAILED + OK,
    requests: ['GET /2 '],
  },
  {
    name: 'another expectation of a HEAD that closes, refused without a body',
    input: `HEAD / HTTP/1.1\r\n${H}Expect: x\r\nConnection: close\r\n\r\n`,
    output: 'HTTP/1.1 417 Expectation Failed\r\nDate: D\r\nConnection: close\r\n\r\n',
    closed: true,
  },
  {
    name: 'a head just under the limit',
    input: `GET / HTTP/1.1\r\n${H}X: ${'a'.repeat(16_383 - 7)}\r\n\r\n`,
  },
  { name: 'blanks before a value do not count', input: `GET / HTTP/1.1\r\n${H}X:${' '.repeat(20_000)}a\r\n\r\n` },
  { name: '2,000 header lines', input: `GET / HTTP/1.1\r\n${H}${'A:b\r\n'.repeat(1999)}\r\n` },
];

const refused: { name: string; input: string; refusal?: Refusal; output?: string }[] = [
  { name: 'a bare LF after the request line', input: `GET / HTTP/1.1\n${H}\r\n` },
  { name: 'a bare LF after a header line', input: 'GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n' },
  { name: 'a bare LF as the empty line', input: `GET / HTTP/1.1\r\n${H}\n` },
  { name: 'a bare CR in a value', input: `GET / HTTP/1.1\r\n${H}X: a\rb\r\n\r\n` },
  { name: 'a folded header line', input: `GET / HTTP/1.1\r\n${H}X: a\r\n b\r\n\r\n` },
  { name: 'a blank before the first header', input: `GET / HTTP/1.1\r\n ${H}\r\n` },
  { name: 'a blank before the colon', input: `GET / HTTP/1.1\r\n${H}X : a\r\n\r\n` },
  { name: 'a header line without a colon', input: `GET / HTTP/1.1\r\n${H}X\r\n\r\n` },
  { name: 'an empty header name', input: `GET / HTTP/1.1\r\n${H}: a\r\n\r\n` },
  { name: 'a header name that is no token', input: `GET / HTTP/1.1\r\n${H}X@: a\r\n\r\n` },
  { name: 'NUL in a value', input: `GET / HTTP/1.1\r\n${H}X: a\0\r\n\r\n` },
  { name: 'DEL in a value', input: `GET / HTTP/1.1\r\n${H}X: a\x7f\r\n\r\n` },
  { name: 'a lower-case method', input: `get / HTTP/1.1\r\n${H}\r\n` },
  { name: 'an unknown method', input: `FETCH / HTTP/1.1\r\n${H}\r\n` },
  { name: 'a method that goes on too long', input: `PROPFINDPROPFINDPROPFIND / HTTP/1.1\r\n${H}\r\n` },
  { name: 'a target without slash, asterisk or scheme', input: `GET abc HTTP/1.1\r\n${H}\r\n` },
  { name: 'a target that is a query', input: `GET ?a HTTP/1.1\r\n${H}\r\n` },
  { name: 'non-ASCII bytes in the target', input: `GET /\xe9 HTTP/1.1\r\n${H}\r\n` },
  { name: 'a tab in the target', input: `GET /a\tb HTTP/1.1\r\n${H}\r\n` },
  { name: 'a blank after the version', input: `GET / HTTP/1.1 \r\n${H}\r\n` },
  { name: 'no version', input: 'GET /\r\n\r\n' },
  { name: 'a fragment directly behind a host', input: `GET http://h#a HTTP/1.1\r\n${H}\r\n` },
  { name: 'HTTP/1.2', input: `GET / HTTP/1.2\r\n${H}\r\n`, refusal: 'unsupported-version' },
  { name: 'HTTP/2.0', input: `GET / HTTP/2.0\r\n${H}\r\n`, refusal: 'unsupported-version' },
  { name: 'the preface of HTTP/2', input: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  {
    name: 'two equal Content-Length headers',
    input: `POST / HTTP/1.1\r\n${H}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`,
  },
  {
    name: 'two different Content-Length headers',
    input: `POST / HTTP/1.1\r\n${H}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`,
  },
  { name: 'a list of lengths', input: `POST / HTTP/1.1\r\n${H}Content-Length: 1, 1\r\n\r\nx` },
  { name: 'an empty length', input: `POST / HTTP/1.1\r\n${H}Content-Length:\r\n\r\n` },
  { name: 'a signed length', input: `POST / HTTP/1.1\r\n${H}Content-Length: +1\r\n\r\nx` },
  { name: 'a hexadecimal length', input: `POST / HTTP/1.1\r\n${H}Content-Length: 0x1\r\n\r\nx` },
  {
    name: 'a length beyond all measure',
    input: `POST / HTTP/1.1\r\n${H}Content-Length: 99999999999999999999\r\n\r\nx`,
  },
  {
    name: 'Content-Length, then Transfer-Encoding',
    input: `POST / HTTP/1.1\r\n${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'Transfer-Encoding, then Content-Length',
    input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'Transfer-Encoding that does not end in chunked',
    input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked, gzip\r\n\r\n`,
  },
  { name: 'Transfer-Encoding without chunked', input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: identity\r\n\r\n` },
  { name: 'an empty Transfer-Encoding', input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding:\r\n\r\n` },
  { name: 'chunked twice', input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n` },
  {
    name: 'chunked twice in two headers',
    input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'chunked with a vertical tab',
    input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`,
  },
  { name: 'xchunked', input: `POST / HTTP/1.1\r\n${H}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n` },
  { name: 'a chunk size that is no number', input: `${CHUNKED}x\r\n` },
  { name: 'a negative chunk size', input: `${CHUNKED}-1\r\nx\r\n0\r\n\r\n` },
  { name: 'a chunk size with 0x', input: `${CHUNKED}0x1\r\nx\r\n0\r\n\r\n` },
  { name: 'a chunk size beyond all measure', input: `${CHUNKED}fffffffffffffffff\r\nx` },
  { name: 'a blank after the chunk size', input: `${CHUNKED}1 \r\nx\r\n0\r\n\r\n` },
  { name: 'a bare LF after the chunk size', input: `${CHUNKED}1\nx\r\n0\r\n\r\n` },
  { name: 'chunk data longer than its size', input: `${CHUNKED}1\r\nxy\r\n0\r\n\r\n` },
  { name: 'a chunk extension without a name', input: `${CHUNKED}1;\r\nx\r\n0\r\n\r\n` },
  { name: 'a bare LF in a chunk extension', input: `${CHUNKED}1;a\n\r\nx\r\n0\r\n\r\n` },
  {
    name: 'endless chunk extensions',
    input: `${CHUNKED}1;${'a'.repeat(17_000)}\r\nx\r\n0\r\n\r\n`,
    refusal: 'extensions-too-large',
  },
  {
    name: 'extensions of one chunk past the limit',
    input: `${CHUNKED}1;a="${'b'.repeat(16_382)}"\r\nx\r\n0\r\n\r\n`,
    refusal: 'extensions-too-large',
  },
  {
    name: 'endless trailer fields',
    input: `${CHUNKED}0\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`,
    refusal: 'head-too-large',
  },
  { name: 'a malformed trailer field', input: `${CHUNKED}0\r\nA b\r\n\r\n` },
  { name: 'HTTP/1.1 without Host', input: 'GET / HTTP/1.1\r\n\r\n', refusal: 'missing-host', output: NO_HOST },
  {
    name: 'a HEAD without Host, answered without a body',
    input: 'HEAD / HTTP/1.1\r\n\r\n',
    refusal: 'missing-host',
    output: 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nDate: D\r\n\r\n',
  },
  {
    name: 'a head at the limit',
    input: `GET / HTTP/1.1\r\n${H}X: ${'a'.repeat(16_384 - 7)}\r\n\r\n`,
    refusal: 'head-too-large',
  },
  {
    name: 'a head of 64 KiB',
    input: `GET / HTTP/1.1\r\n${H}X: ${'a'.repeat(65_536)}\r\n\r\n`,
    refusal: 'head-too-large',
  },
  { name: 'a target that never ends', input: `GET /${'a'.repeat(16_400)}`, refusal: 'head-too-large' },
  { name: 'blanks that never end', input: `GET / HTTP/1.1\r\n${H}X:${' '.repeat(70_000)}`, refusal: 'head-too-large' },
  {
    name: '2,001 header lines',
    input: `GET / HTTP/1.1\r\n${H}${'A:b\r\n'.repeat(2000)}\r\n`,
    refusal: 'head-too-large',
  },
  {
    name: 'garbage after a request',
    input: `GET / HTTP/1.1\r\n${H}\r\nxyz`,
    output: `${OK}HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n`,
  },
];

/** All ways to feed the bytes whose outcome must be the same. */
function* outcomes(input: string): Iterable<Conversation> {
  const bytes = Buffer.from(input, 'latin1');
  yield converse([bytes]);
  yield converse(byteByByte(bytes));
  const step = Math.max(1, Math.floor(bytes.length / 500));
  for (let cut = 1; cut < bytes.length; cut += step) yield converse([bytes.subarray(0, cut), bytes.subarray(cut)]);
}

for (const { name, input, output = OK, closed = false, requests } of accepted) {
  test(`accepted: ${name}`, () => {
    for (const outcome of outcomes(input)) {
      assert.equal(outcome.output, output);
      assert.equal(outcome.closed, closed);
      if (requests !== undefined) {
        assert.deepEqual(
          outcome.requests.map(({ method, target, body }) => `${method} ${target} ${body}`),
          requests,
        );
      }
    }
  });
}

for (const { name, input, refusal = 'bad-request', output } of refused) {
  test(`refused: ${name}`, () => {
    for (const outcome of outcomes(input)) {
      assert.deepEqual(outcome.refusals, [refusal]);
      assert.equal(outcome.output, output ?? refusalBytes(refusal).toString('latin1'));
      assert.equal(outcome.closed, true);
    }
  });
}

test('header lines keep their order, case and repetitions, and lose the blanks around values', () => {
  const input = `GET / HTTP/1.1\r\nHOST: a\r\nX-a:\t 1 \r\nx-A: 2\r\nEmpty:\r\n\r\n`;
  for (const { requests } of outcomes(input)) {
    assert.deepEqual(requests[0].rawHeaders, ['HOST', 'a', 'X-a', '1', 'x-A', '2', 'Empty', '']);
  }
});

test('a body over the limit is refused when it is announced, or when too much of it has come', () => {
  const announced = `POST / HTTP/1.1\r\n${H}Content-Length: 6\r\n\r\n`;
  const chunked = `${CHUNKED}3\r\nabc\r\n3\r\n`;
  for (const input of [announced, chunked]) {
    const { refusals, requests, closed } = converse([Buffer.from(input)], 5);
    assert.deepEqual({ refusals, requests, closed }, { refusals: ['body-too-large'], requests: [], closed: true });
  }
  const atLimit = `POST / HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nabcde${CHUNKED}5\r\nabcde\r\n0\r\n\r\n`;
  assert.equal(converse([Buffer.from(atLimit)], 5).output, OK + OK);
});

test('however many chunks a body has, the extensions of each are measured alone', () => {
  const data = 'x'.repeat(31);
  for (const [count, line] of [
    [20_000, '1f'],
    [20_000, '1f;n=v'],
    [20, `${'0'.repeat(17_000)}1f;n="${'v'.repeat(16_381)}"`],
  ] as const) {
    const { refusals, requests } = converse([
      Buffer.from(`${CHUNKED}${`${line}\r\n${data}\r\n`.repeat(count)}0\r\n\r\n`),
    ]);
    assert.deepEqual(refusals, []);
    assert.equal(requests[0]?.body.length, 31 * count);
  }
});
