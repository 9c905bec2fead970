// Behaviors: wait, copy, lookup, decorate, shellTransform, alone and one after the other.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '../model/types.js';
import { type DifferentialCase, get, is, post, usual } from './case.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'rift-differential-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const csv = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const CITIES = csv('cities.csv', 'code,city,temp\nOSL,Oslo,4\nBER,Berlin,9\nX1,"Washington, DC",20\n');
const SEMI = csv('semi.csv', 'code;city\nOSL;Oslo\n');

const regex = (selector: string, more: JsonObject = {}): JsonObject => ({ method: 'regex', selector, ...more });
const copy = (from: Json, into: string, using: JsonObject): JsonObject => ({ copy: { from, into, using } });
const lookup = (key: JsonObject, source: JsonObject): JsonObject => ({
  lookup: { key, fromDataSource: { csv: source }, into: '${r}' },
});

interface Row {
  readonly name: string;
  readonly is: JsonObject;
  readonly behaviors: readonly JsonObject[];
  readonly requests: readonly string[];
  readonly fix?: string;
  readonly ours?: readonly string[];
}

const EVERY = '${r}[city] ${r}[\'temp\'] ${r}["code"] ${r}[nope]';
const word = regex('\\w+');
const last = { from: 'path', using: regex('\\w+$') };
const cities = { path: CITIES, keyColumn: 'code' };

const rows: readonly Row[] = [
  {
    name: 'copy into status, header name, header value and body',
    is: { statusCode: '$C', headers: { 'X-$C': 'v$C' }, body: '$C|$C[0]|$C[1]|$C[2]' },
    behaviors: [copy('path', '$C', regex('(\\d)(\\d)\\d'))],
    requests: [get('/s/404')],
  },
  {
    name: 'copy: without a match tokens stay',
    is: { body: '<$C[1]>' },
    behaviors: [copy('path', '$C', regex('\\d+'))],
    requests: [get('/none')],
  },
  {
    name: 'copy: the first of repeated headers',
    is: { body: '$H' },
    behaviors: [copy({ headers: 'x-id' }, '$H', regex('.+'))],
    requests: [get('/', 'X-ID: one', 'X-ID: two')],
  },
  {
    name: 'copy: the first of repeated parameters',
    is: { body: '$Q' },
    behaviors: [copy({ query: 'K' }, '$Q', regex('.+'))],
    requests: [get('/?k=1&k=2')],
  },
  {
    name: 'copy from a form',
    is: { body: '$Q' },
    behaviors: [copy({ form: 'n' }, '$Q', regex('.+'))],
    requests: [post('n=a+b', 'Content-Type: application/x-www-form-urlencoded')],
  },
  {
    name: 'copy: the field without case',
    is: { body: '$M' },
    behaviors: [copy('METHOD', '$M', regex('.+'))],
    requests: [get()],
  },
  {
    name: 'copy: an expression without case',
    is: { body: '$X' },
    behaviors: [copy('path', '$X', regex('ABC', { options: { ignoreCase: true } }))],
    requests: [get('/xabc'), get('/ABC')],
  },
  {
    name: 'copy: an expression over several lines',
    is: { body: '$X' },
    behaviors: [copy('body', '$X', regex('^b.$', { options: { multiline: true } }))],
    requests: [post('a\nbc\nd')],
  },
  {
    name: 'copy by JSONPath',
    is: { body: '$J $J[1] $J[2]' },
    behaviors: [copy('body', '$J', { method: 'jsonpath', selector: '$..t' })],
    requests: [post('{"a":[{"t":"x"},{"t":2},{"t":null}]}'), post('nope'), get()],
  },
  {
    name: 'copy by JSONPath folds no case',
    is: { body: '$J' },
    behaviors: [copy('body', '$J', { method: 'jsonpath', selector: '$.T' })],
    requests: [post('{"t":"low","T":"UP"}')],
  },
  {
    name: 'copy by XPath',
    is: { body: '$T $T[1]' },
    behaviors: [copy('body', '$T', { method: 'xpath', selector: '//p:t/@k', ns: { p: 'urn:x' } })],
    requests: [post('<r xmlns:z="urn:x"><z:t k="1"/><z:t k="2"/></r>'), post('zzz')],
  },
  {
    name: 'copy into keys and nested values of an object body',
    is: { body: { k$V: 'v$V', l: ['$V', { z: '$V' }], n: 5 } },
    behaviors: [copy('path', '$V', word)],
    requests: [get('/q')],
  },
  {
    name: 'copies work one after the other on what is there',
    is: { body: 'A' },
    behaviors: [copy('path', 'A', word), copy('method', 'B', regex('.+'))],
    requests: [get('/B')],
  },
  {
    name: 'copy in the mode and with a binary body',
    is: { _mode: '$M', body: 'AQID' },
    behaviors: [copy('path', '$M', word)],
    requests: [get('/binary')],
  },
  {
    name: 'copy of a header that is not there',
    is: { body: '$H' },
    behaviors: [copy({ headers: 'nope' }, '$H', regex('.+'))],
    requests: [get()],
    fix: 'F23',
    ours: [usual('200 OK', [], '$H')],
  },
  {
    name: 'copy of a group that took no part',
    is: { body: '<$H[1]>' },
    behaviors: [copy('path', '$H', regex('(a)|b'))],
    requests: [get('/b')],
    fix: 'F23',
    ours: [usual('200 OK', [], '<>')],
  },
  {
    name: 'copy of an object is compact JSON',
    is: { body: '$J' },
    behaviors: [copy('body', '$J', { method: 'jsonpath', selector: '$.a' })],
    requests: [post('{"a":{"b":[1]}}')],
    fix: 'F23',
    ours: [usual('200 OK', [], '{"b":[1]}')],
  },
  // --- lookup
  {
    name: 'lookup: every spelling of a column',
    is: { body: EVERY },
    behaviors: [lookup(last, cities)],
    requests: [get('/w/OSL'), get('/w/X1'), get('/w/osl')],
  },
  {
    name: 'lookup into the status',
    is: { statusCode: '20${r}[temp]', body: 'b' },
    behaviors: [lookup(last, cities)],
    requests: [get('/OSL')],
  },
  {
    name: 'lookup by a group',
    is: { body: EVERY },
    behaviors: [lookup({ from: 'path', using: regex('/(\\w+)/'), index: 1 }, cities)],
    requests: [get('/BER/x')],
  },
  {
    name: 'lookup by a group that is not there',
    is: { body: EVERY },
    behaviors: [lookup({ from: 'path', using: regex('/(\\w+)/'), index: 9 }, cities)],
    requests: [get('/BER/x')],
  },
  {
    name: 'lookup with another delimiter',
    is: { body: '${r}[city]' },
    behaviors: [lookup(last, { path: SEMI, keyColumn: 'code', delimiter: ';' })],
    requests: [get('/OSL')],
  },
  {
    name: 'lookup in a file that is not there',
    is: { body: '${r}[city]' },
    behaviors: [lookup(last, { path: join(folder, 'missing.csv'), keyColumn: 'code' })],
    requests: [get('/OSL')],
  },
  {
    name: 'lookup by a column that is not there',
    is: { body: '${r}[city]' },
    behaviors: [lookup(last, { path: CITIES, keyColumn: 'CODE' })],
    requests: [get('/OSL')],
  },
  {
    name: 'lookup by JSONPath',
    is: { body: '${r}[city]' },
    behaviors: [lookup({ from: 'body', using: { method: 'jsonpath', selector: '$.c' } }, cities)],
    requests: [post('{"c":"BER"}')],
  },
  // --- decorate
  {
    name: 'decorate changes the response in place, for one request',
    is: { body: 'x' },
    behaviors: [{ decorate: 'c => { c.response.body += c.request.path; }' }],
    requests: [get('/p'), get('/p')],
  },
  {
    name: 'decorate in the old form',
    is: { body: 'x' },
    behaviors: [{ decorate: '(request, response, logger) => { response.body += request.method; }' }],
    requests: [get()],
  },
  {
    name: 'decorate gives a new response',
    is: { body: 'x' },
    behaviors: [{ decorate: "c => ({ statusCode: 202, body: 'new' })" }],
    requests: [get()],
  },
  {
    name: 'decorate gives a promise',
    is: { body: 'x' },
    behaviors: [{ decorate: "async c => ({ body: 'p' })" }],
    requests: [get()],
  },
  { name: 'decorate gives false', is: { body: 'x' }, behaviors: [{ decorate: 'c => false' }], requests: [get()] },
  {
    name: 'decorate does not change the request for later steps',
    is: { body: 'x' },
    behaviors: [
      { decorate: "c => { c.request.path = '/other'; }" },
      { decorate: 'c => { c.response.body = c.request.path; }' },
    ],
    requests: [get('/orig')],
  },
  {
    name: 'decorate has the state',
    is: { body: 'x' },
    behaviors: [{ decorate: 'c => { c.state.n = (c.state.n || 0) + 1; c.response.body += c.state.n; }' }],
    requests: [get(), get()],
  },
  {
    name: 'decorate before copy',
    is: { body: '${v}' },
    behaviors: [{ decorate: "c => { c.response.body += '!${v}'; }" }, copy('path', '${v}', word)],
    requests: [get('/q')],
  },
  {
    name: 'copy before decorate',
    is: { body: '${v}' },
    behaviors: [copy('path', '${v}', word), { decorate: "c => { c.response.body += '!${v}'; }" }],
    requests: [get('/q')],
  },
  {
    name: 'the length is that of the decorated body',
    is: { body: 'abc', headers: { 'Content-Length': 3 } },
    behaviors: [{ decorate: "c => { c.response.body = 'longer text'; }" }],
    requests: [get()],
  },
  {
    name: 'decorate works before the defaults are merged',
    is: {},
    behaviors: [{ decorate: 'c => { c.response.body = JSON.stringify(Object.keys(c.response)); }' }],
    requests: [get()],
  },
  // --- shellTransform
  {
    name: 'shellTransform',
    is: { body: 'x' },
    behaviors: [{ shellTransform: 'echo \'{"body":"from shell"}\' #' }],
    requests: [get()],
  },
  {
    name: 'shellTransform has the request in its environment',
    is: { body: 'x' },
    behaviors: [{ shellTransform: 'echo "{\\"body\\":\\"len $(printf %s "$MB_REQUEST" | head -c 12 | wc -c)\\"}" #' }],
    requests: [get()],
  },
  {
    name: 'shellTransform that prints no JSON',
    is: { body: 'x' },
    behaviors: [{ shellTransform: 'echo plain #' }],
    requests: [get()],
  },
  {
    name: 'shellTransform that prints nothing',
    is: { body: 'x' },
    behaviors: [{ shellTransform: 'true #' }],
    requests: [get()],
  },
  {
    name: 'shellTransforms one after the other',
    is: { body: 'x' },
    behaviors: [
      { shellTransform: 'echo \'{"body":"1"}\' #' },
      { shellTransform: 'echo "$MB_RESPONSE" | sed s/1/2/ #' },
    ],
    requests: [get()],
  },
  // --- wait
  { name: 'wait of some milliseconds', is: { body: 'x' }, behaviors: [{ wait: 30 }], requests: [get()] },
  {
    name: 'waits add up',
    is: { body: 'x' },
    behaviors: [{ wait: 10 }, { wait: '10' }, { wait: '() => 10' }],
    requests: [get()],
  },
  {
    name: 'a wait that throws',
    is: { body: 'x' },
    behaviors: [{ wait: "() => { throw new Error('w'); }" }],
    requests: [get()],
  },
  { name: 'a wait that is no function', is: { body: 'x' }, behaviors: [{ wait: '() =>' }], requests: [get()] },
];

export const behaviors: readonly DifferentialCase[] = [
  ...rows.map(
    ({ name, is: response, behaviors, requests, fix, ours }): DifferentialCase => ({
      name,
      imposter: is(response, { behaviors: behaviors as JsonObject[] }),
      requests,
      mayMark: true,
      // `matches` shows own headers as the stub has them: `match-headers`
      ...(fix !== undefined ? { fix, ours } : response.headers === undefined ? { after: true } : {}),
    }),
  ),
  {
    name: 'two copies in the old form',
    imposter: is(
      { body: '$A $B' },
      {
        _behaviors: {
          copy: [
            { from: 'path', into: '$A', using: word },
            { from: 'method', into: '$B', using: regex('.+') },
          ],
        },
      },
    ),
    requests: [get('/q')],
    after: true,
  },
  {
    name: 'the old form has an order of its own: copy before decorate',
    imposter: is(
      { body: '${v}' },
      {
        _behaviors: {
          decorate: "c => { c.response.body += '!${v}'; }",
          copy: { from: 'path', into: '${v}', using: word },
        },
      },
    ),
    requests: [get('/q')],
    after: true,
  },
  {
    name: 'copy of an inject answer',
    imposter: {
      stubs: [{ responses: [{ inject: "c => ({ body: '${x}' })", behaviors: [copy('path', '${x}', word)] }] }],
    },
    requests: [get('/q')],
    after: true,
  },
  {
    name: 'repeat as a behavior is accepted',
    imposter: { stubs: [{ responses: [{ is: { body: 'a' }, behaviors: [{ repeat: 2 }] }, { is: { body: 'b' } }] }] },
    requests: [get(), get(), get()],
    fix: 'repeat-behavior',
    ours: ['a', 'a', 'b'].map((body) => usual('200 OK', [], body)),
  },
  {
    name: 'an unknown behavior is refused',
    imposter: is({}, { behaviors: [{ nonsense: 1 }] }),
    requests: [],
  },
];
