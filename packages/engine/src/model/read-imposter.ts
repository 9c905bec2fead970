// The creation pipeline of an imposter: shape, port and protocol, then stubs, end-of-request resolver and what belongs
// to one protocol. Every wrong shape is an answer, never an exception.

import { RiftError } from '../errors.js';
import { javascriptRefused } from './injection-gate.js';
import { nestingError } from './nesting.js';
import type { Read, ReadOptions, Warning } from './read-options.js';
import { readStubList, stubContext } from './read-stub.js';
import { imposterRiftProblem } from './rift-shapes.js';
import { has, isObject } from './shapes.js';
import type { StubContext } from './stub-checks.js';
import type { ImposterJson, JsonObject, Profile } from './types.js';
import { unknownImposterKeys } from './unknown-keys.js';

const aliases: { readonly [alias: string]: string } = {
  service_name: 'serviceName',
  service_info: 'serviceInfo',
  allowCors: 'allowCORS',
};

/** The number a `port` stands for: a number or numeric text above 0 and below 65536, without a fraction. */
function portNumber(port: unknown): number | undefined {
  if (typeof port !== 'number' && typeof port !== 'string') return undefined;
  if (String(port).includes('.')) return undefined;
  const number = Number(port);
  return number > 0 && number < 65_536 ? number : undefined;
}

function at(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}.${key}`;
}

/** Port and protocol, both reported together; any error ends reading. */
function checkAddress(creation: JsonObject, options: ReadOptions, path: string): RiftError[] {
  const errors: RiftError[] = [];
  const add = (message: string, key: string) =>
    errors.push(new RiftError('bad data', message, {}, { path: at(path, key) }));
  if (has(creation, 'port') && portNumber(creation.port) === undefined) add("invalid value for 'port'", 'port');
  const { protocol } = creation;
  if (protocol === undefined) add("'protocol' is a required field", 'protocol');
  else if (typeof protocol !== 'string' || !options.protocols.has(protocol)) {
    const name = String(protocol);
    add(
      options.profile === 'rift' ? `Invalid protocol: ${name}` : `the ${name} protocol is not yet supported`,
      'protocol',
    );
  }
  return errors;
}

/** Mountebank's checks of the imposter itself, in the order in which they stand before the stubs' errors. */
function checkImposter(creation: ImposterJson, options: ReadOptions, path: string): RiftError[] {
  const errors: RiftError[] = [];
  const custom = options.protocols.get(creation.protocol)!.custom;
  if (
    creation.protocol === 'tcp' &&
    !custom &&
    creation.mode &&
    creation.mode !== 'text' &&
    creation.mode !== 'binary'
  ) {
    errors.push(new RiftError('bad data', "'mode' must be one of ['text', 'binary']", {}, { path: at(path, 'mode') }));
  }
  const resolver = creation.endOfRequestResolver;
  if (isObject(resolver) && resolver.inject && !options.allowInjection) {
    errors.push(
      new RiftError(
        'invalid injection',
        javascriptRefused,
        { source: resolver },
        { path: at(path, 'endOfRequestResolver') },
      ),
    );
  }
  return errors;
}

/** The request with Rift's aliases under their own names, without output-only parts. */
function withoutAliases(json: JsonObject): JsonObject {
  const creation: JsonObject = { ...json };
  for (const [alias, name] of Object.entries(aliases)) {
    if (!has(creation, alias)) continue;
    if (!has(creation, name)) creation[name] = creation[alias]!;
    delete creation[alias];
  }
  if (isObject(creation._rift) && has(creation._rift, 'warnings')) {
    const { warnings: _, ...rift } = creation._rift;
    creation._rift = rift;
  }
  return creation;
}

/** What Mountebank would find when it starts the imposter, and what only Rift knows; looked at when all else is well. */
function checkRest(creation: ImposterJson, { options, door, batch }: StubContext, path: string): RiftError[] {
  const { cert, key } = creation;
  if (creation.protocol === 'https' && !options.protocols.get('https')!.custom && Boolean(cert) !== Boolean(key)) {
    const text = 'https imposter must provide both `cert` and `key`, or neither';
    const message = options.profile === 'rift' ? `TLS configuration error: ${text}` : text;
    return [new RiftError('bad data', message, {}, { path: at(path, cert ? 'key' : 'cert') })];
  }
  const problem = imposterRiftProblem(creation._rift, door, batch) ?? switchProblem(creation, options.profile, door);
  return problem === undefined
    ? []
    : [new RiftError('bad data', problem.message, {}, { path: at(path, problem.path), riftOnly: true })];
}

/** Rift's switches of an imposter (docs/imposters.md). */
function switchProblem(
  creation: ImposterJson,
  profile: Profile,
  door: string,
): { path: string; message: string } | undefined {
  const { defaultForward } = creation;
  if (defaultForward !== undefined && defaultForward !== null && !isHttpUrl(defaultForward)) {
    return { path: 'defaultForward', message: `${door}defaultForward must be an http or https URL` };
  }
  if (profile === 'mountebank') return undefined;
  for (const key of ['enabled', 'strictBehaviors', 'recordMatches', 'allowCORS']) {
    const value = creation[key];
    if (value !== undefined && value !== null && typeof value !== 'boolean') {
      return { path: key, message: `${door}${key} must be true or false` };
    }
  }
  return undefined;
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return /^https?:$/.test(new URL(value).protocol);
  } catch {
    return false;
  }
}

/** One of several imposters in a document. */
interface Place {
  readonly path: string;
  readonly door: string;
  /** Its index in the document; undefined when it is the document. */
  readonly index?: number;
}

async function read(json: unknown, options: ReadOptions, place: Place): Promise<Read<ImposterJson>> {
  const { profile } = options;
  const { path, door } = place;
  const shape = (message: string, key: string) => ({
    errors: [new RiftError('bad data', profile === 'rift' ? `${door}${message}` : message, {}, { path: key })],
  });
  if (json === null || (profile === 'rift' && !isObject(json))) return shape('imposter must be an object', path);
  // the stubs are looked at where they are read
  const tooDeep = isObject(json) ? nestingError({ ...json, stubs: null }) : undefined;
  if (tooDeep !== undefined) return { errors: [tooDeep] };
  const creation = withoutAliases(isObject(json) ? json : {});
  if (profile === 'rift' && creation.protocol === undefined) creation.protocol = 'http';
  const address = checkAddress(creation, options, path);
  if (address.length > 0) return { errors: address };
  if (has(creation, 'port')) creation.port = portNumber(creation.port)!;
  const list = creation.stubs ? creation.stubs : [];
  if (!Array.isArray(list)) return shape("'stubs' must be an array", at(path, 'stubs'));
  const port = creation.port === undefined ? '<auto-assigned>' : String(creation.port);
  const batch = place.index === undefined ? '' : ` in imposter[${place.index}] (port ${port})`;
  const context = stubContext(creation, options, door, batch);
  const { stubs, errors, warnings } = await readStubList(list, context, (index) => at(path, `stubs[${index}]`));
  creation.stubs = stubs;
  const value = creation as ImposterJson;
  let all = [...checkImposter(value, options, path), ...errors];
  if (all.length === 0) all = checkRest(value, context, path);
  return all.length > 0 ? { errors: all } : { value, warnings: [...unknownImposterKeys(value), ...warnings] };
}

/**
 * Reads one creation request (`POST /imposters`, one imposter of a file).
 *
 * The value is a new object in today's spelling that shares its parts with `json`: `protocol` known, `port` absent or a
 * number, `stubs` an array. `json` is not changed. Never throws.
 */
export function readImposter(json: unknown, options: ReadOptions): Promise<Read<ImposterJson>> {
  return read(json, options, { path: '', door: 'Invalid imposter JSON: ' });
}

/** A batch of profile `rift` is refused when two stubs of one imposter have the same id. */
function repeatedIds(imposters: readonly ImposterJson[]): RiftError[] {
  for (const [index, { stubs }] of imposters.entries()) {
    const seen = new Set<unknown>();
    for (const [position, { id }] of stubs.entries()) {
      if (typeof id !== 'string') continue;
      if (seen.has(id)) {
        const message = `Invalid imposter set (imposters unchanged): A stub with id '${id}' already exists`;
        const path = `imposters[${index}].stubs[${position}].id`;
        return [new RiftError('bad data', message, {}, { path, riftOnly: true })];
      }
      seen.add(id);
    }
  }
  return [];
}

/** Reads `{"imposters": [...]}` (`PUT /imposters`); errors of all imposters in their order, all or nothing. */
export async function readImposters(json: unknown, options: ReadOptions): Promise<Read<ImposterJson[]>> {
  if (!isObject(json) || !has(json, 'imposters')) {
    return { errors: [new RiftError('bad data', "'imposters' is a required field", {}, { path: 'imposters' })] };
  }
  const list = json.imposters;
  if (!Array.isArray(list)) {
    return { errors: [new RiftError('bad data', "'imposters' must be an array", {}, { path: 'imposters' })] };
  }
  const imposters: ImposterJson[] = [];
  const errors: RiftError[] = [];
  const warnings: Warning[] = [];
  for (const [index, element] of list.entries()) {
    const place = { path: `imposters[${index}]`, door: 'Invalid batch JSON: ', index };
    const result = await read(element, options, place);
    if ('errors' in result) errors.push(...result.errors);
    else {
      imposters.push(result.value);
      warnings.push(...result.warnings);
    }
  }
  if (errors.length === 0 && options.profile === 'rift') errors.push(...repeatedIds(imposters));
  return errors.length > 0 ? { errors } : { value: imposters, warnings };
}
