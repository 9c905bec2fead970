// Latency of one static stub with many connections, closed loop: beside nginx, and alone in its imposter against being the last
// of 310 stubs. All points of all engines take turns in each round.
import { stubsOf } from '../fixture.mjs';
import { measure, ratio, summarize } from '../measure.mjs';
import { caveats, fixed, table, write } from '../report.mjs';
import { comparison } from '../scenarios.mjs';

const CONNECTIONS = 256;
const names = ['nginx', 'node24', 'bun', 'node20'];
const [health] = comparison;
const [stub] = stubsOf.Simple;
const others = stubsOf.API.slice(0, 309);

export const ONE = '1 stub';
export const MANY = '310 stubs';

export async function run(bench) {
  const options = { ...bench.options, connections: CONNECTIONS, together: true };
  const work = [
    { imposter: { protocol: 'http', name: ONE, stubs: [stub] }, scenario: { ...health, name: ONE } },
    { imposter: { protocol: 'http', name: MANY, stubs: [...others, stub] }, scenario: { ...health, name: MANY } },
  ];
  const samples = await bench.withEngines(names, (runnings) => measure(runnings, work, options), {
    connections: CONNECTIONS,
  });
  const rows = summarize(samples, 'nginx');
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const row = (engine, scenario) => rows.find((one) => one.engine === engine && one.scenario === scenario);
  const quotient = (above, below) => fixed(ratio(samples, above, below, 'p99'), 2);
  const body = [
    'Ratios are of p99, median of the rounds.\n',
    table(
      ['engine', '1 stub: p50, ms', 'p99', 'p99.9', '310 stubs: p50', 'p99', 'p99.9', 'p99, nginx = 1', '310 ÷ 1'],
      used.map((engine) => [
        engine,
        ...[ONE, MANY].flatMap((scenario) =>
          ['p50', 'p99', 'p999'].map((key) => fixed(row(engine, scenario)?.[key], 2)),
        ),
        quotient({ engine, scenario: ONE }, { engine: 'nginx', scenario: ONE }),
        quotient({ engine, scenario: MANY }, { engine, scenario: ONE }),
      ]),
    ),
    table(
      ['engine', 'requests/s', 'µs a request', 'spread, %', 'engine, generator, others: %'],
      rows.map(({ engine, scenario, rps, cpu, spread, engineShare, generatorShare, foreignShare }) => [
        `${engine}, ${scenario}`,
        ...[fixed(rps, 0), fixed(cpu), fixed(spread, 0)],
        [engineShare, generatorShare, foreignShare].map((share) => fixed(share * 100, 0)).join(', '),
      ]),
    ),
    ...caveats(rows),
  ].join('\n');
  const engines = bench.described(used);
  const title = `Latency at ${CONNECTIONS} connections`;
  return write({ ...bench, options, name: 'latency', title, engines, body, data: { samples, rows }, csvRows: rows });
}
