// What is accepted in predicates but probably not meant: shown as warnings when a stub is created.

import { type PatternSyntax, parsePattern } from '@rift-ts/classifier';
import { isObject, type Members, memberOf, textOf } from './members.js';
import { operatorOf, operators } from './operator-names.js';
import { checkPattern } from './regex.js';

export interface PredicateFinding {
  /**
   * `ignored_operator`: stands behind another operator in the same predicate and does not count.
   * `invalid_regex`: does not compile, and only some requests reach it (creation refuses the others).
   * `unsafe_regex`: nested or very many repetitions, Mountebank's criterion for patterns that may take very long.
   */
  readonly kind: 'ignored_operator' | 'invalid_regex' | 'unsafe_regex';
  /** Place inside the stub, e.g. `predicates[0].and[1].matches.path`. */
  readonly path: string;
  /** The operator or the pattern. */
  readonly text: string;
}

/** All findings in the predicates of a stub, in their order. Anything malformed is passed over. */
export function predicateFindings(predicates: unknown): PredicateFinding[] {
  if (!Array.isArray(predicates)) return [];
  return predicates.flatMap((predicate, index) => findingsIn(predicate, `predicates[${index}]`));
}

function findingsIn(json: unknown, path: string): PredicateFinding[] {
  const operator = operatorOf(json);
  if (operator === undefined) return [];
  const predicate = json as Members;
  const operand = predicate[operator];
  const found = Object.keys(predicate)
    .filter((key) => key !== operator && operators.has(key))
    .map((text): PredicateFinding => ({ kind: 'ignored_operator', path: `${path}.${text}`, text }));
  if (operator === 'not') return [...found, ...findingsIn(operand, `${path}.not`)];
  if (operator === 'and' || operator === 'or') {
    if (!Array.isArray(operand)) return found;
    return [...found, ...operand.flatMap((child, index) => findingsIn(child, `${path}.${operator}[${index}]`))];
  }
  if (operator === 'matches') found.push(...patternsIn(operand, `${path}.matches`));
  if (operator !== 'inject' && predicate.except) found.push(...patternFindings(predicate.except, `${path}.except`));
  return found;
}

function patternsIn(operand: unknown, path: string): PredicateFinding[] {
  if (Array.isArray(operand)) return operand.flatMap((item, index) => patternsIn(item, `${path}[${index}]`));
  if (isObject(operand))
    return Object.keys(operand).flatMap((key) => patternsIn(memberOf(operand, key), `${path}.${key}`));
  return path.endsWith('.matches') ? [] : patternFindings(operand, path);
}

function patternFindings(pattern: unknown, path: string): PredicateFinding[] {
  const text = textOf(pattern);
  try {
    checkPattern(text, '');
  } catch {
    return [{ kind: 'invalid_regex', path, text }];
  }
  return isUnsafePattern(text) ? [{ kind: 'unsafe_regex', path, text }] : [];
}

/** The unsafe patterns of one predicate without children. */
export function unsafePatterns(predicate: Members): string[] {
  if (!predicate.except && predicate.matches === undefined) return [];
  return findingsIn(predicate, '').flatMap(({ kind, text }) => (kind === 'unsafe_regex' ? [text] : []));
}

const mostRepetitions = 25;

/** A repetition inside a repetition, or more than 25 of them. Look-around does not count. */
function isUnsafePattern(source: string): boolean {
  const pattern = parsePattern(source);
  if (pattern === undefined) return false;
  let repetitions = 0;
  let nested = false;
  const visit = (alternatives: PatternSyntax['alternatives'], depth: number): void => {
    for (const { elements } of alternatives) {
      for (const element of elements) {
        const repeated = element.type === 'Quantifier';
        const inner = repeated ? element.element : element;
        if (repeated) repetitions++;
        const below = depth + (repeated ? 1 : 0);
        nested ||= below > 1;
        if (inner.type === 'Group' || inner.type === 'CapturingGroup') visit(inner.alternatives, below);
      }
    }
  };
  visit(pattern.alternatives, 0);
  return nested || repetitions > mostRepetitions;
}
