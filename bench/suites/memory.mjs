// Resident set of a fresh process, step by step: idle, loaded, after requests, with a journal that fills and stays full.

import { setTimeout as sleep } from 'node:timers/promises';
import { recordingImposter, stubsOf } from '../fixture.mjs';
import { call } from '../http.mjs';
import { fireCount } from '../load.mjs';
import { rssMiB } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';
import { comparison } from '../scenarios.mjs';

const { request } = comparison.find(({ name }) => name === 'api_middle');
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

async function steps(running, { requests: count, connections, cpus }) {
  const requests = (port, times = 1) => fireCount(port, request, count * times, { connections, cpus: cpus.load });
  const rss = () => rssMiB(running.pid);
  await sleep(500);
  const row = { ready: running.readyMs, idle: rss() };
  const api = await running.create({ protocol: 'http', name: 'API', stubs: stubsOf.API });
  await sleep(300);
  row.loaded = rss();
  await requests(api.port);
  row.afterOff = rss();
  // slack of the collector is reached once, a leak grows on
  await requests(api.port, 5);
  row.afterFive = rss();
  await requests(api.port, 5);
  row.afterTen = rss();
  const recording = await running.create(recordingImposter);
  const before = rss();
  await requests(recording.port);
  const first = rss();
  await requests(recording.port);
  row.recordingFirst = first - before;
  row.recordingSecond = rss() - first;
  const shown = JSON.parse((await call(running.admin, `/imposters/${recording.port}`)).body);
  row.counted = shown.numberOfRequests;
  row.kept = shown.requests.length;
  return row;
}

export async function run(bench) {
  const names = bench.engineNames(['node20', 'node24', 'bun', 'mountebank']);
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
  const keys = ['ready', 'idle', 'loaded', 'afterOff', 'afterFive', 'afterTen', 'recordingFirst', 'recordingSecond'];
  keys.push('counted', 'kept');
  const { requests } = bench.options;
  const body = table(
    [
      ...['engine', 'ready, ms', 'idle', '310 stubs', 'after K', 'after 6 K', 'after 11 K'],
      ...['journal: first K', 'second K', 'counted', 'kept'],
    ],
    used.map((engine) => {
      const mine = samples.filter((sample) => sample.engine === engine);
      return [engine, ...keys.map((key) => fixed(median(mine.map((sample) => sample[key])), key === 'idle' ? 1 : 0))];
    }),
  );
  const note = `Resident set in MiB; K = ${fixed(requests, 0)} requests.\n`;
  const engines = bench.described(used);
  return write({ ...bench, name: 'memory', title: 'Memory', engines, body: `${note}\n${body}`, data: { samples } });
}
