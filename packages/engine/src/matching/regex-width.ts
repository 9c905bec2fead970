// How short a text can be that a pattern matches: a lower bound from the pattern's structure.

import { type PatternSyntax, parsePattern } from '@rift-ts/classifier';

type Element = PatternSyntax['alternatives'][number]['elements'][number];
type Alternative = PatternSyntax['alternatives'][number];

/** No match of the pattern is shorter, in code units; 0 when nothing is known. */
export function leastWidth(source: string): number {
  const pattern = parsePattern(source);
  return pattern === undefined ? 0 : shortest(pattern.alternatives);
}

function shortest(alternatives: readonly Alternative[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { elements } of alternatives) {
    let width = 0;
    for (const element of elements) width += widthOf(element);
    least = Math.min(least, width);
  }
  return least;
}

function widthOf(element: Element): number {
  switch (element.type) {
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet':
      return 1;
    case 'Group':
    case 'CapturingGroup':
      return shortest(element.alternatives);
    case 'Quantifier':
      return element.min === 0 ? 0 : element.min * widthOf(element.element);
    default:
      return 0;
  }
}
