// Short texts that come again and again (targets, values of headers), made from their bytes once. A text that is known
// is found by a hash of all its bytes and compared byte by byte, which costs a third of making a string, and what users
// derived from it is still there. A text stays only if it comes twice, so that texts that never come again cost their
// hash alone; each hash has one place, so that nothing grows.

/** Bytes up to which a text is worth it. */
const LONGEST = 96;
const PLACES = 1024;

export class KnownText {
  readonly text: string;
  /** Place for what the user of the text derives from it, and from nothing else. */
  data: unknown = undefined;

  constructor(text: string) {
    this.text = text;
  }
}

export class KnownTexts {
  readonly #seen = new Int32Array(PLACES);
  readonly #texts = new Array<KnownText | undefined>(PLACES).fill(undefined);
  /** Bytes of the text in each place. */
  readonly #bytes = new Uint8Array(PLACES * LONGEST);

  /** The text of some bytes, each a character (latin1). */
  of(bytes: Buffer, start: number, end: number): KnownText {
    const length = end - start;
    if (length > LONGEST) return new KnownText(bytes.toString('latin1', start, end));
    // FNV-1a, four bytes at a time
    let hash = length;
    let at = start;
    for (; at + 3 < end; at += 4) {
      const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
      hash = Math.imul(hash ^ word, 0x01000193);
      hash ^= hash >>> 15;
    }
    for (; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    if (this.#seen[place] !== hash) {
      this.#seen[place] = hash;
      return new KnownText(bytes.toString('latin1', start, end));
    }
    const known = this.#texts[place];
    const own = this.#bytes;
    const from = place * LONGEST;
    if (known !== undefined && known.text.length === length) {
      let same = 0;
      while (same < length && own[from + same] === bytes[start + same]) same++;
      if (same === length) return known;
    }
    const made = new KnownText(bytes.toString('latin1', start, end));
    this.#texts[place] = made;
    for (let offset = 0; offset < length; offset++) own[from + offset] = bytes[start + offset];
    return made;
  }
}
