// One exact path against a million of them: how long loading takes, what it needs, and what a request costs afterwards. Both
// processes stand and are measured in slices that alternate.
import { measureSlices, ratio, summarize } from '../measure.mjs';
import { idle, peakMiB, rssMiB } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';
import { sweepWork } from './sweep.mjs';

const MOST = 1_000_000;

export const stubsScenario = (n) => `path ${n}`;

/** Loads `n` stubs by one POST; the imposter is not kept here. */
async function load(running, n) {
  const { imposter, scenario } = sweepWork('path', n);
  const { answer } = await running.create(imposter);
  const loadedPeak = peakMiB(running.pid);
  await idle(running.pid);
  const facts = { engine: running.engine, n, loadSeconds: answer.ms / 1000, loadedPeak, resident: rssMiB(running.pid) };
  return { facts, point: { running, imposter: { name: imposter.name }, scenario } };
}

export async function run(bench) {
  const most = bench.options.most ?? MOST;
  const samples = [];
  const loads = [];
  for (const name of bench.engineNames(['node24', 'bun'])) {
    const only = [name];
    const startOptions = { args: bench.engines[name].unlimited, only, needsImposters: true };
    await bench.withEngines(
      only,
      ([one]) =>
        one &&
        bench.withEngines(
          only,
          async ([many]) => {
            const made = [await load(one, 1), await load(many, most)];
            loads.push(...made.map(({ facts }) => facts));
            const points = made.map(({ point }) => point);
            samples.push(...(await measureSlices(points, bench.options)));
          },
          startOptions,
        ),
      startOptions,
    );
  }
  const rows = summarize(samples);
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const body = table(
    ['engine', 'stubs', 'loading, s', 'highest, MiB', 'resident, MiB', 'µs a request', 'requests a CPU-second left'],
    loads.map(({ engine, n, loadSeconds, loadedPeak, resident }) => [
      engine,
      ...[fixed(n, 0), fixed(loadSeconds, 2), fixed(loadedPeak, 0), fixed(resident, 0)],
      fixed(rows.find((row) => row.engine === engine && row.scenario === stubsScenario(n))?.cpu, 2),
      fixed(ratio(samples, { engine, scenario: stubsScenario(1) }, { engine, scenario: stubsScenario(n) }, 'cpu'), 2),
    ]),
  );
  const engines = bench.described(used);
  const title = `One stub and ${fixed(most, 0)}`;
  return write({ ...bench, name: 'million', title, engines, body, data: { samples, rows, loads, most } });
}
