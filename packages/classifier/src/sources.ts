// A source is what a search reads at once: the exact values of a key, the literals of a key, the patterns of a key, or
// all members of a family. Reading one runs its dimensions and marks the atoms that the input may satisfy.
import { ABSENT, type AtomTable, type KeyAtoms, LITERAL, REGEX } from './atoms.js';
import { foldTable } from './code-units.js';
import type { Hits } from './hits.js';
import { LiteralAutomaton } from './literal-automaton.js';
import { CellPool, RegexAutomaton, type RegexPattern } from './regex-automaton.js';
import type { Access, Extract, FamilyVisitor } from './types.js';

export interface Source<Input> {
  /** Cheap sources are read first; see `costOf`. */
  readonly cost: number;
  read(input: Input, hits: Hits): void;
}

/** A family with more names than this is enumerated, if it can be, instead of asked for each name. */
const MOST_NAMES = 4;
/** So many absent names of an enumerated family are looked up by; where there are more, nearly all of them are absent. */
const MOST_ABSENT = 8;

/** What an atom of a kind costs on a key: what the key costs, then what the dimension costs. */
function costOf(kind: number, key: KeyAtoms): number {
  return 4 * key.cost + (kind === LITERAL ? 1 : kind === REGEX ? 11 : 0);
}

/** From here on (body text and dearer) a source is not read just to pass over a few candidates. */
export const DEAR = 12;
/** From here on (a selector of its own) reading a key takes as long as trying the few rules that ask for it. */
export const OWN = 20;

/** The literal automata of a key, made when they are first needed. */
class KeyLiterals {
  #plain: LiteralAutomaton | undefined;
  #folded: LiteralAutomaton | undefined;
  #made = false;

  constructor(readonly key: KeyAtoms) {}

  scan(text: string, hits: Hits): void {
    if (!this.#made) {
      const { literals, foldedLiterals } = this.key;
      if (literals.length > 0) this.#plain = new LiteralAutomaton(literals);
      if (foldedLiterals.length > 0) this.#folded = new LiteralAutomaton(foldedLiterals, foldTable());
      this.key.literals = [];
      this.key.foldedLiterals = [];
      this.#made = true;
    }
    this.#plain?.scan(text, hits);
    this.#folded?.scan(text, hits);
  }
}

class ExactSource<Input> implements Source<Input> {
  readonly cost: number;

  constructor(
    readonly key: KeyAtoms,
    readonly extract: Extract<Input>,
  ) {
    this.cost = costOf(-1, key);
  }

  read(input: Input, hits: Hits): void {
    const texts = this.extract(input);
    if (typeof texts === 'string') {
      if (this.key.present >= 0) hits.mark(this.key.present);
      this.key.exact.scan(texts, hits);
    } else if (texts !== undefined && texts.length > 0) {
      if (this.key.present >= 0) hits.mark(this.key.present);
      for (const text of texts) this.key.exact.scan(text, hits);
    } else if (this.key.absent >= 0) {
      hits.mark(this.key.absent);
    }
  }
}

class LiteralSource<Input> implements Source<Input> {
  readonly cost: number;
  readonly #literals: KeyLiterals;

  constructor(
    key: KeyAtoms,
    readonly extract: Extract<Input>,
  ) {
    this.cost = costOf(LITERAL, key);
    this.#literals = new KeyLiterals(key);
  }

  read(input: Input, hits: Hits): void {
    const texts = this.extract(input);
    if (texts === undefined) return;
    if (typeof texts === 'string') this.#literals.scan(texts, hits);
    else for (const text of texts) this.#literals.scan(text, hits);
  }
}

class RegexSource<Input> implements Source<Input> {
  readonly cost: number;
  readonly #automaton: RegexAutomaton;

  constructor(
    key: KeyAtoms,
    patterns: readonly RegexPattern[],
    readonly extract: Extract<Input>,
    pool: CellPool,
  ) {
    this.cost = costOf(REGEX, key);
    this.#automaton = new RegexAutomaton(patterns, pool);
  }

  read(input: Input, hits: Hits): void {
    const texts = this.extract(input);
    if (texts === undefined) return;
    if (typeof texts === 'string') this.#automaton.scan(texts, hits);
    else for (const text of texts) this.#automaton.scan(text, hits);
  }
}

class FamilySource<Input> implements Source<Input>, FamilyVisitor {
  readonly cost: number;
  /** Keys whose absence is looked up by, and how to make sure: an enumeration may have seen too much. */
  readonly absent: [key: KeyAtoms, extract: Extract<Input>][] = [];
  readonly #keys: ReadonlyMap<string, KeyAtoms>;
  readonly #literals = new Map<KeyAtoms, KeyLiterals>();
  readonly #enumerate: (input: Input, visitor: FamilyVisitor) => void;
  #hits: Hits | undefined;
  #visited: KeyAtoms | undefined;

  constructor(keys: ReadonlyMap<string, KeyAtoms>, enumerate: (input: Input, visitor: FamilyVisitor) => void) {
    let cost = 0;
    for (const key of keys.values()) {
      cost = Math.max(cost, costOf(-1, key));
      if (key.literals.length + key.foldedLiterals.length > 0) this.#literals.set(key, new KeyLiterals(key));
    }
    this.cost = cost;
    this.#keys = keys;
    this.#enumerate = enumerate;
  }

  name(name: string): boolean {
    const key = this.#keys.get(name);
    if (key === undefined) return false;
    if (key.present >= 0) this.#hits!.mark(key.present);
    this.#visited = key;
    return key.hasExact || this.#literals.has(key);
  }

  text(text: string): void {
    const key = this.#visited!;
    const hits = this.#hits!;
    key.exact.scan(text, hits);
    if (this.#literals.size > 0) this.#literals.get(key)?.scan(text, hits);
  }

  read(input: Input, hits: Hits): void {
    this.#hits = hits;
    this.#enumerate(input, this);
    this.#hits = undefined;
    for (const [key, extract] of this.absent) {
      if (!hits.has(key.present) || isAbsent(extract(input))) hits.mark(key.absent);
    }
  }
}

/** Whether a key has no text. */
export function isAbsent(texts: string | readonly string[] | undefined): boolean {
  return texts === undefined || (typeof texts !== 'string' && texts.length === 0);
}

/** The sources of an atom table, and which one decides each atom. */
export class Sources<Input> {
  readonly all: Source<Input>[] = [];
  /** By atom: the source that marks it, or -1 for patterns, which only `addRegexSource` decides. */
  readonly ofAtom: Int32Array;
  /** By atom, for absent keys that no source marks: how to make sure, where an enumeration may have seen too much. */
  readonly extractorOf = new Map<number, Extract<Input>>();
  /** By number of a key: equal for keys that are read together. */
  readonly groupOf: Int32Array;
  readonly #access: Access<Input>;
  readonly #pool = new CellPool();

  constructor(atoms: AtomTable, access: Access<Input>) {
    this.#access = access;
    this.ofAtom = new Int32Array(atoms.size).fill(-1);
    const exactSource = new Int32Array(atoms.keys.length).fill(-1);
    const literalSource = new Int32Array(atoms.keys.length).fill(-1);
    this.groupOf = Int32Array.from(atoms.keys, ({ number }) => number);
    for (const [name, family] of atoms.families) {
      const enumerate = family.size > MOST_NAMES ? access.enumerator?.(name) : undefined;
      if (enumerate === undefined) continue;
      const source = new FamilySource(family, enumerate);
      const number = this.all.push(source) - 1;
      const absent: KeyAtoms[] = [];
      let group = -1;
      for (const key of family.values()) {
        exactSource[key.number] = number;
        literalSource[key.number] = number;
        if (group < 0) group = key.number;
        this.groupOf[key.number] = group;
        if (key.absent >= 0) absent.push(key);
      }
      for (const key of absent) {
        const extract = access.extractor(key.key);
        if (absent.length <= MOST_ABSENT) source.absent.push([key, extract]);
        else this.extractorOf.set(key.absent, extract);
      }
    }
    for (const key of atoms.keys) {
      if (exactSource[key.number] >= 0) continue;
      const extract = access.extractor(key.key);
      if (key.hasExact || key.present >= 0) {
        exactSource[key.number] = this.all.push(new ExactSource(key, extract)) - 1;
      }
      if (key.literals.length + key.foldedLiterals.length > 0) {
        literalSource[key.number] = this.all.push(new LiteralSource(key, extract)) - 1;
      }
    }
    for (let atom = 0; atom < atoms.size; atom++) {
      const kind = atoms.kindOf(atom);
      if (kind === REGEX) continue;
      this.ofAtom[atom] = (kind === LITERAL ? literalSource : exactSource)[atoms.keyOf(atom).number];
    }
  }

  /** Adds a source that lists some patterns of a key; returns its number. */
  addRegexSource(key: KeyAtoms, patterns: readonly RegexPattern[]): number {
    return this.all.push(new RegexSource(key, patterns, this.#access.extractor(key.key), this.#pool)) - 1;
  }

  /** What it costs to decide an atom by the index; infinite where it is not looked up by. */
  costOf(atom: number, kind: number, key: KeyAtoms): number {
    return kind === ABSENT && this.extractorOf.has(atom) ? Number.POSITIVE_INFINITY : costOf(kind, key);
  }
}
