// Nanoseconds a search, for each shape of rules and number of rules, beside what the index looked at.
//   npm run build && node bench/classifier/shapes.mjs [--most=1000000] [--shape=PART]
// Inputs ask for rules spread over the whole list; every fourth fits none. The caller's own predicate is not part of it:
// candidates are accepted by comparing a number. Build time includes the first search. Runs on Node and Bun.
import { RuleIndex } from '../../packages/classifier/dist/index.js';

const option = (name, usual) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const most = Number(option('most', 100_000));
const part = option('shape', '');

const family = (input, name) => input[name];
const access = {
  extractor: ({ family: name, name: member }) =>
    name === 'header' || name === 'json' ? (input) => family(input, name)?.[member] : (input) => input[name],
  enumerator: (name) =>
    name === 'header' || name === 'json'
      ? (input, visitor) => {
          const members = input[name];
          for (const member in members) if (visitor.name(member)) visitor.text(members[member]);
        }
      : undefined,
  cost: ({ family: name }) => ({ method: 0, path: 0, header: 1, query: 2, body: 3, json: 4 })[name] ?? 1,
};

const test = (family, op, value, name = '') => ({ kind: 'test', key: { family, name }, test: { op, value } });
const matches = (family, source, flags = '') => ({
  kind: 'test',
  key: { family, name: '' },
  test: { op: 'matches', source, flags },
});
const all = (...of) => ({ kind: 'all', of });
const some = (...of) => ({ kind: 'some', of });
const letters = (n) =>
  [...n.toString(26).padStart(4, '0')].map((digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');
const bits = (n) => n.toString(2).padStart(12, '0');
const common = { method: 'GET', path: '/api/v1/items', header: { host: 'localhost:4545', accept: '*/*' }, body: '' };

/** Each shape: the condition of rule i of n, and an input that fits rule i. */
const shapes = {
  'method and path': {
    condition: (i) => all(test('method', 'equals', 'GET'), test('path', 'equals', `/api/v1/resource${i}`)),
    input: (i) => ({ ...common, path: `/api/v1/resource${i}` }),
  },
  'path startsWith': {
    condition: (i) => test('path', 'startsWith', `/api/v1/resource${i}/`),
    input: (i) => ({ ...common, path: `/api/v1/resource${i}/details` }),
  },
  'path contains': {
    condition: (i) => test('path', 'contains', `/resource${i}/`),
    input: (i) => ({ ...common, path: `/api/v1/resource${i}/details` }),
  },
  'path endsWith': {
    condition: (i) => test('path', 'endsWith', `/resource${i}`),
    input: (i) => ({ ...common, path: `/api/v1/resource${i}` }),
  },
  'path matches, literals differ': {
    condition: (i) => matches('path', `^/api/v[0-9]+/resource${i}/[a-z0-9-]+$`),
    input: (i) => ({ ...common, path: `/api/v2/resource${i}/abc-17` }),
  },
  'path matches, flag i': {
    condition: (i) => matches('path', `^/API/v[0-9]+/Resource${i}/[a-z0-9-]+$`, 'i'),
    input: (i) => ({ ...common, path: `/api/v2/resource${i}/abc-17` }),
  },
  'path matches, only classes differ': {
    condition: (i) =>
      matches('path', `^/${[...bits(i)].map((bit) => (bit === '1' ? '[a-m]' : '[n-z]')).join('')}/[0-9]+$`),
    input: (i) => ({ ...common, path: `/${[...bits(i)].map((bit) => (bit === '1' ? 'h' : 'q')).join('')}/17` }),
    most: 1000,
  },
  'path matches, unanchored classes': {
    condition: (i) => matches('path', `${[...bits(i)].map((bit) => (bit === '1' ? '[a-m]' : '[n-z]')).join('')}[0-9]+`),
    input: (i) => ({ ...common, path: `/x/${[...bits(i)].map((bit) => (bit === '1' ? 'h' : 'q')).join('')}17/y` }),
    most: 1000,
  },
  'path matches, only counts differ': {
    condition: (i) => matches('path', `^/[a-c]+/[0-9]{${i + 1}}$`),
    input: (i) => ({ ...common, path: `/abcabc/${'7'.repeat(i + 1)}` }),
    most: 1000,
  },
  'header equals': {
    condition: (i) => all(test('path', 'equals', '/api/v1/items'), test('header', 'equals', `tenant-${i}`, 'x-tenant')),
    input: (i) => ({ ...common, header: { ...common.header, 'x-tenant': `tenant-${i}` } }),
  },
  'header exists, names differ': {
    condition: (i) => ({ kind: 'test', key: { family: 'header', name: `x-flag-${i}` }, test: { op: 'present' } }),
    input: (i) => ({ ...common, header: { ...common.header, [`x-flag-${i}`]: '1' } }),
  },
  'query equals': {
    condition: (i) => test('query', 'equals', `id-${i}`),
    input: (i) => ({ ...common, query: `id-${i}` }),
  },
  'body contains': {
    condition: (i) => test('body', 'contains', `order-${i};`),
    input: (i) => ({ ...common, body: `${'lorem ipsum dolor '.repeat(20)}order-${i};${' sit amet'.repeat(20)}` }),
  },
  'JSON field equals': {
    condition: (i) => all(test('json', 'equals', 'order', 'type'), test('json', 'equals', `value${i}`, 'id')),
    input: (i) => ({ ...common, json: { type: 'order', id: `value${i}`, amount: '12', currency: 'EUR' } }),
  },
  'JSON field equals, names differ': {
    condition: (i) => test('json', 'equals', 'yes', `field${i}`),
    input: (i) => ({ ...common, json: { type: 'order', [`field${i}`]: 'yes', amount: '12' } }),
  },
  'paths by parameters': {
    condition: (i, n) => {
      const side = Math.ceil(Math.sqrt(n));
      return all(test('path', 'equals', `/p/${Math.floor(i / side)}`), test('query', 'equals', `q${i % side}`));
    },
    input: (i, n) => {
      const side = Math.ceil(Math.sqrt(n));
      return { ...common, path: `/p/${Math.floor(i / side)}`, query: `q${i % side}` };
    },
  },
  'or of two ands': {
    condition: (i) =>
      some(
        all(test('method', 'equals', 'GET'), test('path', 'equals', `/a/${i}`)),
        all(test('path', 'startsWith', '/b/'), test('query', 'equals', `id-${i}`)),
      ),
    input: (i) => ({ ...common, path: '/b/x', query: `id-${i}` }),
  },
  'regex, letters and an alternation': {
    condition: (i) => matches('path', `/${letters(i)}[0-9]*/(get|put)$`),
    input: (i) => ({ ...common, path: `/x/${letters(i)}12/get` }),
  },
};

function measure(shape, n) {
  const rules = Array.from({ length: n }, (_, i) => i);
  const begin = performance.now();
  const list = RuleIndex.build(rules, (i) => shape.condition(i, n), access);
  list.inspect(shape.input(0, n));
  const buildMs = performance.now() - begin;
  const inputs = [];
  const wanted = [];
  for (let k = 0; k < 64; k++) {
    const i = k % 4 === 3 ? n + k : Math.floor(((k + 0.5) * n) / 64);
    inputs.push(shape.input(i, n));
    wanted.push(i);
  }
  let expected = -1;
  const accept = (rule) => rule === expected;
  const pass = () => {
    for (let k = 0; k < 64; k++) {
      expected = wanted[k];
      const found = list.first(inputs[k], accept);
      if (found !== (wanted[k] < n ? wanted[k] : undefined)) throw new Error(`wrong: ${found} for ${wanted[k]}`);
    }
  };
  const until = performance.now() + 100;
  let passes = 0;
  while (performance.now() < until) {
    pass();
    passes++;
  }
  const times = [];
  for (let round = 0; round < 9; round++) {
    const start = performance.now();
    for (let at = 0; at < passes / 9 + 1; at++) pass();
    times.push(((performance.now() - start) * 1e6) / (Math.floor(passes / 9 + 1) + 1) / 64);
  }
  let candidates = 0;
  let clauses = 0;
  for (const input of inputs) {
    const work = list.inspect(input);
    candidates += work.candidates;
    clauses += work.clauses;
  }
  return { ns: Math.min(...times), buildMs, candidates: candidates / 64, clauses: clauses / 64 };
}

const runtime = process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`;
console.log(`${runtime}: nanoseconds a search (build ms, candidates a search)`);
for (const [name, shape] of Object.entries(shapes)) {
  if (!name.includes(part)) continue;
  const cells = [];
  for (let n = 1; n <= Math.min(most, shape.most ?? most); n *= n === 1 ? 10 : 10) {
    const { ns, buildMs, candidates } = measure(shape, n);
    cells.push(`${n}: ${ns.toFixed(0)} (${buildMs.toFixed(0)}, ${candidates.toFixed(1)})`);
  }
  console.log(`${name.padEnd(34)} ${cells.join('  ')}`);
}
