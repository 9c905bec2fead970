// The files of one stub in Mountebank's layout, and its turn of responses as `meta.json` spells it.

/** Longest `orderWithRepeats`: past it every response stands once, and the cursor counts responses. */
const LONGEST_ORDER = 100_000;

/** What the directory has of a stub. */
export interface KeptStub {
  /** Relative to the imposter's directory. */
  readonly dir: string;
  /** Relative to the stub's directory; as many as responses are written. */
  readonly responseFiles: string[];
  readonly servings: number[];
}

/** The content of `meta.json`. `position` counts servings, as the ring of the stub does. */
export function metaOf(kept: KeptStub, position: number): object {
  const total = kept.servings.reduce((sum, count) => sum + count, 0);
  const spelledOut = total <= LONGEST_ORDER;
  const orderWithRepeats: number[] = [];
  let nextIndex = 0;
  let before = 0;
  kept.servings.forEach((count, index) => {
    for (let i = 0; i < (spelledOut ? count : 1); i++) orderWithRepeats.push(index);
    if (!spelledOut && position >= before) nextIndex = index;
    before += count;
  });
  if (spelledOut && total > 0) nextIndex = position % total;
  return { responseFiles: kept.responseFiles, orderWithRepeats, nextIndex };
}

/** The serving that a cursor of `meta.json` stands for. */
export function positionOf(kept: KeptStub, order: readonly number[], nextIndex: number): number {
  const total = kept.servings.reduce((sum, count) => sum + count, 0);
  if (order.length === 0 || total === 0) return 0;
  const index = nextIndex % order.length;
  if (order.length === total) return index;
  return kept.servings.slice(0, order[index]).reduce((sum, count) => sum + count, 0);
}
