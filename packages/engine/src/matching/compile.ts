// From the JSON of a predicate to something that runs. Whatever is wrong with it is thrown when it is evaluated, as in
// Mountebank; creation finds it by the dry run (check.ts).

import { RiftError } from '../errors.js';
import type { RequestView } from '../request-view.js';
import { generalLeaf, type LeafTest } from './leaf.js';
import { isObject, type Members } from './members.js';
import { type LeafOperator, parametersOf } from './parameters.js';
import type { CompiledPredicate, PredicateContext } from './types.js';

const operators = new Set([
  'equals',
  'deepEquals',
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'exists',
  'not',
  'or',
  'and',
  'inject',
]);

/** The operator of a predicate: the first in key order counts. */
function operatorOf(predicate: unknown): string | undefined {
  if (!isObject(predicate) || Array.isArray(predicate)) return undefined;
  return Object.keys(predicate).find((key) => operators.has(key));
}

/**
 * Compiles one predicate of a stub. Never throws: a malformed predicate throws its RiftError when it is evaluated.
 * Semantics: docs/predicates.md.
 */
export function compilePredicate(json: unknown, context: PredicateContext): CompiledPredicate {
  const test = testOf(json, context);
  return {
    test,
    condition: { kind: 'any' },
    explain(view, path) {
      const describe = (matched: boolean) => ({
        matched,
        predicate: json,
        path,
        reason: matched ? 'holds' : 'does not hold',
      });
      const result = test(view);
      return typeof result === 'boolean' ? describe(result) : result.then(describe);
    },
  };
}

type Test = (view: RequestView) => boolean | Promise<boolean>;

function testOf(json: unknown, context: PredicateContext): Test {
  if (json === null) return failing(new RiftError('bad data', 'predicate must be an object'));
  const operator = operatorOf(json);
  if (operator === undefined) return failing(new RiftError('bad data', 'missing predicate', { source: json }));
  const predicate = json as Members;
  const operand = predicate[operator];
  switch (operator) {
    case 'not':
      return notTest(testOf(operand, context));
    case 'and':
    case 'or':
      if (!Array.isArray(operand)) return failing(new RiftError('bad data', `'${operator}' must be an array`));
      return listTest(
        operand.map((child) => testOf(child, context)),
        operator === 'or',
      );
    case 'inject':
      return injectTest(String(operand), context);
    default:
      return leafTest(predicate, operator as LeafOperator, context);
  }
}

function failing(error: RiftError): Test {
  return () => {
    throw error;
  };
}

function notTest(child: Test): Test {
  return (view) => {
    const result = child(view);
    return typeof result === 'boolean' ? !result : result.then((holds) => !holds);
  };
}

/** `or` ends at the first child that holds, `and` at the first that does not. */
function listTest(children: readonly Test[], endAt: boolean): Test {
  const from = (view: RequestView, start: number): boolean | Promise<boolean> => {
    for (let at = start; at < children.length; at++) {
      const result = children[at](view);
      if (typeof result !== 'boolean') return result.then((holds) => (holds === endAt ? endAt : from(view, at + 1)));
      if (result === endAt) return endAt;
    }
    return !endAt;
  };
  return (view) => from(view, 0);
}

function injectTest(source: string, { scripts }: PredicateContext): Test {
  return (view) => (scripts === undefined ? true : scripts.predicate(source, view.toJSON()));
}

function leafTest(predicate: Members, operator: LeafOperator, context: PredicateContext): LeafTest {
  const operand = predicate[operator];
  if (operand === null && operator !== 'deepEquals') {
    const error = new RiftError('bad data', `'${operator}' must be an object`);
    return () => {
      throw error;
    };
  }
  return generalLeaf(operator, operand, parametersOf(predicate, operator, context.encoding === 'base64'));
}
