// The dimension of `equals`: a hash map from value to atom. One value, the frequent case for a name out of a large
// family, is kept without a map.
import type { Dimension } from './dimension.js';
import type { Hits } from './hits.js';

export class ExactValues implements Dimension {
  #value: string | undefined;
  #atom = -1;
  #map: Map<string, number> | undefined;

  /** The atom of a value; `make` makes one for a value that is new. */
  intern(value: string, make: () => number): number {
    if (this.#map === undefined) {
      if (this.#value === value) return this.#atom;
      if (this.#value === undefined) {
        this.#value = value;
        this.#atom = make();
        return this.#atom;
      }
      this.#map = new Map([[this.#value, this.#atom]]);
    }
    let atom = this.#map.get(value);
    if (atom === undefined) {
      atom = make();
      this.#map.set(value, atom);
    }
    return atom;
  }

  scan(text: string, hits: Hits): void {
    if (this.#map !== undefined) {
      const atom = this.#map.get(text);
      if (atom !== undefined) hits.mark(atom);
    } else if (this.#value === text) {
      hits.mark(this.#atom);
    }
  }
}
