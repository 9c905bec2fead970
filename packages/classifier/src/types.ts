// What a rule asks of an input, in a form that an index can use. The classifier knows no HTTP: a key is an opaque
// name for something that an input has ("path, folded", "header x-a, folded", "JSON field a.b"), and its user says
// how to get it.

/**
 * Something that an input has: zero or more texts.
 * `family` groups keys of which an input has only a few while rules may name very many (header names, JSON fields):
 * past a few names the index enumerates the input's members of the family once instead of asking for each name.
 */
export interface Key {
  readonly family: string;
  readonly name: string;
}

/** A necessary condition on the texts of one key. It holds when at least one text of the key satisfies it. */
export type Test =
  | { readonly op: 'equals'; readonly value: string }
  | { readonly op: 'startsWith'; readonly value: string }
  | { readonly op: 'endsWith'; readonly value: string }
  | { readonly op: 'contains'; readonly value: string }
  /** JavaScript regular expression, not anchored; flags: only `i` counts. */
  | { readonly op: 'matches'; readonly source: string; readonly flags: string }
  /** The key has at least one text (which may be empty). */
  | { readonly op: 'present' }
  /** The key has no text at all. */
  | { readonly op: 'absent' };

/**
 * What must hold for a rule to match: an over-approximation of the rule. `any` holds always and is what everything
 * that cannot be expressed becomes; `never` holds never.
 */
export type Condition =
  | { readonly kind: 'any' }
  | { readonly kind: 'never' }
  | { readonly kind: 'test'; readonly key: Key; readonly test: Test }
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'some'; readonly of: readonly Condition[] };

/** The texts of one key: one text, several, or undefined when the input does not have it. */
export type Extract<Input> = (input: Input) => string | readonly string[] | undefined;

/** How to get at an input. */
export interface Access<Input> {
  /** How to read one key. Called once a key when an index is built, so it may prepare something. */
  extractor(key: Key): Extract<Input>;
  /**
   * Enumerates an input's members of a family, or undefined when the family cannot be enumerated.
   * Every text that `extractor` would give for a key of the family must be among the texts visited under its name.
   */
  enumerator?(family: string): ((input: Input, visit: (name: string, text: string) => void) => void) | undefined;
}

/**
 * An ordered rule list made searchable. A rule's id is its position.
 * Soundness: whatever `next` passes over provably cannot match (its condition does not hold).
 */
export interface Classifier<Input> {
  readonly size: number;
  /** Starts a search: the candidates of the input in ascending order. */
  candidates(input: Input): Candidates;
}

/** The rules that could not be excluded, ascending. */
export interface Candidates {
  /** The next candidate's id, or -1. */
  next(): number;
}
