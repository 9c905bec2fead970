// Which rules of a segment have been removed: an immutable bitmap with counts a block, so that "how many are left before
// this one" is a short sum.

/** Rules a block of counts. */
const BLOCK = 2048;

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export class Tombstones {
  readonly #words: Uint32Array;
  /** Removed rules before each block. */
  readonly #before: Uint32Array;
  readonly count: number;

  private constructor(words: Uint32Array, before: Uint32Array, count: number) {
    this.#words = words;
    this.#before = before;
    this.count = count;
  }

  /** No removed rule among `size`. */
  static none(size: number): Tombstones {
    return new Tombstones(new Uint32Array((size + 31) >> 5), new Uint32Array(Math.floor(size / BLOCK) + 1), 0);
  }

  has(rule: number): boolean {
    return ((this.#words[rule >> 5] >>> (rule & 31)) & 1) === 1;
  }

  /** These and one more. */
  with(rule: number): Tombstones {
    const words = this.#words.slice();
    words[rule >> 5] |= 1 << (rule & 31);
    const before = this.#before.slice();
    for (let block = Math.floor(rule / BLOCK) + 1; block < before.length; block++) before[block]++;
    return new Tombstones(words, before, this.count + 1);
  }

  /** How many removed rules stand before a position. */
  countBefore(rule: number): number {
    const block = Math.min(Math.floor(rule / BLOCK), this.#before.length - 1);
    let count = this.#before[block];
    const last = rule >> 5;
    for (let word = (block * BLOCK) >> 5; word < last; word++) count += bitsIn(this.#words[word]);
    if ((rule & 31) !== 0) count += bitsIn(this.#words[last] & ((1 << (rule & 31)) - 1));
    return count;
  }
}
