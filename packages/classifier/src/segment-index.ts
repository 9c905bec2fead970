// The index over a fixed list of rules, and a search in it.
// A search is a merge: what may hold (lists of clauses found under atoms that hold, parts of the tree not looked into
// yet) waits in a heap by the first clause that it can give. So clauses come out in order, and a source is read only when
// a clause that it could find is due: a search that ends at an early match never reads what only later rules need.
import { AccessTree, CLAUSE, type Clausal, ClauseTable, FEW, LIST, NOTHING } from './access-tree.js';
import { AtomTable } from './atoms.js';
import { ClauseMaker } from './clauses.js';
import { Hits } from './hits.js';
import { DEAR, isAbsent, Sources } from './sources.js';
import type { Access, ConditionOf } from './types.js';

export class SegmentIndex<Input> {
  readonly clauses: Clausal;
  readonly atoms: number;
  readonly sources: Sources<Input>;
  readonly tree: AccessTree;
  /** For atoms of absent keys that no source marks the atom of the key's presence, otherwise -1; undefined without such. */
  readonly presenceOf: Int32Array | undefined;
  readonly #idle: SegmentSearch<Input>[] = [];

  private constructor(table: ClauseTable, atoms: AtomTable, access: Access<Input>) {
    this.clauses = table.finish();
    this.atoms = atoms.size;
    this.sources = new Sources(atoms, access);
    this.tree = AccessTree.build(this.clauses, atoms, this.sources);
    let presenceOf: Int32Array | undefined;
    for (const key of atoms.keys) {
      if (!this.sources.extractorOf.has(key.absent)) continue;
      presenceOf ??= new Int32Array(atoms.size).fill(-1);
      presenceOf[key.absent] = key.present;
    }
    this.presenceOf = presenceOf;
    atoms.release();
  }

  static build<Input, Rule>(
    rules: readonly Rule[],
    conditionOf: ConditionOf<Rule>,
    access: Access<Input>,
    read?: (rule: number) => void,
  ): SegmentIndex<Input> {
    const atoms = new AtomTable(access);
    const maker = new ClauseMaker(atoms);
    const table = new ClauseTable();
    for (let rule = 0; rule < rules.length; rule++) {
      table.add(rule, maker.clausesOf(conditionOf(rules[rule])));
      read?.(rule);
    }
    return new SegmentIndex(table, atoms, access);
  }

  /** A search that has begun; give it back with `close`. */
  open(input: Input): SegmentSearch<Input> {
    const search = this.#idle.pop() ?? new SegmentSearch(this);
    search.begin(input);
    return search;
  }

  giveBack(search: SegmentSearch<Input>): void {
    // more are kept only while that many searches are open at once
    if (this.#idle.length < 16) this.#idle.push(search);
  }
}

// what waits in the heap: the kind in the two lowest bits of its reference
const PART = 0;

export class SegmentSearch<Input> {
  readonly #index: SegmentIndex<Input>;
  readonly #hits: Hits;
  #input: Input | undefined;
  #open = false;
  #lastRule = -1;

  /** By source: the search in which it was read last, and which of the hits it gave. */
  readonly #readIn: number[] = [];
  readonly #firstHit: number[] = [];
  readonly #endHit: number[] = [];
  #search = 0;

  // the heap, by first clause
  #first = new Int32Array(8);
  #reference = new Int32Array(8);
  #position = new Int32Array(8);
  #size = 0;

  /** What the search did so far. */
  sourcesRead = 0;
  clausesSeen = 0;

  constructor(index: SegmentIndex<Input>) {
    this.#index = index;
    this.#hits = new Hits(index.atoms);
  }

  begin(input: Input): void {
    this.#input = input;
    this.#open = true;
    this.#lastRule = -1;
    this.#size = 0;
    this.#search++;
    this.sourcesRead = 0;
    this.clausesSeen = 0;
    this.#hits.clear();
    this.#enter(0);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#input = undefined;
    this.#index.giveBack(this);
  }

  /** The next rule that cannot be excluded, or -1. */
  next(): number {
    const { clauses, tree } = this.#index;
    while (this.#size > 0) {
      const clause = this.#first[0];
      const reference = this.#reference[0];
      const number = reference >> 2;
      let listed = 1;
      switch (reference & 3) {
        case PART:
          this.#pop();
          this.#look(number);
          continue;
        case CLAUSE:
          this.#pop();
          break;
        default: {
          const end = tree.listBegin[number + 1];
          const begin = tree.listBegin[number];
          // clauses of one rule (the parts of a disjunction) are one candidate
          listed = clauses.rule[tree.listed[begin]] === clauses.rule[tree.listed[end - 1]] ? 1 : end - begin;
          const position = ++this.#position[0];
          if (position < end) {
            this.#first[0] = tree.listed[position];
            this.#sink(0);
          } else {
            this.#pop();
          }
        }
      }
      const rule = clauses.rule[clause];
      if (rule === this.#lastRule) continue;
      this.clausesSeen++;
      if (!this.#mayHold(clause, listed)) continue;
      this.#lastRule = rule;
      return rule;
    }
    return -1;
  }

  /** Adds what a node has: its list and its parts. */
  #enter(node: number): void {
    const { tree } = this.#index;
    this.#add(tree.always[node]);
    for (let part = tree.partsBegin[node]; part < tree.partsEnd[node]; part++) {
      this.#push(tree.partFirst[part], (part << 2) | PART, 0);
    }
  }

  /** Adds what stands under the atoms of a part that hold. */
  #look(part: number): void {
    const { tree } = this.#index;
    const node = tree.partNode[part];
    const source = tree.partSource[part];
    this.#read(source);
    const end = this.#endHit[source];
    for (let hit = this.#firstHit[source]; hit < end; hit++) this.#add(tree.at(node, this.#hits.at(hit)));
  }

  #add(place: number): void {
    const number = place >> 2;
    if (place === NOTHING) return;
    if ((place & 3) === CLAUSE) {
      this.#push(number, CLAUSE, 0);
    } else if ((place & 3) === LIST) {
      const { tree } = this.#index;
      const begin = tree.listBegin[number];
      this.#push(tree.listed[begin], place, begin);
    } else {
      this.#enter(number);
    }
  }

  #read(source: number): void {
    if (this.#readIn[source] === this.#search) return;
    this.#readIn[source] = this.#search;
    this.sourcesRead++;
    this.#firstHit[source] = this.#hits.count;
    this.#index.sources.all[source].read(this.#input!, this.#hits);
    this.#endHit[source] = this.#hits.count;
  }

  /** Whether all terms of a clause may hold, as far as the sources tell that are read or worth reading. */
  #mayHold(clause: number, listed: number): boolean {
    const { begin, terms, groupBegin, groupAtoms } = this.#index.clauses;
    for (let at = begin[clause]; at < begin[clause + 1]; at++) {
      const term = terms[at];
      if (term >= 0) {
        if (!this.#atomMayHold(term, listed)) return false;
        continue;
      }
      let holds = false;
      for (let member = groupBegin[~term]; member < groupBegin[~term + 1] && !holds; member++) {
        holds = this.#atomMayHold(groupAtoms[member], listed);
      }
      if (!holds) return false;
    }
    return true;
  }

  #atomMayHold(atom: number, listed: number): boolean {
    const { sources, presenceOf } = this.#index;
    const source = sources.ofAtom[atom];
    if (source < 0) return true;
    if (this.#readIn[source] !== this.#search) {
      // one candidate is better tried than looked into, and so are a few when looking is dear
      if (listed === 1 || (listed <= FEW && sources.all[source].cost >= DEAR)) return true;
      this.#read(source);
    }
    const presence = presenceOf === undefined ? -1 : presenceOf[atom];
    if (presence < 0) return this.#hits.has(atom);
    return !this.#hits.has(presence) || isAbsent(sources.extractorOf.get(atom)!(this.#input!));
  }

  #push(first: number, reference: number, position: number): void {
    if (this.#size === this.#first.length) this.#grow();
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#first[parent] <= first) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#first[at] = first;
    this.#reference[at] = reference;
    this.#position[at] = position;
  }

  #pop(): void {
    const last = --this.#size;
    if (last > 0) {
      this.#move(last, 0);
      this.#sink(0);
    }
  }

  #sink(from: number): void {
    const first = this.#first[from];
    const reference = this.#reference[from];
    const position = this.#position[from];
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#first[child + 1] < this.#first[child]) child++;
      if (this.#first[child] >= first) break;
      this.#move(child, at);
      at = child;
    }
    this.#first[at] = first;
    this.#reference[at] = reference;
    this.#position[at] = position;
  }

  #move(from: number, to: number): void {
    this.#first[to] = this.#first[from];
    this.#reference[to] = this.#reference[from];
    this.#position[to] = this.#position[from];
  }

  #grow(): void {
    const wider = (array: Int32Array) => {
      const next = new Int32Array(array.length * 2);
      next.set(array);
      return next;
    };
    this.#first = wider(this.#first);
    this.#reference = wider(this.#reference);
    this.#position = wider(this.#position);
  }
}
