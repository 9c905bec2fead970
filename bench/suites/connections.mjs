// The same scenarios with few and with many connections: where the closed loop is bounded by latency, and where by the engine.
// The most requests a second that a scenario reaches is its saturation rate, which `open-loop` builds on.
import { imposters, recordingImposter } from '../fixture.mjs';
import { measure, summarize } from '../measure.mjs';
import { caveats, fixed, table, write } from '../report.mjs';
import { comparison, dimensions, recordingOn } from '../scenarios.mjs';
import { workOf } from './scenarios.mjs';

const CONNECTIONS = [1, 10, 50, 200];

export async function run(bench) {
  const { options } = bench;
  const work = workOf(options, [...comparison, ...dimensions, recordingOn]).map(({ imposter, scenario }) => ({
    imposter: imposter ?? recordingImposter,
    scenario,
  }));
  const samples = await bench.withEngines(
    ['node24', 'bun'],
    async (runnings) => {
      for (const running of runnings) for (const one of imposters) await running.create?.(one);
      const made = [];
      for (const connections of CONNECTIONS) {
        // compiled by the first pass already
        const warmup = connections === CONNECTIONS[0] ? options.warmup : Math.min(options.warmup, 0.5);
        const part = await measure(runnings, work, { ...options, connections, warmup });
        made.push(...part.map((one) => ({ ...one, scenario: `${one.scenario} @ ${connections}` })));
      }
      return made;
    },
    { needsImposters: true, connections: Math.max(...CONNECTIONS) },
  );
  const rows = summarize(samples).map((row) => ({ ...row, scenario: row.scenario.replace(/ @ .*/, '') }));
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const tables = used.flatMap((engine) => {
    const cells = (cell) =>
      work.map(({ scenario }) => [
        scenario.name,
        ...CONNECTIONS.map((connections) =>
          cell(
            rows.find(
              (row) => row.engine === engine && row.scenario === scenario.name && row.connections === connections,
            ),
          ),
        ),
      ]);
    const head = (what) => [what, ...CONNECTIONS.map((connections) => `${connections} connections`)];
    return [
      `## ${engine}\n`,
      table(
        head('requests/s; µs a request'),
        cells(({ rps, cpu }) => `${fixed(rps, 0)}; ${fixed(cpu)}`),
      ),
      table(
        head('p50 / p99 / p99.9, ms'),
        cells(({ p50, p99, p999 }) => [p50, p99, p999].map((ms) => fixed(ms, 2)).join(' / ')),
      ),
    ];
  });
  const body = [...tables, ...caveats(rows)].join('\n');
  const engines = bench.described(used);
  const data = { samples, rows };
  const shown = { ...options, connections: CONNECTIONS.join(', ') };
  const title = 'Numbers of connections';
  return write({ ...bench, options: shown, name: 'connections', title, engines, body, data, csvRows: rows });
}
