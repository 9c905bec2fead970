// Results as Markdown for people and JSON with every sample, both with the machine, the versions and the date.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const loadAtStart = loadavg();

export const fixed = (value, digits = 1) =>
  value === undefined || Number.isNaN(value)
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

/** Writes NAME.md and NAME.json; gives the Markdown. */
export function write({ name, out, title, engines, options, body, data }) {
  mkdirSync(out, { recursive: true });
  const about = machine();
  const head = [
    `# ${title}`,
    '',
    `- ${new Date().toISOString()}, commit ${commit()}`,
    `- ${about.cpu}, ${about.cores} processors, ${about.memoryGiB} GiB, Linux ${about.kernel}`,
    `- load average ${about.loadBefore.map((n) => n.toFixed(1))} before, ${about.loadAfter.map((n) => n.toFixed(1))} after`,
    `- ${options.connections} connections, closed loop, ${options.seconds} s a window, ${options.rounds} rounds, warm-up ${options.warmup} s of the engine's CPU; server on processor ${options.cpus.server}, load on ${options.cpus.load}`,
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
