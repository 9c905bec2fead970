// Resident set of a fresh process, step by step: idle, loaded, after requests, with a journal that fills and stays full.

import { setTimeout as sleep } from 'node:timers/promises';
import { recordingImposter, stubsOf } from '../fixture.mjs';
import { call } from '../http.mjs';
import { fire } from '../load.mjs';
import { rssMiB } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';
import { comparison } from '../scenarios.mjs';

const REQUESTS = 20_000;
const { request } = comparison.find(({ name }) => name === 'api_middle');
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** At least `count` requests; wrk fires for whole seconds. */
async function requests(port, count, { connections, cpus }) {
  for (let sent = 0; sent < count; ) {
    sent += (await fire(port, request, { seconds: 1, connections, cpus: cpus.load, mayStall: true })).requests;
  }
}

async function steps(running, options) {
  const rss = () => rssMiB(running.pid);
  await sleep(500);
  const row = { ready: running.readyMs, idle: rss() };
  const api = await running.create({ protocol: 'http', name: 'API', stubs: stubsOf.API });
  await sleep(300);
  row.loaded = rss();
  await requests(api.port, REQUESTS, options);
  row.afterOff = rss();
  const recording = await running.create(recordingImposter);
  const before = rss();
  await requests(recording.port, REQUESTS, options);
  const first = rss();
  await requests(recording.port, REQUESTS, options);
  row.recordingFirst = first - before;
  row.recordingSecond = rss() - first;
  const shown = JSON.parse((await call(running.admin, `/imposters/${recording.port}`)).body);
  row.counted = shown.numberOfRequests;
  row.kept = shown.requests.length;
  return row;
}

export async function run(bench) {
  const names = ['node20', 'node24', 'bun', 'mountebank'];
  const samples = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const name of names) {
      await bench.withEngines(
        [name],
        async ([running]) => {
          if (running) samples.push({ engine: name, round, ...(await steps(running, bench.options)) });
        },
        { needsImposters: true, only: [name] },
      );
    }
  }
  const used = [...new Set(samples.map(({ engine }) => engine))];
  const keys = ['ready', 'idle', 'loaded', 'afterOff', 'recordingFirst', 'recordingSecond', 'counted', 'kept'];
  const body = table(
    ['engine', 'ready, ms', 'idle', '310 stubs', 'after requests', 'journal: first', 'second', 'counted', 'kept'],
    used.map((engine) => {
      const mine = samples.filter((sample) => sample.engine === engine);
      return [engine, ...keys.map((key) => fixed(median(mine.map((sample) => sample[key])), key === 'idle' ? 1 : 0))];
    }),
  );
  const note = `MiB; each step fires at least ${REQUESTS.toLocaleString('en-US')} requests (whole seconds).\n`;
  const engines = bench.described(used);
  return write({ ...bench, name: 'memory', title: 'Memory', engines, body: `${note}\n${body}`, data: { samples } });
}
