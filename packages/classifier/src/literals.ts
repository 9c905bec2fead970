// Literals that texts are searched for, and what stands for the long ones: an automaton has a state for every unit of every
// literal, so a long literal is represented by a part of it that few others have. Whoever has the literal has the part.

export interface Literal {
  readonly op: 'equals' | 'startsWith' | 'endsWith' | 'contains';
  /** Not empty. */
  readonly value: string;
  readonly atom: number;
}

/** Literals longer than this are represented by a window of this length, the one that fewest others contain. */
const WINDOW = 48;
/** When the literals have more units than this all together, the window is made smaller, down to SMALLEST_WINDOW. */
const MOST_UNITS = 8_000_000;
const SMALLEST_WINDOW = 8;
const WINDOW_COUNTERS = 1 << 22;

function windowLength(literals: readonly Literal[]): number {
  for (let window = WINDOW; window > SMALLEST_WINDOW; window = Math.floor(window / 2)) {
    let units = 0;
    for (const { value } of literals) units += Math.min(value.length, window);
    if (units <= MOST_UNITS) return window;
  }
  return SMALLEST_WINDOW;
}

/** Literals with the long ones as `contains` of their rarest window: the automaton stays small, what it reports is still necessary. */
export function windowed(literals: readonly Literal[]): readonly Literal[] {
  const window = windowLength(literals);
  if (literals.every(({ value }) => value.length <= window)) return literals;
  const stride = Math.ceil(window / 8);
  // counted by hash: a collision makes a window look less rare, nothing else
  const counts = new Uint32Array(WINDOW_COUNTERS);
  const counterOf = (value: string, begin: number): number => {
    let hash = 0x811c9dc5;
    for (let at = begin; at < begin + window; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
    return (hash ^ (hash >>> 13)) & (WINDOW_COUNTERS - 1);
  };
  for (const { value } of literals) {
    for (let at = 0; at + window <= value.length; at += stride) counts[counterOf(value, at)]++;
  }
  return literals.map((literal) => {
    const { value, atom } = literal;
    if (value.length <= window) return literal;
    let rarest = 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (let at = 0; at + window <= value.length; at += stride) {
      const count = counts[counterOf(value, at)];
      if (count < fewest) {
        fewest = count;
        rarest = at;
      }
    }
    return { op: 'contains', value: value.slice(rarest, rarest + window), atom };
  });
}
