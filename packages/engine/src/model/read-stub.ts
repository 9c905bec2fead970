// Stubs that come in by the stub endpoints of an imposter that is already there.

import { RiftError } from '../errors.js';
import { rewriteStub } from './old-spellings.js';
import type { Read, ReadOptions } from './read-options.js';
import { has, isObject } from './shapes.js';
import { checkStub, type StubContext } from './stub-checks.js';
import type { ImposterJson, JsonObject, StubJson } from './types.js';

/** Binds what the checks need of an imposter. */
export function stubContext(imposter: JsonObject, protocolName: string, options: ReadOptions): StubContext {
  const protocol = options.protocols.get(protocolName)!;
  return { options, protocolName, protocol, encoding: protocol.encoding(imposter) };
}

/**
 * Rewrites and checks stubs. Errors are listed as Mountebank lists them: the last stub's first.
 * `path(index)` is where a stub stands in the posted document.
 */
export async function readStubList(
  list: readonly unknown[],
  context: StubContext,
  path: (index: number) => string,
): Promise<{ stubs: StubJson[]; errors: RiftError[] }> {
  const stubs = new Array<StubJson>(list.length);
  const found: (RiftError[] | Promise<RiftError[]>)[] = [];
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const stub = rewriteStub(list[index], context.protocolName, context.options.profile);
    stubs[index] = stub as StubJson;
    const errors = checkStub(stub, context, path(index));
    if (errors instanceof Promise || errors.length > 0) found.push(errors);
  }
  const errors: RiftError[] = [];
  for (const part of found) errors.push(...(part instanceof Promise ? await part : part));
  return { stubs, errors };
}

/** The body of `PUT /imposters/:id/stubs/:index`: one stub as it is. */
export async function readStub(json: unknown, imposter: ImposterJson, options: ReadOptions): Promise<Read<StubJson>> {
  const { stubs, errors } = await readStubList([json], stubContext(imposter, imposter.protocol, options), () => '');
  return errors.length > 0 ? { errors } : { value: stubs[0]!, warnings: [] };
}

/** The body of `PUT /imposters/:id/stubs`: `{"stubs": [...]}`. */
export async function readStubs(
  json: unknown,
  imposter: ImposterJson,
  options: ReadOptions,
): Promise<Read<StubJson[]>> {
  if (!isObject(json) || !has(json, 'stubs')) {
    return { errors: [new RiftError('bad data', "'stubs' is a required field", {}, { path: 'stubs' })] };
  }
  if (!Array.isArray(json.stubs)) {
    return { errors: [new RiftError('bad data', "'stubs' must be an array", {}, { path: 'stubs' })] };
  }
  const context = stubContext(imposter, imposter.protocol, options);
  const { stubs, errors } = await readStubList(json.stubs, context, (index) => `stubs[${index}]`);
  return errors.length > 0 ? { errors } : { value: stubs, warnings: [] };
}

/** The body of `POST /imposters/:id/stubs`: `{"index": n, "stub": {...}}`; without index the stub goes to the end. */
export async function readStubAddition(
  json: unknown,
  imposter: ImposterJson,
  stubCount: number,
  options: ReadOptions,
): Promise<Read<{ index: number; stub: StubJson }>> {
  const body = isObject(json) ? json : {};
  const index = has(body, 'index') ? body.index : stubCount;
  const errors: RiftError[] = [];
  if (typeof index !== 'number' || index < 0 || index > stubCount) {
    const message =
      options.profile === 'rift' && typeof index === 'number'
        ? `Stub index ${index} is out of range (imposter has ${stubCount} stubs)`
        : "'index' must be between 0 and the length of the stubs array";
    errors.push(new RiftError('bad data', message, {}, { path: 'index' }));
  }
  if (!has(body, 'stub')) errors.push(new RiftError('bad data', "must contain 'stub' field", {}, { path: 'stub' }));
  if (errors.length > 0) return { errors };
  const context = stubContext(imposter, imposter.protocol, options);
  const read = await readStubList([body.stub], context, () => 'stub');
  return read.errors.length > 0
    ? { errors: read.errors }
    : { value: { index: Math.trunc(index as number), stub: read.stubs[0]! }, warnings: [] };
}
