// The thirteen scenarios of the comparison and one for each further dimension, with all 14 imposters resident.
import { imposters } from '../fixture.mjs';
import { measure, summarize } from '../measure.mjs';
import { caveats, fixed, pivot, table, write } from '../report.mjs';
import { comparison, dimensions } from '../scenarios.mjs';

/** The scenarios that were asked for (`options.scenarios`: parts of names), each with its imposter. */
export function workOf({ scenarios: wanted }, all = [...comparison, ...dimensions]) {
  return all
    .filter(({ name }) => wanted === undefined || wanted.some((part) => name.includes(part)))
    .map((scenario) => ({ imposter: imposters.find(({ name }) => name === scenario.imposter), scenario }));
}

const names = ['nginx', 'node20', 'node24', 'bun', 'mountebank', 'mountebank-keepalive', 'wiremock'];
const BASELINE = 'nginx';

export async function run(bench) {
  const work = workOf(bench.options);
  return comparisonReport(bench, { name: 'scenarios', title: 'Scenarios', names, work, resident: imposters });
}

/** Measures `work` on the named engines and writes all tables of a comparison. */
export async function comparisonReport(bench, { name, title, names, work, resident = [] }) {
  const { options } = bench;
  let commands = [];
  const samples = await bench.withEngines(names, async (runnings) => {
    for (const running of runnings) if (running.create) for (const one of resident) await running.create(one);
    const made = await measure(runnings, work, options);
    commands = runnings.map(({ engine, command }) => [engine, shorter(command)]);
    return made;
  });
  const rows = summarize(samples, BASELINE);
  const engines = bench
    .described(commands.map(([engine]) => engine))
    .map((one, index) => ({ ...one, command: commands[index][1] }));
  const hasBaseline = rows.some(({ cpuRatio }) => cpuRatio !== undefined);
  const body = [
    resident.length > 0 ? `${resident.length} imposters are resident in those engines that keep several.\n` : '',
    '## CPU, µs a request\n',
    pivot(rows, ({ cpu }) => fixed(cpu)),
    ...(hasBaseline
      ? [
          `## CPU a request, ${BASELINE} = 1, ${options.connections} connections (median of the rounds' ratios)\n`,
          pivot(rows, ({ cpuRatio }) => fixed(cpuRatio, 2)),
          `## Requests a second, ${BASELINE} = 1, ${options.connections} connections (median of the rounds' ratios)\n`,
          pivot(rows, ({ rpsRatio }) => fixed(rpsRatio, 2)),
        ]
      : []),
    '## Requests a second of an undisturbed core (1 s / CPU a request)\n',
    pivot(rows, ({ cpu }) => fixed(1e6 / cpu, 0)),
    '## Requests a second, as measured\n',
    pivot(rows, ({ rps }) => fixed(rps, 0)),
    '## Latency p50 / p99 / p99.9, ms\n',
    pivot(rows, ({ p50, p99, p999 }) => [p50, p99, p999].map((ms) => fixed(ms, 2)).join(' / ')),
    '## Spread of requests a second over the rounds, %; share of the processor: engine, generator, others\n',
    pivot(
      rows,
      ({ spread, engineShare, generatorShare, foreignShare }) =>
        `${fixed(spread, 0)}; ${[engineShare, generatorShare, foreignShare].map((share) => fixed(share * 100, 0)).join(', ')}`,
    ),
    '## Resident set, MiB: highest, at the end of the window\n',
    pivot(rows, ({ rss, rssPeak }) => `${fixed(rssPeak, 0)}, ${fixed(rss, 0)}`),
    ...flatness(rows),
    ...caveats(rows, peerCaveats(rows)),
  ].join('\n');
  return write({ ...bench, name, title, engines, body, data: { samples, rows }, csvRows: rows });
}

/** What is unfair to a peer, or to us, in the scenarios that were run. */
function peerCaveats(rows) {
  const has = (engine) => rows.some((row) => row.engine === engine);
  const lines = [];
  if (has('mountebank'))
    lines.push('mountebank closes every connection after its answer; mountebank-keepalive is the series without that');
  if (has('wiremock') && rows.some(({ scenario }) => scenario === 'complex_predicate'))
    lines.push('complex_predicate: `or` is two mappings in WireMock, which therefore scans twice as far');
  if (has('wiremock')) lines.push('WireMock compares case-sensitively, which is less work');
  if (has('nginx')) lines.push('nginx matches nothing: it is what HTTP costs on this machine');
  if (rows.length > 0) lines.push(`the first scenario of a fresh process is ${rows[0].scenario}`);
  return lines;
}

/** How much of the requests a CPU-second is left when the stub stands further down. */
function flatness(rows) {
  const pairs = [
    ['api_last', 'api_first'],
    ['no_match', 'api_first'],
    ['regex_last', 'simple_health'],
  ];
  const cpu = (engine, scenario) => rows.find((row) => row.engine === engine && row.scenario === scenario)?.cpu;
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  const lines = pairs
    .filter((pair) => pair.every((scenario) => cpu(engines[0], scenario) !== undefined))
    .map(([deep, first]) => [
      `${deep} ÷ ${first}`,
      ...engines.map((engine) => fixed(cpu(engine, first) / cpu(engine, deep), 2)),
    ]);
  return lines.length > 0 ? ['## Flatness (requests a CPU-second)\n', table(['', ...engines], lines)] : [];
}

const shorter = (command) => command.map((part) => part.replace(/^.*\/(?=(node_modules|packages)\/)/, '')).join(' ');
