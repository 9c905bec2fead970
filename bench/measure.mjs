// Points (engine x scenario), interleaved: all engines stand ready, one at a time is under load, and the order turns from
// round to round, so that a slow minute of the machine hits all of them. Ratios are formed inside a round.
import { setTimeout as sleep } from 'node:timers/promises';
import { verify } from './http.mjs';
import { fire, fireSlices } from './load.mjs';
import { busySeconds, childrenSeconds, cpuBetween, cpuReading, idle, rssMiB } from './process-tree.mjs';

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** Load until the engine has used `cpuTime` seconds, so that everybody measures compiled code. */
export async function warm(running, port, scenario, cpuTime, options) {
  if (running.engine === 'nginx') return;
  const begun = cpuReading(running.pid);
  for (const end = performance.now() + cpuTime * 12_000; performance.now() < end; ) {
    await fire(port, scenario.request, { ...options, seconds: 1, mayStall: true });
    if (cpuBetween(begun, cpuReading(running.pid)) >= cpuTime) return;
  }
}

/** Seconds of CPU before the first window: more for the first scenario of a process, and for who compiles late. */
function warmupSeconds(engine, first, warmup) {
  if (engine.startsWith('wiremock')) return first ? warmup * 16 : warmup * 2.7;
  return first ? warmup * 2.7 : warmup;
}

/** The resident set once a second, until it is told to stop; gives the highest. */
async function watchMemory(pid, signal) {
  let peak = rssMiB(pid);
  while (!signal.aborted) {
    await sleep(1000, undefined, { signal }).catch(() => {});
    peak = Math.max(peak, rssMiB(pid));
  }
  return peak;
}

/** Windows are not made longer than this for an engine that answers nothing within one, in seconds. */
const LONGEST_WINDOW = 16;

/**
 * One window: what the generator saw and what the engine used for it. `fireAt` is another generator than wrk. An engine with so
 * many requests in flight that none ends within the window gets one of twice the length, which the sample says (`window`).
 */
export async function sample(running, port, scenario, options) {
  for (let { seconds } = options; ; seconds *= 2) {
    const mayStall = seconds * 2 <= LONGEST_WINDOW;
    const made = await oneWindow(running, port, scenario, { ...options, seconds, mayStall });
    if (made.requests > 0) return { ...made, window: seconds };
  }
}

async function oneWindow(running, port, scenario, { seconds, connections, cpus, mayStall, fireAt = fire }) {
  await verify(running.engine, port, scenario);
  await idle(running.pid, 50);
  const generatorBefore = childrenSeconds();
  const begun = performance.now();
  const busy = busySeconds(cpus.server);
  const reading = cpuReading(running.pid);
  const watching = new AbortController();
  const peak = watchMemory(running.pid, watching.signal);
  const load = { seconds, connections, cpus: cpus.load, mayStall };
  const point = await fireAt(port, scenario.request, load).finally(() => watching.abort());
  const wall = (performance.now() - begun) / 1000;
  const inWindow = cpuBetween(reading, cpuReading(running.pid));
  const foreign = busySeconds(cpus.server) - busy - inWindow;
  const generator = childrenSeconds() - generatorBefore;
  const rss = rssMiB(running.pid);
  const rssPeak = await peak;
  await idle(running.pid);
  // a closed loop leaves a request a connection in flight, which the engine still works off
  const issued = point.issued ?? point.requests + connections;
  const cpu = (cpuBetween(reading, cpuReading(running.pid)) * 1e6) / issued;
  await verify(running.engine, port, scenario);
  const shares = {
    engineShare: inWindow / wall,
    generatorShare: generator / wall,
    foreignShare: Math.max(0, foreign / wall),
  };
  return { ...point, connections, cpu, rss, rssPeak, ...shares };
}

/**
 * Measures points that are compared with each other: each is warmed up, then all of them take turns in every round.
 * @param {{running: object, imposter: object, scenario: object}[]} points
 * @param {Set<object>} seen engines that have answered before
 */
export async function measurePoints(points, options, seen = new Set()) {
  const samples = [];
  for (const { running, imposter, scenario } of points) {
    const port = await running.prepare(imposter, scenario);
    await verify(running.engine, port, scenario);
    const cpuTime = warmupSeconds(running.engine, !seen.has(running), options.warmup);
    seen.add(running);
    await warm(running, port, scenario, cpuTime, { connections: options.connections, cpus: options.cpus.load });
  }
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < points.length; turn++) {
      const { running, imposter, scenario } = points[(turn + round) % points.length];
      const port = await running.prepare(imposter, scenario);
      const point = await sample(running, port, scenario, options);
      samples.push({ engine: running.engine, scenario: scenario.name, round, ...point });
      options.progress(samples.at(-1));
    }
  }
  return samples;
}

/**
 * @param {object[]} runnings started engines
 * @param {{imposter: object, scenario: object}[]} work what each of them has to answer
 * @param {object} options `together`: scenarios take turns, too, because they are compared with each other;
 *   `releaseAfter`: only what is measured is loaded
 * @returns {Promise<{engine: string, scenario: string, round: number, rps: number, cpu: number}[]>}
 */
export async function measure(runnings, work, options) {
  const seen = new Set();
  const pointsOf = ({ imposter, scenario }) => runnings.map((running) => ({ running, imposter, scenario }));
  if (options.together) return measurePoints(work.flatMap(pointsOf), options, seen);
  const samples = [];
  for (const one of work) {
    const points = pointsOf(one);
    samples.push(...(await measurePoints(points, options, seen)));
    if (options.releaseAfter) for (const { running, imposter } of points) await running.release(imposter);
  }
  return samples;
}

/**
 * Measures points whose quotient is wanted to a few per cent: in slices that alternate (slices.mjs), as long for each point as
 * all its windows would be. For engines that keep their connections.
 * @returns {Promise<object[]>} samples as of `measure`, each turn a round, without latencies
 */
export async function measureSlices(points, { rounds, seconds, warmup, connections, cpus, milliseconds = 100 }) {
  const sides = [];
  for (const { running, imposter, scenario } of points) {
    const port = await running.prepare(imposter, scenario);
    await verify(running.engine, port, scenario);
    sides.push({ pid: running.pid, port, request: scenario.request });
  }
  const slices = (seconds) => Math.ceil((seconds * 1000) / milliseconds);
  const turns = Math.max(10, slices(rounds * seconds));
  const task = { connections, turns, milliseconds, warmup: slices(warmup), cpus: cpus.load };
  const made = await fireSlices(sides, task);
  for (const [i, { running, scenario }] of points.entries()) await verify(running.engine, sides[i].port, scenario);
  return made.flatMap((results, round) =>
    results.map((result, i) => ({
      engine: points[i].running.engine,
      scenario: points[i].scenario.name,
      round,
      connections,
      ...result,
    })),
  );
}

/** Samples of each point by `engine scenario`; refused if any repetition lacks a point, as no median could be compared. */
function complete(samples) {
  const points = new Map();
  const distinct = (key) => new Set(samples.map((one) => one[key]));
  for (const entry of samples) {
    const key = `${entry.engine} ${entry.scenario}`;
    points.set(key, [...(points.get(key) ?? []), entry]);
  }
  const rounds = distinct('round');
  for (const engine of distinct('engine')) {
    for (const scenario of distinct('scenario')) {
      const entries = points.get(`${engine} ${scenario}`) ?? [];
      if (entries.length === rounds.size && new Set(entries.map(({ round }) => round)).size === rounds.size) continue;
      throw new Error(`${engine}, ${scenario}: ${entries.length} of ${rounds.size} rounds; that cannot be compared`);
    }
  }
  return points;
}

const METRICS = [
  ...['rps', 'cpu', 'p50', 'p90', 'p99', 'p999', 'mean', 'rss', 'rssPeak', 'window'],
  ...['engineShare', 'generatorShare', 'foreignShare'],
];

/** Medians over the rounds of every point, with the spread of requests per second in percent. */
export function summarize(samples, baseline) {
  const points = complete(samples);
  return [...points.values()].map((entries) => {
    const { engine, scenario, connections } = entries[0];
    const row = { engine, scenario, connections, rounds: entries.length };
    for (const key of METRICS) {
      const values = entries.map((entry) => entry[key]).filter((value) => value !== undefined);
      if (values.length > 0) row[key] = median(values);
    }
    row.rpsPerCore = 1e6 / row.cpu;
    const rates = entries.map(({ rps }) => rps);
    row.spread = ((Math.max(...rates) - Math.min(...rates)) * 100 * rates.length) / rates.reduce((a, b) => a + b);
    if (points.has(`${baseline} ${scenario}`)) {
      const side = { engine, scenario };
      row.cpuRatio = ratio(samples, side, { engine: baseline, scenario }, 'cpu');
      row.rpsRatio = ratio(samples, side, { engine: baseline, scenario }, 'rps');
    }
    return row;
  });
}

/** One point's metric divided by another's in each round, then the median; undefined where either was not measured. */
export function ratio(samples, above, below, metric) {
  const of = ({ engine, scenario }) => samples.filter((one) => one.engine === engine && one.scenario === scenario);
  const others = of(below);
  const quotients = of(above).flatMap((one) => {
    const other = others.find(({ round }) => round === one.round);
    return other ? [one[metric] / other[metric]] : [];
  });
  return quotients.length > 0 ? median(quotients) : undefined;
}
