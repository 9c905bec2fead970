// The checks of one stub in their order: shape, injection gate, behaviors and repeat, then the dry run.

import { RiftError } from '../errors.js';
import { checkBehaviors, checkRepeat } from './behavior-checks.js';
import { injectionUse, javascriptRefused, scriptRefused, shellRefused } from './injection-gate.js';
import type { ReadableProtocol, ReadOptions } from './read-options.js';
import { checkResponses, type DryRun, dryRunError } from './response-checks.js';
import { typesOf } from './response-types.js';
import { checkProxySwitch, checkResponseRift, checkStaticResponse, checkStubKeys } from './rift-shapes.js';
import { has, isObject } from './shapes.js';
import { predicatesKey } from './stub-plan.js';
import type { JsonObject } from './types.js';

/** What the checks of a stub need of the imposter it is for. */
export interface StubContext {
  readonly options: ReadOptions;
  readonly protocolName: string;
  readonly protocol: ReadableProtocol;
  readonly encoding: 'utf8' | 'base64';
  /** The creation request: named scripts, engine defaults. */
  readonly imposter: JsonObject;
  /** How messages about wrong types begin, e.g. `Invalid imposter JSON: `. */
  readonly door: string;
  /** Which imposter of a batch messages about scripts mean, e.g. ` in imposter[0] (port 4545)`. */
  readonly batch: string;
}

const noResponses = "'responses' must be a non-empty array";

/** The stub's shape; undefined when its responses can be looked at. */
function checkShape(stub: unknown, context: StubContext, path: string): RiftError | undefined {
  const door = context.options.profile === 'rift' ? context.door : '';
  const error = (message: string, at: string) => new RiftError('bad data', message, { source: stub }, { path: at });
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (stub === null) return error(`${door}stub must be an object`, path);
  if (!isObject(stub)) return error(noResponses, below('responses'));
  const { responses } = stub;
  if (context.options.profile === 'rift' && (responses === undefined || responses === null)) return undefined;
  if (!Array.isArray(responses)) return error(noResponses, below('responses'));
  if (responses.length === 0)
    return context.options.profile === 'rift' ? undefined : error(noResponses, below('responses'));
  const wrong = responses.findIndex((response) => typeof response !== 'object' || response === null);
  return wrong < 0 ? undefined : error(`${door}response must be an object`, below(`responses[${wrong}]`));
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

/** Rift's own keys; their types in profile `rift` as strictly as the original does. */
function checkRiftKeys(
  stub: JsonObject,
  responses: readonly JsonObject[],
  context: StubContext,
  path: string,
  errors: RiftError[],
): void {
  const strict = context.options.profile === 'rift';
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  const reporter =
    (prefix: string, riftOnly: boolean, plain = false) =>
    (key: string, problem: string) => {
      const at = `${prefix}${key}`;
      const message = `${context.door}${plain ? key : at} ${problem}`;
      errors.push(new RiftError('bad data', message, {}, { path: at, riftOnly }));
    };
  if (strict) checkStubKeys(stub, reporter(below(''), false));
  responses.forEach((response, index) => {
    const prefix = `${below(`responses[${index}]`)}.`;
    if (has(response, '_rift')) checkResponseRift(response._rift, reporter(prefix, true, true));
    if (!strict) return;
    const types = typesOf(response);
    if (types[0] === 'proxy') checkProxySwitch(response.proxy, reporter(prefix, false));
    if (types.some((type) => type !== 'is')) return;
    if (isObject(response.is)) checkStaticResponse(response.is, 'is', reporter(prefix, false));
    else if (!response.is) checkStaticResponse(response, '', reporter(prefix, false));
  });
}

function dryRunPredicates(run: DryRun, context: StubContext): RiftError | undefined {
  const { stub } = run;
  const below = (key: string) => (run.path === '' ? key : `${run.path}.${key}`);
  const key = predicatesKey(stub);
  const predicates = stub[key];
  if (!predicates) return undefined;
  if (!Array.isArray(predicates)) return dryRunError(run, `'${key}' must be an array`, below(key));
  const error = context.options.checkPredicates(predicates, run.request, context.encoding);
  if (error === undefined) return undefined;
  const path = (error.answer.path ?? '').replace(/^predicates/, '');
  return new RiftError(
    error.code,
    error.message,
    'source' in error.extras ? error.extras : { source: JSON.stringify(stub), ...error.extras },
    { ...error.answer, path: below(`${key}${path}`) },
  );
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
  checkRiftKeys(object, responses, context, path, errors);
  if (errors.length > 0) return errors;
  const run: DryRun = {
    options: context.options,
    request: context.protocol.dryRunRequest,
    builtIn: context.protocol.custom ? undefined : context.protocolName,
    proxies: context.protocol.dryRunProxyResponse !== undefined,
    stub: object,
    path,
  };
  const found = dryRunPredicates(run, context) ?? checkResponses(run, responses);
  if (found instanceof Promise) return found.then((error) => (error === undefined ? [] : [error]));
  return found === undefined ? [] : [found];
}
