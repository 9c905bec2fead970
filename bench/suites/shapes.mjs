// Every predicate operator on every field: one stub of the shape against 1,000 of them, of which the last answers. Both
// imposters stand in the same process and are measured in slices that alternate, so that the ratio is a matter of the index alone.

import { measureSlices, ratio, summarize } from '../measure.mjs';
import { predicateOf, requestOf, shapes } from '../predicate-shapes.mjs';
import { idle } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';

const N = 1000;

function stubsOf(shape, indexes, last) {
  return indexes.map((i) => ({
    predicates: [predicateOf(shape, i)],
    responses: [{ is: { statusCode: 200, body: i === last ? 'found' : 'another' } }],
  }));
}

export async function run(bench) {
  const { options } = bench;
  const engine = 'node24';
  const wanted = options.scenarios;
  const rows = [];
  const samples = [];
  await bench.withEngines(
    [engine],
    async ([running]) => {
      if (running === undefined) return;
      for (const shape of shapes) {
        if (wanted !== undefined && !wanted.some((part) => shape.name.includes(part))) continue;
        const most = shape.most ?? N;
        const all = Array.from({ length: most }, (_, i) => i);
        const last = most - 1;
        const request = requestOf(shape, last);
        const scenario = { name: shape.name, request, marker: 'found' };
        const points = [
          ['1 stub', [last]],
          [`${most} stubs`, all],
        ].map(([side, indexes]) => ({
          running,
          imposter: { protocol: 'http', name: `${shape.name} ${side}`, stubs: stubsOf(shape, indexes, last) },
          scenario: { ...scenario, name: side },
        }));
        const made = await measureSlices(points, { ...options, warmup: options.warmup / 3 });
        for (const { imposter } of points) await running.release(imposter);
        await idle(running.pid);
        const [one, many] = summarize(made);
        samples.push(...made.map((sample) => ({ shape: shape.name, ...sample })));
        const row = { shape: shape.name, one: one.cpu, many: many.cpu, flat: ratio(made, one, many, 'cpu') };
        rows.push(row);
        console.error(`${row.shape}: ${fixed(row.one)} µs, ${fixed(row.many)} µs, ${fixed(row.flat, 2)}`);
      }
    },
    { needsImposters: true, only: [engine] },
  );
  const body = table(
    ['shape', '1 stub, µs', `${fixed(N, 0)} stubs, µs`, 'requests a CPU-second that are left'],
    rows.map(({ shape, one, many, flat }) => [shape, fixed(one), fixed(many), fixed(flat, 2)]),
  );
  const engines = bench.described([engine]);
  return write({ ...bench, name: 'shapes', title: 'Shapes of predicates', engines, body, data: { samples, rows } });
}
