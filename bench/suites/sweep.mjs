// The last of N stubs, or the one in the middle for the published families, for growing N: a flat curve means an index,
// a rising one a scan. One imposter at a time is loaded.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineChart } from '../chart.mjs';
import { bodyField, jsonBody } from '../fixture.mjs';
import { measure, summarize } from '../measure.mjs';
import { peakMiB } from '../process-tree.mjs';
import { caveats, fixed, table, write } from '../report.mjs';

const json = { 'Content-Type': 'application/json' };
const stubs = (n, predicate) =>
  Array.from({ length: n }, (_, index) => ({
    predicates: [predicate(index + 1)],
    responses: [{ is: { statusCode: 200, body: `{"swept": ${index + 1}}` } }],
  }));
const get = (target, headers = {}) => ({ method: 'GET', target, headers, body: '' });
const post = (target, body, headers = json) => ({ method: 'POST', target, headers, body });
const middle = (n) => Math.max(1, Math.floor(n / 2));

const families = {
  path: {
    stubs: (n) => stubs(n, (i) => ({ equals: { method: 'GET', path: `/sweep/item/${i}` } })),
    request: (n) => get(`/sweep/item/${n}`),
  },
  prefix: {
    stubs: (n) => stubs(n, (i) => ({ startsWith: { path: `/sweep/pre${i}/` } })),
    request: (n) => get(`/sweep/pre${n}/x`),
  },
  regex: {
    stubs: (n) => stubs(n, (i) => ({ matches: { path: `^/sweep/rx${i}/[a-z]+$` } })),
    request: (n) => get(`/sweep/rx${n}/abc`),
  },
  header: {
    stubs: (n) => stubs(n, (i) => ({ equals: { path: '/sweep/header', headers: { 'X-Sweep': `s-${i}` } } })),
    request: (n) => get('/sweep/header', { 'X-Sweep': `s-${n}` }),
  },
  bodytext: {
    stubs: (n) => stubs(n, (i) => ({ contains: { body: `token-${i};` } })),
    request: (n) => post('/any', `a token-${n}; b`, { 'Content-Type': 'text/plain' }),
  },
  jsonbody: {
    stubs: jsonBody,
    request: (n) => post(`/json/equals/${middle(n)}`, `{"id":${middle(n)},"type":"request"}`),
    marker: (n) => `{"matched": "equals", "id": ${middle(n)}}`,
  },
  bodyfield: {
    stubs: bodyField,
    request: (n) => post('/orders/submit', `{"orderId":"ord-${middle(n)}","channel":"web"}`),
    marker: (n) => `{"body_field_matched": true, "order": ${middle(n)}}`,
  },
};

/** Imposter and scenario of `n` stubs of a family. */
export function sweepWork(family, n) {
  const { stubs: make, request, marker = (count) => `{"swept": ${count}}` } = families[family];
  const name = `${family} ${n}`;
  const body = marker(n);
  return {
    // made when it is asked for: a million stubs are not kept
    get imposter() {
      return { protocol: 'http', name, stubs: make(n) };
    },
    scenario: { name, request: request(n), marker: body, answer: { statusCode: 200, body } },
  };
}

export async function run(bench) {
  const { options } = bench;
  const most = options.most ?? 1_000_000;
  const names = ['node24', 'bun', 'node20', 'mountebank'];
  const sizes = [10, 100, 1000].filter((n) => n <= most);
  const wanted = options.scenarios ?? Object.keys(families);
  const work = wanted.flatMap((family) => sizes.map((n) => sweepWork(family, n)));
  let used = [];
  const samples = await bench.withEngines(
    names,
    (runnings) => {
      used = runnings.map(({ engine }) => engine);
      return measure(runnings, work, { ...options, releaseAfter: true });
    },
    { needsImposters: true },
  );
  const rows = summarize(samples);
  const of = (metric, family) => (engine, n) =>
    rows.find((row) => row.engine === engine && row.scenario === `${family} ${n}`)[metric];
  const tables = wanted.map((family) => {
    const cpu = of('cpu', family);
    const rps = of('rps', family);
    return table(
      [
        family,
        ...[...sizes.map((n) => `N = ${n}, µs`), `${sizes.at(-1)} ÷ ${sizes[0]}`],
        ...[...sizes.map((n) => `N = ${n}, requests/s`), `${sizes.at(-1)} ÷ ${sizes[0]}`],
      ],
      used.map((engine) => [
        engine,
        ...sizes.map((n) => fixed(cpu(engine, n))),
        fixed(cpu(engine, sizes.at(-1)) / cpu(engine, sizes[0]), 2),
        ...sizes.map((n) => fixed(rps(engine, n), 0)),
        fixed(rps(engine, sizes.at(-1)) / rps(engine, sizes[0]), 2),
      ]),
    );
  });
  const large = await largeSweep(bench, used, most);
  const [x, y] = ['stubs', 'µs of CPU a request'];
  const chart = lineChart({
    title: 'CPU of a request that the last of N stubs answers (exact path)',
    x,
    y,
    series: used.map((engine) => ({
      name: engine,
      points: large.filter((row) => row.engine === engine).map(({ n, cpu }) => [n, cpu]),
    })),
  });
  const largeTable = table(
    ['engine', 'stubs', 'µs a request', 'requests/s', 'loading, s', 'highest, MiB', 'resident, MiB'],
    large.map(({ engine, n, cpu, rps, loadSeconds, loadedPeak, rss }) => [
      engine,
      fixed(n, 0),
      fixed(cpu),
      fixed(rps, 0),
      fixed(loadSeconds, 2),
      fixed(loadedPeak, 0),
      fixed(rss, 0),
    ]),
  );
  const body = [
    '## CPU of a request\n',
    ...tables,
    '## To a million stubs (exact path)\n',
    '![CPU of a request by number of stubs](sweep.svg)\n',
    largeTable,
    ...caveats(rows),
  ].join('\n');
  const data = { samples, rows, large };
  const text = write({ ...bench, name: 'sweep', title: 'Stub count', engines: bench.described(used), body, data });
  writeFileSync(join(bench.out, 'sweep.svg'), chart);
  for (const engine of used) {
    const family = (name) => ({
      name,
      points: sizes.map((n) => [n, of('cpu', name)(engine, n)]),
    });
    const title = `CPU of a request by kind of predicate, ${bench.engines[engine].title}`;
    const series = wanted.map(family);
    writeFileSync(join(bench.out, `sweep.${engine}.svg`), lineChart({ title, x, y, series }));
  }
  return text;
}

/** Exact paths up to `most` stubs, a fresh process for each size; Mountebank up to 10,000, where it is slow enough. */
async function largeSweep(bench, engines, most) {
  const rows = [];
  for (const engine of engines) {
    const limit = Math.min(most, engine.startsWith('mountebank') ? 10_000 : most);
    for (let n = 1; n <= limit; n *= 10) {
      const { imposter, scenario } = sweepWork('path', n);
      const samples = await bench.withEngines(
        [engine],
        async ([running]) => {
          const { answer } = await running.create(imposter);
          const loadSeconds = answer.ms / 1000;
          const loadedPeak = peakMiB(running.pid);
          const made = await measure([running], [{ imposter, scenario }], bench.options);
          return made.map((one) => ({ ...one, loadSeconds, loadedPeak }));
        },
        { args: bench.engines[engine].unlimited, only: [engine] },
      );
      const [row] = summarize(samples);
      rows.push({ ...row, n, loadSeconds: samples[0].loadSeconds, loadedPeak: samples[0].loadedPeak });
    }
  }
  return rows;
}
