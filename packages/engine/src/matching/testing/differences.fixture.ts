// Which deliberate difference from Mountebank (docs/predicates.md, "Differences from Mountebank") an input touches, by
// its number. Only such inputs are left out of the comparison with the real Mountebank.

import { parseXml } from '../xpath.js';

interface Parsed {
  readonly operator: string;
  readonly operand: unknown;
  readonly predicate: { [key: string]: unknown };
}

const leafOperators = ['equals', 'deepEquals', 'contains', 'startsWith', 'endsWith', 'matches', 'exists'];

function leaves(predicate: { [key: string]: unknown }): Parsed[] {
  const operator = Object.keys(predicate).find((key) => [...leafOperators, 'not', 'and', 'or'].includes(key)) ?? '';
  const operand = predicate[operator];
  if (operator === 'not') return leaves(operand as { [key: string]: unknown });
  if (operator === 'and' || operator === 'or') return (operand as { [key: string]: unknown }[]).flatMap(leaves);
  return [{ operator, operand, predicate }];
}

function some(value: unknown, holds: (scalar: unknown) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => some(item, holds));
  if (typeof value === 'object' && value !== null) return Object.values(value).some((item) => some(item, holds));
  return holds(value);
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function nestedArray(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(nestedArray);
}

/** The number of the difference that decides about this pair, or undefined. */
export function differenceTouched(predicate: object, request: object): string | undefined {
  for (const leaf of leaves(predicate as { [key: string]: unknown })) {
    const found = leafDifference(leaf, request as { [field: string]: unknown });
    if (found !== undefined) return found;
  }
  return undefined;
}

function leafDifference(
  { operator, operand, predicate }: Parsed,
  request: { [field: string]: unknown },
): string | undefined {
  const textual = operator === 'contains' || operator === 'startsWith' || operator === 'endsWith';
  if (operator === 'endsWith' && some(operand, (it) => typeof it !== 'string')) return 'F7';
  if (textual && typeof operand === 'object' && operand !== null) {
    for (const [field, part] of Object.entries(operand)) {
      if (!isContainer(part) && typeof request[field.toLowerCase()] === 'object') return 'F6';
    }
  }
  if (operator === 'deepEquals' && predicate.jsonpath) {
    if (Object.values(request).some((it) => typeof it === 'string' && hasNestedArray(it))) return 'F8';
  }
  if (predicate.xpath && !predicate.jsonpath) {
    const { selector } = predicate.xpath as { selector: string };
    const isScalar = /^(?:count|boolean)\(/.test(selector);
    if (operator === 'deepEquals' && isScalar) return 'F9';
    if (textual && isScalar) return 'F6';
    const body = String(request.body ?? '');
    if (!predicate.caseSensitive && body.startsWith('<')) {
      // Fold after parsing: tags that match only when folded are no XML here.
      if (parseXml(body, false).firstChild === null) return 'F9';
    }
    if (predicate.except && body.startsWith('<')) {
      // Tags that lost their names: Mountebank reads on as far as it can, here that is no XML.
      const left = body.replace(new RegExp(String(predicate.except), predicate.caseSensitive ? 'g' : 'gi'), '');
      if (parseXml(left, false).firstChild === null) return 'broken XML';
    }
  }
  return undefined;
}

function hasNestedArray(text: string): boolean {
  try {
    return nestedArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Exceptions of Mountebank's own code: a text operator or an object operand met JSON that is no text (F6). */
export function errorDifference(answer: string): string | undefined {
  return /indexOf is not a function|Cannot read properties of null|"TypeError"/.test(answer) ? 'F6' : undefined;
}
