// The dimension of regular expressions that literals do not tell apart: all patterns of a set in one pass, by a
// deterministic automaton that is made lazily, state by state, from the patterns' Thompson automaton (Thompson 1968; lazy
// construction as in RE2). It is an over-approximation: look-around and word boundaries hold everywhere,
// back-references match anything, large counted repetitions lose their upper bound.
// Bounds: see the constants. A pass may make only so many steps of construction as trying the patterns one by one would
// cost; past that it rules nothing out. What has been made stays, so that later passes get further.
import type { AST } from '@eslint-community/regexpp';
import { everyUnit, includes, type UnitSet } from './code-units.js';
import type { Dimension } from './dimension.js';
import type { Hits } from './hits.js';
import { parsePattern, unitsOf } from './regex-syntax.js';

export interface RegexPattern {
  readonly source: string;
  readonly ignoreCase: boolean;
  readonly atom: number;
}

/** Instructions that one pattern may have. */
const PATTERN_SIZE = 1500;
/** Instructions that a counted repetition may be written out to. */
const REPETITION_SIZE = 200;
/** Instructions of a set, and patterns of one that are not anchored at the beginning (their states multiply). */
const SET_SIZE = 20_000;
const SET_PATTERNS = 512;
const SET_FLOATING_PATTERNS = 48;
/** Distinct character sets of a set. */
const SET_UNIT_SETS = 400;
/** Cells (transitions and members of states, 4 bytes each) of one set's automaton, a pattern and at most. */
const CELLS_A_PATTERN = 1 << 14;
const MOST_CELLS = 1 << 20;
/** Steps of construction in one pass, a pattern and at least. */
const STEPS_A_PATTERN = 25;
const FEWEST_STEPS = 2000;
/** Passes that a set whose states do not pay sits out. */
const FIRST_REST = 64;

// instructions
const UNIT = 0; // takes a unit of set x, goes to y
const SPLIT = 1; // goes to x and y
const START = 2; // at the beginning goes to x
const END = 3; // at the end goes to x
const ACCEPT = 4; // pattern x

class TooLarge extends Error {}

/** The patterns of a set as one Thompson automaton. */
class Program {
  readonly kind: number[] = [];
  readonly x: number[] = [];
  readonly y: number[] = [];
  readonly starts: number[] = [];
  readonly unitSets: UnitSet[] = [];
  readonly #unitSetIds = new Map<string, number>();
  #limit = 0;

  get size(): number {
    return this.kind.length;
  }

  /** Adds a pattern, or takes back what it began and returns false when the pattern is too large. */
  add(pattern: AST.Pattern, ignoreCase: boolean, number: number): boolean {
    const { size } = this;
    this.#limit = size + PATTERN_SIZE;
    try {
      const accept = this.#emit(ACCEPT, number, 0);
      this.starts.push(this.#choice(pattern.alternatives, ignoreCase, accept));
      return true;
    } catch (error) {
      if (!(error instanceof TooLarge) && !(error instanceof RangeError)) throw error;
      this.kind.length = size;
      this.x.length = size;
      this.y.length = size;
      return false;
    }
  }

  #emit(kind: number, x: number, y: number): number {
    if (this.kind.length >= this.#limit) throw new TooLarge();
    this.kind.push(kind);
    this.x.push(x);
    this.y.push(y);
    return this.kind.length - 1;
  }

  #unit(set: UnitSet, next: number): number {
    const id = set.join();
    let number = this.#unitSetIds.get(id);
    if (number === undefined) {
      number = this.unitSets.length;
      this.unitSets.push(set);
      this.#unitSetIds.set(id, number);
    }
    return this.#emit(UNIT, number, next);
  }

  // an automaton is made from its end: each function gets what follows and returns where to begin

  #choice(alternatives: readonly AST.Alternative[], ignoreCase: boolean, next: number): number {
    let begin = -1;
    for (const { elements } of alternatives) {
      let part = next;
      for (let at = elements.length - 1; at >= 0; at--) part = this.#element(elements[at], ignoreCase, part);
      begin = begin === -1 ? part : this.#emit(SPLIT, begin, part);
    }
    return begin;
  }

  #star(element: AST.Element, ignoreCase: boolean, next: number): number {
    const split = this.#emit(SPLIT, 0, next);
    this.x[split] = this.#element(element, ignoreCase, split);
    return split;
  }

  #element(element: AST.Element, ignoreCase: boolean, next: number): number {
    switch (element.type) {
      case 'Assertion':
        if (element.kind === 'start') return this.#emit(START, next, 0);
        if (element.kind === 'end') return this.#emit(END, next, 0);
        return next;
      case 'CapturingGroup':
        return this.#choice(element.alternatives, ignoreCase, next);
      case 'Group':
        return element.modifiers ? this.#anything(next) : this.#choice(element.alternatives, ignoreCase, next);
      case 'Quantifier':
        return this.#repeat(element, ignoreCase, next);
      default: {
        const set = unitsOf(element, ignoreCase);
        return set === undefined ? this.#anything(next) : this.#unit(set, next);
      }
    }
  }

  #anything(next: number): number {
    const split = this.#emit(SPLIT, 0, next);
    this.x[split] = this.#unit(everyUnit, split);
    return split;
  }

  #repeat({ element, min, max }: AST.Quantifier, ignoreCase: boolean, next: number): number {
    if (max === 0) return next;
    // the last copies first
    const before = this.size;
    let begin = next;
    let copies = 0;
    if (max === Number.POSITIVE_INFINITY) {
      begin = this.#star(element, ignoreCase, begin);
    } else if (max > min) {
      // the first optional copy shows how large one is
      begin = this.#emit(SPLIT, this.#element(element, ignoreCase, begin), next);
      copies = 1;
      const size = this.size - before;
      if ((max - min) * size > REPETITION_SIZE) {
        begin = this.#star(element, ignoreCase, next);
      } else {
        for (; copies < max - min; copies++) {
          begin = this.#emit(SPLIT, this.#element(element, ignoreCase, begin), next);
        }
      }
    }
    const required = this.size;
    for (let copy = 0; copy < min; copy++) {
      const size = copy === 0 ? 0 : (this.size - required) / copy;
      // what is zero wide need not be repeated
      if (copy > 0 && size === 0) return begin;
      if (copy > 0 && this.size - required + size > REPETITION_SIZE) {
        // so many copies are required at least; more of them are allowed
        return max === Number.POSITIVE_INFINITY ? begin : this.#atLeast(element, ignoreCase, next, copy);
      }
      begin = this.#element(element, ignoreCase, begin);
    }
    return begin;
  }

  #atLeast(element: AST.Element, ignoreCase: boolean, next: number, copies: number): number {
    let begin = this.#star(element, ignoreCase, next);
    for (let copy = 0; copy < copies; copy++) begin = this.#element(element, ignoreCase, begin);
    return begin;
  }
}

/** Units that no character set of a program tells apart are one class. */
class UnitClasses {
  readonly #low = new Uint16Array(0x100);
  readonly #bounds: number[];
  readonly #classOf: number[] = [];
  readonly count: number;
  /** By class, then by character set: whether the set has the class. */
  readonly members: Uint8Array[] = [];

  constructor(sets: readonly UnitSet[]) {
    const bounds = new Set([0]);
    for (const set of sets) {
      for (let at = 0; at < set.length; at += 2) {
        bounds.add(set[at]);
        if (set[at + 1] < 0xffff) bounds.add(set[at + 1] + 1);
      }
    }
    this.#bounds = [...bounds].sort((a, b) => a - b);
    const known = new Map<string, number>();
    for (const first of this.#bounds) {
      const members = Uint8Array.from(sets, (set) => (includes(set, first) ? 1 : 0));
      const id = members.join('');
      let number = known.get(id);
      if (number === undefined) {
        number = this.members.length;
        known.set(id, number);
        this.members.push(members);
      }
      this.#classOf.push(number);
    }
    this.count = this.members.length;
    for (let unit = 0; unit < 0x100; unit++) this.#low[unit] = this.#search(unit);
  }

  of(unit: number): number {
    return unit < 0x100 ? this.#low[unit] : this.#search(unit);
  }

  #search(unit: number): number {
    let low = 0;
    let high = this.#bounds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#bounds[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    return this.#classOf[low];
  }
}

const UNKNOWN = -1;

/** One set: at most SET_PATTERNS patterns and SET_SIZE instructions. */
class RegexSet implements Dimension {
  readonly #atoms: readonly number[];
  readonly #program: Program;
  readonly #classes: UnitClasses;
  readonly #mostCells: number;
  readonly #mostSteps: number;

  #ids = new Map<string, number>();
  #members: Int32Array[] = [];
  #accepts: Int32Array[] = [];
  #acceptsAtEnd: (Int32Array | undefined)[] = [];
  #next = new Int32Array(0);
  #cells = 0;
  #begin = UNKNOWN;
  #made = 0;

  #steps = 0;
  /** Units of text that the present states served. */
  #passed = 0;
  #rest = 0;
  #restLength = FIRST_REST;

  /** Whether a pattern may begin after the beginning of the text. */
  readonly #floating: boolean;
  readonly #closed: Int32Array;
  #closure = 0;
  readonly #reported: Int32Array;
  #scan = 0;
  #visited = new Int32Array(16);

  constructor(program: Program, atoms: readonly number[]) {
    this.#program = program;
    this.#atoms = atoms;
    this.#classes = new UnitClasses(program.unitSets);
    this.#mostCells = Math.min(MOST_CELLS, CELLS_A_PATTERN * (atoms.length + 4));
    this.#mostSteps = Math.max(FEWEST_STEPS, STEPS_A_PATTERN * atoms.length);
    this.#closed = new Int32Array(program.size);
    this.#reported = new Int32Array(atoms.length);
    this.#floating = this.#close(program.starts, false, false).length > 0;
  }

  scan(text: string, hits: Hits): void {
    const kept = hits.count;
    if (this.#pass(text, hits)) return;
    hits.truncate(kept);
    for (const atom of this.#atoms) hits.add(atom);
  }

  /** Lists what the text may match; false when that would cost too much. Hot path once the states are made. */
  #pass(text: string, hits: Hits): boolean {
    if (this.#rest > 0) {
      this.#rest--;
      return false;
    }
    if (this.#scan === 0x7fffffff) {
      this.#visited.fill(0);
      this.#reported.fill(0);
      this.#scan = 0;
    }
    this.#scan++;
    this.#steps = this.#mostSteps;
    if (this.#begin === UNKNOWN) this.#begin = this.#state(this.#program.starts, true);
    let state = this.#begin;
    const { count } = this.#classes;
    for (let at = 0; ; at++) {
      if (this.#accepts[state].length > 0 && this.#visited[state] !== this.#scan) {
        this.#visited[state] = this.#scan;
        this.#report(this.#accepts[state], hits);
      }
      if (at === text.length) break;
      if (!this.#floating && this.#members[state].length === 0) return true;
      const unitClass = this.#classes.of(text.charCodeAt(at));
      let next = this.#next[state * count + unitClass];
      if (next === UNKNOWN) {
        if (this.#cells > this.#mostCells) {
          this.#reset();
          return false;
        }
        next = this.#move(state, unitClass);
        if (this.#steps < 0) return false;
      }
      state = next;
    }
    this.#passed += text.length;
    this.#report(this.#endOf(state), hits);
    return true;
  }

  #report(patterns: Int32Array, hits: Hits): void {
    for (const pattern of patterns) {
      if (this.#reported[pattern] === this.#scan) continue;
      this.#reported[pattern] = this.#scan;
      hits.add(this.#atoms[pattern]);
    }
  }

  /** Forgets all states; when they served too few units of text, the set rests for some passes, longer each time. */
  #reset(): void {
    if (this.#passed < 10 * this.#made) {
      this.#rest = this.#restLength;
      this.#restLength = Math.min(this.#restLength * 2, 1 << 16);
    } else {
      this.#restLength = FIRST_REST;
    }
    this.#ids = new Map();
    this.#members = [];
    this.#accepts = [];
    this.#acceptsAtEnd = [];
    this.#next = new Int32Array(0);
    this.#visited = new Int32Array(16);
    this.#cells = 0;
    this.#begin = UNKNOWN;
    this.#made = 0;
    this.#passed = 0;
  }

  #move(state: number, unitClass: number): number {
    const { kind, x, y, starts } = this.#program;
    const inClass = this.#classes.members[unitClass];
    const targets: number[] = [];
    for (const instruction of this.#members[state]) {
      if (kind[instruction] === UNIT && inClass[x[instruction]] === 1) targets.push(y[instruction]);
    }
    this.#steps -= this.#members[state].length;
    for (const start of starts) targets.push(start);
    const next = this.#state(targets, false);
    this.#next[state * this.#classes.count + unitClass] = next;
    return next;
  }

  /** The state of all instructions that can be reached from some without taking a unit. */
  #state(from: readonly number[], atStart: boolean): number {
    const members = this.#close(from, atStart, false);
    const id = members.join();
    let state = this.#ids.get(id);
    if (state === undefined) {
      state = this.#made++;
      this.#ids.set(id, state);
      const { kind, x } = this.#program;
      this.#members.push(Int32Array.from(members));
      this.#accepts.push(Int32Array.from(members.filter((at) => kind[at] === ACCEPT).map((at) => x[at])));
      this.#acceptsAtEnd.push(undefined);
      const { count } = this.#classes;
      if ((state + 1) * count > this.#next.length) {
        const wider = new Int32Array(Math.max(64 * count, this.#next.length * 2)).fill(UNKNOWN);
        wider.set(this.#next);
        this.#next = wider;
        const seen = new Int32Array(wider.length / count);
        seen.set(this.#visited.subarray(0, Math.min(seen.length, this.#visited.length)));
        this.#visited = seen;
      }
      this.#cells += count + members.length + 16;
    }
    return state;
  }

  #endOf(state: number): Int32Array {
    const { kind, x } = this.#program;
    let accepts = this.#acceptsAtEnd[state];
    if (accepts === undefined) {
      const ends = [...this.#members[state]].filter((at) => kind[at] === END).map((at) => x[at]);
      const reached = this.#close(ends, true, true);
      accepts = Int32Array.from(reached.filter((at) => kind[at] === ACCEPT).map((at) => x[at]));
      this.#acceptsAtEnd[state] = accepts;
    }
    return accepts;
  }

  #close(from: readonly number[], atStart: boolean, atEnd: boolean): number[] {
    const { kind, x, y } = this.#program;
    if (this.#closure === 0x7fffffff) {
      this.#closed.fill(0);
      this.#closure = 0;
    }
    this.#closure++;
    const members: number[] = [];
    const open = [...from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#closed[at] === this.#closure) continue;
      this.#closed[at] = this.#closure;
      this.#steps--;
      switch (kind[at]) {
        case SPLIT:
          open.push(y[at], x[at]);
          break;
        case START:
          if (atStart) open.push(x[at]);
          break;
        case END:
          if (atEnd) open.push(x[at]);
          else members.push(at);
          break;
        default:
          members.push(at);
      }
    }
    return members.sort((a, b) => a - b);
  }
}

/** Whether every match must begin at the beginning of the text. */
function isAnchored(pattern: AST.Pattern): boolean {
  return pattern.alternatives.every(({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start');
}

/** Any number of patterns, in sets that are made at the first scan. */
export class RegexAutomaton implements Dimension {
  #patterns: readonly RegexPattern[];
  #sets: RegexSet[] | undefined;
  /** Atoms of patterns that no set takes. */
  readonly #unbounded: number[] = [];

  constructor(patterns: readonly RegexPattern[]) {
    this.#patterns = patterns;
  }

  scan(text: string, hits: Hits): void {
    this.#sets ??= this.#makeSets();
    for (const set of this.#sets) set.scan(text, hits);
    for (const atom of this.#unbounded) hits.add(atom);
  }

  #makeSets(): RegexSet[] {
    const sets: RegexSet[] = [];
    for (const anchored of [true, false]) {
      let program = new Program();
      let atoms: number[] = [];
      const finish = (): void => {
        if (atoms.length > 0) sets.push(new RegexSet(program, atoms));
        program = new Program();
        atoms = [];
      };
      for (const { source, ignoreCase, atom } of this.#patterns) {
        const pattern = parsePattern(source);
        if (pattern === undefined) {
          if (anchored) this.#unbounded.push(atom);
          continue;
        }
        if (isAnchored(pattern) !== anchored) continue;
        if (!program.add(pattern, ignoreCase, atoms.length)) {
          this.#unbounded.push(atom);
          continue;
        }
        atoms.push(atom);
        const full = atoms.length >= (anchored ? SET_PATTERNS : SET_FLOATING_PATTERNS);
        if (full || program.size > SET_SIZE || program.unitSets.length > SET_UNIT_SETS) finish();
      }
      finish();
    }
    this.#patterns = [];
    return sets;
  }
}
