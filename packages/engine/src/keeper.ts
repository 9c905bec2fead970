// What an imposter tells whoever keeps a copy of it outside this process's memory (data directory). The imposter serves
// from memory; notices say what changed, and a promise says when everything noticed so far is kept. An answer is given
// only after that: what a client was told has happened is still there when the process is killed.

import type { Imposter } from './imposter.js';
import type { PredicateJson, ResponseJson } from './model/types.js';
import type { JournalEntry } from './recording/journal.js';
import type { MatchRecord, Stub } from './selection/stub.js';

export type Holds = (predicates: readonly PredicateJson[]) => boolean | Promise<boolean>;

/** The response of a stub that the keeper chose. */
export interface Choice {
  /** Position of the stub. */
  readonly at: number;
  readonly response: ResponseJson;
  /** Keeps what the request was answered, under `--debug`. */
  note(match: MatchRecord): Promise<void>;
}

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
  /**
   * All imposters are being deleted, or replaced: each is told, too. Absent where what is kept of the old ones may go
   * after new ones have come.
   */
  emptying?(): Promise<void>;
  /** Recorded responses of proxies were removed; where it is absent, that is a change as others. */
  unrecorded?(imposter: Imposter): void;
  /**
   * Decides which stub answers, instead of the imposter's index, and moves its turn. `holds` tells whether all predicates
   * of a stub do; undefined: no stub matches.
   */
  choose?(imposter: Imposter, holds: Holds): Promise<Choice | undefined>;
}
