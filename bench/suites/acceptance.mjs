// What the aims of the project need, and nothing else: the other suites with chosen engines and short windows, one after the
// other, then every aim judged. Each part is written as it ends, so that a part can be measured anew (`--parts`) or all judged
// again (`--judge-only`).
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { judge, summary } from '../judge.mjs';
import { fixed, table, write } from '../report.mjs';

const ours = ['node24', 'bun'];
const all = [...ours, 'node20'];
/** `warmup`: seconds of the engine's CPU before a scenario, of the first of a process 2.7 times that (4 seconds). */
const short = { seconds: 1, rounds: 3, warmup: 1.5 };

/** Suite to what it is run with. Windows are whole seconds (wrk); pairs that differ by per cents have more rounds. */
const PARTS = {
  scenarios: { ...short, engines: ['nginx', ...all, 'mountebank', 'wiremock'] },
  latency: { ...short, seconds: 2, rounds: 5, engines: ['nginx', ...all] },
  flatness: { ...short, rounds: 7, engines: all },
  recording: { ...short, seconds: 2, rounds: 5, engines: ours },
  percore: { ...short, seconds: 2, rounds: 5, engines: ours },
  million: { ...short, seconds: 2, rounds: 5, engines: ours },
  shapes: { ...short, rounds: 2, engines: ['node24'] },
};

export async function run(bench) {
  const { options } = bench;
  const directory = join(bench.out, 'acceptance');
  mkdirSync(directory, { recursive: true });
  const wanted = options.judgeOnly ? [] : (options.parts ?? Object.keys(PARTS));
  for (const name of wanted) if (!PARTS[name]) throw new Error(`no part ${name}; there are ${Object.keys(PARTS)}`);
  const seconds = {};
  for (const name of wanted) {
    // an old result must not stand for a part that failed
    rmSync(join(directory, `${name}.json`), { force: true });
    const { run: measureSuite } = await import(`./${name}.mjs`);
    const begun = performance.now();
    const { engines } = PARTS[name];
    const given = options.riftBin && engines.includes('nginx') ? ['rift'] : [];
    await measureSuite(bench.changed({ ...PARTS[name], engines: [...engines, ...given] }, directory));
    seconds[name] = (performance.now() - begun) / 1000;
    console.error(`${name}: ${fixed(seconds[name], 0)} s`);
  }
  return report(bench, directory, seconds);
}

function report(bench, directory, seconds) {
  const parts = {};
  const texts = [];
  const missing = [];
  for (const name of Object.keys(PARTS)) {
    try {
      parts[name] = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8'));
      // its headings stand below those of the whole
      texts.push(readFileSync(join(directory, `${name}.md`), 'utf8').replace(/^(?=#)/gm, '#'));
    } catch {
      missing.push(name);
    }
  }
  const aims = judge(parts);
  const mark = (ok) => (ok ? 'ok' : '**not ok**');
  const number = (value) => (value === undefined ? 'not measured' : fixed(value, value >= 100 ? 0 : 2));
  const body = [
    ...(missing.length > 0 ? [`Not measured: ${missing.join(', ')}.\n`] : []),
    ...new Set(Object.values(parts).map(({ date, commit }) => `- measured ${date}, commit ${commit}`)),
    '',
    `## ${aims.filter(({ ok }) => ok).length} of ${aims.length} aims hold\n`,
    table(
      ['aims', 'hold', 'of', 'not measured', '', 'wanted', 'nearest to or furthest behind its bound'],
      summary(aims).map(({ group, ok, all: count, unmeasured, worst }) => [
        group,
        ok,
        count,
        unmeasured,
        mark(ok === count),
        worst.wanted,
        `${worst.what}: ${number(worst.measured)}`,
      ]),
    ),
    '## Each aim\n',
    table(
      ['aim', 'wanted', 'measured', ''],
      aims.map(({ group, what, wanted, measured, ok }) => [`${group}: ${what}`, wanted, number(measured), mark(ok)]),
    ),
    ...texts,
  ].join('\n');
  const engines = parts.scenarios?.engines ?? [];
  const { options } = bench;
  const shown = { ...options, ...short, seconds: '1 or 2', rounds: '2 to 7' };
  return write({
    ...bench,
    options: shown,
    name: 'acceptance',
    title: 'Aims',
    engines,
    body,
    data: { seconds, aims, parts },
  });
}
