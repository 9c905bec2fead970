// Regular expressions as a nondeterministic automaton (Thompson 1968): instructions that take a unit, split, or check a
// position. It takes at least what the expressions match: look-around and word boundaries hold everywhere,
// back-references match anything, counted repetitions past a bound lose their upper limit.
import type { AST } from '@eslint-community/regexpp';
import { everyUnit, type UnitSet } from './code-units.js';
import { unitsOf } from './regex-syntax.js';

/** Instructions that one pattern may have. */
const PATTERN_SIZE = 1500;
/** Instructions that a counted repetition may be written out to. */
const REPETITION_SIZE = 100;
/** The same while counts are told apart as far as they can be: until states multiply. */
const LONG_REPETITION_SIZE = 1400;

// instructions
export const UNIT = 0; // takes a unit of set x, goes to y
export const SPLIT = 1; // goes to x and y
export const START = 2; // at the beginning goes to x
export const END = 3; // at the end goes to x
export const ACCEPT = 4; // pattern x

class TooLarge extends Error {}

/** The patterns of a set as one automaton. */
export class RegexProgram {
  readonly kind: number[] = [];
  readonly x: number[] = [];
  readonly y: number[] = [];
  readonly starts: number[] = [];
  readonly unitSets: UnitSet[] = [];
  /** Whether a repetition is written out further than others do. */
  hasLongRepetitions = false;
  readonly #unitSetIds = new Map<string, number>();
  readonly #longest: number;
  #repetition = REPETITION_SIZE;
  #limit = 0;
  #sizes = new Map<AST.Element, number>();

  /** `longRepetitions`: for patterns that only differ in high counts. */
  constructor(longRepetitions = false) {
    this.#longest = longRepetitions ? LONG_REPETITION_SIZE : REPETITION_SIZE;
  }

  get size(): number {
    return this.kind.length;
  }

  /** Adds a pattern, or takes back what it began and returns false when the pattern is too large. */
  add(pattern: AST.Pattern, ignoreCase: boolean, number: number): boolean {
    const { hasLongRepetitions } = this;
    if (this.#addWritten(pattern, ignoreCase, number, this.#longest)) return true;
    this.hasLongRepetitions = hasLongRepetitions;
    return this.#longest > REPETITION_SIZE && this.#addWritten(pattern, ignoreCase, number, REPETITION_SIZE);
  }

  #addWritten(pattern: AST.Pattern, ignoreCase: boolean, number: number, repetition: number): boolean {
    const { size } = this;
    this.#repetition = repetition;
    this.#limit = size + PATTERN_SIZE;
    this.#sizes = new Map();
    try {
      const accept = this.#emit(ACCEPT, number, 0);
      this.starts.push(this.#choice(pattern.alternatives, ignoreCase, accept));
      return true;
    } catch (error) {
      if (!(error instanceof TooLarge) && !(error instanceof RangeError)) throw error;
      this.#truncate(size);
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
    const size = Math.max(1, this.#sizeOf(element, ignoreCase));
    // so many copies are written out at most; what is zero wide need not be repeated
    const room = this.#sizeOf(element, ignoreCase) === 0 ? 1 : Math.max(1, Math.floor(this.#repetition / size));
    if (size * Math.max(min, max === Number.POSITIVE_INFINITY ? 0 : max - min) > REPETITION_SIZE)
      this.hasLongRepetitions ||= this.#repetition > REPETITION_SIZE;
    let begin = next;
    if (min > room || max - min > room) {
      // more may follow
      begin = this.#star(element, ignoreCase, begin);
    } else {
      for (let copy = min; copy < max; copy++) {
        begin = this.#emit(SPLIT, this.#element(element, ignoreCase, begin), next);
      }
    }
    for (let copy = 0; copy < min && copy < room; copy++) begin = this.#element(element, ignoreCase, begin);
    return begin;
  }

  /** How many instructions an element takes: each is tried out once. */
  #sizeOf(element: AST.Element, ignoreCase: boolean): number {
    let size = this.#sizes.get(element);
    if (size === undefined) {
      const before = this.size;
      this.#element(element, ignoreCase, 0);
      size = this.size - before;
      this.#truncate(before);
      this.#sizes.set(element, size);
    }
    return size;
  }

  #truncate(size: number): void {
    this.kind.length = size;
    this.x.length = size;
    this.y.length = size;
  }
}
