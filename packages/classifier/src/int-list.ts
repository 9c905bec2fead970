// A growing list of 32-bit integers: what an index is made of, at four bytes an entry instead of an object.

export class IntList {
  #items: Int32Array;
  #length = 0;

  constructor(capacity = 16) {
    this.#items = new Int32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#items.length) {
      const wider = new Int32Array(this.#items.length * 2);
      wider.set(this.#items);
      this.#items = wider;
    }
    this.#items[this.#length++] = value;
  }

  at(index: number): number {
    return this.#items[index];
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }

  /** The items without the spare room. */
  toArray(): Int32Array {
    return this.#items.slice(0, this.#length);
  }
}
