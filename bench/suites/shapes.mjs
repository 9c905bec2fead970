// Every predicate operator on every field: one stub of the shape against 1,000 of them, of which the last answers. Both
// imposters stand in the same process and are measured in slices that alternate, so that the ratio is a matter of the index alone.

import { measureSlices, ratio, summarize } from '../measure.mjs';
import { idle } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';

const N = 1000;
const xml = { 'Content-Type': 'application/xml' };
const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** What a text is for each operator: the operand of stub i, and a text that fits it alone. */
const texts = {
  equals: [(i) => `v-${i}-x`, (i) => `v-${i}-x`],
  deepEquals: [(i) => `v-${i}-x`, (i) => `v-${i}-x`],
  contains: [(i) => `-${i}-`, (i) => `v-${i}-x`],
  startsWith: [(i) => `v-${i}-`, (i) => `v-${i}-x`],
  endsWith: [(i) => `-${i}-x`, (i) => `v-${i}-x`],
  matches: [(i) => `^v-${i}-[a-z]+$`, (i) => `v-${i}-x`],
};

/** What each field is: the operand around a text, and the request around a text. */
const fields = {
  path: [(text) => ({ path: `/${text}` }), (text) => ({ target: `/${text}` })],
  query: [(text) => ({ query: { q: text } }), (text) => ({ target: `/a?q=${text}` })],
  header: [(text) => ({ headers: { 'X-A': text } }), (text) => ({ headers: { 'X-A': text } })],
  'body text': [(text) => ({ body: text }), (text) => ({ body: text, headers: { 'Content-Type': 'text/plain' } })],
  'JSON body': [
    (text) => ({ body: { a: { b: text } } }),
    (text) => ({ body: JSON.stringify({ a: { b: text } }), headers: json }),
  ],
  'JSON array': [
    (text) => ({ body: { a: ['one', text] } }),
    (text) => ({ body: JSON.stringify({ a: ['one', text] }), headers: json }),
  ],
  form: [(text) => ({ form: { f: text } }), (text) => ({ body: `f=${text}`, headers: form })],
  jsonpath: [
    (text) => ({ body: text }),
    (text) => ({ body: JSON.stringify({ a: { b: text } }), headers: json }),
    { jsonpath: { selector: '$.a.b' } },
  ],
  xpath: [
    (text) => ({ body: text }),
    (text) => ({ body: `<a><b>${text}</b></a>`, headers: xml }),
    { xpath: { selector: '//b' } },
  ],
};

const operandOf = (field, text) => (field === 'path' ? { path: text } : fields[field][0](text));

/** The operand; a path begins with a slash, which does not stand where an operator looks for an end or a part. */
function around(operator, field, text) {
  if (field !== 'path' || operator === 'contains' || operator === 'endsWith') return operandOf(field, text);
  return { path: operator === 'matches' ? `^/${text.slice(1)}` : `/${text}` };
}

const shapes = [];
for (const [field, [, request, parameters = {}]] of Object.entries(fields)) {
  for (const [operator, [operand, text]] of Object.entries(texts)) {
    shapes.push({
      name: `${operator}, ${field}`,
      predicate: (i) => ({ [operator]: around(operator, field, operand(i)), ...parameters }),
      request: (i) => request(text(i)),
    });
  }
}
// what exists is a name, so names differ
shapes.push(
  { name: 'equals, method', predicate: (i) => ({ equals: { method: METHODS[i % 5] } }), request: () => ({}), most: 5 },
  {
    name: 'exists, query',
    predicate: (i) => ({ exists: { query: { [`q${i}x`]: true } } }),
    request: (i) => ({ target: `/a?q${i}x=1` }),
  },
  {
    name: 'exists, header',
    predicate: (i) => ({ exists: { headers: { [`X-${i}-X`]: true } } }),
    request: (i) => ({ headers: { [`X-${i}-X`]: '1' } }),
  },
  {
    name: 'exists, JSON body',
    predicate: (i) => ({ exists: { body: { [`f${i}x`]: true } } }),
    request: (i) => ({ body: `{"f${i}x":1}`, headers: json }),
  },
  {
    name: 'exists, form',
    predicate: (i) => ({ exists: { form: { [`f${i}x`]: true } } }),
    request: (i) => ({ body: `f${i}x=1`, headers: form }),
  },
  {
    name: 'equals, jsonpaths differ',
    predicate: (i) => ({ equals: { body: 'v' }, jsonpath: { selector: `$.f${i}x` } }),
    request: (i) => ({ body: `{"f${i}x":"v"}`, headers: json }),
  },
  {
    name: 'exists, xpaths differ',
    predicate: (i) => ({ exists: { body: true }, xpath: { selector: `//n${i}x` } }),
    request: (i) => ({ body: `<a><n${i}x>v</n${i}x></a>`, headers: xml }),
  },
  {
    name: 'exists, xpath attributes differ',
    predicate: (i) => ({ exists: { body: true }, xpath: { selector: `//item[@id='${i}']` } }),
    request: (i) => ({ body: `<a><item id="${i}">v</item></a>`, headers: xml }),
  },
);

/** What every client here sends besides: a comparison of all headers has to know them. */
const ALWAYS = { Host: 'localhost', Connection: 'keep-alive' };

function predicateOf({ predicate }, i) {
  const made = predicate(i);
  const headers = made.deepEquals?.headers;
  return headers ? { ...made, deepEquals: { headers: { ...ALWAYS, ...headers } } } : made;
}

function stubsOf(shape, indexes, last) {
  return indexes.map((i) => ({
    predicates: [predicateOf(shape, i)],
    responses: [{ is: { statusCode: 200, body: i === last ? 'found' : 'another' } }],
  }));
}

export async function run(bench) {
  const { options } = bench;
  const engine = 'node24';
  const wanted = options.scenarios;
  const rows = [];
  const samples = [];
  await bench.withEngines(
    [engine],
    async ([running]) => {
      if (running === undefined) return;
      for (const shape of shapes) {
        if (wanted !== undefined && !wanted.some((part) => shape.name.includes(part))) continue;
        const most = shape.most ?? N;
        const all = Array.from({ length: most }, (_, i) => i);
        const last = most - 1;
        const ask = { method: shape.request(last).body ? 'POST' : 'GET', target: '/a', headers: {}, body: '' };
        const request = { ...ask, ...shape.request(last) };
        request.headers = { ...ALWAYS, ...request.headers };
        if (shape.name.endsWith('method')) request.method = METHODS[last % 5];
        const scenario = { name: shape.name, request, marker: 'found' };
        const points = [
          ['1 stub', [last]],
          [`${most} stubs`, all],
        ].map(([side, indexes]) => ({
          running,
          imposter: { protocol: 'http', name: `${shape.name} ${side}`, stubs: stubsOf(shape, indexes, last) },
          scenario: { ...scenario, name: side },
        }));
        const made = await measureSlices(points, { ...options, warmup: options.warmup / 3 });
        for (const { imposter } of points) await running.release(imposter);
        await idle(running.pid);
        const [one, many] = summarize(made);
        samples.push(...made.map((sample) => ({ shape: shape.name, ...sample })));
        const row = { shape: shape.name, one: one.cpu, many: many.cpu, flat: ratio(made, one, many, 'cpu') };
        rows.push(row);
        console.error(`${row.shape}: ${fixed(row.one)} µs, ${fixed(row.many)} µs, ${fixed(row.flat, 2)}`);
      }
    },
    { needsImposters: true, only: [engine] },
  );
  const body = table(
    ['shape', '1 stub, µs', `${fixed(N, 0)} stubs, µs`, 'requests a CPU-second that are left'],
    rows.map(({ shape, one, many, flat }) => [shape, fixed(one), fixed(many), fixed(flat, 2)]),
  );
  const engines = bench.described([engine]);
  return write({ ...bench, name: 'shapes', title: 'Shapes of predicates', engines, body, data: { samples, rows } });
}
