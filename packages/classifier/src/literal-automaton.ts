// The dimension of startsWith, endsWith, contains and of the literals that regular expressions require: Aho and
// Corasick's automaton (1975), all literals in one pass over the text. Anchors are a check of the position.
// Everything lies in flat typed arrays. A small automaton gets a full transition table (a state and a unit's class give
// the next state); a large one a hash table of its tree edges, and failure links are followed at search time.
import type { Dimension } from './dimension.js';
import type { Hits } from './hits.js';
import { IntList } from './int-list.js';

export interface Literal {
  readonly op: 'equals' | 'startsWith' | 'endsWith' | 'contains';
  /** Not empty. */
  readonly value: string;
  readonly atom: number;
}

/** Up to so many table entries (4 bytes each) an automaton is a full table. */
const TABLE_ENTRIES = 1 << 20;
/** Literals longer than this are represented by a window of this length, the one that fewest others contain. */
const WINDOW = 48;
/** When the literals have more units than this all together, the window is made smaller, down to SMALLEST_WINDOW. */
const MOST_UNITS = 8_000_000;
const SMALLEST_WINDOW = 8;
const WINDOW_COUNTERS = 1 << 22;

// what a state reports, and under which condition on the position
const CONTAINS = 0;
const STARTS = 1;
const ENDS = 2;
const EQUALS = 3;
const kindOf = { contains: CONTAINS, startsWith: STARTS, endsWith: ENDS, equals: EQUALS };

function windowLength(literals: readonly Literal[]): number {
  for (let window = WINDOW; window > SMALLEST_WINDOW; window = Math.floor(window / 2)) {
    let units = 0;
    for (const { value } of literals) units += Math.min(value.length, window);
    if (units <= MOST_UNITS) return window;
  }
  return SMALLEST_WINDOW;
}

/** Long literals as `contains` of their rarest window: the automaton stays small, what it reports is still necessary. */
function windowed(literals: readonly Literal[]): readonly Literal[] {
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

/** An open hash table from (state, unit) to the child state in the tree of literals. */
class Edges {
  #keys: Float64Array;
  #children: Int32Array;
  #mask: number;
  #count = 0;

  constructor(expected: number) {
    let size = 64;
    while (size < expected * 2) size *= 2;
    this.#keys = new Float64Array(size).fill(-1);
    this.#children = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** The child of a state under a unit, or 0. */
  get(state: number, unit: number): number {
    const key = state * 0x10000 + unit;
    let slot = this.#slot(state, unit);
    for (;;) {
      const found = this.#keys[slot];
      if (found === key) return this.#children[slot];
      if (found === -1) return 0;
      slot = (slot + 1) & this.#mask;
    }
  }

  add(state: number, unit: number, child: number): void {
    if (++this.#count * 2 > this.#mask) this.#grow();
    let slot = this.#slot(state, unit);
    while (this.#keys[slot] !== -1) slot = (slot + 1) & this.#mask;
    this.#keys[slot] = state * 0x10000 + unit;
    this.#children[slot] = child;
  }

  #slot(state: number, unit: number): number {
    const hash = Math.imul(state, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & this.#mask;
  }

  #grow(): void {
    const keys = this.#keys;
    const children = this.#children;
    this.#keys = new Float64Array(keys.length * 2).fill(-1);
    this.#children = new Int32Array(keys.length * 2);
    this.#mask = this.#keys.length - 1;
    for (let at = 0; at < keys.length; at++) {
      if (keys[at] === -1) continue;
      const state = Math.floor(keys[at] / 0x10000);
      const unit = keys[at] - state * 0x10000;
      let slot = this.#slot(state, unit);
      while (this.#keys[slot] !== -1) slot = (slot + 1) & this.#mask;
      this.#keys[slot] = keys[at];
      this.#children[slot] = children[at];
    }
  }
}

export class LiteralAutomaton implements Dimension {
  /** For every unit its class; 0 is the class of units that no literal has. */
  readonly #classes: Uint16Array;
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
    const unitClasses = new Uint16Array(0x10000);
    let classCount = 1;
    let units = 0;
    for (const { value } of literals) {
      units += value.length;
      for (let at = 0; at < value.length; at++) {
        const unit = value.charCodeAt(at);
        if (unitClasses[unit] === 0) unitClasses[unit] = classCount++;
      }
    }

    const edges = new Edges(Math.min(units, 1 << 16));
    const capacity = units + 1;
    const parent = new Int32Array(capacity);
    const classOf = new Uint16Array(capacity);
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
        const unitClass = unitClasses[value.charCodeAt(at)];
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

    let table: Int32Array | undefined;
    if (states * classCount <= TABLE_ENTRIES) {
      table = new Int32Array(states * classCount);
      for (let at = 0; at < states; at++) {
        const state = order[at];
        for (let unitClass = 1; unitClass < classCount; unitClass++) {
          const child = edges.get(state, unitClass);
          table[state * classCount + unitClass] =
            child !== 0 || state === 0 ? child : table[fail[state] * classCount + unitClass];
        }
      }
    }

    this.#classes = unitClasses;
    if (fold !== undefined) {
      this.#classes = new Uint16Array(0x10000);
      for (let unit = 0; unit < 0x10000; unit++) this.#classes[unit] = unitClasses[fold[unit]];
    }
    this.#classCount = classCount;
    this.#depth = depth.slice(0, states);
    this.#fail = fail;
    this.#reporting = reporting;
    this.#outputOf = outputOf.slice(0, states);
    this.#outputKind = outputKind.toArray();
    this.#outputAtom = outputAtom.toArray();
    this.#outputNext = outputNext.toArray();
    this.#anchored = literals.every(({ op }) => op === 'startsWith' || op === 'equals');
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
    const reporting = this.#reporting;
    const table = this.#table;
    const classCount = this.#classCount;
    let state = 0;
    for (let at = 0; at < length; at++) {
      const unitClass = classes[text.charCodeAt(at)];
      state = table !== undefined ? table[state * classCount + unitClass] : this.#step(state, unitClass);
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
