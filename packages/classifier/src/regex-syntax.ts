// Reading JavaScript regular expressions (without flag u) with a maintained parser, within a budget, and what their
// character classes mean as sets of code units.
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { complement, foldClosure, type UnitSet, unitSet } from './code-units.js';

/** The tree of a pattern. */
export type PatternSyntax = AST.Pattern;

/** Longer patterns are not looked into: they constrain nothing. */
const LONGEST_SOURCE = 1 << 18;

const parser = new RegExpParser({ ecmaVersion: 2025 });

/** The pattern's tree, or undefined when it is too long, too deep, invalid or newer than the parser. */
export function parsePattern(source: string): AST.Pattern | undefined {
  if (source.length > LONGEST_SOURCE) return undefined;
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: false, unicodeSets: false });
  } catch {
    // SyntaxError, or RangeError when groups are nested deeper than the stack
    return undefined;
  }
}

const digits: UnitSet = [48, 57];
const word: UnitSet = [48, 57, 65, 90, 95, 95, 97, 122];
const lineEnds: UnitSet = [10, 10, 13, 13, 0x2028, 0x2029];
const spaces: UnitSet = unitSet([
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

function escapeUnits(set: AST.CharacterSet): UnitSet | undefined {
  if (set.kind === 'any') return complement(lineEnds);
  if (set.kind === 'property') return undefined;
  const units = { digit: digits, space: spaces, word }[set.kind];
  return set.negate ? complement(units) : units;
}

function classUnits(element: AST.CharacterClass, ignoreCase: boolean): UnitSet | undefined {
  const pairs: [number, number][] = [];
  for (const member of element.elements) {
    if (member.type === 'Character') {
      pairs.push([member.value, member.value]);
    } else if (member.type === 'CharacterClassRange') {
      pairs.push([member.min.value, member.max.value]);
    } else if (member.type === 'CharacterSet') {
      const units = escapeUnits(member);
      if (units === undefined) return undefined;
      for (let at = 0; at < units.length; at += 2) pairs.push([units[at], units[at + 1]]);
    } else {
      return undefined;
    }
  }
  if (pairs.some(([, last]) => last > 0xffff)) return undefined;
  const units = ignoreCase ? foldClosure(unitSet(pairs)) : unitSet(pairs);
  return element.negate ? complement(units) : units;
}

/** The code units that an element of one unit's width takes; undefined when it is no such element. */
export function unitsOf(element: AST.Element, ignoreCase: boolean): UnitSet | undefined {
  switch (element.type) {
    case 'Character': {
      if (element.value > 0xffff) return undefined;
      const units: UnitSet = [element.value, element.value];
      return ignoreCase ? foldClosure(units) : units;
    }
    case 'CharacterSet': {
      const units = escapeUnits(element);
      return units !== undefined && ignoreCase ? foldClosure(units) : units;
    }
    case 'CharacterClass':
      return classUnits(element, ignoreCase);
    default:
      return undefined;
  }
}
