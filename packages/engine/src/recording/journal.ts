// The requests an imposter recorded, in order of arrival, with an optional cap. Entries keep their index for life:
// the journal of an imposter that dropped its oldest entries says so instead of renumbering.
//
// A ring over a plain array: dropping the oldest must not move ten thousand others.

import type { RequestJson } from '../model/types.js';

export interface JournalEntry {
  /** 0-based number of the recorded request since the imposter was created or its journal cleared. */
  readonly index: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly timestamp: string;
  readonly request: RequestJson;
}

export class Journal {
  readonly #cap: number;
  #entries: JournalEntry[] = [];
  #start = 0;
  #next = 0;

  /** `cap`: entries kept at the most; undefined or 0 means all. */
  constructor(cap?: number) {
    this.#cap = cap || Number.POSITIVE_INFINITY;
  }

  /** Records a request and returns its entry. The request is kept as it is, not copied. */
  add(request: RequestJson, at: Date = new Date()): JournalEntry {
    const entry = { index: this.#next++, timestamp: at.toISOString(), request };
    if (this.#entries.length < this.#cap) this.#entries.push(entry);
    else {
      this.#entries[this.#start] = entry;
      this.#start = (this.#start + 1) % this.#entries.length;
    }
    return entry;
  }

  /** Entries kept. */
  get length(): number {
    return this.#entries.length;
  }

  /** Number the next recorded request gets, which is the number recorded since the last clear. */
  get nextIndex(): number {
    return this.#next;
  }

  /** Entries that the cap dropped since the last clear. */
  get dropped(): number {
    return this.#next - this.#entries.length;
  }

  /** Oldest first. */
  *[Symbol.iterator](): IterableIterator<JournalEntry> {
    const { length } = this.#entries;
    for (let i = 0; i < length; i++) yield this.#entries[(this.#start + i) % length];
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#next = 0;
  }
}
