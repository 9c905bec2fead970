// Points (engine x scenario), interleaved: all engines stand ready, one at a time is under load, and the order turns from
// round to round, so that a slow minute of the machine hits all of them. Ratios are formed inside a round.
import { verify } from './http.mjs';
import { fire } from './load.mjs';
import { busySeconds, cpuSeconds, idle, rssMiB } from './process-tree.mjs';

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** A wider warm-up for whoever compiles late, in seconds of the engine's own CPU. */
const warmupFactor = (engine, first) => (engine === 'wiremock' ? 2.7 : 1) * (first ? 2.7 : 1);

/** Load until the engine has used `cpuTime` seconds, so that everybody measures compiled code. */
export async function warm(running, port, scenario, cpuTime, options) {
  if (running.engine === 'nginx') return;
  const begun = cpuSeconds(running.pid);
  for (const end = performance.now() + cpuTime * 12_000; performance.now() < end; ) {
    await fire(port, scenario.request, { ...options, seconds: 1 });
    if (cpuSeconds(running.pid) - begun >= cpuTime) return;
  }
}

/** One window: what the generator saw and what the engine used for it. */
export async function sample(running, port, scenario, { seconds, connections, cpus }) {
  await verify(running.engine, port, scenario);
  await idle(running.pid);
  const before = { engine: cpuSeconds(running.pid), all: busySeconds(cpus.server), wall: performance.now() };
  const point = await fire(port, scenario.request, { seconds, connections, cpus: cpus.load });
  const wall = (performance.now() - before.wall) / 1000;
  const inWindow = cpuSeconds(running.pid) - before.engine;
  const foreign = busySeconds(cpus.server) - before.all - inWindow;
  const rss = rssMiB(running.pid);
  await idle(running.pid);
  // a closed loop leaves a request a connection in flight, which the engine still works off
  const cpu = ((cpuSeconds(running.pid) - before.engine) * 1e6) / (point.requests + connections);
  await verify(running.engine, port, scenario);
  return { ...point, cpu, rss, engineShare: inWindow / wall, foreignShare: Math.max(0, foreign / wall) };
}

/**
 * @param {object[]} runnings started engines
 * @param {{imposter: object, scenario: object}[]} work what each of them has to answer
 * @returns {Promise<{engine: string, scenario: string, round: number, rps: number, cpu: number}[]>}
 */
export async function measure(runnings, work, options) {
  const samples = [];
  const seen = new Set();
  for (const { imposter, scenario } of work) {
    for (const running of runnings) {
      const port = await running.prepare(imposter, scenario);
      await verify(running.engine, port, scenario);
      const cpuTime = options.warmup * warmupFactor(running.engine, !seen.has(running));
      seen.add(running);
      await warm(running, port, scenario, cpuTime, { connections: options.connections, cpus: options.cpus.load });
    }
    for (let round = 0; round < options.rounds; round++) {
      for (let turn = 0; turn < runnings.length; turn++) {
        const running = runnings[(turn + round) % runnings.length];
        const port = await running.prepare(imposter, scenario);
        const point = await sample(running, port, scenario, options);
        samples.push({ engine: running.engine, scenario: scenario.name, round, ...point });
        options.progress(samples.at(-1));
      }
    }
    for (const running of runnings) if (options.releaseAfter) await running.release(imposter);
  }
  return samples;
}

/** Medians over the rounds of every point, with the spread of requests per second in percent. */
export function summarize(samples, baseline) {
  const points = new Map();
  for (const entry of samples) {
    const key = `${entry.engine} ${entry.scenario}`;
    points.set(key, [...(points.get(key) ?? []), entry]);
  }
  const rounds = new Set([...points.values()].map((entries) => entries.length));
  if (rounds.size > 1) throw new Error('engines with different numbers of rounds cannot be compared');
  return [...points.values()].map((entries) => {
    const { engine, scenario } = entries[0];
    const row = { engine, scenario, rounds: entries.length };
    for (const key of ['rps', 'cpu', 'p50', 'p90', 'p99', 'p999', 'rss', 'engineShare', 'foreignShare']) {
      row[key] = median(entries.map((entry) => entry[key]));
    }
    const rates = entries.map(({ rps }) => rps);
    row.spread = ((Math.max(...rates) - Math.min(...rates)) * 100 * rates.length) / rates.reduce((a, b) => a + b);
    const base = points.get(`${baseline} ${scenario}`);
    if (base) {
      const ofRound = (entry) => base.find(({ round }) => round === entry.round);
      row.cpuRatio = median(entries.map((entry) => entry.cpu / ofRound(entry).cpu));
      row.rpsRatio = median(entries.map((entry) => entry.rps / ofRound(entry).rps));
    }
    return row;
  });
}
