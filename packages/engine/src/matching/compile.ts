// From the JSON of a predicate to something that runs. Whatever is wrong with it is thrown when it is evaluated, as in
// Mountebank; creation finds it by the dry run (check.ts).

import type { Condition } from '@rift-ts/classifier';
import { RiftError } from '../errors.js';
import type { RequestView } from '../request-view.js';
import { absenceCondition, all, any, leafCondition, some } from './condition.js';
import { unsafePatterns } from './findings.js';
import { compileLeaf, type Leaf } from './leaf.js';
import type { Members } from './members.js';
import { operatorOf } from './operator-names.js';
import { type LeafOperator, parametersOf } from './parameters.js';
import type { CompiledPredicate, PredicateContext } from './types.js';

type Test = (view: RequestView) => boolean | Promise<boolean>;

/** One predicate compiled; logical operators have children. */
interface PredicateNode {
  readonly json: unknown;
  readonly operator: string | undefined;
  readonly test: Test;
  /** Necessary for the predicate to hold or to fail. */
  readonly condition: Condition;
  /** Necessary for it not to hold or to fail; `any` unless a proof is easy. */
  readonly opposite: Condition;
  /** Whether some request makes it fail with an error: what stands behind it in a list is then not always looked at. */
  readonly canFail: boolean;
  readonly children: readonly PredicateNode[];
  readonly leaf?: Leaf;
}

/**
 * Compiles one predicate of a stub. Never throws: a malformed predicate throws its RiftError when it is evaluated.
 * `path`: where it stands, e.g. `predicates[0]`, for its errors (`answer.path`). Semantics: docs/predicates.md.
 */
export function compilePredicate(json: unknown, context: PredicateContext, path = ''): CompiledPredicate {
  const node = nodeOf(json, context, path);
  return {
    test: node.test,
    condition: node.condition,
    canFail: node.canFail,
  };
}

function nodeOf(json: unknown, context: PredicateContext, path: string): PredicateNode {
  if (json === null) return failing(json, undefined, problem('predicate must be an object', path));
  const operator = operatorOf(json);
  if (operator === undefined) {
    return failing(json, undefined, new RiftError('bad data', 'missing predicate', { source: json }, at(path)));
  }
  const operand = (json as Members)[operator];
  const below = path === '' ? '' : `${path}.${operator}`;
  switch (operator) {
    case 'not':
      return notNode(json, nodeOf(operand, context, below));
    case 'and':
    case 'or': {
      if (!Array.isArray(operand)) return failing(json, operator, problem(`'${operator}' must be an array`, below));
      const children = operand.map((child, index) => nodeOf(child, context, path === '' ? '' : `${below}[${index}]`));
      return operator === 'and' ? andNode(json, children) : orNode(json, children);
    }
    case 'inject':
      return injectNode(json, String(operand), context);
    default:
      return leafNode(json as Members, operator as LeafOperator, context, below);
  }
}

function at(path: string) {
  return path === '' ? {} : { path };
}

function problem(message: string, path: string): RiftError {
  return new RiftError('bad data', message, {}, at(path));
}

function failing(json: unknown, operator: string | undefined, error: RiftError): PredicateNode {
  const test = () => {
    throw error;
  };
  return { json, operator, test, condition: any, opposite: any, canFail: true, children: [] };
}

function notNode(json: unknown, child: PredicateNode): PredicateNode {
  const test: Test = (view) => {
    const result = child.test(view);
    return typeof result === 'boolean' ? !result : result.then((holds) => !holds);
  };
  const { condition: opposite, opposite: condition, canFail } = child;
  return { json, operator: 'not', test, condition, opposite, canFail, children: [child] };
}

function andNode(json: unknown, children: readonly PredicateNode[]): PredicateNode {
  return {
    json,
    operator: 'and',
    test: listTest(children, false),
    condition: allUntilFailure(children),
    opposite: some(children.map(({ opposite }) => opposite)),
    canFail: children.some(({ canFail }) => canFail),
    children,
  };
}

function orNode(json: unknown, children: readonly PredicateNode[]): PredicateNode {
  return {
    json,
    operator: 'or',
    test: listTest(children, true),
    condition: some(children.map(({ condition }) => condition)),
    opposite: any,
    canFail: children.some(({ canFail }) => canFail),
    children,
  };
}

/**
 * What is necessary for all predicates of a list, looked at in order, to hold or for one to fail. A predicate that can
 * fail is reached as soon as those before it hold, whatever those behind it would say.
 */
export function allUntilFailure(
  predicates: readonly { readonly condition: Condition; readonly canFail: boolean }[],
): Condition {
  const failing = predicates.findIndex(({ canFail }) => canFail);
  const counted = failing < 0 ? predicates : predicates.slice(0, failing + 1);
  return all(counted.map(({ condition }) => condition));
}

/** `or` ends at the first child that holds, `and` at the first that does not. */
function listTest(children: readonly PredicateNode[], endAt: boolean): Test {
  const from = (view: RequestView, start: number): boolean | Promise<boolean> => {
    for (let at = start; at < children.length; at++) {
      const result = children[at].test(view);
      if (typeof result !== 'boolean') return result.then((holds) => (holds === endAt ? endAt : from(view, at + 1)));
      if (result === endAt) return endAt;
    }
    return !endAt;
  };
  return (view) => from(view, 0);
}

function injectNode(json: unknown, source: string, { scripts }: PredicateContext): PredicateNode {
  const test: Test = (view) => (scripts === undefined ? true : scripts.predicate(source, view.toJSON()));
  return { json, operator: 'inject', test, condition: any, opposite: any, canFail: true, children: [] };
}

/** Mountebank's text. */
const unsafeWarning = 'If mountebank becomes unresponsive, it is because of this unsafe regular expression: %s';

function leafNode(predicate: Members, operator: LeafOperator, context: PredicateContext, path: string): PredicateNode {
  const operand = predicate[operator];
  if (operand === null && operator !== 'deepEquals') {
    return failing(predicate, operator, problem(`'${operator}' must be an object`, path));
  }
  const parameters = parametersOf(predicate, operator, context.encoding === 'base64');
  const leaf = compileLeaf(operator, operand, parameters);
  if (context.logger.enabled('warn')) {
    for (const pattern of unsafePatterns(predicate)) context.logger.warn(unsafeWarning, pattern);
  }
  const shape = { operator, fields: leaf.fields, parameters };
  return {
    json: predicate,
    operator,
    test: leaf.canFail && path !== '' ? placed(leaf.test, path) : leaf.test,
    condition: leaf.canFail || leaf.stripsSlowly ? any : leafCondition(shape),
    opposite: leaf.canFail || leaf.stripsSlowly ? any : absenceCondition(shape),
    canFail: leaf.canFail,
    children: [],
    leaf,
  };
}

/** Adds to the errors of a leaf where it stands. */
function placed(test: Test, path: string): Test {
  return (view) => {
    try {
      return test(view);
    } catch (error) {
      if (!(error instanceof RiftError) || error.answer.path !== undefined) throw error;
      const there = new RiftError(error.code, error.message, error.extras, { ...error.answer, path });
      there.name = error.name;
      throw there;
    }
  };
}
