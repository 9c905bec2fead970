import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FamilyVisitor } from '@rift-ts/classifier';
import { KnownText, type WireRequest } from '@rift-ts/http';
import { Random, seedOfRun } from '../../matching/testing/random.fixture.js';
import { HttpRequestView } from './request-view.js';

/** A request as the wire layer gives it; headers as name, value, name, value. */
function view(target: string, headers: string[] = [], body = '', decoded: Buffer | undefined = Buffer.from(body)) {
  const wire = {
    method: 'POST',
    target,
    knownTarget: new KnownText(target),
    rawHeaders: headers,
    header: (name: string) => headers[headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name) + 1],
    visitHeaders: (visitor: FamilyVisitor) => {
      for (let i = 0; i < headers.length; i += 2) {
        if (visitor.name(headers[i].toLowerCase())) visitor.text(headers[i + 1]);
      }
    },
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

/** What is visited, of the names that are wanted. */
function visited(visit: (visitor: FamilyVisitor) => void, unwanted = ''): string[][] {
  const seen: string[][] = [];
  let asked = '';
  visit({
    name: (name) => {
      asked = name;
      return unwanted === '' || name !== unwanted;
    },
    text: (text) => seen.push([asked, text]),
  });
  return seen;
}

test('headers, parameters and form fields are visited by folded name, those too that another case hides', () => {
  const request = view(
    '/?Page=1&q=A%20b&page=2&x',
    ['X-A', 'B', 'x-a', 'C', 'Content-Type', 'application/x-www-form-urlencoded'],
    'F=1&F=2&g=',
  );
  assert.deepEqual(
    visited((visitor) => request.visitHeaders(visitor), 'content-type'),
    [
      ['x-a', 'B'],
      ['x-a', 'C'],
    ],
  );
  assert.deepEqual(
    visited((visitor) => request.visitQuery(visitor)),
    [
      ['page', '1'],
      ['q', 'A b'],
      ['page', '2'],
      ['x', ''],
    ],
  );
  assert.deepEqual(
    visited((visitor) => request.visitForm(visitor)),
    [
      ['f', '1'],
      ['f', '2'],
      ['g', ''],
    ],
  );
  assert.deepEqual(request.foldedForm('f'), ['1', '2']);
  assert.equal(request.foldedForm('h'), undefined);
});

test('a query is visited as it is taken apart, whatever stands in it', () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  for (let run = 0; run < 3000; run++) {
    const query = Array.from({ length: random.below(12) }, () => random.pick([...'aAb=&=&%+?1é'])).join('');
    const request = view(`/?${query}`);
    const expected = Object.entries(request.query).flatMap(([name, texts]) =>
      [texts].flat().map((text) => [name.toLowerCase(), text]),
    );
    const seen = visited((visitor) => request.visitQuery(visitor));
    assert.deepEqual(seen.sort(), expected.sort(), `${query} RIFT_SEED=${seed}`);
    for (const [name] of expected) {
      const texts = [request.foldedQuery(name)].flat();
      const all = seen.filter(([other]) => other === name).map(([, text]) => text);
      assert.ok(
        texts.every((text) => all.includes(text as string)),
        `${query} RIFT_SEED=${seed}`,
      );
    }
  }
});

test('a body that is no form has no form fields', () => {
  for (const headers of [[], ['Content-Type', 'text/plain']]) {
    const request = view('/', headers, 'f=1');
    assert.equal(request.hasForm, false);
    assert.equal(request.foldedForm('f'), undefined);
    assert.deepEqual(
      visited((visitor) => request.visitForm(visitor)),
      [],
    );
  }
});

test('what is made of a form for predicates is not what others are given', () => {
  const headers = ['Content-Type', 'application/x-www-form-urlencoded'];
  const request = view('/', headers, 'shared=1');
  assert.equal(request.foldedForm('shared'), '1');
  request.form!.shared = 'changed';
  assert.equal(request.foldedForm('shared'), '1');
});
