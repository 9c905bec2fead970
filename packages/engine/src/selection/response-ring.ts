// The responses of one stub in the order they are served: each `repeat` times in a row, then the next, around and
// around. Positions are counted instead of spelled out, so a repeat of a million costs nothing.

export class ResponseRing<Entry> {
  readonly #entries: Entry[] = [];
  /** ends[i] = number of positions up to and including entry i. */
  readonly #ends: number[] = [];
  #position = 0;
  /** Where several threads keep the position together. */
  #shared: Int32Array | undefined;

  /** Appends an entry; the position stays where it is. `repeat` is rounded up to whole turns, at least one. */
  add(entry: Entry, repeat: number): void {
    const end = this.length + Math.max(1, Math.ceil(repeat));
    this.#entries.push(entry);
    this.#ends.push(end);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Positions in one turn of the ring. */
  get length(): number {
    return this.#ends.length === 0 ? 0 : this.#ends[this.#ends.length - 1];
  }

  /** The position that the next call of `next` serves, 0-based; persisted by the data directory. */
  get position(): number {
    return this.#shared === undefined ? this.#position : Atomics.load(this.#shared, 0);
  }

  set position(value: number) {
    const position = this.length === 0 ? 0 : value % this.length;
    if (this.#shared === undefined) this.#position = position;
    else Atomics.store(this.#shared, 0, position);
  }

  /**
   * Keeps the position in memory that other threads' copies of this ring use, too: in the one given, else in new one.
   * A ring of one position needs none: undefined.
   */
  share(memory?: SharedArrayBuffer): SharedArrayBuffer | undefined {
    if (memory !== undefined) this.#shared = new Int32Array(memory);
    else if (this.#shared === undefined && this.length > 1) {
      const { position } = this;
      this.#shared = new Int32Array(new SharedArrayBuffer(4));
      this.position = position;
    }
    return this.#shared?.buffer as SharedArrayBuffer | undefined;
  }

  /** What `next` would give, without advancing. Undefined only for an empty ring. */
  peek(): Entry | undefined {
    return this.#entries[this.#entries.length === 1 ? 0 : this.#indexAt(this.position)];
  }

  /** The entry at the position, and one position further. Undefined only for an empty ring. */
  next(): Entry | undefined {
    if (this.#shared !== undefined) return this.#entries[this.#indexAt(this.#takeShared(this.#shared))];
    const entry = this.peek();
    const length = this.length;
    if (length > 1) this.#position = (this.#position + 1) % length;
    return entry;
  }

  /** Takes the position that no other thread gets. */
  #takeShared(shared: Int32Array): number {
    for (;;) {
      const position = Atomics.load(shared, 0);
      if (Atomics.compareExchange(shared, 0, position, (position + 1) % this.length) === position) return position;
    }
  }

  #indexAt(position: number): number {
    const ends = this.#ends;
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle] > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
