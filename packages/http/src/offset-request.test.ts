import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderBlock } from './header-block.js';
import { OffsetRequest } from './offset-request.js';
import type { WireConnection } from './types.js';

function requestOf(lines: readonly string[], body = '', block?: HeaderBlock): OffsetRequest {
  const start = 'POST / HTTP/1.1\r\n';
  const head = `${start}${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
  const bytes = Buffer.from(head + body, 'latin1');
  const connection = {} as WireConnection;
  const none = Buffer.alloc(0);
  return new OffsetRequest(connection, 'POST', 1, true, bytes, 5, 6, start.length, head.length, none, -1, block);
}

const lines = [
  'Host: here',
  'X-One:1',
  'x-one-more: \t more \t ',
  'X-Empty:',
  'X-TWICE: first',
  'x-blank:   ',
  'x-twice: second',
  'X: a: b',
  'X-Last: \xff',
];
const wanted: readonly (readonly [name: string, value: string | undefined, repeats: boolean])[] = [
  ['host', 'here', false],
  ['x-one', '1', false],
  ['x-one-more', 'more', false],
  ['x-empty', '', false],
  ['x-twice', 'first', true],
  ['x-blank', '', false],
  ['x', 'a: b', false],
  ['x-last', '\xff', false],
  ['x-none', undefined, false],
  ['last', undefined, false],
  ['x-body', undefined, false],
  ['x: a', undefined, false],
  ['x-one:1\r\nx-one-more', undefined, false],
  ['', undefined, false],
];

test('a header is found by its name, whichever was asked for before', () => {
  for (const first of wanted) {
    for (const second of wanted) {
      for (const listed of [false, true]) {
        const request = requestOf(lines, 'x-body: 1\r\n\r\n');
        if (listed) assert.equal(request.rawHeaders.length, 2 * lines.length);
        for (const [name, value, repeats] of [first, second, first]) {
          assert.equal(request.header(name), value, name);
          assert.equal(request.repeats(name), repeats, name);
        }
      }
    }
  }
});

test('all header lines are visited by lower-case name, and only wanted values are made', () => {
  const seen: string[] = [];
  requestOf(['A: 1', 'x-B:  two ', 'a: 2', 'C:']).visitHeaders({
    name(name) {
      seen.push(name);
      return name !== 'x-b';
    },
    text: (value) => seen.push(`= ${value}`),
  });
  assert.deepEqual(seen, ['a', '= 1', 'x-b', 'a', '= 2', 'c', '= ']);
});

test('a name that is there three times repeats, and its first value counts', () => {
  const request = requestOf(['A: 1', 'a: 2', 'B: 3', 'A: 4']);
  assert.equal(request.header('a'), '1');
  assert.equal(request.repeats('a'), true);
  assert.equal(request.repeats('b'), false);
});

test('requests with the same lines share what was found in them', () => {
  const read = { contentLength: -1, chunked: false, keepAlive: true, expectation: 0, hasHost: true, names: -1 };
  const block = new HeaderBlock(Buffer.alloc(0), { ...read, lines: lines.length, counted: 0 });
  const first = requestOf(lines, '', block);
  for (let time = 0; time < 2; time++) {
    for (const [name, value, repeats] of wanted) {
      const request = requestOf(lines, '', block);
      assert.equal(request.header(name), value, name);
      assert.equal(request.repeats(name), repeats, name);
    }
  }
  assert.equal(requestOf(lines, '', block).rawHeaders, first.rawHeaders);
  const many = Array.from({ length: 40 }, (_, number) => `x-${number}`);
  const request = requestOf(
    [...lines, ...many.map((name) => `${name}: ${name}!`)],
    '',
    new HeaderBlock(Buffer.alloc(0), block.read),
  );
  for (let time = 0; time < 2; time++) for (const name of many) assert.equal(request.header(name), `${name}!`);
});
