// A histogram as Prometheus defines it, as plain numbers: observing one value is a few comparisons and no allocation,
// because it happens on every request. The numbers may lie in memory that threads share; each thread has its own.

export class Histogram {
  /** Upper bounds in ascending order; an observation counts in the first bucket whose bound is not below it. */
  readonly bounds: readonly number[];
  /** Observations a bucket, not cumulated, the last one for everything above the bounds; then their sum and number. */
  readonly #cells: Float64Array;

  /** `cells`: where the numbers are kept, `Histogram.cells(bounds)` of them. */
  constructor(bounds: readonly number[], cells: Float64Array = new Float64Array(Histogram.cells(bounds))) {
    this.bounds = bounds;
    this.#cells = cells;
  }

  static cells(bounds: readonly number[]): number {
    return bounds.length + 3;
  }

  get counts(): Float64Array {
    return this.#cells.subarray(0, this.bounds.length + 1);
  }

  get sum(): number {
    return this.#cells[this.bounds.length + 1];
  }

  get count(): number {
    return this.#cells[this.bounds.length + 2];
  }

  observe(value: number): void {
    const { bounds } = this;
    const cells = this.#cells;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]) bucket++;
    cells[bucket]++;
    cells[bounds.length + 1] += value;
    cells[bounds.length + 2]++;
  }

  /** Adds what another histogram with the same bounds has counted. */
  add(other: Histogram): void {
    for (let i = 0; i < this.#cells.length; i++) this.#cells[i] += other.#cells[i];
  }
}
