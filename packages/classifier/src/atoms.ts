// Atoms: the distinct tests of an index, numbered. Two rules that ask for the same share the atom, so that a search
// decides it once. The table knows, for each key, which dimensions it has and which atoms they report.
import { ExactValues } from './exact-values.js';
import { IntList } from './int-list.js';
import type { Literal } from './literals.js';
import type { RegexPattern } from './regex-automaton.js';
import type { Access, Key } from './types.js';

/** What an atom asks; EXACT, PRESENT and ABSENT are decided exactly, the others may be reported too often. */
export const EXACT = 0;
export const PRESENT = 1;
export const ABSENT = 2;
export const LITERAL = 3;
export const REGEX = 4;

const NONE = -1;

/** What most keys have: a million keys must not have three million empty lists. Never added to. */
const none: never[] = [];

function added<T>(list: T[], item: T): T[] {
  if (list === none) return [item];
  list.push(item);
  return list;
}

/** One key's atoms. */
export class KeyAtoms {
  readonly exact = new ExactValues();
  hasExact = false;
  present = NONE;
  absent = NONE;
  /** Literals compared as they are, and those compared folded as flag i does it. */
  literals: Literal[] = none;
  foldedLiterals: Literal[] = none;
  patterns: RegexPattern[] = none;
  /** By operator and value, for literals and patterns. */
  #others: Map<string, number> | undefined;

  constructor(
    readonly key: Key,
    readonly number: number,
    readonly cost: number,
  ) {}

  /** Forgets what only interning needs. */
  release(): void {
    this.#others = undefined;
    this.patterns = none;
  }

  other(id: string, make: () => number): number {
    this.#others ??= new Map();
    let atom = this.#others.get(id);
    if (atom === undefined) {
      atom = make();
      this.#others.set(id, atom);
    }
    return atom;
  }
}

/** Distinct tests, numbered from 0. */
export class AtomTable {
  readonly keys: KeyAtoms[] = [];
  /** By family, then by name. */
  readonly families = new Map<string, Map<string, KeyAtoms>>();
  readonly #costOf: (key: Key) => number;
  readonly #kinds = new IntList();
  readonly #keyNumbers = new IntList();
  readonly #makeExact: () => number;
  #current: KeyAtoms | undefined;

  constructor(access: Pick<Access<never>, 'cost'>) {
    this.#costOf = (key) => access.cost?.(key) ?? 1;
    this.#makeExact = () => this.#make(EXACT, this.#current!);
  }

  /** How many atoms there are; they are numbered from 0. */
  get size(): number {
    return this.#kinds.length;
  }

  kindOf(atom: number): number {
    return this.#kinds.at(atom);
  }

  keyOf(atom: number): KeyAtoms {
    return this.keys[this.#keyNumbers.at(atom)];
  }

  key(key: Key): KeyAtoms {
    let family = this.families.get(key.family);
    if (family === undefined) {
      family = new Map();
      this.families.set(key.family, family);
    }
    let atoms = family.get(key.name);
    if (atoms === undefined) {
      atoms = new KeyAtoms(key, this.keys.length, this.#costOf(key));
      family.set(key.name, atoms);
      this.keys.push(atoms);
    }
    return atoms;
  }

  exact(key: KeyAtoms, value: string): number {
    key.hasExact = true;
    this.#current = key;
    return key.exact.intern(value, this.#makeExact);
  }

  present(key: KeyAtoms): number {
    if (key.present === NONE) key.present = this.#make(PRESENT, key);
    return key.present;
  }

  absent(key: KeyAtoms): number {
    // that a key is absent is known by its not being present
    this.present(key);
    if (key.absent === NONE) key.absent = this.#make(ABSENT, key);
    return key.absent;
  }

  /** `value` is folded already when `folded`. An empty literal is what every text has. */
  literal(key: KeyAtoms, op: Literal['op'], value: string, folded = false): number {
    if (value === '') return op === 'equals' ? this.exact(key, '') : this.present(key);
    if (op === 'equals' && !folded) return this.exact(key, value);
    return key.other(`${op} ${folded ? 'i' : ''} ${value}`, () => {
      const atom = this.#make(LITERAL, key);
      if (folded) key.foldedLiterals = added(key.foldedLiterals, { op, value, atom });
      else key.literals = added(key.literals, { op, value, atom });
      return atom;
    });
  }

  regex(key: KeyAtoms, source: string, ignoreCase: boolean): number {
    return key.other(`matches ${ignoreCase ? 'i' : ''} ${source}`, () => {
      const atom = this.#make(REGEX, key);
      key.patterns = added(key.patterns, { source, ignoreCase, atom });
      return atom;
    });
  }

  /** No more atoms will be made. */
  release(): void {
    for (const key of this.keys) key.release();
  }

  #make(kind: number, key: KeyAtoms): number {
    this.#kinds.push(kind);
    this.#keyNumbers.push(key.number);
    return this.#kinds.length - 1;
  }
}
