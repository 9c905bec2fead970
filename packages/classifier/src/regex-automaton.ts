// The dimension of regular expressions that literals do not tell apart: all patterns of a set in one pass, by a
// deterministic automaton that is made lazily, state by state, from their nondeterministic one (lazy construction as in
// RE2; Cox, "Regular Expression Matching in the Wild", 2010).
// Bounds: see the constants. A pass may make only so many steps of construction as trying the patterns one by one would
// cost; past that it rules nothing out. What has been made stays, so that later passes get further.
import type { AST } from '@eslint-community/regexpp';
import type { Dimension } from './dimension.js';
import type { Hits } from './hits.js';
import { ACCEPT, END, RegexProgram, SPLIT, START, UNIT } from './regex-program.js';
import { parsePattern } from './regex-syntax.js';
import { UnitClasses } from './unit-classes.js';

export interface RegexPattern {
  readonly source: string;
  readonly ignoreCase: boolean;
  readonly atom: number;
}

/** Instructions and patterns of a set to begin with. */
const SET_SIZE = 400_000;
/** Instructions of an index that long repetitions may be written out to. */
const LONG_INSTRUCTIONS = 2_000_000;
const SET_PATTERNS = 512;
/** A set whose states multiply is cut in two, down to this number of patterns. */
const SMALLEST_SET = 8;
/** Distinct character sets of a set. */
const SET_UNIT_SETS = 400;
/** Cells (transitions and members of states, 4 bytes each) of one set's automaton, a pattern and at most. */
const CELLS_A_PATTERN = 1 << 14;
const MOST_CELLS = 1 << 20;
/** Cells of all sets of an index. */
const POOL_CELLS = 1 << 25;
/** Steps of construction in one pass over a text, a pattern (trying it takes as long) and at least. */
const STEPS_A_PATTERN = 15;
const FEWEST_STEPS = 1000;
/** Passes that a set whose states do not pay and that cannot be cut sits out, to begin with. */
const FIRST_REST = 64;

const UNKNOWN = -1;

/** Steps of construction that a pass may still make, all sets together. */
interface Budget {
  steps: number;
}

/** Memory that the automata of an index share. */
export class CellPool {
  left = POOL_CELLS;
  longInstructions = LONG_INSTRUCTIONS;
}

class RegexSet {
  readonly patterns: readonly RegexPattern[];
  /** Whether counts are told apart that would otherwise be alike. */
  readonly hasLongRepetitions: boolean;
  /** Whether the set's states have just been thrown away after serving too little. */
  thrashed = false;
  readonly #program: RegexProgram;
  readonly #classes: UnitClasses;
  readonly #mostCells: number;
  readonly #budget: Budget;
  readonly #pool: CellPool;

  /** By a hash of their members, the states that have it. */
  #ids = new Map<number, number[]>();
  #members: Int32Array[] = [];
  #accepts: Int32Array[] = [];
  #acceptsAtEnd: (Int32Array | undefined)[] = [];
  #next = new Int32Array(0);
  #cells = 0;
  #begin = UNKNOWN;
  #made = 0;

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

  constructor(program: RegexProgram, patterns: readonly RegexPattern[], budget: Budget, pool: CellPool) {
    this.patterns = patterns;
    this.hasLongRepetitions = program.hasLongRepetitions;
    this.#program = program;
    this.#budget = budget;
    this.#pool = pool;
    this.#classes = new UnitClasses(program.unitSets);
    this.#mostCells = Math.min(MOST_CELLS, CELLS_A_PATTERN * (patterns.length + 4));
    this.#closed = new Int32Array(program.size);
    this.#reported = new Int32Array(patterns.length);
    this.#floating = this.#close(program.starts, false, false).length > 0;
  }

  scan(text: string, hits: Hits): void {
    const kept = hits.count;
    if (this.#pass(text, hits)) return;
    hits.truncate(kept);
    for (const { atom } of this.patterns) hits.add(atom);
  }

  get cells(): number {
    return this.#cells;
  }

  /** Gives its memory back. */
  release(): void {
    this.#pool.left += this.#cells;
    this.#cells = 0;
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
        if (this.#cells > this.#mostCells || this.#pool.left < 0) {
          this.#reset();
          return false;
        }
        next = this.#move(state, unitClass);
        if (this.#budget.steps < 0) return false;
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
      hits.add(this.patterns[pattern].atom);
    }
  }

  /** Forgets all states; when they served too few units of text, the set rests for some passes, longer each time. */
  #reset(): void {
    this.thrashed = this.#passed < 10 * this.#made;
    if (this.thrashed) {
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
    this.release();
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
    this.#budget.steps -= this.#members[state].length;
    for (const start of starts) targets.push(start);
    const next = this.#state(targets, false);
    this.#next[state * this.#classes.count + unitClass] = next;
    return next;
  }

  /** The state of all instructions that can be reached from some without taking a unit. */
  #state(from: readonly number[], atStart: boolean): number {
    const members = this.#close(from, atStart, false);
    let hash = members.length;
    for (const member of members) hash = (Math.imul(hash, 31) + member) | 0;
    const alike = this.#ids.get(hash) ?? [];
    for (const state of alike) {
      const known = this.#members[state];
      if (known.length === members.length && members.every((member, at) => known[at] === member)) return state;
    }
    const state = this.#made++;
    alike.push(state);
    this.#ids.set(hash, alike);
    const { kind, x } = this.#program;
    this.#members.push(members);
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
    const cells = count + members.length + 16;
    this.#cells += cells;
    this.#pool.left -= cells;
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

  #close(from: readonly number[], atStart: boolean, atEnd: boolean): Int32Array {
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
      this.#budget.steps--;
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
    // as typed array: sorted as numbers, and faster
    return Int32Array.from(members).sort();
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
  readonly #budget: Budget = { steps: 0 };
  readonly #pool: CellPool;
  readonly #steps: number;

  constructor(patterns: readonly RegexPattern[], pool = new CellPool()) {
    this.#patterns = patterns;
    this.#pool = pool;
    this.#steps = Math.max(FEWEST_STEPS, STEPS_A_PATTERN * patterns.length);
  }

  scan(text: string, hits: Hits): void {
    this.#sets ??= this.#makeSets();
    this.#budget.steps = this.#steps;
    let thrashed = false;
    for (const set of this.#sets) {
      set.scan(text, hits);
      thrashed ||= set.thrashed;
    }
    for (const atom of this.#unbounded) hits.add(atom);
    if (thrashed) this.#sets = this.#sets.flatMap((set) => this.#cut(set));
  }

  /** What the sets hold and how many steps the last pass left; for tests. */
  inspect(): { sets: number; cells: number; unbounded: number; stepsLeft: number } {
    let cells = 0;
    for (const set of this.#sets ?? []) cells += set.cells;
    const { steps: stepsLeft } = this.#budget;
    return { sets: this.#sets?.length ?? 0, cells, unbounded: this.#unbounded.length, stepsLeft };
  }

  #makeSets(): RegexSet[] {
    const anchored: RegexPattern[] = [];
    const floating: RegexPattern[] = [];
    for (const pattern of this.#patterns) {
      const parsed = parsePattern(pattern.source);
      if (parsed === undefined) this.#unbounded.push(pattern.atom);
      else (isAnchored(parsed) ? anchored : floating).push(pattern);
    }
    this.#patterns = [];
    return [...this.#pack(anchored, true), ...this.#pack(floating, true)];
  }

  /** Sets of as many patterns as fit. */
  #pack(patterns: readonly RegexPattern[], longRepetitions: boolean): RegexSet[] {
    const sets: RegexSet[] = [];
    const begun = () => new RegexProgram(longRepetitions && this.#pool.longInstructions > 0);
    let program = begun();
    const finish = () => {
      if (program.hasLongRepetitions) this.#pool.longInstructions -= program.size;
      sets.push(new RegexSet(program, packed, this.#budget, this.#pool));
      program = begun();
      packed = [];
    };
    let packed: RegexPattern[] = [];
    for (const pattern of patterns) {
      if (!program.add(parsePattern(pattern.source)!, pattern.ignoreCase, packed.length)) {
        this.#unbounded.push(pattern.atom);
        continue;
      }
      packed.push(pattern);
      if (packed.length < SET_PATTERNS && program.size <= SET_SIZE && program.unitSets.length <= SET_UNIT_SETS)
        continue;
      finish();
    }
    if (packed.length > 0) finish();
    return sets;
  }

  /** Two sets for one that multiplies states; fewer patterns multiply less, and so do counts that are not told apart. */
  #cut(set: RegexSet): RegexSet[] {
    if (!set.thrashed) return [set];
    set.thrashed = false;
    const { patterns } = set;
    if (set.hasLongRepetitions) {
      set.release();
      return this.#pack(patterns, false);
    }
    if (patterns.length <= SMALLEST_SET) return [set];
    set.release();
    const half = patterns.length >> 1;
    return [...this.#pack(patterns.slice(0, half), false), ...this.#pack(patterns.slice(half), false)];
  }
}
