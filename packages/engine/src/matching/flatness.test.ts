// Of a thousand stubs of one shape a request evaluates the predicates of a few, whatever the operator and the field.
// Counted, not timed; `bench/suites/shapes.mjs` measures the same shapes over the wire.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import type { RequestView } from '../request-view.js';
import { FlowIdSource } from '../state/flow-id.js';
import { compilePredicate } from './compile.js';
import { flowCondition } from './condition.js';
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
  'equals, one selector with a wildcard (jsonpath)': [
    (i) => ({ equals: { body: textOf(i) }, jsonpath: { selector: '$.items[*].name' } }),
    (i) => ({ body: JSON.stringify({ items: [{ name: textOf(i) }] }) }),
  ],
  'equals, selectors differ behind .. (jsonpath)': [
    (i) => ({ equals: { body: 'v' }, jsonpath: { selector: `$..f${i}` } }),
    (i) => ({ body: `{"a":[{"f${i}":"v"}]}` }),
  ],
  'equals, positions differ (jsonpath)': [
    (i) => ({ equals: { body: textOf(i) }, jsonpath: { selector: `$.items[${i}].name` } }),
    (i) => ({ body: JSON.stringify({ items: [...Array(i).fill(0), { name: textOf(i) }] }) }),
  ],
  'matches, positions at the end differ (jsonpath)': [
    (i) => ({ matches: { body: `^${textOf(i)}$` }, jsonpath: { selector: `$.items[${i}]` } }),
    (i) => ({ body: JSON.stringify({ items: [...Array(i).fill(0), textOf(i)] }) }),
  ],
  'equals, values of filters differ (jsonpath)': [
    (i) => ({ equals: { body: 'v' }, jsonpath: { selector: `$.items[?(@.id=='${textOf(i)}')].name` } }),
    (i) => ({ body: JSON.stringify({ items: [{ id: textOf(i), name: 'v' }] }) }),
  ],
  'exists, numbers in filters differ (jsonpath)': [
    (i) => ({ exists: { body: true }, jsonpath: { selector: `$..[?(@.id == ${i + 1} && @.name)]` } }),
    (i) => ({ body: JSON.stringify({ items: [{ id: i + 1, name: 'v' }] }) }),
  ],
  'equals, values of filters differ (xpath)': [
    (i) => ({ equals: { body: 'v' }, xpath: { selector: `//item[@id='${i}']/name` } }),
    (i) => ({ body: `<a><item id="${i}"><name>v</name></item></a>` }),
  ],
  'equals, positions differ (xpath)': [
    (i) => ({ equals: { body: textOf(i) }, xpath: { selector: `//item[${i + 1}]` } }),
    (i) => ({ body: `<a>${'<item>x</item>'.repeat(i)}<item>${textOf(i)}</item></a>` }),
  ],
  'equals, inner elements differ (xpath)': [
    (i) => ({ equals: { body: 'v' }, xpath: { selector: `/a/n${i}/b/text()` } }),
    (i) => ({ body: `<a><n${i}><b>v</b></n${i}></a>` }),
  ],
  'exists, selectors differ (xpath attribute)': [
    (i) => ({ exists: { body: true }, xpath: { selector: `//item[@id='${i}']` } }),
    (i) => ({ body: `<a><item id="${i}">v</item></a>` }),
  ],
};
for (const operator of Object.keys(operands)) {
  shapes[`${operator}, array in a JSON body`] = [
    (i) => ({ [operator]: { body: { a: ['one', operands[operator](i)] } } }),
    (i) => ({ body: JSON.stringify({ a: ['one', textOf(i)] }) }),
  ];
  shapes[`${operator}, objects in an array in a JSON body`] = [
    (i) => ({ [operator]: { body: { a: [{ b: operands[operator](i) }] } } }),
    (i) => ({ body: JSON.stringify({ a: [{ b: textOf(i) }] }) }),
  ];
  shapes[`${operator}, a JSON body that is an array`] = [
    // operands are sorted, and these arrays are compared position by position
    (i) => ({ [operator]: { body: ['!!', operands[operator](i)] } }),
    (i) => ({ body: JSON.stringify(['!!', textOf(i)]) }),
  ];
  shapes[`${operator}, a JSON body that is an array of objects`] = [
    (i) => ({ [operator]: { body: [{ b: operands[operator](i) }] } }),
    (i) => ({ body: JSON.stringify([{ b: textOf(i) }]) }),
  ];
}
/** What asks for something to be absent, a request without it, and one with it. */
const absences: { readonly [field: string]: [operand: object, without: object, having: object] } = {
  header: [{ headers: { 'X-A': false } }, {}, { headers: { 'X-A': '1' } }],
  query: [{ query: { q: false } }, {}, { query: { q: '1' } }],
  'body text': [{ body: false }, {}, { body: '1' }],
  'JSON body': [{ body: { a: false } }, { body: '{}' }, { body: '{"a":1}' }],
  form: [{ form: { f: false } }, { form: { g: '1' } }, { form: { f: '1' } }],
};
for (const [field, [operand, without]] of Object.entries(absences)) {
  shapes[`exists: false, ${field}`] = [
    (i) => ({ and: [{ exists: operand }, { equals: { path: `/${i}` } }] }),
    (i) => ({ path: `/${i}`, ...without }),
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

/** Stubs of a shape, and how many of their predicates were evaluated. */
function counted(predicate: (i: number) => object) {
  const work = { evaluated: 0 };
  const stubs = Array.from({ length: STUBS }, (_, i) => {
    const compiled = compilePredicate(predicate(i), context);
    const test: typeof compiled.test = (view) => {
      work.evaluated++;
      return compiled.test(view);
    };
    return { i, predicates: [{ ...compiled, test }] };
  });
  return { program: Program.of(stubs), work };
}

for (const [name, [predicate, request]] of Object.entries(shapes)) {
  test(`a thousand stubs of the shape "${name}" cost a request a few evaluations`, () => {
    const { program, work } = counted(predicate);
    // the last request fits none
    for (const i of [0, STUBS / 2, STUBS - 1, STUBS + 1]) {
      work.evaluated = 0;
      const found = program.match(fastView({ ...plain, ...request(i) }));
      assert.equal((found as { i: number } | undefined)?.i, i < STUBS ? i : undefined);
      assert.ok(work.evaluated <= MOST_EVALUATED, `${work.evaluated} predicates evaluated`);
    }
  });
}

for (const [field, [operand, without, having]] of Object.entries(absences)) {
  test(`a thousand stubs that ask for an absent ${field} cost a request that has it a few evaluations`, () => {
    const { program, work } = counted(() => ({ exists: operand }));
    assert.equal((program.match(fastView({ ...plain, ...without })) as { i: number }).i, 0);
    work.evaluated = 0;
    assert.equal(program.match(fastView({ ...plain, ...having })), undefined);
    assert.ok(work.evaluated <= MOST_EVALUATED, `${work.evaluated} predicates evaluated`);
  });
}

test('a thousand spaces with the same predicates cost a request the gates and predicates of a few stubs', () => {
  const flows = new FlowIdSource('header:X-Space');
  let asked = 0;
  const stubs = Array.from({ length: STUBS }, (_, i) => ({
    i,
    predicates: [compilePredicate({ equals: { path: '/a' } }, context)],
    gateCondition: flowCondition('x-space', `s${i}`),
    gate: (view: RequestView) => {
      asked++;
      return flows.of(view, 4545) === `s${i}`;
    },
  }));
  const port = { ...stubs[0], i: STUBS, gateCondition: flowCondition('x-space', '4545') };
  const global = { i: STUBS + 1, predicates: stubs[0].predicates };
  const program = Program.of([
    ...stubs,
    { ...port, gate: (view: RequestView) => flows.of(view, 4545) === '4545' },
    global,
  ]);
  const found = (headers: object) => program.match(fastView({ ...plain, headers })) as { i: number };
  for (const i of [0, STUBS / 2, STUBS - 1]) {
    asked = 0;
    assert.equal(found({ 'x-SPACE': `s${i}` }).i, i);
    assert.ok(asked <= MOST_EVALUATED, `${asked} gates asked`);
  }
  assert.equal(found({}).i, STUBS);
  assert.equal(found({ 'X-Space': '4545' }).i, STUBS);
  assert.equal(found({ 'X-Space': 'another' }).i, STUBS + 1);
});
