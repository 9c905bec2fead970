import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpDate } from './http-date.js';
import { ANNOUNCE_CLOSE, HEAD_ONLY, HTTP_1_0, PreparedResponse, type ResponseParts } from './prepared-response.js';
import { withoutDate } from './raw-client.test-help.js';

function rendered(parts: Partial<ResponseParts>, variant = 0): string {
  const response = new PreparedResponse({
    statusCode: 200,
    headers: [],
    body: 'b',
    framing: 'chunked',
    connection: 'close',
    ...parts,
  });
  const long = response.longBody(variant);
  return withoutDate(response.bytes(variant).toString('latin1')) + Buffer.concat(long ?? []).toString('latin1');
}

const C = 'Connection: close\r\nDate: D\r\n';

const table: [name: string, parts: Partial<ResponseParts>, expected: string, variant?: number][] = [
  ['one chunk', {}, `HTTP/1.1 200 OK\r\n${C}Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n`],
  ['an empty chunked body', { body: '' }, `HTTP/1.1 200 OK\r\n${C}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a length', { framing: 'content-length', body: 'é' }, `HTTP/1.1 200 OK\r\n${C}Content-Length: 2\r\n\r\nÃ©`],
  [
    'the length of a body in several buffers',
    { framing: 'content-length', body: [Buffer.from('a'), Buffer.from('bc')] },
    `HTTP/1.1 200 OK\r\n${C}Content-Length: 3\r\n\r\nabc`,
  ],
  [
    'a body in several buffers as one chunk',
    { body: [Buffer.from('a'), Buffer.from('bc')] },
    `HTTP/1.1 200 OK\r\n${C}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  ],
  [
    'only the length of a body in several buffers, for HEAD',
    { framing: 'content-length', body: [Buffer.from('a'), Buffer.from('bc')] },
    `HTTP/1.1 200 OK\r\n${C}Content-Length: 3\r\n\r\n`,
    HEAD_ONLY,
  ],
  ['no framing', { framing: 'none' }, `HTTP/1.1 200 OK\r\n${C}\r\nb`],
  [
    'no Connection header',
    { connection: 'keep' },
    'HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n',
  ],
  ['an announced close', { connection: 'keep', framing: 'none' }, `HTTP/1.1 200 OK\r\n${C}\r\nb`, ANNOUNCE_CLOSE],
  [
    'own headers first, in their case and order',
    {
      headers: [
        ['content-TYPE', 't'],
        ['Set-Cookie', 'a'],
        ['Set-Cookie', 'b'],
      ],
    },
    `HTTP/1.1 200 OK\r\ncontent-TYPE: t\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n${C}Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n`,
  ],
  [
    'an own Connection header in any case',
    { headers: [['connection', 'Keep-Alive']] },
    'HTTP/1.1 200 OK\r\nconnection: Keep-Alive\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n',
  ],
  [
    'an own Date',
    { headers: [['date', 'now']] },
    'HTTP/1.1 200 OK\r\ndate: now\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n',
  ],
  [
    'an own length gets the true number',
    { headers: [['content-length', '99']] },
    `HTTP/1.1 200 OK\r\ncontent-length: 1\r\n${C}\r\nb`,
  ],
  [
    'an own length that is to be kept',
    { headers: [['Content-Length', '99']], body: '', ownLength: 'keep' },
    `HTTP/1.1 200 OK\r\nContent-Length: 99\r\n${C}\r\n`,
    HEAD_ONLY,
  ],
  [
    'an own chunked coding is honoured once',
    { headers: [['Transfer-Encoding', 'chunked']], framing: 'content-length' },
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${C}\r\n1\r\nb\r\n0\r\n\r\n`,
  ],
  [
    'an own coding without chunked',
    { headers: [['Transfer-Encoding', 'gzip']] },
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n${C}\r\nb`,
  ],
  ['HEAD has neither body nor chunked coding', {}, `HTTP/1.1 200 OK\r\n${C}\r\n`, HEAD_ONLY],
  [
    'HEAD has the length of the body it does not send',
    { framing: 'content-length' },
    `HTTP/1.1 200 OK\r\n${C}Content-Length: 1\r\n\r\n`,
    HEAD_ONLY,
  ],
  ['HTTP/1.0 is not chunked', {}, `HTTP/1.1 200 OK\r\n${C}\r\nb`, HTTP_1_0],
  [
    'HTTP/1.0 is not chunked, whatever the response says',
    { headers: [['Transfer-Encoding', 'chunked']] },
    `HTTP/1.1 200 OK\r\n${C}\r\nb`,
    HTTP_1_0,
  ],
  ['204 has no body and no framing', { statusCode: 204 }, `HTTP/1.1 204 No Content\r\n${C}\r\n`],
  [
    '304 has no body and no framing',
    { statusCode: 304, framing: 'content-length' },
    `HTTP/1.1 304 Not Modified\r\n${C}\r\n`,
  ],
  ['1xx as a final answer', { statusCode: 100 }, `HTTP/1.1 100 Continue\r\n${C}\r\n`],
  ["418 I'm a Teapot", { statusCode: 418, framing: 'none' }, `HTTP/1.1 418 I'm a Teapot\r\n${C}\r\nb`],
  ['a status without a name', { statusCode: 999, framing: 'none' }, `HTTP/1.1 999 unknown\r\n${C}\r\nb`],
  ['a status with a fraction', { statusCode: '201.7', framing: 'none' }, `HTTP/1.1 201 Created\r\n${C}\r\nb`],
  ['an own reason', { reason: 'Fine', framing: 'none' }, `HTTP/1.1 200 Fine\r\n${C}\r\nb`],
  ['Latin-1 values', { headers: [['X', 'é']], framing: 'none' }, `HTTP/1.1 200 OK\r\nX: é\r\n${C}\r\nb`],
  [
    'a long body is not copied',
    { body: 'x'.repeat(40_000), framing: 'content-length' },
    `HTTP/1.1 200 OK\r\n${C}Content-Length: 40000\r\n\r\n${'x'.repeat(40_000)}`,
  ],
];

for (const [name, parts, expected, variant] of table) {
  test(`serialized: ${name}`, () => assert.equal(rendered(parts, variant), expected));
}

const unsendable: [name: string, parts: Partial<ResponseParts>, code: string, message: string, type: string][] = [
  ['a status below 100', { statusCode: 99 }, 'ERR_HTTP_INVALID_STATUS_CODE', 'Invalid status code: 99', 'RangeError'],
  [
    'a status above 999',
    { statusCode: 1000 },
    'ERR_HTTP_INVALID_STATUS_CODE',
    'Invalid status code: 1000',
    'RangeError',
  ],
  [
    'a status that is no number',
    { statusCode: 'abc' },
    'ERR_HTTP_INVALID_STATUS_CODE',
    'Invalid status code: abc',
    'RangeError',
  ],
  [
    'a name with a blank',
    { headers: [['X N', '1']] },
    'ERR_INVALID_HTTP_TOKEN',
    'Header name must be a valid HTTP token ["X N"]',
    'TypeError',
  ],
  [
    'an empty name',
    { headers: [['', '1']] },
    'ERR_INVALID_HTTP_TOKEN',
    'Header name must be a valid HTTP token [""]',
    'TypeError',
  ],
  [
    'a line break in a value',
    { headers: [['X', 'a\r\nY: b']] },
    'ERR_INVALID_CHAR',
    'Invalid character in header content ["X"]',
    'TypeError',
  ],
  [
    'a character above 255',
    { headers: [['X', 'Ā']] },
    'ERR_INVALID_CHAR',
    'Invalid character in header content ["X"]',
    'TypeError',
  ],
];

for (const [name, parts, code, message, type] of unsendable) {
  test(`unsendable: ${name}`, () => {
    assert.throws(() => rendered(parts), { code, message, name: type });
  });
}

test('whether the connection is kept', () => {
  const keeps = (parts: Partial<ResponseParts>): boolean =>
    new PreparedResponse({ statusCode: 200, headers: [], body: 'b', framing: 'chunked', connection: 'close', ...parts })
      .keepsConnection;
  assert.equal(keeps({}), false);
  assert.equal(keeps({ connection: 'keep' }), true);
  assert.equal(keeps({ headers: [['connection', 'keep-alive']] }), true);
  assert.equal(keeps({ headers: [['Connection', '']] }), true);
  assert.equal(keeps({ connection: 'keep', headers: [['CONNECTION', 'Close']] }), false);
  assert.equal(keeps({ connection: 'keep', headers: [['Connection', 'x, close']] }), false);
  assert.equal(keeps({ connection: 'keep', framing: 'none' }), false);
  assert.equal(keeps({ connection: 'keep', headers: [['Transfer-Encoding', 'gzip']] }), false);
  assert.equal(keeps({ connection: 'keep', framing: 'none', statusCode: 204 }), true);
});

test('bytes that were handed out are never changed, and are new only when the second is', async () => {
  const response = new PreparedResponse({
    statusCode: 200,
    headers: [],
    body: 'b',
    framing: 'none',
    connection: 'keep',
  });
  const first = response.bytes(0);
  const copy = Buffer.from(first);
  const firstDate = httpDate();
  while (httpDate() === firstDate) await sleep(20);
  const later = response.bytes(0);
  assert.notEqual(later, first);
  assert.equal(response.bytes(0), later);
  assert.ok(later.includes(httpDate()));
  assert.deepEqual(first, copy);
});
