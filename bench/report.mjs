// Results as Markdown for people and JSON with every sample, both with the machine, the versions and the date.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const loadAtStart = loadavg();

export const fixed = (value, digits = 1) =>
  value === undefined || value === null || Number.isNaN(value)
    ? ''
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A Markdown table; cells after the first are right-aligned. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map((_, i) => (i === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line), ''].join('\n');
}

/** One row a scenario, one column an engine. */
export function pivot(rows, cell, label = 'scenario') {
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return table(
    [label, ...engines],
    scenarios.map((scenario) => [
      scenario,
      ...engines.map((engine) => {
        const row = rows.find((one) => one.engine === engine && one.scenario === scenario);
        return row ? cell(row) : '';
      }),
    ]),
  );
}

function commit() {
  try {
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', cwd }).trim();
  } catch {
    return 'unknown';
  }
}

function machine() {
  const list = cpus();
  return {
    cpu: list[0]?.model,
    cores: list.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    loadBefore: loadAtStart,
    loadAfter: loadavg(),
  };
}

/** Load generator's share of its processor from which on requests a second say more about it than about the engine. */
const GENERATOR_LIMIT = 0.95;

/** What a reader must know before comparing rows. */
export function caveats(rows, others = []) {
  const bound = rows.filter(({ generatorShare }) => generatorShare >= GENERATOR_LIMIT);
  const disturbed = rows.filter(({ foreignShare }) => foreignShare >= 0.1);
  const shortest = Math.min(...rows.map(({ window = Number.POSITIVE_INFINITY }) => window));
  const slow = rows.filter(({ window }) => window > shortest);
  const names = (list) => list.map(({ engine, scenario }) => `${engine} ${scenario}`).join(', ');
  const lines = [...others];
  if (bound.length > 0)
    lines.push(
      `the generator was the limit (requests a second are a lower bound; CPU a request holds): ${names(bound)}`,
    );
  if (slow.length > 0) lines.push(`no answer ended within the window, so it was made longer: ${names(slow)}`);
  if (disturbed.length > 0) lines.push(`others used a tenth of the engine's processor or more: ${names(disturbed)}`);
  return lines.length > 0 ? ['## Caveats\n', ...lines.map((line) => `- ${line}`), ''] : [];
}

const COLUMNS = ['scenario', 'connections', 'mode', 'rps', 'p50_ms', 'p90_ms', 'p99_ms', 'p999_ms', 'avg_ms'];

/** The medians of one engine as the result file of the published suite has them; what is absent stays empty. */
export function csv(rows) {
  const cell = (value, digits) => (value === undefined || value === null ? '' : value.toFixed(digits));
  const lines = rows.map((row) => [
    ...[row.scenario, row.connections, row.mode ?? 'closed', cell(row.rps, 1)],
    ...[row.p50, row.p90, row.p99, row.p999, row.mean].map((ms) => cell(ms, 3)),
    ...[cell(row.rssPeak, 1), cell(row.rss, 1), row.rounds, cell(row.spread, 1)],
  ]);
  const head = [...COLUMNS, 'rss_mb_peak', 'rss_mb_end', 'reps', 'rps_spread_pct'];
  return `${[head, ...lines].map((cells) => cells.join(',')).join('\n')}\n`;
}

/** Writes NAME.md and NAME.json, and NAME.ENGINE.csv where there are rows; gives the Markdown. */
export function write({ name, out, title, engines, options, body, data, csvRows = [] }) {
  mkdirSync(out, { recursive: true });
  for (const engine of new Set(csvRows.map((row) => row.engine))) {
    writeFileSync(join(out, `${name}.${engine}.csv`), csv(csvRows.filter((row) => row.engine === engine)));
  }
  const about = machine();
  const head = [
    `# ${title}`,
    '',
    `- ${new Date().toISOString()}, commit ${commit()}`,
    `- ${about.cpu}, ${about.cores} processors, ${about.memoryGiB} GiB, Linux ${about.kernel}`,
    `- load average ${about.loadBefore.map((n) => n.toFixed(1))} before, ${about.loadAfter.map((n) => n.toFixed(1))} after`,
    `- ${options.connections} connections, ${options.mode ?? 'closed loop'}, ${options.seconds} s a window, ${options.rounds} rounds, warm-up ${options.warmup} s of the engine's CPU (more for the first scenario of a process, and for a JVM); server on processor ${options.cpus.server}, load on ${options.cpus.load}`,
    ...engines.map(
      ({ name: key, title: shown, version, command }) =>
        `- ${key}: ${shown} ${version}${command === undefined ? '' : ` — \`${command}\``}`,
    ),
    '',
  ];
  const text = `${[...head, body].join('\n')}\n`;
  writeFileSync(join(out, `${name}.md`), text);
  const all = { date: new Date().toISOString(), commit: commit(), machine: about, options, engines, ...data };
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify(all, undefined, 1)}\n`);
  return text;
}
