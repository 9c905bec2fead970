// Why the predicates of a stub hold for a request or not: every false leaf, and how near the stub comes.
//
// All stubs of an imposter are asked for one request, so the predicates are taken apart once and kept, and the words are
// made only for those that somebody wants to read.

import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import type { RequestView } from '../request-view.js';
import { ScriptTimeout } from '../scripting/script-errors.js';
import type { ScriptHost } from '../scripting/types.js';
import { compilePredicate } from './compile.js';
import type { Members } from './members.js';
import { operatorOf } from './operator-names.js';
import type { LeafOperator } from './parameters.js';
import { type LeafPart, leavesOf, type Refusal, refusalOf } from './refusal.js';
import type { PredicateContext } from './types.js';

export interface StubExplanation {
  /** All predicates hold. */
  readonly matched: boolean;
  /** Why the first predicate that is false is so; undefined when all hold or an error came first. */
  readonly refusal: Refusal | undefined;
  /** All false leaves in predicate order, at most 10. */
  readonly refusals: readonly Refusal[];
  /** How many those are. */
  readonly refusalCount: number;
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

/**
 * Explains the predicates of one stub, given as JSON; a promise only where a script or a slow pattern has to decide.
 * Rejects with ScriptTimeout only. What is explained is kept with the array: it must not be changed afterwards.
 */
export function explainStub(
  predicates: readonly unknown[],
  view: RequestView,
  { encoding, scripts }: PredicateContext,
): StubExplanation | Promise<StubExplanation> {
  const parts = partsOf(predicates, encoding);
  const { tests } = parts;
  const results: Result[] = new Array(tests.length);
  for (let at = 0; at < tests.length; at += 1) {
    const result = tried(tests[at]!, view, scripts);
    if (result instanceof Promise) return settled(parts, results, at, result, view, scripts);
    results[at] = result;
  }
  return new Explanation(parts, results, view);
}

async function settled(
  parts: Parts,
  results: Result[],
  at: number,
  next: Promise<Result>,
  view: RequestView,
  scripts: ScriptHost | undefined,
): Promise<StubExplanation> {
  const { tests } = parts;
  results[at] = await next;
  for (let later = at + 1; later < tests.length; later += 1) {
    results[later] = await tried(tests[later]!, view, scripts);
  }
  return new Explanation(parts, results, view);
}

class Explanation implements StubExplanation {
  matched = true;
  satisfied = 0;
  total = 0;
  refusalCount = 0;
  methodAndPathHold = true;
  error: PredicateFailure | undefined;
  readonly #evidence: Evidence;
  readonly #roots: readonly Node[];

  constructor({ roots, base64 }: Parts, results: readonly Result[], view: RequestView) {
    this.#evidence = { results, view, base64 };
    this.#roots = roots;
    for (const root of roots) {
      if (root.kind === 'leaves' && !root.place.negated) this.#countLeaves(root, results);
      else this.#count(verdictOf(root, this.#evidence));
    }
    if (this.refusalCount > mostRefusals) this.refusalCount = mostRefusals;
  }

  /** What `verdictOf` comes to, without making anything: nearly all stubs are of leaves only. */
  #countLeaves({ leaves, place }: Node & { kind: 'leaves' }, results: readonly Result[]): void {
    for (const { part, test } of leaves) {
      const holds = results[test]!;
      this.total += 1;
      if (holds === true) {
        this.satisfied += 1;
        continue;
      }
      if (holds === false) {
        this.refusalCount += 1;
        if (isAddress(part.field)) this.methodAndPathHold = false;
      } else if (this.matched) this.error = { path: `${place.path}.${part.path}`, reason: holds };
      this.matched = false;
    }
  }

  #count(verdict: Verdict): void {
    this.satisfied += verdict.satisfied;
    this.total += verdict.total;
    this.refusalCount += verdict.refusals.length;
    if (verdict.refusals.some(({ field }) => isAddress(field))) this.methodAndPathHold = false;
    if (verdict.holds) return;
    if (this.matched) this.error = verdict.error;
    this.matched = false;
  }

  get refusal(): Refusal | undefined {
    if (this.matched || this.error !== undefined) return undefined;
    for (const root of this.#roots) {
      const { holds, first } = verdictOf(root, this.#evidence);
      if (!holds) return first?.words();
    }
    return undefined;
  }

  get refusals(): readonly Refusal[] {
    const unmet = this.#roots.flatMap((root) => verdictOf(root, this.#evidence).refusals);
    return unmet.slice(0, mostRefusals).map((one) => one.words());
  }
}

function isAddress(field: string | undefined): boolean {
  return field === 'method' || field === 'path';
}

// --- predicates taken apart --------------------------------------------------------------------------------------------

/** Whether a leaf holds (as it stands, not as its `not` has it), or why that cannot be found out. */
type Result = boolean | RiftError;

type Test = (view: RequestView, scripts: ScriptHost | undefined) => boolean | Promise<boolean>;

interface Parts {
  readonly base64: boolean;
  readonly tests: Test[];
  readonly roots: readonly Node[];
}

interface Place {
  readonly index: number;
  readonly path: string;
  readonly negated: boolean;
}

/** `test`: a position in the list of tests. */
type Node = { readonly place: Place } & (
  | { readonly kind: 'leaves'; readonly leaves: readonly { readonly part: LeafPart; readonly test: number }[] }
  | { readonly kind: 'list'; readonly operator: 'and' | 'or'; readonly children: readonly Node[] }
  /** `inject`, and what has no operator. */
  | { readonly kind: 'single'; readonly operator: string; readonly test: number }
);

const known = new WeakMap<readonly unknown[], Parts>();

function partsOf(predicates: readonly unknown[], encoding: PredicateContext['encoding']): Parts {
  const base64 = encoding === 'base64';
  const kept = known.get(predicates);
  if (kept?.base64 === base64) return kept;
  const tests: Test[] = [];
  const add = (json: unknown) => tests.push(testOf(json, encoding)) - 1;
  const roots = predicates.map((predicate, index) =>
    nodeOf(predicate, { index, path: `predicates[${index}]`, negated: false }, add),
  );
  const parts = { base64, tests, roots };
  known.set(predicates, parts);
  return parts;
}

function testOf(json: unknown, encoding: PredicateContext['encoding']): Test {
  if (operatorOf(json) === 'inject') {
    return (view, scripts) => compilePredicate(json, { encoding, scripts, logger: silentLogger }).test(view);
  }
  try {
    const compiled = compilePredicate(json, { encoding, scripts: undefined, logger: silentLogger });
    return (view) => compiled.test(view);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function tried(test: Test, view: RequestView, scripts: ScriptHost | undefined): Result | Promise<Result> {
  try {
    const holds = test(view, scripts);
    return holds instanceof Promise ? holds.catch(failureOf) : holds;
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): RiftError {
  if (error instanceof ScriptTimeout) throw error;
  return error instanceof RiftError ? error : new RiftError('bad data', (error as Error).message);
}

function nodeOf(json: unknown, place: Place, add: (json: unknown) => number): Node {
  const operator = operatorOf(json) ?? '';
  const predicate = json as Members;
  const operand = predicate?.[operator];
  switch (operator) {
    case 'and':
    case 'or': {
      if (!Array.isArray(operand)) break;
      const children = operand.map((child, at) =>
        nodeOf(child, { ...place, path: `${place.path}.${operator}[${at}]` }, add),
      );
      return { kind: 'list', operator, children, place };
    }
    case 'not':
      return nodeOf(operand, { ...place, path: `${place.path}.not`, negated: !place.negated }, add);
    case '':
    case 'inject':
      break;
    default: {
      const leaves = leavesOf(predicate, operator as LeafOperator);
      return { kind: 'leaves', leaves: leaves.map((part) => ({ part, test: add(part.predicate) })), place };
    }
  }
  return { kind: 'single', operator, test: add(json), place };
}

// --- verdicts ------------------------------------------------------------------------------------------------------------

interface Verdict {
  readonly holds: boolean;
  readonly first: Unmet | undefined;
  readonly refusals: readonly Unmet[];
  readonly satisfied: number;
  readonly total: number;
  readonly error?: PredicateFailure;
}

/** A refusal that is put into words when somebody asks. */
interface Unmet {
  readonly field?: string;
  words(): Refusal;
}

interface Evidence {
  readonly results: readonly Result[];
  readonly view: RequestView;
  readonly base64: boolean;
}

function verdictOf(node: Node, evidence: Evidence): Verdict {
  switch (node.kind) {
    case 'list':
      return listVerdict(node, evidence);
    case 'single':
      return singleVerdict(node, evidence);
    default:
      return leavesVerdict(node, evidence);
  }
}

const satisfiedLeaf: Verdict = { holds: true, first: undefined, refusals: [], satisfied: 1, total: 1 };

function refusedBy(refusal: Unmet | undefined): Verdict {
  return { holds: false, first: refusal, refusals: refusal === undefined ? [] : [refusal], satisfied: 0, total: 1 };
}

function leavesVerdict({ leaves, place }: Node & { kind: 'leaves' }, { results, view, base64 }: Evidence): Verdict {
  const verdicts = leaves.map(({ part, test }): Verdict => {
    const holds = results[test]!;
    if (holds instanceof RiftError) {
      return { ...refusedBy(undefined), error: { path: `${place.path}.${part.path}`, reason: holds } };
    }
    if (holds !== place.negated) return satisfiedLeaf;
    const at = { predicateIndex: place.index, path: place.path, negated: place.negated, base64 };
    return refusedBy({ field: part.field, words: () => refusalOf(part, view, at) });
  });
  // Under `not` one leaf that fails to hold is enough.
  if (place.negated && verdicts.some(({ holds }) => holds)) {
    return { holds: true, first: undefined, refusals: [], satisfied: verdicts.length, total: verdicts.length };
  }
  return joined(verdicts);
}

/** All must hold. */
function joined(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.length === 1) return verdicts[0]!;
  const deciding = verdicts.find(({ holds }) => !holds);
  return {
    holds: deciding === undefined,
    first: deciding?.first,
    refusals: verdicts.flatMap(({ refusals }) => refusals),
    satisfied: sum(verdicts, 'satisfied'),
    total: sum(verdicts, 'total'),
    ...(deciding?.error === undefined ? {} : { error: deciding.error }),
  };
}

function sum(verdicts: readonly Verdict[], what: 'satisfied' | 'total'): number {
  let all = 0;
  for (const verdict of verdicts) all += verdict[what];
  return all;
}

function listVerdict({ operator, children, place }: Node & { kind: 'list' }, evidence: Evidence): Verdict {
  const verdicts = children.map((child) => verdictOf(child, evidence));
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
  const refusal: Unmet = {
    words: () => ({
      predicateIndex: place.index,
      path: `${place.path}.${operator}`,
      operator,
      ...(place.negated ? { negated: true as const } : {}),
      explanation: `expected one of ${children.length} alternatives to hold, but none did`,
      alternatives: verdicts.flatMap(({ first }) => first?.words() ?? []),
    }),
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

function singleVerdict({ operator, test, place }: Node & { kind: 'single' }, { results }: Evidence): Verdict {
  const holds = results[test]!;
  const path = operator === '' ? place.path : `${place.path}.${operator}`;
  if (holds instanceof RiftError) return { ...refusedBy(undefined), error: { path, reason: holds } };
  if (holds !== place.negated) return satisfiedLeaf;
  const expected = place.negated ? 'a false result' : 'a true result';
  return refusedBy({
    words: () => ({
      predicateIndex: place.index,
      path,
      operator,
      ...(place.negated ? { negated: true as const } : {}),
      expected,
      actual: holds,
      explanation: `expected the script to give ${expected}, but it gave ${holds}`,
    }),
  });
}
