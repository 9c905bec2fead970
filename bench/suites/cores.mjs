// More processors for the engine: data threads pinned to 2, 4 and 8 of them, the generator on the others. A number that would cut
// a core in half or leave the generator nothing is left out with a line that says so.
import { imposters } from '../fixture.mjs';
import { measure, summarize } from '../measure.mjs';
import { budgets, coresHere, split } from '../pinning.mjs';
import { caveats, fixed, table, write } from '../report.mjs';
import { comparison } from '../scenarios.mjs';

const WANTED = [2, 4, 8];
const CONNECTIONS = [256, 512];

export async function run(bench) {
  const cores = coresHere();
  const valid = budgets(cores);
  const possible = WANTED.filter((budget) => valid.includes(budget));
  const lines = [];
  for (const budget of WANTED.filter((one) => !valid.includes(one))) {
    lines.push(`- ${budget} processors are left out: this machine can give ${valid.join(', ') || 'none'}`);
  }
  // the slope needs a first point
  const axis = [...new Set([...valid.slice(0, 1), ...possible])];
  const names = bench.engineNames(['node24', 'bun']);
  const samples = [];
  for (const budget of axis) {
    const cpus = split(cores, budget);
    for (const connections of CONNECTIONS) {
      for (const name of names) {
        if (!bench.engines[name]?.unlimited) continue;
        const made = await bench.withEngines(
          [name],
          async (runnings) =>
            measure(runnings, [{ imposter: imposters[0], scenario: comparison[0] }], {
              ...bench.options,
              cpus,
              connections,
            }),
          {
            args: ['--runtime', `per-core=${budget}`],
            label: `per-core (${budget} worker`,
            cpus: cpus.server,
            only: [name],
          },
        );
        const scenario = `${budget} @ ${connections}`;
        samples.push(...made.map((one) => ({ ...one, scenario, budget })));
      }
    }
  }
  const rows = samples.length > 0 ? summarize(samples) : [];
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const cell = (engine, budget, connections) =>
    rows.find((row) => row.engine === engine && row.scenario === `${budget} @ ${connections}`);
  const body = [
    ...lines,
    '',
    table(
      ['engine, connections', ...axis.map((budget) => `${budget} processors, requests/s`), 'last ÷ first, a processor'],
      used.flatMap((engine) =>
        CONNECTIONS.map((connections) => {
          const rates = axis.map((budget) => cell(engine, budget, connections).rps);
          const slope = rates.at(-1) / rates[0] / (axis.at(-1) / axis[0]);
          return [`${engine}, ${connections}`, ...rates.map((rps) => fixed(rps, 0)), fixed(slope, 2)];
        }),
      ),
    ),
    ...caveats(rows),
  ].join('\n');
  const engines = bench.described(used);
  const options = { ...bench.options, connections: CONNECTIONS.join(', ') };
  return write({
    ...bench,
    options,
    name: 'cores',
    title: 'Processors',
    engines,
    body,
    data: { samples, rows, valid },
  });
}
