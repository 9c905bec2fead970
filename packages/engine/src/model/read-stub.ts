// Stubs that come in by the stub endpoints of an imposter that is already there.

import { RiftError } from '../errors.js';
import { nestingError } from './nesting.js';
import { rewriteStub } from './old-spellings.js';
import { isPlainStub } from './plain-stub.js';
import type { Read, ReadOptions, Warning } from './read-options.js';
import { resolveScripts } from './script-sources.js';
import { has, isObject } from './shapes.js';
import { checkStub, type StubContext } from './stub-checks.js';
import type { ImposterJson, JsonObject, StubJson } from './types.js';
import { addUnknownKeys } from './unknown-keys.js';

/** Binds what the checks need of an imposter. */
export function stubContext(imposter: JsonObject, options: ReadOptions, door: string, batch = ''): StubContext {
  const protocolName = imposter.protocol as string;
  const protocol = options.protocols.get(protocolName)!;
  return { options, protocolName, protocol, encoding: protocol.encoding(imposter), imposter, door, batch };
}

/** Resolves and parses the scripts of those stubs in place. */
function settleScripts(stubs: StubJson[], which: readonly number[], context: StubContext, first: number): RiftError[] {
  const invalid: string[] = [];
  const error = (kind: string, text: string) => [
    new RiftError('bad data', `Script ${kind} failed${context.batch}: ${text}`, {}, { riftOnly: true }),
  ];
  for (const index of which) {
    const stub = stubs[index]!;
    const where = typeof stub.id === 'string' ? stub.id : `stub[${first + index}]`;
    const resolved = resolveScripts(stub, where, context.imposter, context.options.scripts);
    if (resolved.unresolved !== undefined) return error('resolution', resolved.unresolved);
    stubs[index] = resolved.stub;
    invalid.push(...resolved.invalid);
  }
  return invalid.length > 0 ? error('validation', invalid.join('; ')) : [];
}

/**
 * Rewrites and checks stubs. Errors are listed as Mountebank lists them: the last stub's first.
 * `path(index)` is where a stub stands in the posted document, `first` the index of the first one in the imposter.
 * The warnings are those of unknown keys.
 */
export async function readStubList(
  list: readonly unknown[],
  context: StubContext,
  path: (index: number) => string,
  first = 0,
): Promise<{ stubs: StubJson[]; errors: RiftError[]; warnings: Warning[] }> {
  // texts of binary protocols are decoded, which may fail
  const plain = context.encoding === 'utf8';
  const stubs = list.slice() as StubJson[];
  const special: number[] = [];
  for (let index = 0; index < list.length; index++) {
    if (!plain || !isPlainStub(list[index])) special.push(index);
  }
  const warnings: Warning[] = [];
  if (special.length === 0) return { stubs, errors: [], warnings };
  const tooDeep = nestingError(special.map((index) => list[index]));
  if (tooDeep !== undefined) return { stubs: [], errors: [tooDeep], warnings };
  const found: (RiftError[] | Promise<RiftError[]>)[] = [];
  for (let at = special.length - 1; at >= 0; at -= 1) {
    const index = special[at]!;
    const stub = rewriteStub(list[index], context.protocolName, context.options.profile);
    stubs[index] = stub as StubJson;
    const errors = checkStub(stub, context, path(index));
    if (errors instanceof Promise || errors.length > 0) found.push(errors);
  }
  const errors: RiftError[] = [];
  for (const part of found) errors.push(...(part instanceof Promise ? await part : part));
  if (errors.length > 0) return { stubs, errors, warnings };
  for (const index of special) {
    const stub = stubs[index]!;
    // Only profile `rift` lets a stub without responses through; everything behind this file finds an array.
    if (!Array.isArray(stub.responses)) stubs[index] = { ...stub, responses: [] };
  }
  const unsettled = settleScripts(stubs, special, context, first);
  for (const index of special) addUnknownKeys(stubs[index]!, first + index, warnings);
  return { stubs, errors: unsettled, warnings };
}

/** Where a single stub comes from. */
export interface StubPlace {
  /** Its index in the imposter, 0 when not said. */
  readonly index?: number;
  /** How messages about wrong types begin; `Invalid stub JSON: ` when not said. */
  readonly door?: string;
}

/** The body of `PUT /imposters/:id/stubs/:index`: one stub as it is. An absent body is the empty text. */
export async function readStub(
  json: unknown,
  imposter: ImposterJson,
  options: ReadOptions,
  { index = 0, door = 'Invalid stub JSON: ' }: StubPlace = {},
): Promise<Read<StubJson>> {
  const context = stubContext(imposter, options, door);
  const { stubs, errors, warnings } = await readStubList([json], context, () => '', index);
  return errors.length > 0 ? { errors } : { value: stubs[0]!, warnings };
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
  const context = stubContext(imposter, options, 'Invalid stubs JSON: ');
  const { stubs, errors, warnings } = await readStubList(json.stubs, context, (index) => `stubs[${index}]`);
  return errors.length > 0 ? { errors } : { value: stubs, warnings };
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
  const position = Math.trunc(index as number);
  const context = stubContext(imposter, options, 'Invalid stub JSON: ');
  const { stubs, errors: wrong, warnings } = await readStubList([body.stub], context, () => 'stub', position);
  return wrong.length > 0 ? { errors: wrong } : { value: { index: position, stub: stubs[0]! }, warnings };
}
