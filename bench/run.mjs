// Side-by-side benchmarks: node run.mjs [SUITE ...] [options]; without a suite all of them. See README.md.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBench } from './bench.mjs';
import { enginesOf } from './engines.mjs';
import { coresHere, onePerSide, split } from './pinning.mjs';

const SUITES = [
  ...['quick', 'scenarios', 'latency', 'flatness', 'recording', 'sweep', 'million', 'shapes', 'admin', 'memory'],
  ...['percore', 'connections', 'open-loop', 'cores', 'hanging-scripts'],
];
const EXTRA = ['acceptance'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engines: { type: 'string' },
    scenarios: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '50' },
    warmup: { type: 'string', default: '1.5' },
    'server-cores': { type: 'string' },
    'server-cpu': { type: 'string' },
    'load-cpu': { type: 'string' },
    most: { type: 'string' },
    requests: { type: 'string', default: '20000' },
    parts: { type: 'string' },
    'judge-only': { type: 'boolean', default: false },
    out: { type: 'string', default: 'results' },
    'rift-bin': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`node run.mjs [SUITE ...] [options]
suites: ${SUITES.join(', ')} (default: all of them);
  ${EXTRA.join(', ')}: what the aims of the project need, in less time, each aim judged
  --engines A,B       of ${Object.keys(enginesOf('x')).join(', ')} (default: each suite's own choice)
  --scenarios A,B     parts of scenario names to keep
  --seconds N         measured window, whole seconds (3)         --rounds N       repetitions, median of them (3)
  --connections N     kept connections (50)       --warmup S       seconds of the engine's CPU before it is measured (1.5)
  --server-cores N    the first N processors for the engine, the others for the generator; whole cores only
  --server-cpu LIST   processors of the engine    --load-cpu LIST  processors of the generator (default: one each)
  --most N            largest number of stubs of sweep and million
  --requests N        requests of a step of memory (20000)
  --parts A,B         parts of acceptance to measure anew; the others are read from --out
  --judge-only        acceptance from what is in --out already
  --rift-bin PATH     another server that takes the same flags, as engine \`rift\`
  --out DIR           where results go (results)`);
  process.exit(0);
}

for (const [tool, origin] of [
  ['wrk', 'wrk'],
  ['taskset', 'util-linux'],
]) {
  if (!spawnSync(tool, ['-h']).error) continue;
  console.error(`${tool} is needed and does not run (Debian: apt-get install ${origin})`);
  process.exit(1);
}

/** A number from the command line that must be at least `least`. */
function number(name, least) {
  const value = Number(values[name]);
  if (!(value >= least)) throw new Error(`--${name} ${values[name]}: a number of at least ${least} is needed`);
  return value;
}

const engines = enginesOf(values['rift-bin']);
const cores = coresHere();
const halves = values['server-cores'] ? split(cores, Number(values['server-cores'])) : onePerSide(cores);
const cpus = { server: values['server-cpu'] ?? halves.server, load: values['load-cpu'] ?? halves.load };
// this process works while a window is open, too: it must not do so on the engine's processor
spawnSync('taskset', ['-a', '-c', '-p', cpus.load, `${process.pid}`]);

const options = {
  engines: values.engines?.split(','),
  riftBin: values['rift-bin'] !== undefined,
  seconds: number('seconds', 1),
  rounds: number('rounds', 1),
  connections: number('connections', 1),
  warmup: number('warmup', 0),
  requests: number('requests', 1),
  cpus,
  most: values.most && number('most', 1),
  scenarios: values.scenarios?.split(','),
  parts: values.parts?.split(','),
  judgeOnly: values['judge-only'],
  progress: ({ engine, scenario, connections, round, rps, cpu, p99, foreignShare }) =>
    console.error(
      `${engine} ${scenario} #${round + 1}: ${rps.toFixed(0)} requests/s, ${cpu.toFixed(1)} µs, p99 ${p99?.toFixed(2)} ms at ${connections} (others used ${(foreignShare * 100).toFixed(0)} % of the processor)`,
    ),
};

// engines are in process groups of their own: they end when this process ends itself
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const suites = positionals.length > 0 ? positionals : SUITES;
for (const name of suites) {
  if (![...SUITES, ...EXTRA].includes(name))
    throw new Error(`no suite ${name}; there are ${[...SUITES, ...EXTRA].join(', ')}`);
}
const bench = makeBench({ engines, options, out: resolve(values.out) });
for (const name of suites) {
  const { run } = await import(`./suites/${name}.mjs`);
  console.log(await run(bench));
}
