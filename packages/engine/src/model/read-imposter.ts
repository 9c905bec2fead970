// The creation pipeline of an imposter: shape, port and protocol, then stubs, end-of-request resolver and what belongs
// to one protocol. Every wrong shape is an answer, never an exception.

import { RiftError } from '../errors.js';
import { javascriptRefused } from './injection-gate.js';
import type { Read, ReadOptions } from './read-options.js';
import { readStubList, stubContext } from './read-stub.js';
import { has, isObject } from './shapes.js';
import type { ImposterJson, JsonObject } from './types.js';

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
  if (creation.protocol === 'tcp' && creation.mode && creation.mode !== 'text' && creation.mode !== 'binary') {
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

async function read(json: unknown, options: ReadOptions, path: string): Promise<Read<ImposterJson>> {
  const { profile } = options;
  if (json === null || (profile === 'rift' && !isObject(json))) {
    return { errors: [new RiftError('bad data', 'imposter must be an object', {}, { path })] };
  }
  const creation = withoutAliases(isObject(json) ? json : {});
  if (profile === 'rift' && creation.protocol === undefined) creation.protocol = 'http';
  const address = checkAddress(creation, options, path);
  if (address.length > 0) return { errors: address };
  if (has(creation, 'port')) creation.port = portNumber(creation.port)!;
  const list = creation.stubs ? creation.stubs : [];
  if (!Array.isArray(list)) {
    return { errors: [new RiftError('bad data', "'stubs' must be an array", {}, { path: at(path, 'stubs') })] };
  }
  const context = stubContext(creation, creation.protocol as string, options);
  const { stubs, errors } = await readStubList(list, context, (index) => at(path, `stubs[${index}]`));
  creation.stubs = stubs;
  const value = creation as ImposterJson;
  const all = [...checkImposter(value, options, path), ...errors];
  return all.length > 0 ? { errors: all } : { value, warnings: [] };
}

/**
 * Reads one creation request (`POST /imposters`, one imposter of a file).
 *
 * The value is a new object in today's spelling that shares its parts with `json`: `protocol` known, `port` absent or a
 * number, `stubs` an array. `json` is not changed. Never throws.
 */
export function readImposter(json: unknown, options: ReadOptions): Promise<Read<ImposterJson>> {
  return read(json, options, '');
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
  for (const [index, element] of list.entries()) {
    const result = await read(element, options, `imposters[${index}]`);
    if ('errors' in result) errors.push(...result.errors);
    else imposters.push(result.value);
  }
  return errors.length > 0 ? { errors } : { value: imposters, warnings: [] };
}
