// Where a search finds the clauses that may hold. Each clause stands in one place: under its most telling cheap term,
// the access term (access predicates, Fabret et al. 2001), there among the few clauses with the same; where those are
// many, they are told apart by their next term in a node of their own (a matching tree, Aguilera et al. 1999). So
// a pair of unselective terms (32 paths by 32 parameters) is found by two look-ups, and a dear key (a body) is
// read only where a clause with fitting cheap terms needs it.
// All of it lies in flat arrays: a clause costs some 20 bytes.
import { type AtomTable, REGEX } from './atoms.js';
import type { Clauses } from './clauses.js';
import { IntList } from './int-list.js';
import type { RegexPattern } from './regex-automaton.js';
import { DEAR, OWN, type Sources } from './sources.js';

/** So many clauses in one place are not told apart any further. */
export const FEW = 8;
/** How often clauses may be listed all together, per listing that is needed at least. */
const MOST_LISTINGS = 8;

// what stands under an atom in a node: its kind in the two lowest bits, its number above
export const NOTHING = 0;
/** One clause. */
export const CLAUSE = 1;
/** A list of clauses. */
export const LIST = 2;
/** A node. */
const NODE = 3;

/** The clauses of all rules, in order: for each its rule, and its terms. */
export class ClauseTable {
  readonly #rule = new IntList();
  readonly #begin = new IntList();
  /** An atom, or for a term of several the complement of its number. */
  readonly #terms = new IntList();
  readonly #groupBegin = new IntList();
  readonly #groupAtoms = new IntList();

  add(rule: number, clauses: Clauses): void {
    for (const clause of clauses) {
      if (clause.some((term) => term.length === 0)) continue;
      this.#rule.push(rule);
      this.#begin.push(this.#terms.length);
      for (const term of clause) {
        if (term.length === 1) {
          this.#terms.push(term[0]);
          continue;
        }
        this.#terms.push(~this.#groupBegin.length);
        this.#groupBegin.push(this.#groupAtoms.length);
        for (const atom of new Set(term)) this.#groupAtoms.push(atom);
      }
    }
  }

  finish(): Clausal {
    this.#begin.push(this.#terms.length);
    this.#groupBegin.push(this.#groupAtoms.length);
    return {
      count: this.#rule.length,
      rule: this.#rule.toArray(),
      begin: this.#begin.toArray(),
      terms: this.#terms.toArray(),
      groupBegin: this.#groupBegin.toArray(),
      groupAtoms: this.#groupAtoms.toArray(),
    };
  }
}

export interface Clausal {
  readonly count: number;
  readonly rule: Int32Array;
  readonly begin: Int32Array;
  readonly terms: Int32Array;
  readonly groupBegin: Int32Array;
  readonly groupAtoms: Int32Array;
}

/** From (node, atom) to what stands there, for all nodes but the root. */
class Places {
  #nodes: Int32Array;
  #atoms: Int32Array;
  #values: Int32Array;
  #mask: number;
  #count = 0;

  constructor() {
    this.#nodes = new Int32Array(16);
    this.#atoms = new Int32Array(16);
    this.#values = new Int32Array(16);
    this.#mask = 15;
  }

  get(node: number, atom: number): number {
    for (let slot = this.#slot(node, atom); ; slot = (slot + 1) & this.#mask) {
      if (this.#values[slot] === NOTHING) return NOTHING;
      if (this.#nodes[slot] === node && this.#atoms[slot] === atom) return this.#values[slot];
    }
  }

  add(node: number, atom: number, value: number): void {
    if (++this.#count * 2 > this.#values.length) {
      const [nodes, atoms, values] = [this.#nodes, this.#atoms, this.#values];
      this.#nodes = new Int32Array(nodes.length * 2);
      this.#atoms = new Int32Array(nodes.length * 2);
      this.#values = new Int32Array(nodes.length * 2);
      this.#mask = this.#values.length - 1;
      for (let at = 0; at < values.length; at++)
        if (values[at] !== NOTHING) this.#put(nodes[at], atoms[at], values[at]);
    }
    this.#put(node, atom, value);
  }

  #put(node: number, atom: number, value: number): void {
    let slot = this.#slot(node, atom);
    while (this.#values[slot] !== NOTHING) slot = (slot + 1) & this.#mask;
    this.#nodes[slot] = node;
    this.#atoms[slot] = atom;
    this.#values[slot] = value;
  }

  #slot(node: number, atom: number): number {
    const hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(atom, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & this.#mask;
  }
}

/** The tree, ready for searches. */
export class AccessTree {
  constructor(
    readonly root: Int32Array,
    private readonly places: Places,
    /** Where each list begins in `listed`; one entry more than there are lists. */
    readonly listBegin: Int32Array,
    readonly listed: Int32Array,
    /** Of each node: what is always in question there, and the range of its parts. */
    readonly always: Int32Array,
    readonly partsBegin: Int32Array,
    readonly partsEnd: Int32Array,
    /** Of each part: its node, the source that decides its atoms, and the first clause that it can lead to. */
    readonly partNode: Int32Array,
    readonly partSource: Int32Array,
    readonly partFirst: Int32Array,
  ) {}

  /** Tells clauses apart; patterns that are looked up by get sources of their own. */
  static build<Input>(clauses: Clausal, atoms: AtomTable, sources: Sources<Input>): AccessTree {
    return new TreeBuilder(clauses, atoms, sources).build();
  }

  /** What stands under an atom in a node. Node 0 is the root. */
  at(node: number, atom: number): number {
    return node === 0 ? this.root[atom] : this.places.get(node, atom);
  }
}

/** How good a term is to look a clause up by. */
class Telling {
  /** Its cost, alike for all terms that need the body. */
  readiness = 0;
  /** How many clauses have one of its atoms, on (harmonic) average, a few counting alike. */
  sharing = 0;
  cost = 0;
  /** How many clauses are listed under its atoms all together. */
  listings = 0;
}

function isBetter(a: Telling, b: Telling): boolean {
  if (a.readiness !== b.readiness) return a.readiness < b.readiness;
  if (a.sharing !== b.sharing) return a.sharing < b.sharing;
  return a.cost !== b.cost ? a.cost < b.cost : a.listings < b.listings;
}

class TreeBuilder<Input> {
  readonly #root: Int32Array;
  readonly #places = new Places();
  readonly #listBegin = new IntList();
  readonly #listed = new IntList();
  readonly #always = new IntList();
  readonly #partsBegin = new IntList();
  readonly #partsEnd = new IntList();
  readonly #partNode = new IntList();
  readonly #partSource = new IntList();
  readonly #partFirst = new IntList();

  readonly #clauses: Clausal;
  readonly #atoms: AtomTable;
  readonly #sources: Sources<Input>;
  readonly #costs: Float64Array;
  /** Listings left before clauses are not told apart any more. */
  #listings: number;
  /** Per atom; zero between uses. */
  readonly #counts: Int32Array;
  /** Per group of keys that are read together; zero between uses. */
  readonly #groupCounts: Int32Array;
  #patterns: Map<number, RegexPattern> | undefined;
  /** The best term so far of the clause for which one is chosen, and the one in question: written over again and again. */
  #least = new Telling();
  #telling = new Telling();

  constructor(clauses: Clausal, atoms: AtomTable, sources: Sources<Input>) {
    this.#clauses = clauses;
    this.#atoms = atoms;
    this.#sources = sources;
    this.#root = new Int32Array(atoms.size);
    this.#counts = new Int32Array(atoms.size);
    this.#groupCounts = new Int32Array(atoms.keys.length);
    this.#costs = new Float64Array(atoms.size);
    for (let atom = 0; atom < atoms.size; atom++) {
      this.#costs[atom] = sources.costOf(atom, atoms.kindOf(atom), atoms.keyOf(atom));
    }
    this.#listings = MOST_LISTINGS * (clauses.count + clauses.groupAtoms.length) + 1000;
  }

  build(): AccessTree {
    const everything = new Int32Array(this.#clauses.count);
    for (let clause = 0; clause < everything.length; clause++) everything[clause] = clause;
    this.#node(everything, new Int32Array(everything.length));
    this.#listBegin.push(this.#listed.length);
    return new AccessTree(
      this.#root,
      this.#places,
      this.#listBegin.toArray(),
      this.#listed.toArray(),
      this.#always.toArray(),
      this.#partsBegin.toArray(),
      this.#partsEnd.toArray(),
      this.#partNode.toArray(),
      this.#partSource.toArray(),
      this.#partFirst.toArray(),
    );
  }

  /** Calls `visit` for each atom of a term. */
  #eachAtom(term: number, visit: (atom: number) => void): void {
    if (term >= 0) {
      visit(term);
      return;
    }
    const { groupBegin, groupAtoms } = this.#clauses;
    for (let at = groupBegin[~term]; at < groupBegin[~term + 1]; at++) visit(groupAtoms[at]);
  }

  /** The cost of looking clauses up by a term: that of its dearest atom. */
  #cost(term: number): number {
    if (term >= 0) return this.#costs[term];
    const { groupBegin, groupAtoms } = this.#clauses;
    let cost = 0;
    for (let at = groupBegin[~term]; at < groupBegin[~term + 1]; at++) {
      cost = Math.max(cost, this.#costs[groupAtoms[at]]);
    }
    return cost;
  }

  /** Makes a node for clauses whose terms in `used` (a bit a term) led to it. */
  #node(members: Int32Array, used: Int32Array): number {
    const node = this.#always.length;
    this.#always.push(NOTHING);
    this.#partsBegin.push(0);
    this.#partsEnd.push(0);

    const { begin, terms } = this.#clauses;
    const counts = this.#counts;
    const add = (atom: number): void => {
      counts[atom]++;
      this.#groupCounts[this.#group(atom)]++;
    };
    const clear = (atom: number): void => {
      counts[atom] = 0;
      this.#groupCounts[this.#group(atom)] = 0;
    };
    const eachUnused = (at: number, visit: (atom: number) => void): void => {
      const clause = members[at];
      for (let term = begin[clause]; term < begin[clause + 1]; term++) {
        if ((used[at] & (1 << (term - begin[clause]))) === 0) this.#eachAtom(terms[term], visit);
      }
    };
    for (let at = 0; at < members.length; at++) eachUnused(at, add);
    const chosen = new Int32Array(members.length);
    for (let at = 0; at < members.length; at++) chosen[at] = this.#choose(members, used, at);
    for (let at = 0; at < members.length; at++) eachUnused(at, clear);

    // the clauses under each atom of their chosen terms
    const atoms: number[] = [];
    const always: number[] = [];
    let size = 0;
    const count = (atom: number): void => {
      if (counts[atom]++ === 0) atoms.push(atom);
      size++;
    };
    for (let at = 0; at < members.length; at++) {
      if (chosen[at] < 0) {
        always.push(members[at]);
        continue;
      }
      this.#eachAtom(terms[begin[members[at]] + chosen[at]], count);
    }
    this.#listings -= size;
    const ends = new Int32Array(atoms.length);
    let end = 0;
    for (let at = 0; at < atoms.length; at++) {
      end += counts[atoms[at]];
      ends[at] = end;
      counts[atoms[at]] = end;
    }
    const places = new Int32Array(size);
    let placed = 0;
    const put = (atom: number): void => {
      places[--counts[atom]] = placed;
    };
    for (placed = members.length - 1; placed >= 0; placed--) {
      if (chosen[placed] >= 0) this.#eachAtom(terms[begin[members[placed]] + chosen[placed]], put);
    }
    for (const atom of atoms) counts[atom] = 0;

    this.#always.set(node, this.#list(always));
    const parts = new Map<number, number>();
    const regexes = new Map<number, { first: number; atoms: number[] }>();
    for (let number = 0; number < atoms.length; number++) {
      const atom = atoms[number];
      const from = number === 0 ? 0 : ends[number - 1];
      const first = members[places[from]];
      if (this.#atoms.kindOf(atom) === REGEX) {
        const key = this.#atoms.keyOf(atom).number;
        const regex = regexes.get(key) ?? { first, atoms: [] };
        regex.first = Math.min(regex.first, first);
        regex.atoms.push(atom);
        regexes.set(key, regex);
      } else {
        const source = this.#sources.ofAtom[atom];
        const known = parts.get(source);
        if (known === undefined || first < known) parts.set(source, first);
      }
      // of a million atoms nearly all lead to one clause: no list is made for these
      const alone = ends[number] - from === 1;
      const value = alone
        ? (first << 2) | CLAUSE
        : this.#place(members, used, chosen, places.subarray(from, ends[number]));
      if (node === 0) this.#root[atom] = value;
      else this.#places.add(node, atom, value);
    }
    for (const [key, regex] of regexes) {
      const patterns = regex.atoms.map((atom) => this.#pattern(atom));
      parts.set(this.#sources.addRegexSource(this.#atoms.keys[key], patterns), regex.first);
    }
    this.#partsBegin.set(node, this.#partNode.length);
    for (const [source, first] of parts) {
      this.#partNode.push(node);
      this.#partSource.push(source);
      this.#partFirst.push(first);
    }
    this.#partsEnd.set(node, this.#partNode.length);
    return node;
  }

  /**
   * The term to look a clause up by: the cheapest, of these the one whose atoms fewest clauses here have; or -1. Of dear
   * terms, which read the body in any case, the one that fewest clauses have.
   */
  #choose(members: Int32Array, used: Int32Array, at: number): number {
    const { begin, terms } = this.#clauses;
    const clause = members[at];
    let chosen = -1;
    for (let number = 0; number < begin[clause + 1] - begin[clause]; number++) {
      if ((used[at] & (1 << number)) !== 0) continue;
      const term = terms[begin[clause] + number];
      const cost = this.#cost(term);
      if (cost === Number.POSITIVE_INFINITY) continue;
      const readiness = Math.min(cost, DEAR);
      if (chosen >= 0 && readiness > this.#least.readiness) continue;
      const telling = this.#telling;
      telling.readiness = readiness;
      telling.cost = cost;
      const askers = this.#weigh(term, telling);
      if (cost >= OWN && askers <= FEW) continue;
      if (chosen >= 0 && !isBetter(telling, this.#least)) continue;
      chosen = number;
      this.#telling = this.#least;
      this.#least = telling;
    }
    // an automaton for a few patterns would cost more than trying them
    if (chosen >= 0 && members.length <= FEW && this.#hasRegex(terms[begin[clause] + chosen])) return -1;
    return chosen;
  }

  /** Says how many clauses share a term; gives how many ask for what the least asked of its atoms is read with. */
  #weigh(term: number, telling: Telling): number {
    const { groupBegin, groupAtoms } = this.#clauses;
    const end = term >= 0 ? 1 : groupBegin[~term + 1];
    const begin = term >= 0 ? 0 : groupBegin[~term];
    let listings = 0;
    let rareness = 0;
    let askers = Number.POSITIVE_INFINITY;
    for (let at = begin; at < end; at++) {
      const atom = term >= 0 ? term : groupAtoms[at];
      const count = this.#counts[atom];
      listings += count;
      rareness += 1 / count;
      askers = Math.min(askers, this.#groupCounts[this.#group(atom)]);
    }
    telling.listings = listings;
    telling.sharing = Math.max((end - begin) / rareness, FEW);
    return askers;
  }

  #group(atom: number): number {
    return this.#sources.groupOf[this.#atoms.keyOf(atom).number];
  }

  #hasRegex(term: number): boolean {
    let found = false;
    this.#eachAtom(term, (atom) => {
      found ||= this.#atoms.kindOf(atom) === REGEX;
    });
    return found;
  }

  /** Makes what stands under an atom: one clause, a list, or a node that tells many clauses apart. */
  #place(members: Int32Array, used: Int32Array, chosen: Int32Array, place: Int32Array): number {
    if (
      place.length > FEW &&
      this.#listings > 0 &&
      place.some((at) => this.#canBeToldApart(members[at], used[at], chosen[at]))
    ) {
      const below = Int32Array.from(place, (at) => members[at]);
      const usedBelow = Int32Array.from(place, (at) => used[at] | (1 << chosen[at]));
      return (this.#node(below, usedBelow) << 2) | NODE;
    }
    return this.#list(place, members);
  }

  #canBeToldApart(clause: number, used: number, chosen: number): boolean {
    const { begin, terms } = this.#clauses;
    for (let number = 0; number < begin[clause + 1] - begin[clause]; number++) {
      if (number === chosen || (used & (1 << number)) !== 0) continue;
      if (this.#cost(terms[begin[clause] + number]) < Number.POSITIVE_INFINITY) return true;
    }
    return false;
  }

  #list(places: ArrayLike<number>, members?: Int32Array): number {
    if (places.length === 0) return NOTHING;
    if (places.length === 1) return ((members === undefined ? places[0] : members[places[0]]) << 2) | CLAUSE;
    const list = this.#listBegin.length;
    this.#listBegin.push(this.#listed.length);
    for (let at = 0; at < places.length; at++)
      this.#listed.push(members === undefined ? places[at] : members[places[at]]);
    return (list << 2) | LIST;
  }

  #pattern(atom: number): RegexPattern {
    if (this.#patterns === undefined) {
      this.#patterns = new Map();
      for (const { patterns } of this.#atoms.keys)
        for (const pattern of patterns) this.#patterns.set(pattern.atom, pattern);
    }
    return this.#patterns.get(atom)!;
  }
}
