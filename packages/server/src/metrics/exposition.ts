// Prometheus' text format 0.0.4. The families of imposters are kept as plain numbers by the engine, because counting
// happens on every request; they become text only when somebody asks.

import type { Histogram } from '@rift-ts/engine';

export type Labels = Readonly<Record<string, string>>;
type Value = number | Histogram;

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: Iterable<readonly [labels: Labels, value: Value]>;
}

/** The family's lines; HELP and TYPE stand there even when it has no sample. */
export function familyText({ name, help, type, samples }: Family): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const [labels, value] of samples) {
    if (typeof value === 'number') lines.push(`${name}${labelText(labels)} ${value}`);
    else lines.push(...histogramLines(name, labels, value));
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines(name: string, labels: Labels, histogram: Histogram): string[] {
  const lines: string[] = [];
  let below = 0;
  for (const [index, bound] of [...histogram.bounds, '+Inf'].entries()) {
    below += histogram.counts[index];
    lines.push(`${name}_bucket${labelText({ le: String(bound), ...labels })} ${below}`);
  }
  lines.push(
    `${name}_sum${labelText(labels)} ${histogram.sum}`,
    `${name}_count${labelText(labels)} ${histogram.count}`,
  );
  return lines;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
}
