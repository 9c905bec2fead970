// The dimension of startsWith, endsWith, contains and of the literals that regular expressions require: Aho and
// Corasick's automaton (1975), all literals in one pass over the text. Anchors are a check of the position.
// Everything lies in flat typed arrays. A small automaton gets a full transition table (a state and a unit's class give
// the next state); a large one a hash table of its tree edges, and failure links are followed at search time.
import type { Dimension } from './dimension.js';
import { Edges } from './edges.js';
import type { Hits } from './hits.js';
import { IntList } from './int-list.js';
import { type Literal, windowed } from './literals.js';

/** Up to so many table entries (4 bytes each) an automaton is a full table. */
const TABLE_ENTRIES = 1 << 20;
/** Units below this have their classes in an array, the others in a map. */
const LOW = 0x100;

// what a state reports, and under which condition on the position
const CONTAINS = 0;
const STARTS = 1;
const ENDS = 2;
const EQUALS = 3;
const kindOf = { contains: CONTAINS, startsWith: STARTS, endsWith: ENDS, equals: EQUALS };

/** Every unit of a literal is a class of its own; 0 is the class of all units that no literal has. */
class LiteralClasses {
  readonly low = new Int32Array(LOW);
  readonly #byUnit = new Map<number, number>();
  readonly #fold: Uint16Array | undefined;
  count = 1;

  constructor(literals: readonly Literal[], fold: Uint16Array | undefined) {
    this.#fold = fold;
    for (const { value } of literals) {
      for (let at = 0; at < value.length; at++) {
        const unit = value.charCodeAt(at);
        if (!this.#byUnit.has(unit)) this.#byUnit.set(unit, this.count++);
      }
    }
    for (let unit = 0; unit < LOW; unit++) this.low[unit] = this.ofHigh(unit);
  }

  /** The class of a unit of a literal, which is folded already. */
  ofFolded(unit: number): number {
    return this.#byUnit.get(unit) ?? 0;
  }

  /** The class of a unit of a text. */
  ofHigh(unit: number): number {
    return this.#byUnit.get(this.#fold === undefined ? unit : this.#fold[unit]) ?? 0;
  }
}

export class LiteralAutomaton implements Dimension {
  readonly #classes: LiteralClasses;
  readonly #classCount: number;
  readonly #depth: Int32Array;
  readonly #fail: Int32Array;
  /** The next state on the way of failures (itself included) that has outputs, or 0. */
  readonly #reporting: Int32Array;
  /** A state's first output, or 0; outputs are chained, because windows of several literals may be the same text. */
  readonly #outputOf: Int32Array;
  readonly #outputKind: Int32Array;
  readonly #outputAtom: Int32Array;
  readonly #outputNext: Int32Array;
  /** Whether every literal must stand at the beginning: the pass ends where none can begin any more. */
  readonly #anchored: boolean;
  readonly #table: Int32Array | undefined;
  readonly #edges: Edges;
  /** The root's children by class. */
  readonly #root: Int32Array;
  readonly #visited: Int32Array;
  #scan = 0;

  /** `fold` maps units before comparing; the literals must be folded already. */
  constructor(given: readonly Literal[], fold?: Uint16Array) {
    const literals = windowed(given);
    const classes = new LiteralClasses(literals, fold);
    const classCount = classes.count;
    let units = 0;
    for (const { value } of literals) units += value.length;

    const edges = new Edges(Math.min(units, 1 << 16));
    const capacity = units + 1;
    const parent = new Int32Array(capacity);
    const classOf = new Int32Array(capacity);
    const depth = new Int32Array(capacity);
    const outputOf = new Int32Array(capacity);
    const outputKind = new IntList();
    const outputAtom = new IntList();
    const outputNext = new IntList();
    const addOutput = (kind: number, atom: number, next: number): number => {
      outputKind.push(kind);
      outputAtom.push(atom);
      outputNext.push(next);
      return outputKind.length - 1;
    };
    addOutput(-1, -1, 0);
    let states = 1;
    for (const { op, value, atom } of literals) {
      let state = 0;
      for (let at = 0; at < value.length; at++) {
        const unitClass = classes.ofFolded(value.charCodeAt(at));
        let child = edges.get(state, unitClass);
        if (child === 0) {
          child = states++;
          edges.add(state, unitClass, child);
          parent[child] = state;
          classOf[child] = unitClass;
          depth[child] = at + 1;
        }
        state = child;
      }
      outputOf[state] = addOutput(kindOf[op], atom, outputOf[state]);
    }

    // failure links, level by level
    const order = new Int32Array(states);
    const levels: number[] = [];
    for (let state = 0; state < states; state++) levels[depth[state]] = (levels[depth[state]] ?? 0) + 1;
    let begin = 0;
    const next = levels.map((count) => {
      const first = begin;
      begin += count;
      return first;
    });
    for (let state = 0; state < states; state++) order[next[depth[state]]++] = state;
    const fail = new Int32Array(states);
    const reporting = new Int32Array(states);
    for (let at = 1; at < states; at++) {
      const state = order[at];
      let link = 0;
      if (depth[state] > 1) {
        let from = fail[parent[state]];
        for (;;) {
          link = edges.get(from, classOf[state]);
          if (link !== 0 || from === 0) break;
          from = fail[from];
        }
      }
      fail[state] = link;
      reporting[state] = outputOf[state] !== 0 ? state : reporting[link];
    }

    const anchored = literals.every(({ op }) => op === 'startsWith' || op === 'equals');
    let table: Int32Array | undefined;
    if (states * classCount <= TABLE_ENTRIES) {
      table = new Int32Array(states * classCount);
      for (let at = 0; at < states; at++) {
        const row = order[at] * classCount;
        const failRow = fail[order[at]] * classCount;
        for (let unitClass = 1; unitClass < classCount; unitClass++) {
          const child = edges.get(order[at], unitClass);
          if (child === 0) table[row + unitClass] = row === 0 || anchored ? 0 : table[failRow + unitClass];
          else table[row + unitClass] = reporting[child] === 0 ? child * classCount : ~(child * classCount);
        }
      }
    }

    this.#classes = classes;
    this.#classCount = classCount;
    this.#depth = depth.slice(0, states);
    this.#fail = fail;
    this.#reporting = reporting;
    this.#outputOf = outputOf.slice(0, states);
    this.#outputKind = outputKind.toArray();
    this.#outputAtom = outputAtom.toArray();
    this.#outputNext = outputNext.toArray();
    this.#anchored = anchored;
    this.#table = table;
    this.#edges = edges;
    this.#root = new Int32Array(classCount);
    for (let unitClass = 1; unitClass < classCount; unitClass++) this.#root[unitClass] = edges.get(0, unitClass);
    this.#visited = new Int32Array(states);
  }

  // hot path: once a unit of every text that is searched
  scan(text: string, hits: Hits): void {
    if (this.#scan === 0x7fffffff) {
      this.#visited.fill(0);
      this.#scan = 0;
    }
    this.#scan++;
    const { length } = text;
    const classes = this.#classes;
    const { low } = classes;
    const table = this.#table;
    if (table !== undefined) {
      // entries are where the next state's row begins, or its complement when the state reports something
      const anchored = this.#anchored;
      const classCount = this.#classCount;
      let row = 0;
      for (let at = 0; at < length; at++) {
        const unit = text.charCodeAt(at);
        row = table[row + (unit < LOW ? low[unit] : classes.ofHigh(unit))];
        if (row < 0) {
          row = ~row;
          this.#report(this.#reporting[row / classCount], at + 1, hits);
        } else if (row === 0 && anchored) return; // no literal begins like this
      }
      this.#reportEnd(row / classCount, length, hits);
      return;
    }
    const reporting = this.#reporting;
    let state = 0;
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      state = this.#step(state, unit < LOW ? low[unit] : classes.ofHigh(unit));
      if (reporting[state] !== 0) this.#report(reporting[state], at + 1, hits);
      if (this.#anchored && this.#depth[state] <= at) return;
    }
    this.#reportEnd(state, length, hits);
  }

  #step(from: number, unitClass: number): number {
    if (unitClass === 0) return 0;
    let state = from;
    while (state !== 0) {
      const child = this.#edges.get(state, unitClass);
      if (child !== 0) return child;
      state = this.#fail[state];
    }
    return this.#root[unitClass];
  }

  /**
   * What has been reported from a state once needs no second look: all that its failures report has been too. A literal
   * that must stand at the beginning can do so only at the state's first visit, which is when the depth is the position.
   */
  #report(first: number, position: number, hits: Hits): void {
    for (let state = first; state !== 0 && this.#visited[state] !== this.#scan; ) {
      this.#visited[state] = this.#scan;
      for (let output = this.#outputOf[state]; output !== 0; output = this.#outputNext[output]) {
        const kind = this.#outputKind[output];
        if (kind === CONTAINS || (kind === STARTS && this.#depth[state] === position)) {
          hits.mark(this.#outputAtom[output]);
        }
      }
      state = this.#reporting[this.#fail[state]];
    }
  }

  #reportEnd(last: number, length: number, hits: Hits): void {
    for (let state = this.#reporting[last]; state !== 0; state = this.#reporting[this.#fail[state]]) {
      for (let output = this.#outputOf[state]; output !== 0; output = this.#outputNext[output]) {
        const kind = this.#outputKind[output];
        if (kind === ENDS || (kind === EQUALS && this.#depth[state] === length)) hits.mark(this.#outputAtom[output]);
      }
    }
  }
}
