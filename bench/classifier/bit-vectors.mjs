// The access tree beside plain and aggregated bit vectors (Lakshman and Stiliadis 1998; Baboescu and Varghese 2001), on
// rules that test method and path, and on rules that test a path and a query parameter out of few.
//   npm run build && node bench/classifier/bit-vectors.mjs [--most=1000000]
// The bit vectors here are the textbook's: a hash map a dimension from value to the bits of the rules that have it.
import { RuleIndex } from '../../packages/classifier/dist/index.js';

const most = Number(process.argv.find((argument) => argument.startsWith('--most='))?.slice(7) ?? 100_000);
const test = (family, value) => ({ kind: 'test', key: { family, name: '' }, test: { op: 'equals', value } });
const access = {
  extractor:
    ({ family }) =>
    (input) =>
      input[family],
  cost: () => 0,
};

const side = (n) => Math.ceil(Math.sqrt(n));
const shapes = {
  'method and path': { fields: ['method', 'path'], of: (i) => ({ method: 'GET', path: `/api/v1/resource${i}` }) },
  'path by parameter': {
    fields: ['path', 'query'],
    of: (i, n) => ({ path: `/p/${Math.floor(i / side(n))}`, query: `q${i % side(n)}` }),
  },
};

/** A dense bit vector a value, with a bit of summary for each 32 words when `aggregated`. */
class BitVectors {
  constructor(rules, fields, aggregated) {
    this.words = (rules.length + 31) >> 5;
    this.fields = fields;
    this.aggregated = aggregated;
    this.result = new Uint32Array(this.words);
    this.maps = fields.map((field) => {
      const map = new Map();
      for (let rule = 0; rule < rules.length; rule++) {
        let bits = map.get(rules[rule][field]);
        if (bits === undefined) {
          bits = { words: new Uint32Array(this.words), summary: new Uint32Array((this.words + 31) >> 5) };
          map.set(rules[rule][field], bits);
        }
        bits.words[rule >> 5] |= 1 << (rule & 31);
        bits.summary[rule >> 10] |= 1 << ((rule >> 5) & 31);
      }
      return map;
    });
  }

  first(input) {
    const found = [];
    for (let dimension = 0; dimension < this.fields.length; dimension++) {
      const bits = this.maps[dimension].get(input[this.fields[dimension]]);
      if (bits === undefined) return -1;
      found.push(bits);
    }
    if (!this.aggregated) {
      for (let word = 0; word < this.words; word++) {
        let both = found[0].words[word];
        for (let dimension = 1; dimension < found.length; dimension++) both &= found[dimension].words[word];
        this.result[word] = both;
      }
      for (let word = 0; word < this.words; word++) {
        if (this.result[word] !== 0) return word * 32 + 31 - Math.clz32(this.result[word] & -this.result[word]);
      }
      return -1;
    }
    for (let block = 0; block < found[0].summary.length; block++) {
      let summary = found[0].summary[block];
      for (let dimension = 1; dimension < found.length; dimension++) summary &= found[dimension].summary[block];
      for (; summary !== 0; summary &= summary - 1) {
        const word = block * 32 + 31 - Math.clz32(summary & -summary);
        let both = found[0].words[word];
        for (let dimension = 1; dimension < found.length; dimension++) both &= found[dimension].words[word];
        if (both !== 0) return word * 32 + 31 - Math.clz32(both & -both);
      }
    }
    return -1;
  }
}

function nanoseconds(search, inputs, wanted) {
  const pass = () => {
    for (let k = 0; k < inputs.length; k++) {
      if (search(inputs[k], wanted[k]) !== wanted[k]) throw new Error(`wrong for ${wanted[k]}`);
    }
  };
  const until = performance.now() + 200;
  let passes = 0;
  for (; performance.now() < until; passes++) pass();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 9; round++) {
    const start = performance.now();
    const rounds = Math.ceil(passes / 10);
    for (let at = 0; at < rounds; at++) pass();
    best = Math.min(best, ((performance.now() - start) * 1e6) / rounds / inputs.length);
  }
  return best;
}

console.log(process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`);
for (const [name, { fields, of }] of Object.entries(shapes)) {
  for (let n = 100; n <= most; n *= 10) {
    const rules = Array.from({ length: n }, (_, i) => of(i, n));
    const wanted = Array.from({ length: 64 }, (_, k) => Math.floor(((k + 0.5) * n) / 64));
    const inputs = wanted.map((i) => of(i, n));
    const cells = [];
    for (const aggregated of [false, true]) {
      // every distinct path has a vector as long as the list: past this it does not fit into memory
      if (new Set(rules.map((rule) => rule.path)).size * n > 2e10) {
        cells.push('too large');
        continue;
      }
      const vectors = new BitVectors(rules, fields, aggregated);
      cells.push(`${nanoseconds((input) => vectors.first(input), inputs, wanted).toFixed(0)} ns`);
    }
    const list = RuleIndex.build(
      rules.keys(),
      (i) => ({ kind: 'all', of: fields.map((field) => test(field, rules[i][field])) }),
      access,
    );
    let expected = -1;
    const accept = (rule) => rule === expected;
    const tree = nanoseconds(
      (input, i) => {
        expected = i;
        return list.first(input, accept);
      },
      inputs,
      wanted,
    );
    console.log(
      `${name}, ${n} rules: bit vectors ${cells[0]}, aggregated ${cells[1]}, access tree ${tree.toFixed(0)} ns`,
    );
  }
}
