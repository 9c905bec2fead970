// The requests an imposter recorded, in order of arrival, with an optional cap. Entries keep their index for life,
// whatever is dropped, removed or cleared, so that a reader can ask for what is new since an index.
//
// A ring over a plain array: dropping the oldest must not move ten thousand others.

import type { RequestJson } from '../model/types.js';

export interface JournalEntry {
  /** 1-based number of the request among all that the imposter ever recorded; never given twice. */
  readonly index: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly timestamp: string;
  readonly request: RequestJson;
}

export class Journal {
  readonly #cap: number;
  #entries: JournalEntry[] = [];
  #start = 0;
  #lastIndex = 0;
  #lastDropped = 0;

  /** `cap`: entries kept at the most; undefined or 0 means all. */
  constructor(cap?: number) {
    this.#cap = cap || Number.POSITIVE_INFINITY;
  }

  /** Records a request and returns its entry. The request is kept as it is, not copied. */
  add(request: RequestJson, at: Date = new Date()): JournalEntry {
    const entry = { index: ++this.#lastIndex, timestamp: at.toISOString(), request };
    if (this.#entries.length < this.#cap) this.#entries.push(entry);
    else {
      this.#lastDropped = this.#entries[this.#start]!.index;
      this.#entries[this.#start] = entry;
      this.#start = (this.#start + 1) % this.#entries.length;
    }
    return entry;
  }

  /** Entries kept. */
  get length(): number {
    return this.#entries.length;
  }

  /** Index of the latest recorded request, kept or not; 0 before the first. */
  get lastIndex(): number {
    return this.#lastIndex;
  }

  /** Index of the latest entry that the cap dropped; 0 when it dropped none. */
  get lastDropped(): number {
    return this.#lastDropped;
  }

  /** Oldest first. */
  *[Symbol.iterator](): IterableIterator<JournalEntry> {
    const { length } = this.#entries;
    for (let i = 0; i < length; i++) yield this.#entries[(this.#start + i) % length]!;
  }

  /** Removes the entries for which `test` holds; the others keep their indexes. */
  remove(test: (entry: JournalEntry) => boolean): void {
    this.#entries = [...this].filter((entry) => !test(entry));
    this.#start = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
  }
}
