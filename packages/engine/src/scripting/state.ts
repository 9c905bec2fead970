// The two objects that user functions of an imposter share: `state` (predicates, responses, decorators) and `injectState`
// (responses only). They live in the worker thread. After each call the thread hands out a copy, so that a thread that has
// to be ended loses nothing but the call it failed in.

import { deserialize, serialize } from 'node:v8';

export type StateObject = { [key: string]: unknown };

export interface ScriptState {
  readonly state: StateObject;
  readonly injectState: StateObject;
}

/** What one thread changed, by top-level key. */
interface StatePatch {
  readonly set: readonly (readonly [keyof ScriptState, string, unknown])[];
  readonly deleted: readonly (readonly [keyof ScriptState, string])[];
}

const parts: readonly (keyof ScriptState)[] = ['state', 'injectState'];

export function readState(bytes: Uint8Array | undefined): ScriptState {
  return bytes === undefined ? { state: {}, injectState: {} } : (deserialize(bytes) as ScriptState);
}

/** A copy of both objects; values that cannot be copied (functions, sockets, promises) are left out and reported. */
export function writeState(state: ScriptState, dropped: (path: string) => void): Uint8Array {
  try {
    return serialize(state);
  } catch {
    const copies = { state: {} as StateObject, injectState: {} as StateObject };
    for (const part of parts) {
      for (const key of Object.keys(state[part])) {
        const copy = copyable(state[part][key], `${part}.${key}`, dropped, 0);
        if (copy !== undefined) copies[part][key] = copy;
      }
    }
    return serialize(copies);
  }
}

function copyable(value: unknown, path: string, dropped: (path: string) => void, depth: number): unknown {
  try {
    serialize(value);
    return value;
  } catch {
    const plain = Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]';
    if (!plain || depth > 8) {
      dropped(path);
      return undefined;
    }
    const source = value as StateObject;
    const copy: StateObject = Array.isArray(value) ? ([] as unknown as StateObject) : {};
    for (const key of Object.keys(source)) {
      const part = copyable(source[key], `${path}.${key}`, dropped, depth + 1);
      if (part !== undefined) copy[key] = part;
    }
    return copy;
  }
}

/** What a thread that started from `base` and ended with `own` has changed; undefined when nothing. */
export function statePatch(base: Uint8Array | undefined, own: Uint8Array): Uint8Array | undefined {
  const before = readState(base);
  const after = readState(own);
  const set: [keyof ScriptState, string, unknown][] = [];
  const deleted: [keyof ScriptState, string][] = [];
  for (const part of parts) {
    for (const key of Object.keys(after[part])) {
      const value = after[part][key];
      const same = Object.hasOwn(before[part], key) && sameBytes(serialize(before[part][key]), serialize(value));
      if (!same) set.push([part, key, value]);
    }
    for (const key of Object.keys(before[part])) if (!Object.hasOwn(after[part], key)) deleted.push([part, key]);
  }
  return set.length + deleted.length === 0 ? undefined : serialize({ set, deleted } satisfies StatePatch);
}

export function applyPatch(target: ScriptState, bytes: Uint8Array): void {
  const patch = deserialize(bytes) as StatePatch;
  for (const [part, key, value] of patch.set) {
    Object.defineProperty(target[part], key, { value, writable: true, enumerable: true, configurable: true });
  }
  for (const [part, key] of patch.deleted) delete target[part][key];
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
