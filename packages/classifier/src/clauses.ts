// A condition as clauses of terms of atoms: the rule may match only if, of at least one clause, every term has an atom
// that holds. This is disjunctive form with disjunctions kept inside where they cost nothing (an alternation of literals
// is one term), bounded: past MOST_CLAUSES a disjunction is weakened to what its branches have in common by key.
import { ABSENT, type AtomTable, EXACT, type KeyAtoms, LITERAL, PRESENT, REGEX } from './atoms.js';
import { parsePattern } from './regex-syntax.js';
import { type RequiredLiterals, requiredLiterals } from './required-literals.js';
import type { Condition, Test } from './types.js';

/** Atoms of which one must hold. No atom: never. */
export type Term = readonly number[];
/** Terms of which all must hold. No term: always. */
export type Clause = readonly Term[];
/** Clauses of which one must hold. No clause: never. */
export type Clauses = readonly Clause[];

const MOST_CLAUSES = 16;
const MOST_TERMS = 16;
/** A pattern with up to so many alternatives gets a clause for each, with more one term. */
const PATTERN_CLAUSES = 4;
const DEEPEST = 200;

const always: Clauses = [[]];
const never: Clauses = [];

/** How much a kind of atom tells, for choices that are made before counts are known. */
const rank: Record<number, number> = { [EXACT]: 4, [LITERAL]: 3, [REGEX]: 2, [PRESENT]: 1, [ABSENT]: 0 };

export class ClauseMaker {
  readonly #atoms: AtomTable;
  /** What each pattern requires: the same pattern stands in many rules. */
  readonly #patterns = new Map<string, RequiredLiterals[][] | undefined>();

  constructor(atoms: AtomTable) {
    this.#atoms = atoms;
  }

  clausesOf(condition: Condition, depth = 0): Clauses {
    if (depth > DEEPEST) return always;
    switch (condition.kind) {
      case 'any':
        return always;
      case 'never':
        return never;
      case 'test':
        return this.#testClauses(this.#atoms.key(condition.key), condition.test);
      case 'all':
        return this.#all(condition.of.map((part) => this.clausesOf(part, depth + 1)));
      case 'some':
        return this.#some(condition.of.map((part) => this.clausesOf(part, depth + 1)));
    }
  }

  #testClauses(key: KeyAtoms, test: Test): Clauses {
    switch (test.op) {
      case 'present':
        return [[[this.#atoms.present(key)]]];
      case 'absent':
        return [[[this.#atoms.absent(key)]]];
      case 'matches':
        return this.#patternClauses(key, test.source, test.flags.includes('i'));
      default:
        return [[[this.#atoms.literal(key, test.op, test.value)]]];
    }
  }

  #patternClauses(key: KeyAtoms, source: string, ignoreCase: boolean): Clauses {
    const alternatives = this.#requirementsOf(source, ignoreCase);
    if (alternatives === undefined) return always;
    const regex: Term = [this.#atoms.regex(key, source, ignoreCase)];
    const termOf = ({ op, literals }: RequiredLiterals): Term =>
      literals.map((literal) => this.#atoms.literal(key, op, literal, ignoreCase));
    if (alternatives.length <= PATTERN_CLAUSES) {
      // an alternative that is nothing but literals needs no automaton
      return alternatives.map((required) => {
        const terms = required.map(termOf);
        return required.length === 1 && required[0].op === 'equals' ? terms : [...terms, regex];
      });
    }
    if (alternatives.some((required) => required.length === 0)) return [[regex]];
    return [[alternatives.flatMap(([longest]) => termOf(longest)), regex]];
  }

  #requirementsOf(source: string, ignoreCase: boolean): RequiredLiterals[][] | undefined {
    const id = `${ignoreCase ? 'i' : ''}/${source}`;
    if (!this.#patterns.has(id)) {
      const pattern = parsePattern(source);
      let required: RequiredLiterals[][] | undefined;
      try {
        required = pattern && requiredLiterals(pattern, ignoreCase);
      } catch (error) {
        // groups nested deeper than the stack
        if (!(error instanceof RangeError)) throw error;
      }
      this.#patterns.set(id, required);
    }
    return this.#patterns.get(id);
  }

  #all(parts: Clauses[]): Clauses {
    let product: Clauses = always;
    for (const part of parts.sort((a, b) => a.length - b.length)) {
      if (part.length === 0) return never;
      let next = part;
      if (product.length * next.length > MOST_CLAUSES) next = this.#weakened(next);
      if (product.length * next.length > MOST_CLAUSES) product = this.#weakened(product);
      product = product.flatMap((left) => next.map((right) => this.#joined(left, right)));
    }
    return product;
  }

  #some(parts: readonly Clauses[]): Clauses {
    const clauses: Clause[] = [];
    /** Single terms on one key are one term together. */
    const alone = new Map<KeyAtoms, number[]>();
    for (const clause of parts.flat()) {
      if (clause.length === 0) return always;
      const key = clause.length === 1 ? this.#keyOf(clause[0]) : undefined;
      if (key === undefined) {
        clauses.push(clause);
        continue;
      }
      const together = alone.get(key);
      if (together === undefined) {
        const atoms = [...clause[0]];
        alone.set(key, atoms);
        clauses.push([atoms]);
      } else {
        for (const atom of clause[0]) together.push(atom);
      }
    }
    return clauses.length > MOST_CLAUSES ? this.#weakened(clauses) : clauses;
  }

  /** The key of a term's atoms when it is one, and the term tells by values. */
  #keyOf(term: Term): KeyAtoms | undefined {
    if (term.length === 0) return undefined;
    const key = this.#atoms.keyOf(term[0]);
    return term.every((atom) => this.#atoms.keyOf(atom) === key) ? key : undefined;
  }

  #joined(left: Clause, right: Clause): Clause {
    const terms = [...left];
    for (const term of right)
      if (term.length !== 1 || !left.some((t) => t.length === 1 && t[0] === term[0])) terms.push(term);
    if (terms.length <= MOST_TERMS) return terms;
    return terms.sort((a, b) => this.#rankOf(b) - this.#rankOf(a)).slice(0, MOST_TERMS);
  }

  #rankOf(term: Term): number {
    let least = 5;
    for (const atom of term) least = Math.min(least, rank[this.#atoms.kindOf(atom)]);
    return least;
  }

  /**
   * One clause that holds whenever one of many does: for each key on which all of them have a term, one of these terms
   * must hold; without such a key, one of the clauses' best terms.
   */
  #weakened(clauses: Clauses): Clauses {
    if (clauses.some((clause) => clause.length === 0)) return always;
    const byKey = new Map<KeyAtoms, { clauses: number; atoms: number[] }>();
    for (const clause of clauses) {
      const seen = new Set<KeyAtoms>();
      for (const term of [...clause].sort((a, b) => this.#rankOf(b) - this.#rankOf(a))) {
        const key = this.#keyOf(term);
        if (key === undefined || seen.has(key)) continue;
        seen.add(key);
        const together = byKey.get(key) ?? { clauses: 0, atoms: [] };
        byKey.set(key, together);
        together.clauses++;
        for (const atom of term) together.atoms.push(atom);
      }
    }
    const terms = [...byKey.values()].filter((together) => together.clauses === clauses.length);
    if (terms.length > 0) return [terms.slice(0, MOST_TERMS).map(({ atoms }) => [...new Set(atoms)])];
    const best = clauses.map((clause) => clause.reduce((a, b) => (this.#rankOf(b) > this.#rankOf(a) ? b : a)));
    return [[[...new Set(best.flat())]]];
  }
}
