// Of a thousand stubs of one shape a request evaluates the predicates of a few, whatever the operator and the field.
// Counted, not timed; `bench/suites/shapes.mjs` measures the same shapes over the wire.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import { compilePredicate } from './compile.js';
import { Program } from './program.js';
import { fastView } from './testing/fast-view.fixture.js';

const STUBS = 1000;
/** Up to eight candidates are tried rather than told apart further. */
const MOST_EVALUATED = 8;
const context = { encoding: 'utf8', scripts: undefined, logger: silentLogger } as const;
const plain = { method: 'POST', path: '/a', query: {}, headers: {}, body: '', requestFrom: '::1:1', ip: '::1' };

type Shape = [predicate: (i: number) => object, request: (i: number) => object];

/** The operand of stub i for each operator; the text that fits it alone is `v-i-x`. */
const operands: { readonly [operator: string]: (i: number) => string } = {
  equals: (i) => `v-${i}-x`,
  deepEquals: (i) => `v-${i}-x`,
  contains: (i) => `-${i}-`,
  startsWith: (i) => `v-${i}-`,
  endsWith: (i) => `-${i}-x`,
  matches: (i) => `v-${i}-[a-z]+$`,
};
const textOf = (i: number) => `v-${i}-x`;

/** The operand and the request around a text. */
const fields: {
  readonly [field: string]: [around: (text: string) => object, request: (text: string) => object, parameters?: object];
} = {
  query: [(text) => ({ query: { q: text } }), (text) => ({ query: { q: text } })],
  header: [(text) => ({ headers: { 'X-A': text } }), (text) => ({ headers: { 'X-A': text } })],
  'body text': [(text) => ({ body: text }), (text) => ({ body: text })],
  'JSON body': [(text) => ({ body: { a: { b: text } } }), (text) => ({ body: JSON.stringify({ a: { b: text } }) })],
  form: [(text) => ({ form: { f: text } }), (text) => ({ form: { f: text } })],
  jsonpath: [
    (text) => ({ body: text }),
    (text) => ({ body: JSON.stringify({ a: { b: text } }) }),
    { jsonpath: { selector: '$.a.b' } },
  ],
  xpath: [(text) => ({ body: text }), (text) => ({ body: `<a><b>${text}</b></a>` }), { xpath: { selector: '//b' } }],
};

const shapes: { [name: string]: Shape } = {
  'equals, path': [(i) => ({ equals: { path: `/${i}` } }), (i) => ({ path: `/${i}` })],
  'exists, header': [(i) => ({ exists: { headers: { [`X-${i}`]: true } } }), (i) => ({ headers: { [`X-${i}`]: '1' } })],
  'exists, query': [(i) => ({ exists: { query: { [`q${i}`]: true } } }), (i) => ({ query: { [`q${i}`]: '1' } })],
  'exists, JSON body': [(i) => ({ exists: { body: { [`f${i}`]: true } } }), (i) => ({ body: `{"f${i}":1}` })],
  'exists, form': [(i) => ({ exists: { form: { [`f${i}`]: true } } }), (i) => ({ form: { [`f${i}`]: '1' } })],
  'equals, selectors differ (jsonpath)': [
    (i) => ({ equals: { body: 'v' }, jsonpath: { selector: `$.a.f${i}` } }),
    (i) => ({ body: `{"a":{"f${i}":"v"}}` }),
  ],
  'exists, selectors differ (jsonpath)': [
    (i) => ({ exists: { body: true }, jsonpath: { selector: `$.f${i}` } }),
    (i) => ({ body: `{"f${i}":"v"}` }),
  ],
  'equals, selectors differ (xpath)': [
    (i) => ({ equals: { body: 'v' }, xpath: { selector: `/a/n${i}` } }),
    (i) => ({ body: `<a><N${i}>v</N${i}></a>` }),
  ],
  'exists, selectors differ (xpath attribute)': [
    (i) => ({ exists: { body: true }, xpath: { selector: `//item[@id='${i}']` } }),
    (i) => ({ body: `<a><item id="${i}">v</item></a>` }),
  ],
};
for (const operator of ['equals', 'contains', 'startsWith', 'endsWith', 'deepEquals']) {
  shapes[`${operator}, array in a JSON body`] = [
    (i) => ({ [operator]: { body: { a: ['one', operands[operator](i)] } } }),
    (i) => ({ body: JSON.stringify({ a: ['one', textOf(i)] }) }),
  ];
}
for (const [field, [around, request, parameters]] of Object.entries(fields)) {
  for (const [operator, operand] of Object.entries(operands)) {
    shapes[`${operator}, ${field}`] = [
      (i) => ({ [operator]: around(operand(i)), ...parameters }),
      (i) => request(textOf(i)),
    ];
  }
}

for (const [name, [predicate, request]] of Object.entries(shapes)) {
  test(`a thousand stubs of the shape "${name}" cost a request a few evaluations`, () => {
    let evaluated = 0;
    const stubs = Array.from({ length: STUBS }, (_, i) => {
      const compiled = compilePredicate(predicate(i), context);
      const counting = {
        ...compiled,
        test: (view: Parameters<typeof compiled.test>[0]) => {
          evaluated++;
          return compiled.test(view);
        },
      };
      return { i, predicates: [counting] };
    });
    const program = Program.of(stubs);
    for (const i of [0, STUBS / 2, STUBS - 1]) {
      evaluated = 0;
      const found = program.match(fastView({ ...plain, ...request(i) }));
      assert.equal((found as { i: number }).i, i);
      assert.ok(evaluated <= MOST_EVALUATED, `${evaluated} predicates evaluated`);
    }
  });
}
