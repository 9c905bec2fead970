// Seeded randomness for generated tests. The seed of a run is printed when it fails; RIFT_SEED replays it.

/** Mulberry32: small, fast, good enough to choose test data. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)];
  }
}

/** The seed of this run: RIFT_SEED, where `random` gives another one every time; else always the same. */
export function seedOfRun(): number {
  const given = process.env.RIFT_SEED ?? '1';
  return given === 'random' ? (Date.now() ^ (process.pid << 8)) >>> 0 : Number(given);
}

/** How many pairs to try: RIFT_PAIRS, or what CI does. */
export function pairsOfRun(inCi: number): number {
  const given = process.env.RIFT_PAIRS;
  return given === undefined ? inCi : Number(given);
}
