// The response part of the creation-time dry run (Mountebank docs: contracts): response types, proxy targets, predicate
// generators. At most one error a stub; a stub is only tried when nothing else is wrong with it.

import { RiftError } from '../errors.js';
import type { ReadOptions } from './read-options.js';
import { isImplicit, typesOf } from './response-types.js';
import { has, isObject } from './shapes.js';
import type { JsonObject, RequestJson } from './types.js';

/** One stub in its dry run. */
export interface DryRun {
  readonly options: ReadOptions;
  readonly request: RequestJson;
  /** The name of a built-in protocol; undefined for a custom one, an entry that replaces a built-in name included. */
  readonly builtIn: string | undefined;
  /** Whether the protocol has an answer of an upstream to try with. */
  readonly proxies: boolean;
  readonly stub: JsonObject;
  /** JSON path of the stub, '' when the stub is the document. */
  readonly path: string;
}

/** Errors of a dry run carry the stub as compact JSON text, unless they are about a part of their own. */
export function dryRunError(run: DryRun, message: string, path: string): RiftError {
  return new RiftError('bad data', message, { source: JSON.stringify(run.stub) }, { path });
}

function checkTarget(run: DryRun, proxy: JsonObject, path: string): RiftError | undefined {
  if (!has(proxy, 'to')) return dryRunError(run, 'Missing to', `${path}.to`);
  let target: URL;
  try {
    if (typeof proxy.to !== 'string') throw new TypeError('not text');
    target = new URL(proxy.to);
  } catch {
    const given = typeof proxy.to === 'string' ? proxy.to : JSON.stringify(proxy.to);
    return dryRunError(run, `proxy.to must be a URL such as http://example.com:8080, not '${given}'`, `${path}.to`);
  }
  if (run.builtIn === 'tcp' && target.protocol === 'tcp:' && target.port === '') {
    return dryRunError(run, `proxy.to must have a port, such as tcp://${target.hostname}:4545`, `${path}.to`);
  }
  const isHttp = target.protocol === 'http:' || target.protocol === 'https:';
  return isHttp && target.pathname !== '/'
    ? dryRunError(run, `proxy.to must not contain a path '${target.pathname}'`, `${path}.to`)
    : undefined;
}

function checkGenerator(
  run: DryRun,
  generator: unknown,
  path: string,
): RiftError | undefined | Promise<RiftError | undefined> {
  if (!isObject(generator)) return dryRunError(run, 'predicate generator must be an object', path);
  if (typeof generator.inject === 'string' && generator.inject !== '') {
    const source = generator.inject;
    return run.options.runGenerator?.(source, run.request).then(
      (predicates) =>
        Array.isArray(predicates)
          ? undefined
          : new RiftError(
              'invalid injection',
              'invalid predicateGenerator injection',
              { source, data: 'the function must return an array of predicates' },
              { path: `${path}.inject` },
            ),
      (error: unknown) =>
        error instanceof RiftError
          ? error
          : dryRunError(run, error instanceof Error ? error.message : String(error), `${path}.inject`),
    );
  }
  const { matches } = generator;
  if (matches === undefined || matches === null) {
    return dryRunError(run, "predicate generator must have a 'matches' field", `${path}.matches`);
  }
  if (typeof matches === 'string' || Array.isArray(matches)) {
    return dryRunError(run, "'matches' of a predicate generator must be an object", `${path}.matches`);
  }
  return undefined;
}

async function firstError(
  first: Promise<RiftError | undefined>,
  rest: () => RiftError | undefined | Promise<RiftError | undefined>,
): Promise<RiftError | undefined> {
  return (await first) ?? rest();
}

function checkGenerators(
  run: DryRun,
  generators: readonly unknown[],
  path: string,
  start: number,
): RiftError | undefined | Promise<RiftError | undefined> {
  for (let index = start; index < generators.length; index += 1) {
    const found = checkGenerator(run, generators[index], `${path}[${index}]`);
    if (found instanceof Promise) {
      return firstError(found, () => checkGenerators(run, generators, path, index + 1));
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkProxy(run: DryRun, proxy: unknown, path: string): RiftError | undefined | Promise<RiftError | undefined> {
  if (typeof proxy !== 'object' || proxy === null) return dryRunError(run, "'proxy' must be an object", path);
  const config = proxy as JsonObject;
  if (run.proxies) {
    const problem = checkTarget(run, config, path);
    if (problem !== undefined) return problem;
  }
  const generators = config.predicateGenerators;
  if (!generators) return undefined;
  if (!Array.isArray(generators)) {
    return dryRunError(run, "'predicateGenerators' must be an array", `${path}.predicateGenerators`);
  }
  return checkGenerators(run, generators, `${path}.predicateGenerators`, 0);
}

function checkResponse(
  run: DryRun,
  response: JsonObject,
  path: string,
): RiftError | undefined | Promise<RiftError | undefined> {
  const types = typesOf(response);
  if (types.length === 0) {
    if (!isImplicit(response)) {
      return new RiftError('bad data', 'unrecognized response type', { source: response }, { path });
    }
    const needsHttp = isObject(response._rift) && isObject(response._rift.script);
    return needsHttp && run.builtIn !== 'http' && run.builtIn !== 'https'
      ? new RiftError(
          'bad data',
          '_rift.script needs an http or https imposter',
          { source: response },
          { path: `${path}._rift.script`, riftOnly: true },
        )
      : undefined;
  }
  if (types.length > 1 && run.options.profile === 'mountebank') {
    return new RiftError(
      'bad data',
      'each response object must have only one response type',
      { source: response },
      { path },
    );
  }
  return types[0] === 'proxy' ? checkProxy(run, response.proxy, `${path}.proxy`) : undefined;
}

/** The first error of the stub's responses from `start` on; a promise only when a generator has to run. */
export function checkResponses(
  run: DryRun,
  responses: readonly unknown[],
  start = 0,
): RiftError | undefined | Promise<RiftError | undefined> {
  for (let index = start; index < responses.length; index += 1) {
    const path = `${run.path === '' ? '' : `${run.path}.`}responses[${index}]`;
    const found = checkResponse(run, responses[index] as JsonObject, path);
    if (found instanceof Promise) return firstError(found, () => checkResponses(run, responses, index + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
