// A histogram as Prometheus defines it, as plain numbers: observing one value is a few comparisons and no allocation,
// because it happens on every request.

export class Histogram {
  /** Upper bounds in ascending order; an observation counts in the first bucket whose bound is not below it. */
  readonly bounds: readonly number[];
  /** Observations a bucket, not cumulated; the last one is for everything above the bounds. */
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]) bucket++;
    this.counts[bucket]++;
    this.sum += value;
    this.count++;
  }
}
