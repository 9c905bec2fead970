import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownText, type WireRequest } from '@rift-ts/http';
import { HttpRequestView } from './request-view.js';

/** A request as the wire layer gives it; headers as name, value, name, value. */
function view(target: string, headers: string[] = [], body = '', decoded: Buffer | undefined = Buffer.from(body)) {
  const wire = {
    method: 'POST',
    target,
    knownTarget: new KnownText(target),
    rawHeaders: headers,
    header: (name: string) => headers[headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name) + 1],
    repeats: (name: string) => headers.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length > 1,
    body: Buffer.from(body),
    connection: { remoteAddress: '::1', remotePort: 9, localPort: 1, encrypted: false, data: undefined },
  };
  // a header that is not there
  const header = wire.header;
  wire.header = (name) =>
    headers.some((text, i) => i % 2 === 0 && text.toLowerCase() === name) ? header(name) : undefined!;
  return new HttpRequestView(wire as unknown as WireRequest, decoded);
}

test('the fields stand in Mountebank’s order, and form only where there is one', () => {
  const form = view('/a?b=1', ['Content-Type', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'], 'k=v&k=w');
  assert.equal(
    JSON.stringify(form),
    '{"requestFrom":"::1:9","method":"POST","path":"/a","query":{"b":"1"},' +
      '"headers":{"Content-Type":"Application/X-WWW-Form-Urlencoded; charset=utf-8"},' +
      '"body":"k=v&k=w","ip":"::1","form":{"k":["v","w"]}}',
  );
  assert.deepEqual(view('/', ['Content-Type', 'text/plain'], 'k=v').fieldNames().includes('form'), false);
});

test('a body that could not be decoded is no field', () => {
  const broken = view('/', ['Content-Encoding', 'gzip'], 'abc');
  const missing = new HttpRequestView(broken.wire, undefined);
  assert.equal(missing.field('body'), undefined);
  assert.equal('body' in missing.toJSON(), false);
  assert.equal(missing.rawBody.toString(), 'abc');
});

test('values of one spelling collect, other spellings are other names, the one that came first last counts folded', () => {
  const request = view('/', ['X-A', '1', 'x-a', '2', 'X-A', '3', 'X-B', '4']);
  assert.deepEqual({ ...request.headers }, { 'X-A': ['1', '3'], 'x-a': '2', 'X-B': '4' });
  assert.equal(request.foldedHeader('x-a'), '2');
  assert.equal(request.foldedHeader('x-b'), '4');
  assert.equal(request.foldedHeader('x-c'), undefined);
});

test('an empty first value of a repeated header is kept', () => {
  assert.deepEqual(view('/', ['X', '', 'X', 'z']).headers.X, ['', 'z']);
});

test('names like __proto__ are ordinary names', () => {
  const request = view('/?__proto__=q', ['__proto__', 'a', 'constructor', 'b']);
  assert.equal(JSON.stringify(request.headers), '{"__proto__":"a","constructor":"b"}');
  assert.equal(request.foldedHeader('__proto__'), 'a');
  assert.equal(request.foldedQuery('__proto__'), 'q');
  assert.equal(request.foldedQuery('constructor'), undefined);
});

test('a parameter is found by its folded name, also where folding changes the length', () => {
  const request = view('/?%C4%B0=dot&Q=1');
  assert.equal(request.foldedQuery('İ'.toLowerCase()), 'dot');
  assert.equal(request.foldedQuery('q'), '1');
});

test('a header of any case is found without the map, and repeated ones count as in it', () => {
  const request = view('/', ['X-A', '1', 'x-b', '2', 'X-B', '3', 'X-C', '4', 'X-C', '5']);
  assert.equal(request.foldedHeader('x-a'), '1');
  assert.equal(request.foldedHeader('x-b'), '3');
  assert.deepEqual(request.foldedHeader('x-c'), ['4', '5']);
  assert.equal(request.foldedHeader('x-d'), undefined);
});

test('headers are visited by folded name as the map has them, unless a name is repeated', () => {
  const visited = (headers: string[], foldValues: boolean): [boolean, string[][]] => {
    const seen: string[][] = [];
    const done = view('/', headers).visitHeaders(foldValues, (name, value) => seen.push([name, value]));
    return [done, seen];
  };
  const headers = ['Host', 'A.example', 'X-One', '', '__proto__', 'B'];
  assert.deepEqual(visited(headers, false), [
    true,
    [
      ['host', 'A.example'],
      ['x-one', ''],
      ['__proto__', 'B'],
    ],
  ]);
  assert.deepEqual(visited(headers, true)[1][2], ['__proto__', 'b']);
  assert.deepEqual(visited([...headers, 'HOST', 'again'], false), [false, []]);
  assert.deepEqual(
    visited(
      Array.from({ length: 102 }, (_, at) => `x${at}`),
      false,
    ),
    [false, []],
  );
});
