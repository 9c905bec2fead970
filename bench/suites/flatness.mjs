// The last stub against the first of the same list, in slices that alternate: a few per cent are a matter of the moment unless
// both are measured in the same one.
import { imposters } from '../fixture.mjs';
import { measureSlices, ratio, summarize } from '../measure.mjs';
import { fixed, table, write } from '../report.mjs';
import { comparison } from '../scenarios.mjs';

const names = ['node24', 'bun', 'node20'];
const named = (wanted) => comparison.find(({ name }) => name === wanted);
const regexLast = named('regex_last');
const regexFirst = {
  ...regexLast,
  name: 'regex_first',
  request: { ...regexLast.request, target: '/regex/pattern1/test' },
  marker: 'regex 1',
};

/** Last and first, as they are divided. */
export const PAIRS = [
  ['api_last', 'api_first'],
  ['no_match', 'api_first'],
  ['regex_last', 'regex_first'],
];

export async function run(bench) {
  const groups = [
    [named('api_first'), named('api_last'), named('no_match')],
    [regexFirst, regexLast],
  ];
  const samples = await bench.withEngines(
    names,
    async (runnings) => {
      const made = [];
      for (const group of groups) {
        const imposter = imposters.find(({ name }) => name === group[0].imposter);
        for (const running of runnings) {
          const points = group.map((scenario) => ({ running, imposter, scenario }));
          made.push(...(await measureSlices(points, bench.options)));
        }
      }
      return made;
    },
    { needsImposters: true },
  );
  const rows = summarize(samples);
  const used = [...new Set(rows.map(({ engine }) => engine))];
  const body = [
    'Requests a CPU-second that are left when the stub is the last instead of the first (median of neighbouring slices).\n',
    table(
      ['', ...used],
      PAIRS.map(([last, first]) => [
        `${last} ÷ ${first}`,
        ...used.map((engine) =>
          fixed(ratio(samples, { engine, scenario: first }, { engine, scenario: last }, 'cpu'), 3),
        ),
      ]),
    ),
    table(
      ['', 'µs of CPU a request', 'requests/s'],
      rows.map(({ engine, scenario, cpu, rps }) => [`${engine}, ${scenario}`, fixed(cpu, 2), fixed(rps, 0)]),
    ),
  ].join('\n');
  const engines = bench.described(used);
  return write({ ...bench, name: 'flatness', title: 'First and last stub', engines, body, data: { samples, rows } });
}
