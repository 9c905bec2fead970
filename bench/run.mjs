// Side-by-side benchmarks: node run.mjs [SUITE ...] [options]; without a suite all of them. See README.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { enginesOf } from './engines.mjs';

const SUITES = ['quick', 'scenarios', 'recording', 'sweep', 'shapes', 'admin', 'memory', 'percore', 'hanging-scripts'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engines: { type: 'string' },
    scenarios: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '50' },
    warmup: { type: 'string', default: '1.5' },
    'server-cpu': { type: 'string', default: '0' },
    'load-cpu': { type: 'string', default: '1' },
    most: { type: 'string' },
    out: { type: 'string', default: 'results' },
    'rift-bin': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`node run.mjs [SUITE ...] [options]
suites: ${SUITES.join(', ')} (default: all)
  --engines A,B       of ${Object.keys(enginesOf('x')).join(', ')} (default: each suite's own choice)
  --scenarios A,B     parts of scenario names to keep
  --seconds N         measured window, whole seconds (3)         --rounds N       repetitions, median of them (3)
  --connections N     kept connections (50)       --warmup S       seconds of the engine's CPU before it is measured (1.5)
  --server-cpu LIST   processor of the engine (0) --load-cpu LIST  processor of the generator (1)
  --most N            largest number of stubs of the sweep
  --rift-bin PATH     another server that takes the same flags
  --out DIR           where results go (results)`);
  process.exit(0);
}

const engines = enginesOf(values['rift-bin']);
const options = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  connections: Number(values.connections),
  warmup: Number(values.warmup),
  cpus: { server: values['server-cpu'], load: values['load-cpu'] },
  most: values.most && Number(values.most),
  scenarios: values.scenarios?.split(','),
  progress: ({ engine, scenario, round, rps, cpu, p99, foreignShare }) =>
    console.error(
      `${engine} ${scenario} #${round + 1}: ${rps.toFixed(0)} requests/s, ${cpu.toFixed(1)} µs, p99 ${p99.toFixed(2)} ms (others used ${(foreignShare * 100).toFixed(0)} % of the processor)`,
    ),
};

const told = new Set();

/**
 * Starts those of the named engines that are there, runs, and stops them whatever happens. `only`: the one engine of this
 * step, left out when others were chosen.
 */
async function withEngines(names, use, { only, needsImposters, ...startOptions } = {}) {
  const chosen = values.engines?.split(',') ?? [...names, ...(values['rift-bin'] && !only ? ['rift'] : [])];
  const wanted = only ? only.filter((name) => chosen.includes(name)) : chosen;
  const runnings = [];
  try {
    for (const name of wanted) {
      const engine = engines[name];
      if (!engine) throw new Error(`no engine ${name}; there are ${Object.keys(engines).join(', ')}`);
      if (needsImposters && !engine.imposters) continue;
      const missing = engine.missing();
      if (missing) {
        if (!told.has(name)) console.error(missing);
        told.add(name);
        continue;
      }
      const running = await engine.start({
        engine: name,
        cpus: options.cpus.server,
        connections: options.connections,
        ...startOptions,
      });
      runnings.push(running);
    }
    return await use(runnings);
  } finally {
    for (const running of runnings) await running.stop();
  }
}

/** What a report says of the engines that took part. */
const described = (names) =>
  names.map((name) => ({ name, title: engines[name].title, version: engines[name].version() }));

const suites = positionals.length > 0 ? positionals : SUITES;
for (const name of suites) {
  if (!SUITES.includes(name)) throw new Error(`no suite ${name}; there are ${SUITES.join(', ')}`);
  const { run } = await import(`./suites/${name}.mjs`);
  const text = await run({ options, engines, withEngines, described, out: resolve(values.out) });
  console.log(text);
}
