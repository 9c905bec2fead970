// What an imposter tells whoever keeps a copy of it outside this process's memory (data directory). The imposter serves
// from memory; notices say what changed, and a promise says when everything noticed so far is kept. An answer is given
// only after that: what a client was told has happened is still there when the process is killed.

import type { Imposter } from './imposter.js';
import type { JournalEntry } from './recording/journal.js';
import type { MatchRecord, Stub } from './selection/stub.js';

export interface ImposterKeeper {
  /** A new imposter listens. When the promise rejects it is stopped again, and its creator gets the reason. */
  created(imposter: Imposter): Promise<void>;
  /** The imposter has gone for good; not called when the process ends. */
  deleted(imposter: Imposter): Promise<void>;
  /** All imposters were deleted, each of them told before. */
  emptied(): Promise<void>;
  /** The list of stubs, or the responses of a stub, are others now; also whatever else the imposter's JSON shows. */
  changed(imposter: Imposter): void;
  /** The stub's next response is another one now. */
  turned(imposter: Imposter, stub: Stub): void;
  /** The journal has a new entry, and may have dropped its oldest for it. */
  recorded(imposter: Imposter, entry: JournalEntry): void;
  matched(imposter: Imposter, stub: Stub, match: MatchRecord): void;
  /** Entries were taken out of the journal, or all of them. */
  forgot(imposter: Imposter): void;
  /** Resolves when every notice given so far about this imposter is kept; rejects with the reason why it cannot be. */
  settled(imposter: Imposter): Promise<void>;
}
