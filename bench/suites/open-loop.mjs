// A fixed arrival rate: requests come whether or not earlier ones were answered, as they do in life, and latency counts from when
// a request was due. At 50, 80 and 95 % of the rate at which each engine is saturated, which a closed loop finds first.
import { imposters } from '../fixture.mjs';
import { atRate } from '../load.mjs';
import { measure, median, summarize } from '../measure.mjs';
import { fixed, table, write } from '../report.mjs';
import { comparison } from '../scenarios.mjs';
import { workOf } from './scenarios.mjs';

const CONNECTIONS = 200;
const SHARES = [0.5, 0.8, 0.95];
/** Seconds by which the generator itself may send too late (99th percentile) before a row says more about it. */
const LAG_MS = 1;

export async function run(bench) {
  const options = { ...bench.options, connections: CONNECTIONS };
  const names = ['simple_health', 'api_last'];
  const work = workOf({ scenarios: options.scenarios ?? names }, comparison);
  const samples = [];
  const rows = [];
  const used = await bench.withEngines(
    ['nginx', 'node24', 'bun'],
    async (runnings) => {
      for (const running of runnings) if (running.create) for (const one of imposters) await running.create(one);
      for (const one of work) {
        const closed = summarize(await measure(runnings, [one], options));
        rows.push(...closed.map((row) => ({ ...row, mode: 'closed' })));
        for (const share of SHARES) {
          for (const running of runnings) {
            const { rps: saturated } = closed.find(({ engine }) => engine === running.engine);
            const rate = Math.round(saturated * share);
            const mode = `open@${rate}`;
            const fixedRate = { ...options, warmup: 0, fireAt: atRate(rate) };
            const made = await measure([running], [one], fixedRate);
            samples.push(...made.map((point) => ({ ...point, mode, share })));
            const lag = median(made.map(({ lagP99 }) => lagP99));
            rows.push({ ...summarize(made)[0], mode, share, rate, lag });
          }
        }
      }
      return runnings.map(({ engine }) => engine);
    },
    { connections: CONNECTIONS },
  );
  const body = [
    'p99.9 is what to compare, and nginx is its floor: the generator, a JavaScript program, has pauses of its own.\n',
    table(
      [
        'scenario, engine',
        'mode',
        'of saturation',
        'requests/s',
        'p50, ms',
        'p99',
        'p99.9',
        'sent late, p99, ms',
        'µs a request',
      ],
      rows.map(({ scenario, engine, mode, share, rate, rps, p50, p99, p999, lag, cpu }) => [
        `${scenario}, ${engine}`,
        mode,
        share === undefined ? '' : `${share * 100} %`,
        `${fixed(rps, 0)}${rate && rps < rate * 0.99 ? ' (fell behind)' : ''}`,
        ...[p50, p99, p999].map((ms) => fixed(ms, 2)),
        lag === undefined ? '' : `${fixed(lag, 2)}${lag > LAG_MS ? ' (the generator is the limit)' : ''}`,
        fixed(cpu),
      ]),
    ),
  ].join('\n');
  const engines = bench.described(used);
  const shown = { ...options, mode: 'closed loop and fixed arrival rates' };
  const data = { samples, rows };
  const title = 'Fixed arrival rates';
  return write({ ...bench, options: shown, name: 'open-loop', title, engines, body, data, csvRows: rows });
}
