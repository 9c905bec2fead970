import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentError, parseDocument } from './document.js';

test('an object with imposters, an array, and one imposter are all a set of imposters', () => {
  const imposter = { port: 6101, protocol: 'http' };
  for (const document of [{ imposters: [imposter] }, [imposter], imposter]) {
    assert.deepEqual(parseDocument(JSON.stringify(document)), { imposters: [imposter] });
  }
});

test('text that begins with neither bracket is YAML', () => {
  const imposter = { port: 3250, protocol: 'http', stubs: [{ responses: [{ is: { body: 'line\n' } }] }] };
  const texts = [
    '- port: 3250\n  protocol: http\n  stubs: [{responses: [{is: {body: "line\\n"}}]}]',
    'imposters:\n- port: 3250\n  protocol: http\n  stubs:\n  - responses:\n    - is:\n        body: |\n          line\n',
    '# a comment\nport: 3250\nprotocol: http\nstubs: [{responses: [{is: {body: "line\\n"}}]}]',
  ];
  for (const text of texts) assert.deepEqual(parseDocument(text), { imposters: [imposter] });
});

test('a byte order mark and blanks before the text are skipped', () => {
  assert.deepEqual(parseDocument('\uFEFF \n [{"port":1}]'), { imposters: [{ port: 1 }] });
});

test('intercept and routes are kept beside imposters and refused elsewhere', () => {
  const document = { imposters: [], intercept: { port: 1 }, routes: { routes: [] } };
  assert.deepEqual(parseDocument(JSON.stringify(document)), document);
  for (const block of ['intercept', 'routes']) {
    assert.throws(
      () => parseDocument(JSON.stringify({ port: 1, protocol: 'http', [block]: {} })),
      new RegExp(`"${block}" stands in a document without "imposters"`),
    );
  }
});

test('text that is no configuration is refused, syntax told apart from shape', () => {
  for (const [text, syntax] of [
    ['{"imposters":', true],
    ['', true],
    ['just words', true],
    ['a: [', true],
    ['imposters: &all [*all]', true],
    ['{"imposters":{}}', false],
    ['mode: sidecar\nlisten: 80\nupstream: x', false],
  ] as const) {
    assert.throws(
      () => parseDocument(text),
      (error: DocumentError) => error instanceof DocumentError && error.syntax === syntax,
      text,
    );
  }
});
