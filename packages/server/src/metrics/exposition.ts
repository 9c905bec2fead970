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
  /** Whether a bucket's bound is its last label instead of its first, where Mountebank has it. */
  readonly boundLast?: boolean;
}

/** The family's lines; HELP and TYPE stand there even when it has no sample. */
export function familyText({ name, help, type, samples, boundLast = false }: Family): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const [labels, value] of samples) {
    if (typeof value === 'number') lines.push(`${name}${labelText(labels)} ${value}`);
    else lines.push(...histogramLines(name, labels, value, boundLast));
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines(name: string, labels: Labels, histogram: Histogram, boundLast: boolean): string[] {
  const lines: string[] = [];
  let below = 0;
  for (const [index, bound] of [...histogram.bounds, '+Inf'].entries()) {
    below += histogram.counts[index];
    const le = String(bound);
    lines.push(`${name}_bucket${labelText(boundLast ? { ...labels, le } : { le, ...labels })} ${below}`);
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
