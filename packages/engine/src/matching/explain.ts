// Why the predicates of a stub hold for a request or not: every false leaf, and how near the stub comes.

import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import type { RequestView } from '../request-view.js';
import { ScriptTimeout } from '../scripting/script-errors.js';
import { compilePredicate } from './compile.js';
import type { Members } from './members.js';
import { operatorOf } from './operator-names.js';
import type { LeafOperator } from './parameters.js';
import { leavesOf, type Refusal, refusalOf } from './refusal.js';
import type { PredicateContext } from './types.js';

export interface StubExplanation {
  /** All predicates hold. */
  readonly matched: boolean;
  /** Why the first predicate that is false is so; undefined when all hold or an error came first. */
  readonly refusal: Refusal | undefined;
  /** All false leaves in predicate order, at most 10. */
  readonly refusals: readonly Refusal[];
  /** Of all leaves, each looked at by itself; of an `or` its best child counts. */
  readonly satisfied: number;
  readonly total: number;
  /** Whether all leaves on `method` and `path` hold. */
  readonly methodAndPathHold: boolean;
  /** A predicate that cannot be evaluated, reached because those before it hold. */
  readonly error: PredicateFailure | undefined;
}

interface PredicateFailure {
  readonly path: string;
  /** What a real request would be answered with. */
  readonly reason: RiftError;
}

const mostRefusals = 10;

/** Explains the predicates of one stub, given as JSON. Rejects with ScriptTimeout only. */
export async function explainStub(
  predicates: readonly unknown[],
  view: RequestView,
  context: PredicateContext,
): Promise<StubExplanation> {
  const quiet = { ...context, logger: silentLogger };
  const found: Verdict[] = [];
  for (const [index, predicate] of predicates.entries()) {
    found.push(await verdictOf(predicate, { index, path: `predicates[${index}]`, negated: false }, view, quiet));
  }
  const deciding = found.find(({ holds }) => !holds);
  const refusals = found.flatMap((verdict) => verdict.refusals).slice(0, mostRefusals);
  return {
    matched: deciding === undefined,
    refusal: deciding?.error === undefined ? deciding?.first : undefined,
    refusals,
    satisfied: found.reduce((sum, { satisfied }) => sum + satisfied, 0),
    total: found.reduce((sum, { total }) => sum + total, 0),
    methodAndPathHold: !refusals.some(({ field }) => field === 'method' || field === 'path'),
    error: deciding?.error,
  };
}

interface Verdict {
  readonly holds: boolean;
  readonly first: Refusal | undefined;
  readonly refusals: readonly Refusal[];
  readonly satisfied: number;
  readonly total: number;
  readonly error?: PredicateFailure;
}

interface Place {
  readonly index: number;
  readonly path: string;
  readonly negated: boolean;
}

async function verdictOf(json: unknown, place: Place, view: RequestView, context: PredicateContext): Promise<Verdict> {
  const operator = operatorOf(json) ?? '';
  const predicate = json as Members;
  const operand = predicate?.[operator];
  switch (operator) {
    case 'and':
    case 'or':
      if (Array.isArray(operand)) return listVerdict(operator, operand, place, view, context);
      return single(json, operator, place, view, context);
    case 'not':
      return notVerdict(operand, place, view, context);
    case '':
    case 'inject':
      return single(json, operator, place, view, context);
    default:
      return leafVerdict(predicate, operator as LeafOperator, place, view, context);
  }
}

/** Whether a predicate holds (as it stands, or under `not`), or why that cannot be found out. */
async function tried(json: unknown, view: RequestView, context: PredicateContext): Promise<boolean | RiftError> {
  try {
    return await compilePredicate(json, context).test(view);
  } catch (error) {
    if (error instanceof ScriptTimeout) throw error;
    return error instanceof RiftError ? error : new RiftError('bad data', (error as Error).message);
  }
}

async function leafVerdict(
  predicate: Members,
  operator: LeafOperator,
  place: Place,
  view: RequestView,
  context: PredicateContext,
): Promise<Verdict> {
  const leaves = leavesOf(predicate, operator);
  const verdicts: Verdict[] = [];
  for (const leaf of leaves) {
    const holds = await tried(leaf.predicate, view, context);
    if (holds instanceof Error) {
      verdicts.push({ ...refusedBy(undefined), error: { path: `${place.path}.${leaf.path}`, reason: holds } });
      continue;
    }
    if (holds !== place.negated) {
      verdicts.push(satisfiedLeaf);
      continue;
    }
    const at = {
      predicateIndex: place.index,
      path: place.path,
      negated: place.negated,
      base64: context.encoding === 'base64',
    };
    verdicts.push(refusedBy(refusalOf(leaf, view, at)));
  }
  // Under `not` one leaf that fails to hold is enough.
  if (place.negated && verdicts.some(({ holds }) => holds)) {
    return { holds: true, first: undefined, refusals: [], satisfied: verdicts.length, total: verdicts.length };
  }
  return joined(verdicts);
}

const satisfiedLeaf: Verdict = { holds: true, first: undefined, refusals: [], satisfied: 1, total: 1 };

function refusedBy(refusal: Refusal | undefined): Verdict {
  return { holds: false, first: refusal, refusals: refusal === undefined ? [] : [refusal], satisfied: 0, total: 1 };
}

/** All must hold. */
function joined(verdicts: readonly Verdict[]): Verdict {
  const deciding = verdicts.find(({ holds }) => !holds);
  return {
    holds: deciding === undefined,
    first: deciding?.first,
    refusals: verdicts.flatMap(({ refusals }) => refusals),
    satisfied: verdicts.reduce((sum, { satisfied }) => sum + satisfied, 0),
    total: verdicts.reduce((sum, { total }) => sum + total, 0),
    ...(deciding?.error === undefined ? {} : { error: deciding.error }),
  };
}

async function listVerdict(
  operator: 'and' | 'or',
  children: readonly unknown[],
  place: Place,
  view: RequestView,
  context: PredicateContext,
): Promise<Verdict> {
  const path = `${place.path}.${operator}`;
  const verdicts: Verdict[] = [];
  for (const [at, child] of children.entries()) {
    verdicts.push(await verdictOf(child, { ...place, path: `${path}[${at}]` }, view, context));
  }
  // Under `not` the roles of `and` and `or` are exchanged.
  if ((operator === 'and') !== place.negated) return joined(verdicts);
  const best = verdicts.reduce<Verdict | undefined>(
    (most, each) => (most === undefined || share(each) > share(most) ? each : most),
    undefined,
  );
  const holding = verdicts.find(({ holds }) => holds);
  const error = verdicts
    .slice(0, holding === undefined ? undefined : verdicts.indexOf(holding))
    .find((each) => each.error !== undefined)?.error;
  if (holding !== undefined && error === undefined) {
    return { holds: true, first: undefined, refusals: [], satisfied: holding.satisfied, total: holding.total };
  }
  const refusal: Refusal = {
    predicateIndex: place.index,
    path,
    operator,
    ...(place.negated ? { negated: true as const } : {}),
    explanation: `expected one of ${children.length} alternatives to hold, but none did`,
    alternatives: verdicts.flatMap(({ first }) => first ?? []),
  };
  return {
    holds: false,
    first: refusal,
    refusals: [refusal],
    satisfied: best?.satisfied ?? 0,
    total: best?.total ?? 1,
    ...(error === undefined ? {} : { error }),
  };
}

function share({ satisfied, total }: Verdict): number {
  return total === 0 ? 1 : satisfied / total;
}

async function notVerdict(
  child: unknown,
  place: Place,
  view: RequestView,
  context: PredicateContext,
): Promise<Verdict> {
  return verdictOf(child, { ...place, path: `${place.path}.not`, negated: !place.negated }, view, context);
}

/** `inject`, and what has no operator. */
async function single(
  json: unknown,
  operator: string,
  place: Place,
  view: RequestView,
  context: PredicateContext,
): Promise<Verdict> {
  const holds = await tried(json, view, context);
  const path = operator === '' ? place.path : `${place.path}.${operator}`;
  if (holds instanceof Error) return { ...refusedBy(undefined), error: { path, reason: holds } };
  if (holds !== place.negated) return satisfiedLeaf;
  const expected = place.negated ? 'a false result' : 'a true result';
  return refusedBy({
    predicateIndex: place.index,
    path,
    operator,
    ...(place.negated ? { negated: true as const } : {}),
    expected,
    actual: holds,
    explanation: `expected the script to give ${expected}, but it gave ${holds}`,
  });
}
