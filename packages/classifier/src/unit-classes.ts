// The alphabet of an automaton: code units that none of its character sets tells apart are one class.
import { includes, type UnitSet } from './code-units.js';

export class UnitClasses {
  readonly #low = new Uint16Array(0x100);
  readonly #bounds: number[];
  readonly #classOf: number[] = [];
  readonly count: number;
  /** By class, then by character set: whether the set has the class. */
  readonly members: Uint8Array[] = [];

  constructor(sets: readonly UnitSet[]) {
    const bounds = new Set([0]);
    for (const set of sets) {
      for (let at = 0; at < set.length; at += 2) {
        bounds.add(set[at]);
        if (set[at + 1] < 0xffff) bounds.add(set[at + 1] + 1);
      }
    }
    this.#bounds = [...bounds].sort((a, b) => a - b);
    const known = new Map<string, number>();
    for (const first of this.#bounds) {
      const members = Uint8Array.from(sets, (set) => (includes(set, first) ? 1 : 0));
      const id = members.join('');
      let number = known.get(id);
      if (number === undefined) {
        number = this.members.length;
        known.set(id, number);
        this.members.push(members);
      }
      this.#classOf.push(number);
    }
    this.count = this.members.length;
    for (let unit = 0; unit < 0x100; unit++) this.#low[unit] = this.#search(unit);
  }

  of(unit: number): number {
    return unit < 0x100 ? this.#low[unit] : this.#search(unit);
  }

  #search(unit: number): number {
    let low = 0;
    let high = this.#bounds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#bounds[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    return this.#classOf[low];
  }
}
