// Every predicate operator on every field, as a shape: what stub i asks for, and a request that fits stub i alone. Measured over
// the wire by suites/shapes.mjs and without it by matching/shapes.mjs.

const xml = { 'Content-Type': 'application/xml' };
const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
export const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** What every client sends besides: a comparison of all headers has to know them. */
const ALWAYS = { Host: 'localhost', Connection: 'keep-alive' };

/** The predicate of stub i. */
export function predicateOf({ predicate }, i) {
  const made = predicate(i);
  const headers = made.deepEquals?.headers;
  return headers ? { ...made, deepEquals: { headers: { ...ALWAYS, ...headers } } } : made;
}

/** A request that fits stub i alone. */
export function requestOf(shape, i) {
  const asked = shape.request(i);
  const request = { method: shape.request(0).body ? 'POST' : 'GET', target: '/a', body: '', ...asked };
  request.headers = { ...ALWAYS, ...asked.headers };
  if (shape.name.endsWith('method')) request.method = METHODS[i] ?? 'OPTIONS';
  return request;
}

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

/** `most`: how many stubs of the shape there can be. */
export const shapes = [];
for (const [field, [, request, parameters = {}]] of Object.entries(fields)) {
  for (const [operator, [operand, text]] of Object.entries(texts)) {
    shapes.push({
      name: `${operator}, ${field}`,
      predicate: (i) => ({ [operator]: around(operator, field, operand(i)), ...parameters }),
      request: (i) => request(text(i)),
    });
  }
}
for (const [operator, [operand, text]] of Object.entries(texts)) {
  shapes.push({
    name: `${operator}, objects in a JSON array`,
    predicate: (i) => ({ [operator]: { body: { a: [{ b: operand(i) }] } } }),
    request: (i) => ({ body: JSON.stringify({ a: [{ b: text(i) }] }), headers: json }),
  });
}
const jsonpath = (selector) => ({ jsonpath: { selector } });
const xpath = (selector) => ({ xpath: { selector } });
shapes.push(
  {
    name: 'equals, jsonpath with a wildcard',
    predicate: (i) => ({ equals: { body: `v-${i}-x` }, ...jsonpath('$.items[*].name') }),
    request: (i) => ({ body: JSON.stringify({ items: [{ name: `v-${i}-x` }] }), headers: json }),
  },
  {
    name: 'equals, jsonpaths differ behind ..',
    predicate: (i) => ({ equals: { body: 'v' }, ...jsonpath(`$..f${i}x`) }),
    request: (i) => ({ body: `{"a":[{"f${i}x":"v"}]}`, headers: json }),
  },
  {
    name: 'equals, jsonpath filters differ',
    predicate: (i) => ({ equals: { body: 'v' }, ...jsonpath(`$.items[?(@.id=='k${i}')].name`) }),
    request: (i) => ({ body: JSON.stringify({ items: [{ id: `k${i}`, name: 'v' }] }), headers: json }),
  },
  {
    name: 'equals, xpath filters differ',
    predicate: (i) => ({ equals: { body: 'v' }, ...xpath(`//item[@id='${i}']/name`) }),
    request: (i) => ({ body: `<a><item id="${i}"><name>v</name></item></a>`, headers: xml }),
  },
  {
    name: 'exists: false, header (and a path)',
    predicate: (i) => ({ and: [{ exists: { headers: { 'X-A': false } } }, { equals: { path: `/p${i}` } }] }),
    request: (i) => ({ target: `/p${i}` }),
  },
);
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
