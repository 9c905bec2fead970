// The requests an imposter recorded, in order of arrival, with an optional cap. Entries keep their index for life,
// whatever is dropped, removed or cleared, so that a reader can ask for what is new since an index.
//
// A ring over a plain array: dropping the oldest must not move ten thousand others. Recording has to be cheap and reading
// is rare, so an entry is what came in, and its JSON is made for each reader.

import type { MatchTrace, Program } from '../matching/program.js';
import type { RequestJson } from '../model/types.js';
import type { RequestRecord, RequestView } from '../request-view.js';
import type { Stub } from '../selection/stub.js';
import { type MatchOutcome, matchOutcome, Rejections } from './match-outcome.js';

export class JournalEntry implements MatchTrace<Stub> {
  /** 1-based number of the request among all that the imposter ever recorded; never given twice. */
  readonly index: number;
  readonly #at: number;
  readonly #record: RequestRecord;
  /** The stubs that were searched; undefined unless the search came to an end without an error. */
  #program: Program<Stub> | undefined;
  #matched: Stub | undefined;
  #rejections: Rejections | undefined;

  constructor(index: number, record: RequestRecord, at: number) {
    this.index = index;
    this.#record = record;
    this.#at = at;
  }

  rejected(stub: Stub, at: number, view: RequestView): void {
    this.#rejections ??= new Rejections();
    this.#rejections.add(stub, at, view);
  }

  /** The search for a stub has come to its end. */
  searched(program: Program<Stub>, matched: Stub | undefined): void {
    this.#program = program;
    this.#matched = matched;
  }

  /** ISO 8601 in UTC with milliseconds. */
  get timestamp(): string {
    return new Date(this.#at).toISOString();
  }

  /** Mountebank's request object, without the timestamp. */
  get request(): RequestJson {
    return this.#record.toJSON();
  }

  /** As it was when it was recorded, with its timestamp. */
  recorded(): RequestJson {
    return { ...this.#record.toJournalJSON(), timestamp: this.timestamp };
  }

  /** As the journal's own endpoints show it: with timestamp and, after that, `matchOutcome` where it is known. */
  toJSON(): RequestJson & { matchOutcome?: MatchOutcome } {
    const json = this.recorded();
    if (this.#program === undefined) return json;
    return { ...json, matchOutcome: matchOutcome(this.#program, this.#matched, this.#rejections) };
  }
}

export class Journal {
  readonly #cap: number;
  readonly #full: (() => void) | undefined;
  readonly #evicted: (() => void) | undefined;
  #entries: JournalEntry[] = [];
  #start = 0;
  #lastIndex = 0;
  #lastDropped = 0;
  /** Whether it was told that the journal is full since it last was not. */
  #told = false;

  /**
   * `cap`: entries kept at the most; undefined or 0 means all. `full` is called once each time the cap is reached,
   * `evicted` for each entry that is dropped.
   */
  constructor(cap?: number, full?: () => void, evicted?: () => void) {
    this.#cap = cap || Number.POSITIVE_INFINITY;
    this.#full = full;
    this.#evicted = evicted;
  }

  /** Records a request and returns its entry. */
  add(view: Pick<RequestView, 'detach' | 'toJSON'>, at: number = Date.now()): JournalEntry {
    const entry = new JournalEntry(++this.#lastIndex, recordOf(view), at);
    if (this.#entries.length < this.#cap) {
      this.#entries.push(entry);
      return entry;
    }
    if (!this.#told) this.#full?.();
    this.#told = true;
    this.#evicted?.();
    this.#lastDropped = this.#entries[this.#start]!.index;
    this.#entries[this.#start] = entry;
    this.#start = (this.#start + 1) % this.#entries.length;
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
    this.#told &&= this.#entries.length === this.#cap;
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#told = false;
  }
}

function recordOf(view: Pick<RequestView, 'detach' | 'toJSON'>): RequestRecord {
  if (view.detach !== undefined) return view.detach();
  const json = view.toJSON();
  return { toJSON: () => json, toJournalJSON: () => json };
}
