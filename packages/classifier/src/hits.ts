// Which atoms (distinct tests) an input satisfies, as found so far in one search. An atom is marked by writing the
// search's number, the epoch, so that starting a search clears nothing.

export class Hits {
  readonly #stamps: Int32Array;
  #epoch = 0;
  #atoms = new Int32Array(16);
  #count = 0;

  constructor(atoms: number) {
    this.#stamps = new Int32Array(atoms);
  }

  /** Forgets all hits. */
  clear(): void {
    this.#count = 0;
    if (this.#epoch === 0x7fffffff) {
      this.#stamps.fill(0);
      this.#epoch = 0;
    }
    this.#epoch++;
  }

  get count(): number {
    return this.#count;
  }

  /** Drops the hits with numbers from `count` on; only for what was added unmarked. */
  truncate(count: number): void {
    this.#count = count;
  }

  /** The atom of the hit with a number below `count`. */
  at(index: number): number {
    return this.#atoms[index];
  }

  has(atom: number): boolean {
    return this.#stamps[atom] === this.#epoch;
  }

  /** Notes that an atom holds; a second time does nothing. */
  mark(atom: number): void {
    if (this.#stamps[atom] === this.#epoch) return;
    this.#stamps[atom] = this.#epoch;
    this.add(atom);
  }

  /** Lists an atom without marking it: for atoms that may be found by several dimensions on their own. */
  add(atom: number): void {
    if (this.#count === this.#atoms.length) {
      const wider = new Int32Array(this.#count * 2);
      wider.set(this.#atoms);
      this.#atoms = wider;
    }
    this.#atoms[this.#count++] = atom;
  }
}
