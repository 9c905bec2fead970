// Whether an earlier stub takes requests away from a later one: what can be said from texts under `equals`, `contains`
// and `startsWith` alone, without looking at requests.

import { isObject, type Members, memberOf } from '../matching/members.js';
import { operatorOf } from '../matching/operator-names.js';

/** Texts that a stub asks of one field, by operator. */
interface FieldTexts {
  readonly equals: string[];
  readonly contains: string[];
  readonly startsWith: string[];
}

/** By field. */
export type StubTexts = ReadonlyMap<string, FieldTexts>;

const comparing = new Set<string>(['equals', 'contains', 'startsWith']);

/** The texts of the top-level predicates of a stub. */
export function textsOf(predicates: readonly unknown[]): StubTexts {
  const fields = new Map<string, FieldTexts>();
  for (const predicate of predicates) {
    const operator = operatorOf(predicate);
    if (operator === undefined || !comparing.has(operator)) continue;
    const operand = (predicate as Members)[operator];
    if (!isObject(operand)) continue;
    for (const field of Object.keys(operand)) {
      const value = memberOf(operand, field);
      if (typeof value !== 'string') continue;
      let texts = fields.get(field);
      if (texts === undefined) {
        texts = { equals: [], contains: [], startsWith: [] };
        fields.set(field, texts);
      }
      texts[operator as keyof FieldTexts].push(value);
    }
  }
  return fields;
}

/**
 * Whether every value that the later stub takes of some field is one that the earlier takes as well, unless both ask for
 * different values of a field: then no request is for both.
 */
export function overlaps(later: StubTexts, earlier: StubTexts): boolean {
  let covered = false;
  for (const [field, ours] of later) {
    const theirs = earlier.get(field);
    if (theirs === undefined) continue;
    if (ours.equals.some((value) => theirs.equals.some((other) => other !== value))) return false;
    covered ||=
      ours.equals.some(
        (value) =>
          theirs.startsWith.some((prefix) => value.startsWith(prefix)) ||
          theirs.contains.some((part) => value.includes(part)),
      ) ||
      ours.startsWith.some((value) =>
        theirs.startsWith.some((prefix) => value.length > prefix.length && value.startsWith(prefix)),
      );
  }
  return covered;
}
