// What profile `rift` puts on the wire where it differs from profile `mountebank`: raw bytes for one imposter in both.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { mountebankLimits } from '@rift-ts/http';
import { rawExchange } from '@rift-ts/oracle';
import { get, is, post, raw, responses, send } from '../../differential/case.fixture.js';
import { Imposters, type ImpostersOptions } from '../../imposters.js';
import type { JsonObject, Profile } from '../../model/types.js';
import { httpProtocol } from './protocol.js';

const MAX_BODY = 100;

function imposters(t: TestContext, profile: Profile, options: Partial<ImpostersOptions> = {}): Imposters {
  const limits = { ...mountebankLimits, maxBodyBytes: MAX_BODY };
  const protocols = new Map([['http', httpProtocol({ limits, graceMs: 0 })]]);
  const made = new Imposters({ profile, protocols, allowInjection: true, ...options });
  t.after(() => made.deleteAll());
  return made;
}

/** The answer with LF line ends, Date left out, and `closed` or `open` in a last line. */
async function answerOf(t: TestContext, profile: Profile, imposter: JsonObject, request: string): Promise<string> {
  const { port } = await imposters(t, profile).createFrom({ protocol: 'http', ...imposter });
  const { bytes, end } = await rawExchange(port, [Buffer.from(request, 'latin1')], { quietMs: 100 });
  const text = bytes
    .toString('latin1')
    .replace(/^Date: .*\r\n/m, '')
    .replaceAll('\r\n', '\n');
  return `${text}\n[${end}]`;
}

const error = (code: string, type: string, message: string, more: object = {}) =>
  JSON.stringify({ errors: [{ code, type, message, ...more }] });
const CORS_OPEN = ['Origin', 'Headers', 'Methods'].map((what) => `Access-Control-Allow-${what}: *\n`).join('');

interface Row {
  readonly name: string;
  readonly imposter: JsonObject;
  readonly request?: string;
  readonly mountebank?: string;
  readonly rift: string;
}

const rows: readonly Row[] = [
  {
    name: 'connection and framing',
    imposter: is({ body: 'hi' }),
    mountebank: 'HTTP/1.1 200 OK\nConnection: close\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nContent-Length: 2\n\nhi\n[open]',
  },
  {
    name: 'a client that asks to close is told so',
    imposter: is({ body: 'hi' }),
    request: get('/', 'Connection: close'),
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nConnection: close\nContent-Length: 2\n\nhi\n[closed]',
  },
  {
    name: 'an own Connection header decides',
    imposter: is({ body: 'hi', headers: { Connection: 'close' } }),
    rift: 'HTTP/1.1 200 OK\nConnection: close\nx-rift-imposter: true\nContent-Length: 2\n\nhi\n[closed]',
  },
  {
    name: 'header names keep their case',
    imposter: is({ headers: { 'X-MiXed': 'a', 'x-low': 'b' } }),
    rift: 'HTTP/1.1 200 OK\nX-MiXed: a\nx-low: b\nx-rift-imposter: true\nContent-Length: 0\n\n\n[open]',
  },
  {
    name: 'an object body',
    imposter: is({ body: { b: 1, a: [2] } }),
    mountebank:
      'HTTP/1.1 200 OK\nConnection: close\nTransfer-Encoding: chunked\n\n2a\n{\n    "b": 1,\n    "a": [\n        2\n    ]\n}\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 200 OK\nContent-Type: application/json\nx-rift-imposter: true\nContent-Length: 15\n\n{"b":1,"a":[2]}\n[open]',
  },
  {
    name: 'an object body with a type in any case',
    imposter: is({ body: {}, headers: { 'content-TYPE': 'text/x' } }),
    rift: 'HTTP/1.1 200 OK\ncontent-TYPE: text/x\nx-rift-imposter: true\nContent-Length: 2\n\n{}\n[open]',
  },
  {
    name: 'a number as body',
    imposter: is({ body: 5 }),
    mountebank: 'HTTP/1.1 200 OK\nConnection: close\nTransfer-Encoding: chunked\n\n1\n5\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 200 OK\nContent-Type: application/json\nx-rift-imposter: true\nContent-Length: 1\n\n5\n[open]',
  },
  {
    name: 'the default response is not merged into a matched answer',
    imposter: { defaultResponse: { statusCode: 404, headers: { D: 'd' }, body: 'none' }, ...is({ body: 'hi' }) },
    mountebank: 'HTTP/1.1 404 Not Found\nD: d\nConnection: close\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nContent-Length: 2\n\nhi\n[open]',
  },
  {
    name: 'no match with a default response',
    imposter: { defaultResponse: { statusCode: 404, headers: { D: 'd' }, body: 'none' } },
    mountebank:
      'HTTP/1.1 404 Not Found\nD: d\nConnection: close\nTransfer-Encoding: chunked\n\n4\nnone\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 404 Not Found\nD: d\nx-rift-imposter: true\nx-rift-default-response: true\nContent-Length: 4\n\nnone\n[open]',
  },
  {
    name: 'no match',
    imposter: {},
    mountebank: 'HTTP/1.1 200 OK\nConnection: close\nTransfer-Encoding: chunked\n\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nx-rift-no-match: true\nContent-Length: 0\n\n\n[open]',
  },
  {
    name: 'an inject answer is marked',
    imposter: responses({ inject: "c => ({ body: 'i' })" }),
    mountebank: 'HTTP/1.1 200 OK\nConnection: close\nTransfer-Encoding: chunked\n\n1\ni\n0\n\n\n[closed]',
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nx-rift-inject: true\nContent-Length: 1\n\ni\n[open]',
  },
  {
    name: 'an inject that throws',
    imposter: responses({ inject: "c => { throw new Error('boom'); }" }),
    rift: `HTTP/1.1 400 Bad Request\ncontent-type: application/json\nx-rift-imposter: true\nx-rift-inject-error: true\nContent-Length: 85\n\n${error('invalid injection', 'invalid injection', 'boom')}\n[open]`,
  },
  {
    name: '204 with a Transfer-Encoding',
    imposter: is({ statusCode: 204, headers: { 'transfer-encoding': 'chunked' } }),
    mountebank: 'HTTP/1.1 204 No Content\ntransfer-encoding: chunked\nConnection: close\n\n\n[closed]',
    rift: 'HTTP/1.1 204 No Content\nx-rift-imposter: true\n\n\n[open]',
  },
  {
    name: 'HEAD has the length of the body',
    imposter: is({ body: 'hello' }),
    request: send('HEAD', '/'),
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nContent-Length: 5\n\n\n[open]',
  },
  {
    name: 'HTTP/1.0',
    imposter: is({ body: 'hi' }),
    request: raw('GET / HTTP/1.0'),
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nConnection: close\nContent-Length: 2\n\nhi\n[closed]',
  },
  {
    name: 'a status that cannot be sent',
    imposter: responses({ inject: 'c => ({ statusCode: 1000 })' }),
    rift: `HTTP/1.1 500 Internal Server Error\ncontent-type: application/json\nx-rift-imposter: true\nContent-Length: 122\n\n${error('500', 'internal error', 'Response build error', { details: 'Invalid status code: 1000' })}\n[open]`,
  },
  {
    name: 'a header that cannot be sent',
    imposter: is({ headers: { X: 'a\nb' } }),
    rift: `HTTP/1.1 500 Internal Server Error\ncontent-type: application/json\nx-rift-imposter: true\nContent-Length: 140\n\n${error('500', 'internal error', 'Response build error', { details: 'Invalid character in header content ["X"]' })}\n[open]`,
  },
  {
    name: 'CORS: every answer is open',
    imposter: { allowCORS: true, ...is({ body: 'hi' }) },
    mountebank: 'HTTP/1.1 200 OK\nConnection: close\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n\n[closed]',
    rift: `HTTP/1.1 200 OK\nx-rift-imposter: true\n${CORS_OPEN}Content-Length: 2\n\nhi\n[open]`,
  },
  {
    name: 'CORS: headers that are there stay',
    imposter: {
      allowCORS: true,
      ...is({ headers: { 'access-control-allow-origin': 'o', 'access-control-allow-methods': 'm' } }),
    },
    rift: 'HTTP/1.1 200 OK\naccess-control-allow-origin: o\naccess-control-allow-methods: m\nx-rift-imposter: true\nAccess-Control-Allow-Headers: *\nContent-Length: 0\n\n\n[open]',
  },
  {
    name: 'CORS: every OPTIONS request is answered at once',
    imposter: { allowCORS: true, ...is({ statusCode: 500, body: 'hi' }) },
    request: send('OPTIONS', '/'),
    mountebank:
      'HTTP/1.1 500 Internal Server Error\nConnection: close\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n\n[closed]',
    rift: `HTTP/1.1 200 OK\nx-rift-imposter: true\n${CORS_OPEN}Content-Length: 0\n\n\n[open]`,
  },
  {
    name: 'a body past the limit',
    imposter: is({ body: 'hi' }),
    request: post('x'.repeat(MAX_BODY + 1)),
    mountebank: `HTTP/1.1 413 Payload Too Large\ncontent-type: application/json\nConnection: close\nTransfer-Encoding: chunked\n\n71\n${error('413', 'request too large', 'Request body exceeds maximum size of 100 bytes')}\n0\n\n\n[closed]`,
    rift: `HTTP/1.1 413 Payload Too Large\ncontent-type: application/json\nx-rift-imposter: true\nConnection: close\nContent-Length: 113\n\n${error('413', 'request too large', 'Request body exceeds maximum size of 100 bytes')}\n[closed]`,
  },
  {
    name: 'a body at the limit',
    imposter: is({ body: 'hi' }),
    request: post('x'.repeat(MAX_BODY)),
    rift: 'HTTP/1.1 200 OK\nx-rift-imposter: true\nContent-Length: 2\n\nhi\n[open]',
  },
  {
    name: 'a chunked body past the limit',
    imposter: is({ body: 'hi' }),
    request: raw('POST / HTTP/1.1', 'Host: m', 'Transfer-Encoding: chunked').concat(
      `65\r\n${'x'.repeat(101)}\r\n0\r\n\r\n`,
    ),
    rift: `HTTP/1.1 413 Payload Too Large\ncontent-type: application/json\nx-rift-imposter: true\nConnection: close\nContent-Length: 113\n\n${error('413', 'request too large', 'Request body exceeds maximum size of 100 bytes')}\n[closed]`,
  },
];

for (const { name, imposter, request = get(), mountebank, rift } of rows) {
  if (mountebank !== undefined) {
    test(`profile mountebank: ${name}`, async (t) => {
      assert.equal(await answerOf(t, 'mountebank', imposter, request), mountebank);
    });
  }
  test(`profile rift: ${name}`, async (t) => {
    assert.equal(await answerOf(t, 'rift', imposter, request), rift);
  });
}

test('no header of a plain answer in profile mountebank begins with x-rift', async (t) => {
  for (const imposter of [is({ body: 'x' }), {}, responses({ inject: 'c => ({})' })]) {
    assert.doesNotMatch(await answerOf(t, 'mountebank', imposter, get()), /x-rift/i);
  }
});

test('profile rift: a preflight is counted, neither recorded nor matched', async (t) => {
  const created = await imposters(t, 'rift').createFrom({ protocol: 'http', allowCORS: true, recordRequests: true });
  await rawExchange(created.port, [send('OPTIONS', '/')], { quietMs: 100 });
  const { numberOfRequests, requests } = created.toJson('full');
  assert.deepEqual([numberOfRequests, requests], [1, []]);
});

test('profile rift: a body that is too large is counted, not recorded; profile mountebank counts what it takes', async (t) => {
  const request = post('x'.repeat(MAX_BODY + 1));
  for (const [profile, counted] of [
    ['rift', 1],
    ['mountebank', 0],
  ] as const) {
    const created = await imposters(t, profile).createFrom({ protocol: 'http', recordRequests: true });
    await rawExchange(created.port, [request]);
    const { numberOfRequests, requests } = created.toJson('full');
    assert.deepEqual([numberOfRequests, requests], [counted, []]);
  }
});

test('an address that is not allowed is not told of limits', async (t) => {
  const { port } = await imposters(t, 'rift', { allows: () => false }).createFrom({ protocol: 'http' });
  const { bytes } = await rawExchange(port, [post('x'.repeat(MAX_BODY + 1))]);
  assert.equal(bytes.length, 0);
});

test('a client that ends in the middle of its body', async (t) => {
  const half = raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 10').concat('half');
  for (const [profile, expected] of [
    ['mountebank', 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'],
    ['rift', error('400', 'bad data', 'Failed to read request body')],
  ] as const) {
    const { port } = await imposters(t, profile).createFrom({ protocol: 'http' });
    const { bytes, end } = await rawExchange(port, [half], { halfClose: true });
    assert.ok(bytes.toString('latin1').endsWith(expected), bytes.toString('latin1'));
    assert.equal(end, 'closed');
  }
});
