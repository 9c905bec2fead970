// What imposters count for the metrics endpoint (Mountebank docs: metrics). The numbers belong to the imposter's label
// and survive its deletion.

import { Histogram } from './histogram.js';

/** Counters and histograms of one imposter; durations in seconds. */
export class ImposterMeter {
  requests = 0;
  noMatch = 0;
  blocked = 0;
  proxied = 0;
  readonly matching = new Histogram([0.01, 0.05, 0.1, 0.2, 0.5, 1]);
  readonly responding = new Histogram([0.01, 0.05, 0.1, 0.2, 0.5, 1, 3, 5, 10, 30]);
  readonly proxying = new Histogram([0.1, 0.2, 0.5, 1, 3, 5, 10, 30]);
  readonly behaving = new Histogram([0.05, 0.1, 0.2, 0.5, 1, 3]);
}

/** The meters of a process by label, which is the imposter's log scope with brackets and a blank: `[http:4545 name] `. */
export class Meters implements Iterable<readonly [label: string, meter: ImposterMeter]> {
  readonly #byLabel = new Map<string, ImposterMeter>();
  /** Set once any imposter was created: before that Mountebank shows no family of its own. */
  used = false;

  of(label: string): ImposterMeter {
    let meter = this.#byLabel.get(label);
    if (meter === undefined) {
      meter = new ImposterMeter();
      this.#byLabel.set(label, meter);
    }
    return meter;
  }

  [Symbol.iterator](): Iterator<readonly [string, ImposterMeter]> {
    return this.#byLabel.entries();
  }
}
