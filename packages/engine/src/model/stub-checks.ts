// The checks of one stub in their order: shape, injection gate, behaviors and repeat, then the dry run.

import { RiftError } from '../errors.js';
import { checkBehaviors, checkRepeat } from './behavior-checks.js';
import { injectionUse, javascriptRefused, scriptRefused, shellRefused } from './injection-gate.js';
import type { ReadableProtocol, ReadOptions } from './read-options.js';
import { checkResponses, type DryRun, dryRunError } from './response-checks.js';
import { isObject } from './shapes.js';
import type { JsonObject } from './types.js';

/** What the checks of a stub need of the imposter it is for. */
export interface StubContext {
  readonly options: ReadOptions;
  readonly protocolName: string;
  readonly protocol: ReadableProtocol;
  readonly encoding: 'utf8' | 'base64';
}

const noResponses = "'responses' must be a non-empty array";

/** The stub's shape; undefined when its responses can be looked at. */
function checkShape(stub: unknown, context: StubContext, path: string): RiftError | undefined {
  const error = (message: string, at: string) => new RiftError('bad data', message, { source: stub }, { path: at });
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (stub === null) return error('stub must be an object', path);
  if (!isObject(stub)) return error(noResponses, below('responses'));
  const { responses } = stub;
  if (context.options.profile === 'rift' && (responses === undefined || responses === null)) return undefined;
  if (!Array.isArray(responses)) return error(noResponses, below('responses'));
  if (responses.length === 0)
    return context.options.profile === 'rift' ? undefined : error(noResponses, below('responses'));
  const wrong = responses.findIndex((response) => typeof response !== 'object' || response === null);
  return wrong < 0 ? undefined : error('response must be an object', below(`responses[${wrong}]`));
}

function checkGate(stub: JsonObject, context: StubContext, path: string, errors: RiftError[]): void {
  if (context.options.allowInjection) return;
  const use = injectionUse(stub, context.options.profile);
  const refuse = (message: string) =>
    errors.push(new RiftError('invalid injection', message, { source: stub }, { path }));
  if (use.javascript) refuse(javascriptRefused);
  if (use.shell) refuse(shellRefused);
  if (use.script && !use.javascript) refuse(scriptRefused);
}

function dryRunPredicates(run: DryRun, context: StubContext): RiftError | undefined {
  const { stub } = run;
  const below = (key: string) => (run.path === '' ? key : `${run.path}.${key}`);
  for (const key of ['predicates', 'rules'] as const) {
    const predicates = stub[key];
    if (!predicates) continue;
    if (!Array.isArray(predicates)) {
      // Mountebank knows no `rules`: whatever stands there is a comment.
      if (key === 'rules' && context.options.profile === 'mountebank') continue;
      return dryRunError(run, `'${key}' must be an array`, below(key));
    }
    const error = context.options.checkPredicates(predicates, run.request, context.encoding);
    if (error === undefined) continue;
    const path = (error.answer.path ?? '').replace(/^predicates/, '');
    return new RiftError(
      error.code,
      error.message,
      'source' in error.extras ? error.extras : { source: JSON.stringify(stub), ...error.extras },
      { ...error.answer, path: below(`${key}${path}`) },
    );
  }
  return undefined;
}

/**
 * Everything that is wrong with a rewritten stub, in Mountebank's order. A promise only when a predicate generator has
 * to run. `path` is where the stub stands in the posted document, '' when it is the document.
 */
export function checkStub(stub: unknown, context: StubContext, path: string): RiftError[] | Promise<RiftError[]> {
  const shape = checkShape(stub, context, path);
  if (shape !== undefined) return [shape];
  const object = stub as JsonObject;
  const responses = (object.responses ?? []) as JsonObject[];
  const errors: RiftError[] = [];
  checkGate(object, context, path, errors);
  responses.forEach((response, index) => {
    const at = `${path === '' ? '' : `${path}.`}responses[${index}]`;
    checkBehaviors(response, context.options.profile, at, errors);
    checkRepeat(response, at, errors);
  });
  if (errors.length > 0) return errors;
  const run: DryRun = {
    options: context.options,
    request: context.protocol.dryRunRequest,
    proxies: context.protocol.dryRunProxyResponse !== undefined,
    stub: object,
    path,
  };
  const found = dryRunPredicates(run, context) ?? checkResponses(run, responses);
  if (found instanceof Promise) return found.then((error) => (error === undefined ? [] : [error]));
  return found === undefined ? [] : [found];
}
