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

  /** The text of some bytes, each a character (latin1). */
  of(bytes: Buffer, start: number, end: number): KnownText {
    const length = end - start;
    if (length > LONGEST) return new KnownText(bytes.toString('latin1', start, end));
    let hash = length;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193); // FNV-1a
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    if (this.#seen[place] !== hash) {
      this.#seen[place] = hash;
      return new KnownText(bytes.toString('latin1', start, end));
    }
    const known = this.#texts[place];
    if (known !== undefined && isText(known.text, bytes, start, length)) return known;
    const made = new KnownText(bytes.toString('latin1', start, end));
    this.#texts[place] = made;
    return made;
  }
}

function isText(text: string, bytes: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
