// The header lines of a request as they came. A client sends the same lines with request after request, whatever it asks
// for, so what was read of lines once is found again by comparing bytes, which costs a fraction of reading them. What
// follows from the lines alone (values, the list of all) is kept with them.
// Written for speed: one table of places for all connections, chosen by a few bytes and the length; lines stay only
// where they miss their place twice, and lines that never come again are copied ever less often.

/** Longer lines are read each time. */
const LONGEST = 2048;
const PLACES = 256;
/** Answers that a block remembers; further names are looked for each time. */
const MOST_NAMES = 16;
/** Of lines that never come again one in so many is copied. */
const RARELY = 32;

/** What the parser finds in header lines. */
export interface LinesRead {
  readonly contentLength: number;
  readonly chunked: boolean;
  /** Whether they let an HTTP/1.1 connection be kept. */
  readonly keepAlive: boolean;
  readonly expectation: number;
  readonly hasHost: boolean;
  readonly names: number;
  readonly lines: number;
  /** Bytes that count against the limit of a head. */
  readonly counted: number;
}

export class HeaderBlock {
  readonly read: LinesRead;
  /** The lines up to and with the empty one. */
  readonly bytes: Uint8Array;
  /** What `WireRequest.rawHeaders` gives, once somebody asked. */
  list: readonly string[] | undefined;
  readonly #names: string[] = [];
  readonly #values: (string | undefined)[] = [];
  readonly #repeated: boolean[] = [];

  constructor(bytes: Uint8Array, read: LinesRead) {
    this.bytes = bytes;
    this.read = read;
  }

  /** Place of the answer for a name, -1 if nobody asked for it yet. */
  placeOf(lowerName: string): number {
    const names = this.#names;
    for (let at = 0; at < names.length; at++) if (names[at] === lowerName) return at;
    return -1;
  }

  /** The value of the first line with the name at a place. */
  valueAt(place: number): string | undefined {
    return this.#values[place];
  }

  repeatedAt(place: number): boolean {
    return this.#repeated[place];
  }

  note(lowerName: string, value: string | undefined, repeated: boolean): void {
    if (this.#names.length === MOST_NAMES) return;
    this.#names.push(lowerName);
    this.#values.push(value);
    this.#repeated.push(repeated);
  }
}

export class HeaderBlocks {
  readonly #places = new Array<HeaderBlock | undefined>(PLACES).fill(undefined);
  readonly #misses = new Uint8Array(PLACES);

  /** The lines that begin at `from`, if they are known and all there. */
  find(bytes: Uint8Array, from: number, end: number): HeaderBlock | undefined {
    const place = placeOf(bytes, from, end);
    const block = this.#places[place];
    if (block === undefined || !begins(bytes, from, end, block.bytes)) return undefined;
    this.#misses[place] = 0;
    return block;
  }

  /** Lines from `from` up to `to` that were not found when the bytes at hand ended at `end`. */
  missed(bytes: Uint8Array, from: number, to: number, end: number): boolean {
    if (to - from > LONGEST) return false;
    const place = placeOf(bytes, from, end);
    const misses = ++this.#misses[place];
    if (misses === 2 * RARELY) this.#misses[place] = RARELY;
    // 2, 4, 8 …
    return misses > 1 && (misses & (misses - 1)) === 0;
  }

  keep(bytes: Uint8Array, from: number, to: number, end: number, read: LinesRead): void {
    this.#places[placeOf(bytes, from, end)] = new HeaderBlock(Uint8Array.prototype.slice.call(bytes, from, to), read);
  }
}

/** Of a request without a body the bytes end with the lines, so their number and their last ones tell lines apart. */
function placeOf(bytes: Uint8Array, from: number, end: number): number {
  const length = end - from;
  const sample = bytes[from + (length >> 1)] + 7 * bytes[end - 5] + 31 * length;
  return (sample ^ (sample >>> 8)) & (PLACES - 1);
}

function begins(bytes: Uint8Array, from: number, end: number, block: Uint8Array): boolean {
  const { length } = block;
  if (from + length > end) return false;
  let at = 0;
  // a fourth of the turns
  for (; at + 3 < length; at += 4) {
    if (bytes[from + at] !== block[at] || bytes[from + at + 1] !== block[at + 1]) return false;
    if (bytes[from + at + 2] !== block[at + 2] || bytes[from + at + 3] !== block[at + 3]) return false;
  }
  for (; at < length; at++) if (bytes[from + at] !== block[at]) return false;
  return true;
}
