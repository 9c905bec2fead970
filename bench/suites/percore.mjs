// Two data threads against one, both processes standing, in slices that alternate; both processors are the server's. Where there
// are two, the generator takes its part of them: with s CPU seconds a request for the server and g for the generator, one thread
// serves 1 / s requests a second beside it, and two at most 2 / (s + g). So the request is dear for the server and cheap for the
// generator (an XML body of 40 KB that is parsed, and asked by the XPath of twenty stubs of which the last one answers: g is a
// twentieth of s, and 1.9 the most there is); the table has what both used.
import { measureSlices, ratio, summarize } from '../measure.mjs';
import { coresHere } from '../pinning.mjs';
import { fixed, table, write } from '../report.mjs';

const lines = Array.from({ length: 800 }, (_, i) => `<line sku="sku-${i}"><quantity>${i}</quantity></line>`);
const answer = { statusCode: 200, body: '{"taken": true}' };
const asking = (line, quantity, body) => ({
  predicates: [{ equals: { body: quantity }, xpath: { selector: `//line[@sku='sku-${line}']/quantity` } }],
  responses: [{ is: { ...answer, body } }],
});
const imposter = {
  protocol: 'http',
  name: 'Orders',
  stubs: [
    ...Array.from({ length: 19 }, (_, i) => asking(780 + i, 'none', '{"taken": false}')),
    asking(799, '799', answer.body),
  ],
};
const request = {
  method: 'POST',
  target: '/orders',
  headers: { 'Content-Type': 'application/xml' },
  body: `<order>${lines.join('')}</order>`,
};

/** Scenario of a number of data threads. */
export const threadsScenario = (threads) => `${threads} thread${threads > 1 ? 's' : ''}`;

export async function run(bench) {
  const all = coresHere().flat().join(',');
  // longer slices than usual: the end of one, when connections wait for the last answers, is idle for a thread; and a longer
  // warm-up: each thread compiles for itself
  const warmup = Math.max(bench.options.warmup, 5);
  const options = { ...bench.options, warmup, cpus: { server: all, load: all }, milliseconds: 500 };
  const startOptions = (threads) => ({
    args: ['--runtime', `per-core=${threads}`],
    label: `per-core (${threads} worker`,
    cpus: all,
    needsImposters: true,
  });
  const samples = [];
  for (const name of bench.engineNames(['node24', 'bun'])) {
    if (!bench.engines[name]?.unlimited) continue;
    const only = [name];
    const made = await bench.withEngines(
      only,
      ([one]) =>
        one &&
        bench.withEngines(
          only,
          ([two]) => {
            const points = [one, two].map((running, i) => ({
              running,
              imposter,
              scenario: { name: threadsScenario(i + 1), request, marker: '"taken"', answer },
            }));
            return measureSlices(points, options);
          },
          { ...startOptions(2), only },
        ),
      { ...startOptions(1), only },
    );
    samples.push(...(made ?? []));
  }
  const rows = summarize(samples);
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const body = table(
    [
      ...['engine', '1 thread, requests/s', '2 threads', 'ratio', '1 thread, µs', '2 threads'],
      'processors of engine and generator, 2 threads',
    ],
    used.map((engine) => {
      const [one, two] = [1, 2].map((threads) =>
        rows.find((row) => row.engine === engine && row.scenario === threadsScenario(threads)),
      );
      const scaled = ratio(samples, two, one, 'rps');
      return [
        ...[engine, fixed(one.rps, 0), fixed(two.rps, 0), fixed(scaled, 2), fixed(one.cpu), fixed(two.cpu)],
        `${fixed((two.rps * two.cpu) / 1e6, 2)}, ${fixed(two.generatorShare, 2)}`,
      ];
    }),
  );
  const engines = bench.described(used);
  return write({ ...bench, options, name: 'percore', title: 'Data threads', engines, body, data: { samples, rows } });
}
