// How many steps JavaScript's backtracking may take, at worst, to try a pattern on a text: an upper bound from the
// pattern's structure. Patterns whose bound is too high for a text are not given to it (regex.ts).

import { type PatternSyntax, parsePattern, unitsOf } from '@rift-ts/classifier';

type Element = PatternSyntax['alternatives'][number]['elements'][number];
type Alternative = PatternSyntax['alternatives'][number];

/** Upper bound of the steps for a text of so many code units; infinite when the pattern cannot be read. */
export function worstSteps(source: string, flags: string): (length: number) => number {
  const pattern = parsePattern(source);
  if (pattern === undefined) return () => Number.POSITIVE_INFINITY;
  const ignoreCase = flags.includes('i');
  const anchored =
    !flags.includes('m') &&
    pattern.alternatives.every(({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start');
  return (length) => {
    const ways = pattern.alternatives.reduce((sum, alternative) => sum + topWays(alternative, length, ignoreCase), 0);
    return (anchored ? 1 : length + 1) * ways;
  };
}

/** Ways to match the elements of an alternative of the whole pattern: what stands last needs no second try. */
function topWays({ elements }: Alternative, length: number, ignoreCase: boolean): number {
  const last = elements[elements.length - 1];
  const decided =
    last?.type === 'Quantifier' && waysOf(last.element, length, ignoreCase) === 1 ? elements.slice(0, -1) : elements;
  return sequenceWays(decided, length, ignoreCase);
}

function sequenceWays(elements: readonly Element[], length: number, ignoreCase: boolean): number {
  return elements.reduce((product, element) => product * waysOf(element, length, ignoreCase), 1);
}

/** In how many ways an element can match from one position: what backtracking may have to try. */
function waysOf(element: Element, length: number, ignoreCase: boolean): number {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return choiceWays(element.alternatives, length, ignoreCase);
    case 'Assertion':
      // Look-around is tried once, but trying it may be dear by itself.
      return 'alternatives' in element ? choiceWays(element.alternatives, length, ignoreCase) * (length + 1) : 1;
    case 'Quantifier': {
      const most = Math.min(element.max, length);
      const least = Math.min(element.min, most);
      const each = waysOf(element.element, length, ignoreCase);
      return each === 1 ? most - least + 1 : each ** most * 2;
    }
    default:
      return 1;
  }
}

function choiceWays(alternatives: readonly Alternative[], length: number, ignoreCase: boolean): number {
  const ways = alternatives.map(({ elements }) => sequenceWays(elements, length, ignoreCase));
  return areDisjoint(alternatives, ignoreCase) ? Math.max(...ways) : ways.reduce((sum, each) => sum + each, 0);
}

/** Whether the alternatives begin with different units: then at most one of them can match at a position. */
function areDisjoint(alternatives: readonly Alternative[], ignoreCase: boolean): boolean {
  const taken: (readonly [number, number])[] = [];
  for (const { elements } of alternatives) {
    const first = elements[0];
    if (
      first === undefined ||
      !(first.type === 'Character' || first.type === 'CharacterSet' || first.type === 'CharacterClass')
    ) {
      return false;
    }
    const set = unitsOf(first, ignoreCase);
    if (set === undefined) return false;
    for (let at = 0; at < set.length; at += 2) {
      if (taken.some(([from, to]) => set[at] <= to && from <= set[at + 1])) return false;
    }
    for (let at = 0; at < set.length; at += 2) taken.push([set[at], set[at + 1]]);
  }
  return true;
}
