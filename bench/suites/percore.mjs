// Two data threads against one. The request is dear for the server and cheap for the generator (a JSON body of 40 KB that
// a stub compares as a whole), so that wrk leaves room on two processors; both processors are the server's.
import { availableParallelism } from 'node:os';
import { measure, summarize } from '../measure.mjs';
import { fixed, table, write } from '../report.mjs';

const order = {
  lines: Array.from({ length: 800 }, (_, i) => ({ sku: `sku-${i}`, quantity: i, note: 'as ordered' })),
};
const answer = { statusCode: 200, body: '{"taken": true}' };
const heavy = {
  imposter: {
    protocol: 'http',
    name: 'Orders',
    stubs: [{ predicates: [{ deepEquals: { body: order } }], responses: [{ is: answer }] }],
  },
  scenario: {
    name: 'large JSON body',
    request: {
      method: 'POST',
      target: '/orders',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
    },
    marker: '"taken"',
    answer,
  },
};

export async function run(bench) {
  const all = Array.from({ length: availableParallelism() }, (_, i) => i).join(',');
  const options = { ...bench.options, cpus: { server: all, load: all } };
  const samples = [];
  const names = ['node24', 'bun'];
  for (const name of names) {
    for (const threads of [1, 2]) {
      const made = await bench.withEngines([name], (runnings) => measure(runnings, [heavy], options), {
        args: ['--runtime', `per-core=${threads}`],
        cpus: all,
        only: [name],
        needsImposters: true,
      });
      samples.push(...made.map((one) => ({ ...one, scenario: `${threads} thread${threads > 1 ? 's' : ''}` })));
    }
  }
  const rows = summarize(samples);
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const body = table(
    ['engine', '1 thread, requests/s', '2 threads', 'ratio', '1 thread, µs', '2 threads'],
    used.map((engine) => {
      const [one, two] = rows.filter((row) => row.engine === engine);
      const cells = [fixed(one.rps, 0), fixed(two.rps, 0), fixed(two.rps / one.rps, 2), fixed(one.cpu), fixed(two.cpu)];
      return [engine, ...cells];
    }),
  );
  const engines = bench.described(used);
  return write({ ...bench, options, name: 'percore', title: 'Data threads', engines, body, data: { samples, rows } });
}
