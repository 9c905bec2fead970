import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadParser } from './head-parser.js';
import { HeaderBlocks } from './header-block.js';

const FIELDS = [
  ...([
    'method',
    'targetStart',
    'targetEnd',
    'minor',
    'headersStart',
    'contentLength',
    'chunked',
    'keepAlive',
  ] as const),
  ...(['expectation', 'hasHost', 'names'] as const),
];

/** What a parser makes of bytes that come in pieces of a size; what follows the head stands behind it in the same piece. */
function outcome(bytes: Buffer, size: number, maxHeadBytes = 16_384, maxHeaderLines = 100): unknown {
  const parser = new HeadParser(maxHeadBytes, maxHeaderLines);
  parser.begin(0);
  let end = -1;
  for (let come = size; end === -1; come += size) {
    end = parser.parse(bytes, Math.min(come, bytes.length));
    if (come >= bytes.length) break;
  }
  if (end === -2) return parser.refusal;
  return [end, ...FIELDS.map((field) => parser[field])];
}

const heads = [
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /x?y=z HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'DELETE /d HTTP/1.1\r\nhost:\t a \t\r\nX-Empty:\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://h/x HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET  / HTTP/1.1\r\nHost: a\r\n\r\n',
  '\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.0\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.0\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{}',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}',
  'PURGE /p HTTP/1.1\r\nHost: a\r\n\r\n',
  'GETT / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.2\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\n\r\n',
  'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET / HTTP/1.1\r\n: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\x00\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\n\rX',
  'GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}',
  'POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n{}',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\n',
];

test('a head that comes whole, for the first time or again, is read as one that comes byte by byte', () => {
  for (const head of heads) {
    const bytes = Buffer.from(head, 'latin1');
    const wanted = outcome(bytes, 1);
    for (let time = 1; time <= 4; time++) assert.deepEqual(outcome(bytes, bytes.length), wanted, `${time}: ${head}`);
  }
});

test('lines that differ in one byte are not taken for each other', () => {
  const lines = 'Host: a\r\nConnection: close\r\nX-A: 1\r\n\r\n';
  const head = Buffer.from(`GET / HTTP/1.1\r\n${lines}`);
  for (let time = 0; time < 4; time++) outcome(head, head.length);
  for (let at = head.length - lines.length; at < head.length; at++) {
    for (const byte of [0, 9, 10, 13, 32, 58, 97, 255]) {
      const other = Buffer.from(head);
      other[at] = byte;
      assert.deepEqual(outcome(other, other.length), outcome(other, 1), JSON.stringify(other.toString('latin1')));
    }
  }
});

test('known lines obey the limits of the listener that reads them', () => {
  const head = Buffer.from('GET /target HTTP/1.1\r\nHost: a\r\nX-Limit: 12345\r\n\r\n');
  for (let time = 0; time < 4; time++) assert.equal((outcome(head, head.length) as unknown[])[0], head.length);
  // 7 of the target, 5 and 12 of the lines
  for (const [most, lines] of [
    [24, 100],
    [25, 100],
    [100, 1],
    [100, 2],
  ]) {
    const wanted = outcome(head, 1, most, lines);
    assert.equal(wanted === 'head-too-large', most === 24 || lines === 1);
    assert.deepEqual(outcome(head, head.length, most, lines), wanted);
  }
});

test('lines that never come again are copied ever less often', () => {
  const blocks = new HeaderBlocks();
  const read = {
    contentLength: -1,
    chunked: false,
    keepAlive: true,
    expectation: 0,
    hasHost: true,
    names: 0,
    lines: 1,
    counted: 9,
  };
  let kept = 0;
  for (let number = 0; number < 6400; number++) {
    const bytes = Buffer.from(`Id: ${100_000 + number}--------\r\n\r\n`);
    assert.equal(blocks.find(bytes, 0, bytes.length), undefined);
    if (!blocks.missed(bytes, 0, bytes.length, bytes.length)) continue;
    blocks.keep(bytes, 0, bytes.length, bytes.length, read);
    kept++;
  }
  assert.ok(kept < 6400 / 25, `${kept} of 6400`);
  const again = Buffer.from('Id: 999999--------\r\n\r\n');
  for (let time = 0; blocks.find(again, 0, again.length) === undefined; time++) {
    assert.ok(time < 64, 'lines that come again stay');
    if (blocks.missed(again, 0, again.length, again.length)) blocks.keep(again, 0, again.length, again.length, read);
  }
});
