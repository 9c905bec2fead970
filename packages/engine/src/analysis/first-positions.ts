// Where texts were seen first. Of a million stubs their texts would be much to keep: a table with open addressing keeps a
// hash and a position of each, and whoever filled it can tell the text at a position again.

/** FNV-1a over code units (Fowler, Noll and Vo). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

export class FirstPositions {
  readonly #textAt: (position: number) => string;
  /** Position + 1 of what stands in a slot, 0 in an empty one; a power of two of them, at most half of them full. */
  #slots = new Int32Array(64);
  #hashes = new Int32Array(64);
  #count = 0;
  /** Nearly always the same position is asked about again. */
  #asked: { readonly position: number; readonly text: string } | undefined;

  constructor(textAt: (position: number) => string) {
    this.#textAt = textAt;
  }

  /** The position that a text was noted with. */
  find(text: string): number | undefined {
    const position = this.#slots[this.#slotOf(text, hashOf(text))]! - 1;
    return position < 0 ? undefined : position;
  }

  /** The position that a text was noted with; a new text is noted with `position`. */
  findOrAdd(text: string, position: number): number | undefined {
    const hash = hashOf(text);
    const slot = this.#slotOf(text, hash);
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1;
    this.#slots[slot] = position + 1;
    this.#hashes[slot] = hash;
    this.#count++;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return undefined;
  }

  /** The slot of a text, or the empty one where it goes. */
  #slotOf(text: string, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) {
      if (this.#hashes[slot] === hash && this.#textOf(this.#slots[slot]! - 1) === text) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #textOf(position: number): string {
    if (this.#asked?.position !== position) this.#asked = { position, text: this.#textAt(position) };
    return this.#asked.text;
  }

  #grow(): void {
    const slots = this.#slots;
    const hashes = this.#hashes;
    this.#slots = new Int32Array(slots.length * 4);
    this.#hashes = new Int32Array(slots.length * 4);
    const mask = this.#slots.length - 1;
    for (let old = 0; old < slots.length; old++) {
      if (slots[old] === 0) continue;
      let slot = hashes[old]! & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = slots[old]!;
      this.#hashes[slot] = hashes[old]!;
    }
  }
}
