// A dimension answers, for one text, which of its atoms (distinct tests on one key) cannot be ruled out. It may report
// an atom that does not hold, never leave out one that does.
import type { Hits } from './hits.js';

export interface Dimension {
  /** Marks in `hits` every atom that `text` may satisfy. */
  scan(text: string, hits: Hits): void;
}
