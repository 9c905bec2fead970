// A regular expression without backtracking: an automaton whose states are all followed at once (Thompson 1968), so that
// the time is the text's length times the pattern's size, whatever they are. It gives JavaScript's verdict exactly, or
// is not made: back-references and look-around are left to JavaScript (regex.ts).

import { includesUnit, type PatternSyntax, parsePattern, type UnitSet, unitsOf } from '@rift-ts/classifier';

type Element = PatternSyntax['alternatives'][number]['elements'][number];

const MOST_INSTRUCTIONS = 5000;

const UNIT = 0;
const SPLIT = 1;
const START = 2;
const END = 3;
const WORD = 4;
const NO_WORD = 5;
const ACCEPT = 6;

class NotLinear extends Error {}

export class LinearRegex {
  readonly #kind: number[] = [];
  readonly #to: number[] = [];
  readonly #or: number[] = [];
  readonly #sets: (UnitSet | undefined)[] = [];
  readonly #start: number;
  readonly #ignoreCase: boolean;

  private constructor(pattern: PatternSyntax, ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase;
    this.#start = this.#choice(pattern.alternatives, this.#emit(ACCEPT, 0));
  }

  /** The pattern as an automaton; undefined when it has no exact one of acceptable size. */
  static of(source: string, flags: string): LinearRegex | undefined {
    const pattern = parsePattern(source);
    if (pattern === undefined) return undefined;
    try {
      return new LinearRegex(pattern, flags.includes('i'));
    } catch (error) {
      if (error instanceof NotLinear || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Instructions: a test takes at most this times the text's length in steps. */
  get size(): number {
    return this.#kind.length;
  }

  /** Whether the pattern finds a match in the text. */
  test(text: string): boolean {
    let current: number[] = [];
    let following: number[] = [];
    const seen = new Int32Array(this.size).fill(-1);
    for (let at = 0; at <= text.length; at++) {
      if (this.#reach(this.#start, text, at, seen, current)) return true;
      if (at === text.length) return false;
      const unit = text.charCodeAt(at);
      for (const instruction of current) {
        if (!includesUnit(this.#sets[instruction]!, unit)) continue;
        if (this.#reach(this.#to[instruction], text, at + 1, seen, following)) return true;
      }
      [current, following] = [following, current];
      following.length = 0;
    }
    return false;
  }

  /** Adds what takes a unit and can be reached at a position without taking one; true when the end is reached. */
  #reach(from: number, text: string, at: number, seen: Int32Array, found: number[]): boolean {
    const open = [from];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen[next] === at) continue;
      seen[next] = at;
      switch (this.#kind[next]) {
        case ACCEPT:
          return true;
        case UNIT:
          found.push(next);
          break;
        case SPLIT:
          open.push(this.#or[next], this.#to[next]);
          break;
        default:
          if (holdsAt(this.#kind[next], text, at)) open.push(this.#to[next]);
      }
    }
    return false;
  }

  #emit(kind: number, to: number, or = 0, set?: UnitSet): number {
    if (this.#kind.length >= MOST_INSTRUCTIONS) throw new NotLinear();
    this.#kind.push(kind);
    this.#to.push(to);
    this.#or.push(or);
    this.#sets.push(set);
    return this.#kind.length - 1;
  }

  // Made from the end: each function gets what follows and returns where to begin.

  #choice(alternatives: PatternSyntax['alternatives'], next: number): number {
    let begin: number | undefined;
    for (const { elements } of alternatives) {
      let part = next;
      for (let at = elements.length - 1; at >= 0; at--) part = this.#element(elements[at], part);
      begin = begin === undefined ? part : this.#emit(SPLIT, begin, part);
    }
    return begin ?? next;
  }

  #element(element: Element, next: number): number {
    switch (element.type) {
      case 'Assertion':
        if (element.kind === 'start') return this.#emit(START, next);
        if (element.kind === 'end') return this.#emit(END, next);
        if (element.kind === 'word') return this.#emit(element.negate ? NO_WORD : WORD, next);
        throw new NotLinear();
      case 'CapturingGroup':
        return this.#choice(element.alternatives, next);
      case 'Group':
        if (element.modifiers) throw new NotLinear();
        return this.#choice(element.alternatives, next);
      case 'Quantifier':
        return this.#repeat(element.element, element.min, element.max, next);
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass': {
        const set = unitsOf(element, this.#ignoreCase);
        if (set === undefined) throw new NotLinear();
        return this.#emit(UNIT, next, 0, set);
      }
      default:
        throw new NotLinear();
    }
  }

  #repeat(element: Element, min: number, max: number, next: number): number {
    if (min > MOST_INSTRUCTIONS || (max > MOST_INSTRUCTIONS && max !== Number.POSITIVE_INFINITY)) throw new NotLinear();
    let begin = next;
    if (max === Number.POSITIVE_INFINITY) {
      begin = this.#emit(SPLIT, 0, next);
      this.#to[begin] = this.#element(element, begin);
    } else {
      for (let copy = min; copy < max; copy++) begin = this.#emit(SPLIT, this.#element(element, begin), next);
    }
    for (let copy = 0; copy < min; copy++) begin = this.#element(element, begin);
    return begin;
  }
}

function holdsAt(kind: number, text: string, at: number): boolean {
  if (kind === START) return at === 0;
  if (kind === END) return at === text.length;
  const boundary = isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at));
  return boundary === (kind === WORD);
}

function isWord(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);
}
