// The JSON text of an imposter as the admin API sends it: two spaces a level. The stubs of one with many come from bytes
// that are kept (shown-stubs.ts).

import type { ImposterParts } from './imposter-json.js';
import { ShownStubs } from './shown-stubs.js';
import type { JsonObject } from './types.js';

/** What the `stubs` of an imposter's JSON are made of, when they are not made yet. */
interface Unshown {
  readonly parts: ImposterParts;
  readonly links: string;
  readonly shown: ShownStubs;
  readonly show: () => unknown[];
  made: unknown[] | undefined;
}

/** Where an imposter's JSON has them: not enumerable. */
const unshown = Symbol('unshown');

interface Later {
  readonly [unshown]?: Unshown;
}

/** Fewer stubs are not worth the trouble. */
const leastStubs = 32;

/**
 * Gives an imposter's JSON its `stubs`, to be made by `show` when somebody reads them: `prettyBytes` does not.
 * `linkBase` is what stands before the path in links.
 */
export function showLater(
  json: { [key: string]: unknown },
  parts: ImposterParts,
  linkBase: string,
  show: () => unknown[],
): void {
  if (parts.stubs.length < leastStubs) {
    json.stubs = show();
    return;
  }
  const links = `${linkBase}/imposters/${String(json.port)}/stubs/`;
  const later: Unshown = { parts, links, shown: parts.shown ?? new ShownStubs(), show, made: undefined };
  Object.defineProperty(json, unshown, { value: later });
  Object.defineProperty(json, 'stubs', shownWhenRead);
}

/** One for all: a getter of its own would be kept by the hidden class of its object, and all that it sees with it. */
const shownWhenRead: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: Later) {
    const later = this[unshown]!;
    later.made ??= later.show();
    return later.made;
  },
};

/**
 * The text `JSON.stringify(value, null, 2)` in UTF-8: as a text, of an imposter with many stubs in buffers that do not
 * change any more, of one with very many in buffers that are made as they are read.
 */
export function prettyBytes(value: unknown): string | readonly Buffer[] | Generator<Buffer> {
  const source = typeof value === 'object' && value !== null ? (value as Later)[unshown] : undefined;
  if (source === undefined) return JSON.stringify(value, null, 2);
  const around: { [key: string]: unknown } = {};
  for (const key of Object.keys(value as JsonObject)) around[key] = key === 'stubs' ? [] : (value as JsonObject)[key];
  const rift = around._rift as JsonObject | undefined;
  const warnings = rift?.warnings;
  const warns = Array.isArray(warnings) && warnings.length > 0;
  if (warns) around._rift = { ...rift, warnings: [] };
  const text = JSON.stringify(around, null, 2);
  // Two spaces of indentation: no deeper key can be this one.
  const at = afterPlace(text, '\n  "stubs": [');
  const before = Buffer.from(text.slice(0, at));
  const after: Buffer[] = [Buffer.from(`\n  ${text.slice(at)}`)];
  if (warns) {
    // the first key of the last object
    const end = `\n  ${text.slice(at)}`;
    const place = afterPlace(end, '\n  "_rift": {\n    "warnings": [');
    const shown = source.shown.warnings(source.parts.warnings);
    after.splice(0, 1, Buffer.from(end.slice(0, place)), ...shown, Buffer.from(`\n    ${end.slice(place)}`));
  }
  const stubs = source.shown.bytes(source.parts.stubs, source.links, source.parts.lineage);
  return Array.isArray(stubs) ? [before, ...stubs, ...after] : framed(before, stubs as Generator<Buffer>, after);
}

function afterPlace(text: string, place: string): number {
  return text.indexOf(`${place}]`) + place.length;
}

function* framed(before: Buffer, pieces: Iterable<Buffer>, after: readonly Buffer[]): Generator<Buffer> {
  yield before;
  yield* pieces;
  yield* after;
}
