// What every match of a regular expression must contain, as literal texts that an Aho-Corasick automaton can look for.
// The idea is Cox's ("Regular Expression Matching with a Trigram Index", 2012), with whole literals instead of trigrams.
// Zero-width elements only restrict a match and leave their neighbours adjacent, so they count as the empty text.
import type { AST } from '@eslint-community/regexpp';
import { foldedUnits, foldTable, sizeOf, unitsIn } from './code-units.js';
import { unitsOf } from './regex-syntax.js';

/** One requirement: the text fits at least one of `literals` (folded as flag i does it if the pattern has it). */
export interface RequiredLiterals {
  readonly op: 'equals' | 'startsWith' | 'endsWith' | 'contains';
  readonly literals: readonly string[];
}

/** A run of literals is multiplied out with the next element up to so many variants. */
const VARIANTS = 8;
/** A class with more units than this ends a run. */
const CLASS_UNITS = 4;
/** An alternation of literals is kept up to so many. */
const ALTERNATIVES = 20_000;
const LONGEST_LITERAL = 1000;
/** Of a pattern with many requirements so many are kept: the longest. */
const KEPT = 4;

interface Shape {
  /** All texts that the element can match, if they are few. */
  readonly exact?: readonly string[];
  /** Otherwise: sets of literals of which each match contains at least one. */
  readonly required: readonly (readonly string[])[];
}

const anything: Shape = { required: [] };
const nothingWide: Shape = { exact: [''], required: [] };

/** How well a set of literals tells texts apart: 0 means not at all. */
function worth(literals: readonly string[]): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const literal of literals) shortest = Math.min(shortest, literal.length);
  return shortest;
}

function best(sets: readonly (readonly string[])[]): readonly string[] | undefined {
  let found: readonly string[] | undefined;
  for (const set of sets) if (worth(set) > 0 && (found === undefined || worth(set) > worth(found))) found = set;
  return found;
}

/** Every text of `left` followed by every text of `right`, unless that gets too many or too long. */
function product(left: readonly string[], right: readonly string[]): readonly string[] | undefined {
  if (left.length === 1 && left[0] === '') return right;
  if (right.length === 1 && right[0] === '') return left;
  if (left.length * right.length > VARIANTS) return undefined;
  const joined: string[] = [];
  for (const first of left) {
    for (const second of right) {
      if (first.length + second.length > LONGEST_LITERAL) return undefined;
      joined.push(first + second);
    }
  }
  return joined;
}

/** The literals of a row of elements. */
class Row {
  run: readonly string[] = [''];
  whole = true;
  readonly required: (readonly string[])[] = [];
  readonly anchored: RequiredLiterals[] = [];

  constructor(readonly atStart: boolean) {}

  append(shape: Shape): void {
    const joined = shape.exact && product(this.run, shape.exact);
    if (joined !== undefined) {
      this.run = joined;
      return;
    }
    this.breakOff();
    if (shape.exact !== undefined) this.run = shape.exact;
    else this.required.push(...shape.required);
  }

  /** Ends the row: as shape of a group, or as requirements of a whole alternative. */
  shape(): Shape {
    return this.whole ? { exact: this.run, required: [] } : { required: [...this.required, this.run] };
  }

  requirements(atEnd: boolean): RequiredLiterals[] {
    const { atStart, whole, run } = this;
    const op = whole && atStart ? (atEnd ? 'equals' : 'startsWith') : atEnd ? 'endsWith' : 'contains';
    return [
      ...this.anchored,
      { op, literals: run },
      ...this.required.map((literals) => ({ op: 'contains' as const, literals })),
    ];
  }

  private breakOff(): void {
    if (this.whole && this.atStart) this.anchored.push({ op: 'startsWith', literals: this.run });
    else this.required.push(this.run);
    this.whole = false;
    this.run = [''];
  }
}

function rowOf(elements: readonly AST.Element[], ignoreCase: boolean, atStart: boolean): Row {
  const row = new Row(atStart);
  let literal = '';
  for (const element of elements) {
    if (element.type === 'Character') {
      literal += String.fromCharCode(ignoreCase ? foldTable()[element.value] : element.value);
      continue;
    }
    if (literal !== '') row.append({ exact: [literal], required: [] });
    literal = '';
    row.append(shapeOf(element, ignoreCase));
  }
  if (literal !== '') row.append({ exact: [literal], required: [] });
  return row;
}

function choice(shapes: readonly Shape[]): Shape {
  let count = 0;
  for (const { exact } of shapes) count += exact === undefined ? Number.NaN : exact.length;
  if (count <= ALTERNATIVES) return { exact: [...new Set(shapes.flatMap(({ exact }) => exact!))], required: [] };
  const literals: string[] = [];
  for (const { exact, required } of shapes) {
    const set = best(exact === undefined ? required : [exact]);
    if (set === undefined || literals.length + set.length > ALTERNATIVES) return anything;
    for (const literal of set) literals.push(literal);
  }
  return { required: [literals] };
}

function repeated(quantifier: AST.Quantifier, ignoreCase: boolean): Shape {
  const { min, max } = quantifier;
  if (max === 0) return nothingWide;
  const shape = shapeOf(quantifier.element, ignoreCase);
  const { exact } = shape;
  if (min === 0) {
    const optional = max === 1 && exact !== undefined && exact.length < VARIANTS;
    return optional ? { exact: [...new Set([...exact, ''])], required: [] } : anything;
  }
  if (exact === undefined) return max === 1 ? shape : { required: shape.required };
  let run: readonly string[] | undefined = exact;
  let times = 1;
  for (; run !== undefined && times < min && times < LONGEST_LITERAL; times++) {
    const longer = product(run, exact);
    if (longer === undefined) return { required: [run] };
    run = longer;
  }
  return times === min && min === max ? { exact: run, required: [] } : { required: [run] };
}

function shapeOf(element: AST.Element, ignoreCase: boolean): Shape {
  switch (element.type) {
    case 'Assertion':
      return nothingWide;
    case 'Group':
      if (element.modifiers) return anything;
      return choice(element.alternatives.map((part) => rowOf(part.elements, ignoreCase, false).shape()));
    case 'CapturingGroup':
      return choice(element.alternatives.map((part) => rowOf(part.elements, ignoreCase, false).shape()));
    case 'Quantifier':
      return repeated(element, ignoreCase);
    default: {
      const set = unitsOf(element, ignoreCase);
      if (set === undefined || sizeOf(set) > 8 * CLASS_UNITS) return anything;
      const units = ignoreCase ? foldedUnits(set) : unitsIn(set);
      if (units.length > CLASS_UNITS) return anything;
      return { exact: units.map((unit) => String.fromCharCode(unit)), required: [] };
    }
  }
}

function alternativeRequirements(alternative: AST.Alternative, ignoreCase: boolean): RequiredLiterals[] {
  let elements = alternative.elements;
  let atStart = false;
  let atEnd = false;
  while (elements[0]?.type === 'Assertion' && elements[0].kind === 'start') {
    atStart = true;
    elements = elements.slice(1);
  }
  for (let last = elements.at(-1); last?.type === 'Assertion' && last.kind === 'end'; last = elements.at(-1)) {
    atEnd = true;
    elements = elements.slice(0, -1);
  }
  return rowOf(elements, ignoreCase, atStart)
    .requirements(atEnd)
    .filter(({ op, literals }) => op === 'equals' || worth(literals) > 0)
    .sort((a, b) => worth(b.literals) - worth(a.literals))
    .slice(0, KEPT);
}

/**
 * What a text must contain for a pattern to match it: all requirements of at least one of the lists returned.
 * An empty list is an alternative that requires nothing.
 */
export function requiredLiterals(pattern: AST.Pattern, ignoreCase: boolean): RequiredLiterals[][] {
  return pattern.alternatives.map((alternative) => alternativeRequirements(alternative, ignoreCase));
}
