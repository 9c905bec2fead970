// The tree of a literal automaton, as one open hash table for all states: an edge costs some 24 bytes.

/** An open hash table from (state, unit) to the child state in the tree of literals. */
export class Edges {
  #keys: Float64Array;
  #children: Int32Array;
  #mask: number;
  #count = 0;

  constructor(expected: number) {
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#keys = new Float64Array(size).fill(-1);
    this.#children = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** The child of a state under a unit, or 0. */
  get(state: number, unit: number): number {
    const key = state * 0x10000 + unit;
    let slot = this.#slot(state, unit);
    for (;;) {
      const found = this.#keys[slot];
      if (found === key) return this.#children[slot];
      if (found === -1) return 0;
      slot = (slot + 1) & this.#mask;
    }
  }

  add(state: number, unit: number, child: number): void {
    if (++this.#count * 2 > this.#mask) this.#grow();
    let slot = this.#slot(state, unit);
    while (this.#keys[slot] !== -1) slot = (slot + 1) & this.#mask;
    this.#keys[slot] = state * 0x10000 + unit;
    this.#children[slot] = child;
  }

  #slot(state: number, unit: number): number {
    const hash = Math.imul(state, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & this.#mask;
  }

  #grow(): void {
    const keys = this.#keys;
    const children = this.#children;
    this.#keys = new Float64Array(keys.length * 2).fill(-1);
    this.#children = new Int32Array(keys.length * 2);
    this.#mask = this.#keys.length - 1;
    for (let at = 0; at < keys.length; at++) {
      if (keys[at] === -1) continue;
      const state = Math.floor(keys[at] / 0x10000);
      const unit = keys[at] - state * 0x10000;
      let slot = this.#slot(state, unit);
      while (this.#keys[slot] !== -1) slot = (slot + 1) & this.#mask;
      this.#keys[slot] = keys[at];
      this.#children[slot] = children[at];
    }
  }
}
