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

/** Is told of an input's members one after another; what nobody asks for need not be read. */
export interface FamilyVisitor {
  /** There is a text under this name. Whether it is asked for. */
  name(name: string): boolean;
  /** A text under the name that was told of last and asked for. */
  text(text: string): void;
}

/** How to get at an input. */
export interface Access<Input> {
  /** How to read one key. Called once a key when an index is built, so it may prepare something. */
  extractor(key: Key): Extract<Input>;
  /**
   * Enumerates an input's members of a family, or undefined when the family cannot be enumerated.
   * Every text that `extractor` would give for a key of the family must be among the texts visited under its name.
   */
  enumerator?(family: string): ((input: Input, visitor: FamilyVisitor) => void) | undefined;
  /**
   * What the first read of a key costs: 0 nothing (method, path), 1 a lookup (a header), 2 splitting (a query),
   * 3 decoding (body text), 4 and more parsing (JSON, XML). Cheap keys are asked first; a dear key only when a rule
   * that uses it is not yet excluded by cheaper ones and could come before the first match. Default 1.
   */
  cost?(key: Key): number;
}

/** What must hold for a rule, asked once or more often a rule: when the index over it is built. */
export type ConditionOf<Rule> = (rule: Rule) => Condition;

/** A search under way. Stays valid while newer rule lists are made from the one that is searched. Not to be used after its end. */
export interface Search<Rule> {
  /** The next candidate in list order, or undefined at the end, which also closes the search. */
  next(): Rule | undefined;
  /** Gives the search's memory back; a search that is left without it only costs an allocation more later. */
  close(): void;
}

/**
 * An immutable ordered rule list that can be searched.
 * Soundness: whatever a search passes over provably cannot match (its condition does not hold).
 */
export interface Classifier<Input, Rule> extends Iterable<Rule> {
  readonly length: number;
  /** The rule at a position; throws RangeError outside 0..length-1. */
  at(position: number): Rule;
  /** Starts a search: the candidates of the input in list order. */
  search(input: Input): Search<Rule>;
  /** The first candidate that `accept` takes. The synchronous case, without an allocation. */
  first(input: Input, accept: (rule: Rule, input: Input) => boolean): Rule | undefined;
}
