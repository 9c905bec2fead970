// What a journal costs: the same request to the same stubs, with and without it, in slices that alternate. Valid only if requests were counted, and
// kept no more than the cap of engines that have one.
import { recordingImposter, stubsOf } from '../fixture.mjs';
import { call } from '../http.mjs';
import { measureSlices, ratio, summarize } from '../measure.mjs';
import { rssMiB } from '../process-tree.mjs';
import { fixed, table, write } from '../report.mjs';
import { comparison, recordingOn } from '../scenarios.mjs';

const CAP = 10_000;
const plain = comparison.find(({ name }) => name === 'api_middle');

export async function run(bench) {
  const names = ['node24', 'bun', 'node20', 'mountebank'];
  const work = [
    { imposter: { protocol: 'http', name: 'API', stubs: stubsOf.API }, scenario: plain },
    { imposter: recordingImposter, scenario: recordingOn },
  ];
  const journals = [];
  const samples = await bench.withEngines(
    names,
    async (runnings) => {
      const made = [];
      for (const running of runnings) {
        const points = work.map((one) => ({ running, ...one }));
        made.push(...(await measureSlices(points, bench.options)));
        const port = await running.prepare(recordingImposter);
        const shown = JSON.parse((await call(running.admin, `/imposters/${port}`)).body);
        const { engine, pid } = running;
        const journal = { engine, counted: shown.numberOfRequests, kept: shown.requests.length, rss: rssMiB(pid) };
        // Mountebank keeps everything
        const capped = !running.engine.startsWith('mountebank');
        if (!(journal.counted > 0 && journal.kept > 0 && (!capped || journal.kept <= CAP)))
          throw new Error(`not valid: ${JSON.stringify(journal)}`);
        journals.push(journal);
      }
      return made;
    },
    { needsImposters: true },
  );
  const rows = summarize(samples);
  const of = (engine, scenario) => rows.find((row) => row.engine === engine && row.scenario === scenario);
  const cost = table(
    ['engine', 'off, µs', 'on, µs', 'on ÷ off', 'off, requests/s', 'on, requests/s', 'counted', 'kept', 'MiB after'],
    journals.map(({ engine, counted, kept, rss }) => {
      const [off, on] = [of(engine, plain.name), of(engine, recordingOn.name)];
      const cost = ratio(samples, { engine, scenario: on.scenario }, { engine, scenario: off.scenario }, 'cpu');
      const cells = [fixed(off.cpu), fixed(on.cpu), fixed(cost, 2), fixed(off.rps, 0), fixed(on.rps, 0)];
      return [engine, ...cells, fixed(counted, 0), fixed(kept, 0), fixed(rss, 0)];
    }),
  );
  const body = `Mountebank keeps every request; the others no more than 10,000.\n\n${cost}`;
  const engines = bench.described(journals.map(({ engine }) => engine));
  return write({ ...bench, name: 'recording', title: 'Recording', engines, body, data: { samples, rows, journals } });
}
