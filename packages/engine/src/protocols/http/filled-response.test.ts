// A response with tokens has the same bytes on the fast way as on the general one.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../model/types.js';
import { imposters } from '../../responding/proxy/proxy.test-help.js';
import type { Filling } from '../../responding/types.js';
import type { ImposterCore } from '../types.js';
import { filledBytes } from './filled-response.js';

const ROWS: readonly (readonly [name: string, response: JsonObject, ways: string])[] = [
  [
    'tokens in body and headers',
    { is: { headers: { 'X-P': '<${request.path}>' }, body: '${request.query.q}!' } },
    'fast',
  ],
  ['a value in two places', { is: { body: '${request.path}${request.path}' } }, 'fast'],
  ['tokens in a header alone', { is: { statusCode: 404, headers: { 'X-P': ['a', '${request.path}'] } } }, 'fast'],
  ['tokens in JSON', { is: { body: { a: '${request.path}', b: [1] } } }, 'fast'],
  ['a status as text', { is: { statusCode: '201', body: '${request.path}' } }, 'fast'],
  ['a body that is not ASCII', { is: { body: 'ä${request.path}' } }, 'general'],
  ['a header that is not ASCII', { is: { headers: { 'X-Ä': 'ä' }, body: '${request.path}' } }, 'general'],
  ['a header value that is not ASCII', { is: { headers: { 'X-A': 'ä' }, body: '${request.path}' } }, 'general'],
  ['a value that is not ASCII', { is: { body: '${request.query.u}' } }, 'general'],
  ['a header value that is no header value', { is: { headers: { 'X-U': '${request.query.n}' } } }, 'general'],
  ['a line break in the body', { is: { body: '${request.query.n}' } }, 'fast'],
  ['a header with a line break', { is: { headers: { 'X-A': 'a\r\nb' }, body: '${request.path}' } }, 'general'],
  ['a zero character in the body', { is: { body: '\0${request.path}\u00000\0' } }, 'general'],
  ['an own length', { is: { headers: { 'Content-Length': '3' }, body: '${request.path}' } }, 'general'],
  ['an own date', { is: { headers: { Date: 'never' }, body: '${request.path}' } }, 'general'],
  ['an own connection header', { is: { headers: { Connection: 'close' }, body: '${request.path}' } }, 'general'],
  ['a status without body', { is: { statusCode: 204, body: '${request.path}' } }, 'general'],
  ['a status that nobody knows', { is: { statusCode: 599, body: '${request.path}' } }, 'general'],
  ['a status past 599', { is: { statusCode: 799, body: '${request.path}' } }, 'general'],
  ['a binary body', { is: { _mode: 'binary', body: '${request.body}' } }, 'general'],
];

const TARGET = '/a/b?q=c%20d&u=%CE%A9&n=1%0D%0A2';

/** The answer's bytes, without what must differ. */
function answer(port: number, lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port }, () => {
      // the second request ends the connection
      socket.write(
        `GET ${TARGET} HTTP/1.1\r\nHost: x\r\n${lines}\r\nGET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
    });
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', reject);
    socket.on('end', () => resolve(text.split('HTTP/1.1 200 OK\r\nX-End')[0]));
  });
}

const general = (text: string) => text.replace(/Connection: close\r\n/, '').replace(/Date: .*? GMT/, 'Date: now');

async function serving(t: TestContext, response: JsonObject) {
  const all = imposters(t, 'rift');
  const end = { predicates: [{ equals: { path: '/end' } }], responses: [{ is: { headers: { 'X-End': 'y' } } }] };
  return all.createFrom({ protocol: 'http', stubs: [end, { responses: [response] }] });
}

for (const [name, response, ways] of ROWS) {
  test(`${name}: the ${ways} way`, async (t) => {
    const { port } = await serving(t, response);
    const kept = await answer(port, '');
    const closed = await answer(port, 'Connection: close\r\n');
    assert.equal(general(kept), general(closed));
    assert.ok(kept.startsWith('HTTP/1.1 '));
  });

  test(`${name} is told to go the ${ways} way`, async (t) => {
    const imposter = await serving(t, response);
    const served = imposter.stubs[1].ring.peek()!.compiled.respond({
      fieldNames: () => [],
      field: (field) => ({ path: '/a/b', query: { q: 'c d', u: 'Ω', n: '1\r\n2' }, headers: {}, body: '' })[field],
      toJSON: () => ({}),
      rawBody: Buffer.alloc(0),
      memo: new Map(),
    }) as { readonly filling: Filling };
    const bytes = filledBytes(served.filling, imposter as ImposterCore);
    assert.equal(bytes === undefined ? 'general' : 'fast', ways);
  });
}
