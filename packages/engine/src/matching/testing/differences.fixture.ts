// Which deliberate difference from Mountebank (docs/predicates.md, "Differences from Mountebank") an input touches, by
// its number. Only such inputs are left out of the comparison with the real Mountebank.

import { parseXml } from '../xml.js';

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
    for (const text of Object.values(request)) {
      const found = typeof text === 'string' ? xmlDifference(text, predicate) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function xmlDifference(text: string, predicate: { [key: string]: unknown }): string | undefined {
  if (!text.includes('<')) return undefined;
  const flags = predicate.caseSensitive ? 'g' : 'gi';
  const left = predicate.except ? text.replace(new RegExp(String(predicate.except), flags), '') : text;
  if (!predicate.caseSensitive && left.includes('CDATA[')) return 'F9';
  // of several whole documents the first one is read there, none here
  return left.trim() !== '' && parseXml(left, false).node.firstChild === null ? 'several roots' : undefined;
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
  // CDATA outside of every element, where case counts
  if (answer.includes('Hierarchy request error')) return 'F9';
  return /indexOf is not a function|Cannot read properties of null|"TypeError"/.test(answer) ? 'F6' : undefined;
}
