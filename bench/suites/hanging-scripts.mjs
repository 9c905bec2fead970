// What other traffic notices of 50 scripts that never end: a static stub's latency before, while and after they hang.

import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../http.mjs';
import { fire } from '../load.mjs';
import { rssMiB } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';

const HANGING = 50;
const TIMEOUT_MS = 2000;
const quiet = {
  protocol: 'http',
  name: 'Quiet',
  stubs: [{ predicates: [{ equals: { path: '/' } }], responses: [{ is: { body: 'quiet' } }] }],
};
const hanging = {
  protocol: 'http',
  name: 'Hanging',
  stubs: Array.from({ length: HANGING }, (_, i) => ({
    predicates: [{ equals: { path: `/hang/${i}` } }],
    responses: [{ inject: 'function () { for (;;) {} }' }],
  })),
};
const request = { method: 'GET', target: '/', headers: {}, body: '' };

async function phases(running, { seconds, connections, cpus }) {
  const { port } = await running.create(quiet);
  const loops = await running.create(hanging);
  const look = () => fire(port, request, { seconds, connections, cpus: cpus.load });
  await look();
  const rows = [{ phase: 'before', ...(await look()), rss: rssMiB(running.pid) }];
  const answers = hanging.stubs.map((_, i) =>
    call(loops.port, `/hang/${i}`).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  await sleep(100);
  rows.push({ phase: 'while', ...(await look()), rss: rssMiB(running.pid) });
  const statuses = await Promise.all(answers);
  await sleep(1000);
  rows.push({ phase: 'after', ...(await look()), rss: rssMiB(running.pid) });
  return { rows, statuses };
}

export async function run(bench) {
  const samples = [];
  const used = [];
  const notes = [];
  for (const name of ['node20', 'node24', 'bun']) {
    await bench.withEngines(
      [name],
      async ([running]) => {
        if (!running) return;
        used.push(name);
        const { rows, statuses } = await phases(running, bench.options);
        samples.push(...rows.map((row) => ({ engine: name, ...row })));
        notes.push(
          `${name}: ${statuses.filter((status) => status >= 500).length} of ${HANGING} were told of the limit\n`,
        );
      },
      { args: ['--script-timeout', `${TIMEOUT_MS}`], only: [name], needsImposters: true },
    );
  }
  const body = [
    table(
      ['engine', 'scripts hang', 'requests/s', 'p50, ms', 'p99, ms', 'MiB'],
      samples.map(({ engine, phase, rps, p50, p99, rss }) => [
        engine,
        phase,
        fixed(rps, 0),
        fixed(p50, 2),
        fixed(p99, 2),
        fixed(rss, 0),
      ]),
    ),
    ...notes,
  ].join('\n');
  const engines = bench.described(used);
  const title = `${HANGING} scripts that never end`;
  return write({ ...bench, name: 'hanging-scripts', title, engines, body, data: { samples } });
}
