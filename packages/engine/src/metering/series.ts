// Numbers that are kept a set of labels: what happens to single rules rather than to whole imposters. Bounded, because
// imposters come and go for as long as a process runs.

import { Histogram } from './histogram.js';

/** Sets of labels a family keeps; what comes later is counted under the rule `other`, or all labels `other`. */
const SERIES_LIMIT = 10_000;

class Family<Value> implements Iterable<readonly [labels: readonly string[], value: Value]> {
  /** Names of the labels, in the order in which their values are given. */
  readonly labels: readonly string[];
  readonly #byRule: boolean;
  readonly #make: () => Value;
  readonly #limit: number;
  readonly #bySet = new Map<string, { labels: readonly string[]; value: Value }>();

  constructor(labels: readonly string[], make: () => Value, limit = SERIES_LIMIT) {
    this.labels = labels;
    this.#byRule = labels.includes('rule_id');
    this.#make = make;
    this.#limit = limit;
  }

  protected of(labels: readonly string[]): { value: Value } {
    const known = this.#bySet.get(labels.join('\0'));
    if (known !== undefined) return known;
    const kept =
      this.#bySet.size < this.#limit
        ? labels
        : labels.map((value, i) => (this.labels[i] === 'rule_id' || !this.#byRule ? 'other' : value));
    const key = kept.join('\0');
    let entry = this.#bySet.get(key);
    if (entry === undefined) {
      entry = { labels: kept, value: this.#make() };
      this.#bySet.set(key, entry);
    }
    return entry;
  }

  *[Symbol.iterator](): Iterator<readonly [readonly string[], Value]> {
    for (const { labels, value } of this.#bySet.values()) yield [labels, value];
  }
}

/** Counters by labels. Label values are given in the order of the label names. */
export class CounterFamily extends Family<number> {
  constructor(labels: readonly string[], limit?: number) {
    super(labels, () => 0, limit);
  }

  add(...labels: string[]): void {
    this.of(labels).value++;
  }

  /** The counter of a set of labels, for those who count in it often. */
  counter(...labels: string[]): { value: number } {
    return this.of(labels);
  }
}

/** Histograms by labels. */
export class HistogramFamily extends Family<Histogram> {
  constructor(labels: readonly string[], bounds: readonly number[], limit?: number) {
    super(labels, () => new Histogram(bounds), limit);
  }

  observe(value: number, ...labels: string[]): void {
    this.of(labels).value.observe(value);
  }
}
