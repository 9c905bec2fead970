// Whether an earlier stub takes requests away from a later one: what can be said from texts under `equals`, `contains`
// and `startsWith` alone, without looking at requests.

import { isObject, type Members, memberOf } from '../matching/members.js';
import { operatorOf } from '../matching/operator-names.js';

/** Texts that a stub asks of one field, by operator. */
interface FieldTexts {
  readonly field: string;
  readonly equals: string[];
  readonly contains: string[];
  readonly startsWith: string[];
}

/** One a field: there are few. */
export type StubTexts = readonly FieldTexts[];

const comparing = new Set<string>(['equals', 'contains', 'startsWith']);

/** Whether the texts can cover those of another stub. */
export function coversAny(texts: StubTexts): boolean {
  return texts.some(({ startsWith, contains }) => startsWith.length > 0 || contains.length > 0);
}

function textsOfField(texts: StubTexts, field: string): FieldTexts | undefined {
  for (const each of texts) if (each.field === field) return each;
  return undefined;
}

/** The texts of the top-level predicates of a stub. */
export function textsOf(predicates: readonly unknown[]): StubTexts {
  const fields: FieldTexts[] = [];
  for (const predicate of predicates) {
    const operator = operatorOf(predicate);
    if (operator === undefined || !comparing.has(operator)) continue;
    const operand = (predicate as Members)[operator];
    if (!isObject(operand)) continue;
    for (const field of Object.keys(operand)) {
      const value = memberOf(operand, field);
      if (typeof value !== 'string') continue;
      let texts = textsOfField(fields, field);
      if (texts === undefined) {
        texts = { field, equals: [], contains: [], startsWith: [] };
        fields.push(texts);
      }
      texts[operator as 'equals' | 'contains' | 'startsWith'].push(value);
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
  for (const ours of later) {
    const theirs = textsOfField(earlier, ours.field);
    if (theirs === undefined) continue;
    if (ours.equals.some((value) => theirs.equals.some((other) => other !== value))) return false;
    covered ||= covers(theirs, ours);
  }
  return covered;
}

function covers({ startsWith, contains }: FieldTexts, ours: FieldTexts): boolean {
  return (
    ours.equals.some(
      (value) => startsWith.some((prefix) => value.startsWith(prefix)) || contains.some((part) => value.includes(part)),
    ) ||
    ours.startsWith.some((value) =>
      startsWith.some((prefix) => value.length > prefix.length && value.startsWith(prefix)),
    )
  );
}
