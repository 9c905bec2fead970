// What imposters count for the metrics endpoint (Mountebank docs: metrics). The numbers belong to the imposter's label
// and survive its deletion. Threads that serve one imposter have a meter each over memory that they share with the
// thread that reads it.

import { FaultMeters } from './fault-meters.js';
import { FlowMeters } from './flow-meters.js';
import { Histogram } from './histogram.js';
import { ScriptMeters } from './script-meters.js';
import { CounterFamily } from './series.js';
import { UpstreamMeters } from './upstream-meters.js';

const MATCHING = [0.01, 0.05, 0.1, 0.2, 0.5, 1];
const RESPONDING = [0.01, 0.05, 0.1, 0.2, 0.5, 1, 3, 5, 10, 30];
const PROXYING = [0.1, 0.2, 0.5, 1, 3, 5, 10, 30];
const BEHAVING = [0.05, 0.1, 0.2, 0.5, 1, 3];
const HISTOGRAMS = [MATCHING, RESPONDING, PROXYING, BEHAVING];
const COUNTERS = 4;

/** Counters and histograms of one imposter; durations in seconds. */
export class ImposterMeter {
  /** Numbers a meter has. */
  static readonly cells = HISTOGRAMS.reduce((sum, bounds) => sum + Histogram.cells(bounds), COUNTERS);

  readonly matching: Histogram;
  readonly responding: Histogram;
  readonly proxying: Histogram;
  readonly behaving: Histogram;
  readonly #cells: Float64Array;

  constructor(cells: Float64Array = new Float64Array(ImposterMeter.cells)) {
    this.#cells = cells;
    let at = COUNTERS;
    const next = (bounds: number[]): Histogram => {
      const from = at;
      at += Histogram.cells(bounds);
      return new Histogram(bounds, cells.subarray(from, at));
    };
    this.matching = next(MATCHING);
    this.responding = next(RESPONDING);
    this.proxying = next(PROXYING);
    this.behaving = next(BEHAVING);
  }

  get requests(): number {
    return this.#cells[0];
  }
  set requests(value: number) {
    this.#cells[0] = value;
  }

  get noMatch(): number {
    return this.#cells[1];
  }
  set noMatch(value: number) {
    this.#cells[1] = value;
  }

  get blocked(): number {
    return this.#cells[2];
  }
  set blocked(value: number) {
    this.#cells[2] = value;
  }

  get proxied(): number {
    return this.#cells[3];
  }
  set proxied(value: number) {
    this.#cells[3] = value;
  }

  /** Adds what another meter has counted. */
  add(other: ImposterMeter): void {
    for (let i = 0; i < this.#cells.length; i++) this.#cells[i] += other.#cells[i];
  }
}

/** The meters of a process by label, which is the imposter's log scope with brackets and a blank: `[http:4545 name] `. */
export class Meters implements Iterable<readonly [label: string, meter: ImposterMeter]> {
  readonly faults = new FaultMeters();
  readonly scripts = new ScriptMeters();
  readonly flows = new FlowMeters();
  readonly upstreams = new UpstreamMeters();
  /** Recorded requests that the cap of a journal dropped. */
  readonly evictions = new CounterFamily(['port']);
  readonly #byLabel = new Map<string, ImposterMeter[]>();
  /** Set once any imposter was created: before that Mountebank shows no family of its own. */
  used = false;

  /** The meter of the thread that holds the meters. */
  of(label: string): ImposterMeter {
    const meters = this.#byLabel.get(label);
    if (meters !== undefined) return meters[0];
    const meter = new ImposterMeter();
    this.#byLabel.set(label, [meter]);
    return meter;
  }

  /** Counts in another thread's meter, too. */
  join(label: string, meter: ImposterMeter): void {
    this.of(label);
    this.#byLabel.get(label)!.push(meter);
  }

  /** Keeps what a thread's meter has counted, and counts in it no longer. */
  settle(label: string, meter: ImposterMeter): void {
    const meters = this.#byLabel.get(label) ?? [];
    const at = meters.indexOf(meter);
    if (at === -1) return;
    meters.splice(at, 1);
    meters[0].add(meter);
  }

  *[Symbol.iterator](): Iterator<readonly [string, ImposterMeter]> {
    for (const [label, meters] of this.#byLabel) {
      if (meters.length === 1) yield [label, meters[0]];
      else {
        const sum = new ImposterMeter();
        for (const meter of meters) sum.add(meter);
        yield [label, sum];
      }
    }
  }
}
