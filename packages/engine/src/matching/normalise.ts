// Bringing both sides of a predicate to a comparable form: fold names and texts, strip `except`, sort arrays and, on the
// request's side, replace each text by what the selector finds in it.

import type { RequestView } from '../request-view.js';
import { ByteText, base64Text } from './binary.js';
import { compareElements, textsOnly, unorderedText } from './canonical.js';
import { isFastHttpView } from './fast-http-view.js';
import { mapJson, memoised, parseJson } from './json-text.js';
import { isObject, type Members, setMember } from './members.js';
import type { Parameters } from './parameters.js';
import { readPlainXml } from './xml-subset.js';
import { parseXml, type XpathSelector } from './xpath.js';

type MapText = (text: string) => unknown;

function walk(value: unknown, foldKeys: boolean, mapText: MapText): unknown {
  if (typeof value === 'string') return mapText(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, foldKeys, mapText)).sort(compareElements);
  if (!isObject(value)) return value;
  const result: Members = {};
  for (const key of Object.keys(value)) {
    setMember(result, foldKeys ? key.toLowerCase() : key, walk((value as Members)[key], foldKeys, mapText));
  }
  return result;
}

/** The operand in its comparable form. */
export function normaliseOperand(operand: unknown, parameters: Parameters): unknown {
  const strip = parameters.stripOperand ? parameters.strip : undefined;
  return walk(operand, parameters.foldKeys, (text) => foldAndStrip(text, { ...parameters, xpath: undefined }, strip));
}

/** A value of the request (a field or the whole of it) in its comparable form. */
export function normaliseRequest(value: unknown, parameters: Parameters, view: RequestView): unknown {
  return walk(value, parameters.foldKeys, (text) => {
    const plain = foldAndStrip(text, parameters, parameters.strip);
    return typeof plain === 'string' ? select(plain, parameters, view) : plain;
  });
}

/**
 * The request's field of a normalised name, normalised and with the selector applied; when two names fold together the
 * later one wins.
 */
export function requestField(view: RequestView, name: string, parameters: Parameters): unknown {
  const { foldKeys, foldValues, strip } = parameters;
  if (isFastHttpView(view)) {
    const plain = strip === undefined && parameters.mode.selector === undefined;
    if (plain && name === 'body') {
      const text = view.bodyText;
      return text === undefined || !foldValues ? text : foldedBody(view, text);
    }
    return normaliseRequest(view.field(foldKeys && name === 'requestfrom' ? 'requestFrom' : name), parameters, view);
  }
  let found: string | undefined;
  for (const field of view.fieldNames()) if ((foldKeys ? field.toLowerCase() : field) === name) found = field;
  return found === undefined ? undefined : normaliseRequest(view.field(found), parameters, view);
}

function foldedBody(view: RequestView, text: string): string {
  let folded = view.memo.get('folded body') as string | undefined;
  if (folded === undefined) {
    folded = text.toLowerCase();
    view.memo.set('folded body', folded);
  }
  return folded;
}

/** A text that a comparison parses as JSON: undefined when it is none. Arrays keep their order. */
export function openedText(text: string, parameters: Parameters, view: RequestView): unknown {
  const json = memoised(view, 'json', text, () => parseJson(text));
  if (json === undefined || !needsMapping(text, parameters)) return json;
  return memoised(view, parameters.openedIdentity, text, () => comparableJson(json, parameters));
}

/** A text that is folded already parses to folded JSON, unless an escape hides letters. */
function needsMapping(text: string, { foldKeys, foldValues, strip }: Parameters): boolean {
  if (strip !== undefined) return true;
  return foldValues ? text.includes('\\u') : foldKeys;
}

/** Parsed JSON with names and texts as the parameters want them. */
function comparableJson(json: unknown, { foldKeys, foldValues, strip }: Parameters): unknown {
  if (!foldValues && !foldKeys && strip === undefined) return json;
  const mapText = (text: string) => {
    const folded = foldValues ? text.toLowerCase() : text;
    return strip === undefined ? folded : strip(folded);
  };
  return mapJson(json, foldKeys, foldValues || strip !== undefined ? mapText : undefined);
}

/** A field as `deepEquals` compares it with an object or array: JSON in a text opened, every scalar a text. */
export function wholeValue(
  view: RequestView,
  name: string,
  parameters: Parameters,
): { readonly text: string } | undefined {
  const purpose = parameters.wholeIdentity;
  let byName = view.memo.get(purpose) as Map<string, { text: string } | undefined> | undefined;
  if (byName === undefined) {
    byName = new Map();
    view.memo.set(purpose, byName);
  }
  if (byName.has(name)) return byName.get(name);
  const value = requestField(view, name, parameters);
  const whole = value === undefined ? undefined : { text: wholeText(value, parameters, view) };
  byName.set(name, whole);
  return whole;
}

function wholeText(value: unknown, parameters: Parameters, view: RequestView): string {
  const raw = value instanceof ByteText ? value.toText() : value;
  // What a JSONPath selector found has texts for scalars where Mountebank has them; everything else gets them here.
  if (typeof raw !== 'string') return unorderedText(value, parameters.jsonpath === undefined);
  const json = memoised(view, 'json', raw, () => parseJson(raw));
  if (json === undefined) return unorderedText(value);
  if (!needsMapping(raw, parameters)) return unorderedText(json, true);
  return unorderedText(comparableJson(textsOnly(json), parameters));
}

function foldAndStrip(text: string, parameters: Parameters, strip: Parameters['strip']): unknown {
  if (parameters.base64) return base64Text(text, parameters.foldValues, strip);
  // XML folds after parsing (foldTree), so that CDATA sections and entities survive.
  const folded = parameters.foldValues && parameters.xpath === undefined ? text.toLowerCase() : text;
  return strip === undefined ? folded : strip(folded);
}

/** What the selector finds in a text: nothing is undefined, one result is itself, several are a sorted array. */
function select(text: string, parameters: Parameters, view: RequestView): unknown {
  const { jsonpath, xpath } = parameters;
  if (jsonpath !== undefined) {
    return memoised(view, parameters.identity, text, () => oneOrSorted(jsonpath(selectable(text, parameters, view))));
  }
  if (xpath !== undefined) {
    if (text === '') return undefined;
    return memoised(view, parameters.identity, text, () => oneOrSorted(selectXml(xpath, text, parameters, view)));
  }
  return text;
}

function selectXml(
  xpath: XpathSelector,
  text: string,
  { foldValues }: Parameters,
  view: RequestView,
): readonly unknown[] {
  if (xpath.plain !== undefined) {
    const root = memoised(view, foldValues ? 'folded plain xml' : 'plain xml', text, () =>
      readPlainXml(text, foldValues),
    );
    if (root !== undefined) return xpath.plain(root);
  }
  return xpath.evaluate(memoised(view, foldValues ? 'folded xml' : 'xml', text, () => parseXml(text, foldValues)));
}

/**
 * The JSON that a selector is applied to: for `deepEquals` its scalars are texts already. A JSON text that holds JSON
 * again is opened once, as it stands; one that does not is no JSON.
 */
export function selectable(text: string, parameters: Parameters, view: RequestView): unknown {
  const parsed = openedText(text, parameters, view);
  const json = parameters.selectTexts ? textsOnly(parsed) : parsed;
  return typeof json === 'string' ? parseJson(json) : json;
}

function oneOrSorted(found: readonly unknown[]): unknown {
  if (found.length === 0) return undefined;
  if (found.length === 1) return found[0];
  return [...found].sort(compareElements);
}
