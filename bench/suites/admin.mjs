// Creating and reading an imposter with many stubs, and adding stubs one at a time: a fresh process for each.

import { setTimeout as sleep } from 'node:timers/promises';
import { leanCall } from '../lean-call.mjs';
import { cpuBetween, cpuReading, idle, rssMiB } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';

/** Reads after the five that are timed, for their CPU time. */
const READS = 20;
const is = { statusCode: 200, body: 'x' };
const stub = (path) => ({ predicates: [{ equals: { path } }], responses: [{ is }] });
const SHAPES = { identical: () => '/data', distinct: (k) => `/p${k}` };
export const stubsOf = (shape, n) => Array.from({ length: n }, (_, k) => stub(SHAPES[shape](k)));

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const medians = (entries) =>
  Object.fromEntries(Object.keys(entries[0]).map((key) => [key, median(entries.map((entry) => entry[key]))]));

async function create(running, shape, n) {
  const imposter = { protocol: 'http', name: 'A', stubs: stubsOf(shape, n) };
  await sleep(300);
  await idle(running.pid);
  const before = { rss: rssMiB(running.pid), cpu: cpuReading(running.pid) };
  const { port, answer } = await running.create(imposter);
  const growth = rssMiB(running.pid) - before.rss;
  await idle(running.pid);
  const cpuMs = cpuBetween(before.cpu, cpuReading(running.pid)) * 1000;
  const reads = [];
  for (let i = 0; i < 5; i++) reads.push(await leanCall(running.admin, `/imposters/${port}`));
  // most of a read's time is the client's and the kernel's
  await idle(running.pid);
  const cpuBeforeReads = cpuReading(running.pid);
  for (let i = 0; i < READS; i++) await leanCall(running.admin, `/imposters/${port}`);
  await idle(running.pid);
  const readCpuMs = (cpuBetween(cpuBeforeReads, cpuReading(running.pid)) * 1000) / READS;
  return {
    createMs: answer.ms,
    cpuMs,
    growth,
    readMs: median(reads.map(({ ms }) => ms)),
    readCpuMs,
    readMinMs: Math.min(...reads.map(({ ms }) => ms)),
    bytes: reads[0].bytes,
    warnings: JSON.parse(answer.body)._rift?.warnings?.length ?? 0,
  };
}

/** Stubs appended one request at a time to an imposter that has none. */
async function addOneByOne(running, n) {
  const { port } = await running.create({ protocol: 'http', name: 'A', stubs: [] });
  await idle(running.pid);
  const cpu = cpuReading(running.pid);
  const rss = rssMiB(running.pid);
  const begun = performance.now();
  for (let k = 0; k < n; k++) {
    const body = JSON.stringify({ stub: stub('/data') });
    const { status } = await leanCall(running.admin, `/imposters/${port}/stubs`, { method: 'POST', body });
    if (status !== 200) throw new Error(`${running.engine}: ${status} for stub ${k}`);
  }
  const createMs = performance.now() - begun;
  const growth = rssMiB(running.pid) - rss;
  await idle(running.pid);
  return { createMs, cpuMs: cpuBetween(cpu, cpuReading(running.pid)) * 1000, growth };
}

export async function run(bench) {
  const { rounds } = bench.options;
  const names = bench.engineNames(['node20', 'node24', 'bun', 'mountebank']);
  const rows = [];
  const samples = [];
  const tasks = [
    ...Object.keys(SHAPES).flatMap((shape) =>
      [100, 1000].map((n) => [`${shape}, ${n}`, (running) => create(running, shape, n)]),
    ),
    ['identical, 10000', (running) => create(running, 'identical', 10_000)],
    ['1000 one at a time', (running) => addOneByOne(running, 1000)],
  ];
  for (const [task, measureOne] of tasks) {
    const entries = new Map();
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        await bench.withEngines(
          [name],
          async ([running]) => {
            if (running === undefined) return;
            const sample = await measureOne(running);
            entries.set(name, [...(entries.get(name) ?? []), sample]);
            samples.push({ task, engine: name, round, ...sample });
          },
          { needsImposters: true, only: [name] },
        );
      }
    }
    for (const [engine, list] of entries) rows.push({ task, engine, ...medians(list) });
  }
  const body = table(
    ['engine', 'stubs', 'create, ms', 'CPU, ms', 'growth, MiB', 'read, ms', 'CPU, ms', 'bytes', 'warnings'],
    rows.map(({ engine, task, createMs, cpuMs, growth, readMs, readCpuMs, bytes, warnings }) => [
      engine,
      task,
      fixed(createMs),
      fixed(cpuMs, 0),
      fixed(growth),
      fixed(readMs),
      fixed(readCpuMs),
      fixed(bytes, 0),
      fixed(warnings, 0),
    ]),
  );
  const engines = bench.described([...new Set(rows.map(({ engine }) => engine))]);
  return write({ ...bench, name: 'admin', title: 'Admin API', engines, body, data: { samples, rows } });
}
