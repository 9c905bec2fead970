// The JSON text of an imposter as the admin API sends it: two spaces a level. Of an imposter with many stubs nearly all
// text is that of stubs that have not changed since the last time, so it is kept with each stub.

import type { StubParts } from './imposter-json.js';
import type { JsonObject, StubJson } from './types.js';

/** What the `stubs` of an imposter's JSON are made of, when they are not made yet. */
interface Unshown {
  readonly stubs: readonly StubParts[];
  readonly links: string;
}

const unshown = new WeakMap<object, Unshown>();

interface Kept {
  /** With its link. One flat text, that joining does not have to walk. */
  readonly text: string;
  /** How much of it stands before the link. */
  readonly before: number;
  readonly index: number;
  readonly links: string;
  /** A proxy appends responses to a stub in place. */
  readonly responses: unknown;
  readonly count: number;
}

const kept = new WeakMap<StubJson, Kept>();

/** Fewer stubs are not worth the trouble; the text of more is not worth its memory. */
const leastStubs = 32;
const mostStubs = 20_000;

/**
 * Gives an imposter's JSON its `stubs`, to be made by `show` when somebody reads them: `prettyJson` does not.
 * `linkBase` is what stands before the path in links.
 */
export function showLater(
  json: { [key: string]: unknown },
  stubs: readonly StubParts[],
  linkBase: string,
  show: () => unknown[],
): void {
  if (stubs.length < leastStubs || stubs.length > mostStubs) {
    json.stubs = show();
    return;
  }
  unshown.set(json, { stubs, links: `${linkBase}/imposters/${String(json.port)}/stubs/` });
  let shown: unknown[] | undefined;
  Object.defineProperty(json, 'stubs', {
    enumerable: true,
    configurable: true,
    get: () => {
      shown ??= show();
      return shown;
    },
  });
}

const closing = '\n    }';

/** Line breaks inside of strings are escaped: every one in the text is between two parts. */
function indented(stub: object): string {
  return JSON.stringify(stub, null, 2).replaceAll('\n', '\n    ');
}

/** The text of a stub up to where its link goes. */
function textBeforeLink(stub: object): string {
  const text = indented(stub);
  return text === '{}' ? '{' : `${text.slice(0, -closing.length)},`;
}

function withLink(before: string, links: string, index: number): string {
  const href = JSON.stringify(`${links}${index}`);
  const link = `\n      "_links": {\n        "self": {\n          "href": ${href}\n        }\n      }`;
  return [before, link, closing].join('');
}

function shownText({ json, matches }: StubParts, index: number, links: string): string {
  if (matches !== undefined && matches.length > 0) return withLink(textBeforeLink({ ...json, matches }), links, index);
  const { responses } = json;
  const count = Array.isArray(responses) ? responses.length : 0;
  const known = kept.get(json);
  const valid = known !== undefined && known.responses === responses && known.count === count;
  if (valid && known.index === index && known.links === links) return known.text;
  const before = valid ? known.text.slice(0, known.before) : textBeforeLink(json);
  const text = withLink(before, links, index);
  kept.set(json, { text, before: before.length, index, links, responses, count });
  return text;
}

/** The same text as `JSON.stringify(value, null, 2)`, of an imposter with many stubs faster. */
export function prettyJson(value: unknown): string {
  const source = typeof value === 'object' && value !== null ? unshown.get(value) : undefined;
  if (source === undefined) return JSON.stringify(value, null, 2);
  const around: { [key: string]: unknown } = {};
  for (const key of Object.keys(value as JsonObject)) around[key] = key === 'stubs' ? [] : (value as JsonObject)[key];
  const text = JSON.stringify(around, null, 2);
  // Two spaces of indentation: no deeper key can be this one.
  const place = '\n  "stubs": [';
  const at = text.indexOf(`${place}]`) + place.length;
  const stubs = source.stubs.map((stub, index) => shownText(stub, index, source.links));
  return `${text.slice(0, at)}\n    ${stubs.join(',\n    ')}\n  ${text.slice(at)}`;
}
