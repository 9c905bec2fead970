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

/** Mountebank tries all responses at once; what it finds without waiting comes first, generators come last. */
type Check = (run: DryRun, response: JsonObject, path: string) => RiftError | undefined;

/** A type at all, and where a proxy goes. */
const checkKind: Check = (run, response, path) => {
  const types = typesOf(response);
  if (types.length > 1 && run.options.profile === 'mountebank') return undefined;
  if (types[0] === 'proxy') return checkProxy(run, response.proxy, `${path}.proxy`);
  if (types.length > 0) return undefined;
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
};

const checkOneType: Check = (run, response, path) =>
  run.options.profile === 'mountebank' && typesOf(response).length > 1
    ? new RiftError('bad data', 'each response object must have only one response type', { source: response }, { path })
    : undefined;

function checkProxy(run: DryRun, proxy: unknown, path: string): RiftError | undefined {
  if (typeof proxy !== 'object' || proxy === null) return dryRunError(run, "'proxy' must be an object", path);
  // Without an upstream's answer to try with, Mountebank looks at neither the target nor the generators.
  if (!run.proxies) return undefined;
  const config = proxy as JsonObject;
  const problem = checkTarget(run, config, path);
  if (problem !== undefined) return problem;
  const generators = config.predicateGenerators;
  return generators && !Array.isArray(generators)
    ? dryRunError(run, "'predicateGenerators' must be an array", `${path}.predicateGenerators`)
    : undefined;
}

/** A predicate generator and where it stands. */
interface Located {
  readonly generator: unknown;
  readonly path: string;
}

/** All generators of the responses, in order. */
function generatorsOf(responses: readonly JsonObject[], at: (index: number) => string): Located[] {
  const list: Located[] = [];
  for (const [index, response] of responses.entries()) {
    if (typesOf(response)[0] !== 'proxy') continue;
    const generators = (response.proxy as JsonObject).predicateGenerators;
    if (!Array.isArray(generators)) continue;
    for (const [position, generator] of generators.entries()) {
      list.push({ generator, path: `${at(index)}.proxy.predicateGenerators[${position}]` });
    }
  }
  return list;
}

async function checkGenerators(run: DryRun, generators: readonly Located[]): Promise<RiftError | undefined> {
  for (const { generator, path } of generators) {
    const found = await checkGenerator(run, generator, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The error of the stub's responses that Mountebank would report; a promise only when a generator has to run. */
export function checkResponses(
  run: DryRun,
  responses: readonly JsonObject[],
): RiftError | undefined | Promise<RiftError | undefined> {
  const at = (index: number) => `${run.path === '' ? '' : `${run.path}.`}responses[${index}]`;
  for (const check of [checkKind, checkOneType]) {
    for (const [index, response] of responses.entries()) {
      const found = check(run, response, at(index));
      if (found !== undefined) return found;
    }
  }
  if (!run.proxies) return undefined;
  const generators = generatorsOf(responses, at);
  return generators.length === 0 ? undefined : checkGenerators(run, generators);
}
