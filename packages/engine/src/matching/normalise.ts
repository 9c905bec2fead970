// Bringing both sides of a predicate to a comparable form: fold names and texts, strip `except`, sort arrays and, on the
// request's side, replace each text by what the selector finds in it.

import type { RequestView } from '../request-view.js';
import { ByteText, base64Text } from './binary.js';
import { sortElements, textsOnly, unorderedText } from './canonical.js';
import { isFastHttpView } from './fast-http-view.js';
import { mapJson, parseJson } from './json-text.js';
import { isObject, type Members, setMember } from './members.js';
import type { Parameters } from './parameters.js';
import { memoised, readingOf, type TextReading, UNMADE } from './text-reading.js';
import { withinLimit } from './time-limit.js';
import { parseXml } from './xml.js';
import { readPlainXml } from './xml-subset.js';
import type { XpathSelector } from './xpath.js';

/** Results of so many characters are put in order without a limit of time, which costs more than most orders. */
const LARGE = 10_000_000;

type MapText = (text: string) => unknown;

function walk(value: unknown, foldKeys: boolean, mapText: MapText): unknown {
  if (typeof value === 'string') return mapText(value);
  if (Array.isArray(value)) return sortElements(value.map((item) => walk(item, foldKeys, mapText)));
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
    if (name === 'body' && strip === undefined) {
      const reading = view.bodyReading;
      if (reading === undefined) return undefined;
      // XML folds after parsing, as in foldAndStrip
      const { text } = foldValues && parameters.xpath === undefined ? reading.folded : reading;
      return parameters.mode.selector === undefined ? text : select(text, parameters, view);
    }
    return normaliseRequest(view.field(foldKeys && name === 'requestfrom' ? 'requestFrom' : name), parameters, view);
  }
  let found: string | undefined;
  for (const field of view.fieldNames()) if ((foldKeys ? field.toLowerCase() : field) === name) found = field;
  return found === undefined ? undefined : normaliseRequest(view.field(found), parameters, view);
}

/** A text that a comparison parses as JSON: undefined when it is none. Arrays keep their order. */
export function openedText(text: string, parameters: Parameters, view: RequestView): unknown {
  return openedReading(readingOf(view, text), parameters);
}

/** The same of a text whose reading is at hand. */
export function openedReading(reading: TextReading, parameters: Parameters): unknown {
  const { json } = reading;
  if (json === undefined || !needsMapping(reading, parameters)) return json;
  const made = reading.made(parameters.openedIdentity);
  return made === UNMADE ? reading.keep(parameters.openedIdentity, comparableJson(json, parameters)) : made;
}

/** A text that is folded already parses to folded JSON, unless an escape hides letters. */
export function needsMapping(reading: TextReading, { foldKeys, foldValues, strip }: Parameters): boolean {
  if (strip !== undefined) return true;
  return foldValues ? reading.hidesLetters : foldKeys;
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

/**
 * A field as `deepEquals` compares it with an object or array: its canonical text, JSON in a text opened, every scalar a
 * text; undefined when the request does not have it.
 */
export function wholeValue(view: RequestView, name: string, parameters: Parameters): string | undefined {
  const purpose = parameters.wholeIdentity;
  if (name === 'body' && isFastHttpView(view)) {
    const reading = view.bodyReading;
    if (reading === undefined) return undefined;
    const made = reading.made(purpose);
    if (made !== UNMADE) return made as string | undefined;
    return reading.keep(purpose, wholeOf(requestField(view, name, parameters), parameters, view));
  }
  let byName = view.memo.get(purpose) as Map<string, string | undefined> | undefined;
  if (byName === undefined) {
    byName = new Map();
    view.memo.set(purpose, byName);
  }
  if (byName.has(name)) return byName.get(name);
  const whole = wholeOf(requestField(view, name, parameters), parameters, view);
  byName.set(name, whole);
  return whole;
}

function wholeOf(value: unknown, parameters: Parameters, view: RequestView): string | undefined {
  if (value === undefined) return undefined;
  const raw = value instanceof ByteText ? value.toText() : value;
  // What a JSONPath selector found has texts for scalars where Mountebank has them; everything else gets them here.
  if (typeof raw !== 'string') return unorderedText(value, parameters.jsonpath === undefined);
  const reading = readingOf(view, raw);
  const { json } = reading;
  if (json === undefined) return unorderedText(value);
  if (!needsMapping(reading, parameters)) return unorderedText(json, true);
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
  const { jsonpath, xpath, identity } = parameters;
  if (jsonpath === undefined && xpath === undefined) return text;
  if (xpath !== undefined && text === '') return undefined;
  const reading = readingOf(view, text);
  const made = reading.made(identity);
  if (made !== UNMADE) return made;
  const found =
    jsonpath === undefined ? selectXml(xpath!, text, parameters, view) : jsonpath(selectable(text, parameters, view));
  const inOrder = () => oneOrSorted(found);
  if (found.length < 2 || mostCharacters(found, text) < LARGE) return reading.keep(identity, inOrder());
  const name = `${jsonpath === undefined ? 'XPath' : 'JSONPath'} ${parameters.mode.selector?.selector}`;
  return reading.keep(identity, withinLimit(name, inOrder));
}

/** At most so many characters are compared: what lies in one another is as long as the text, each time. */
function mostCharacters(found: readonly unknown[], text: string): number {
  let sum = 0;
  for (const each of found) sum += typeof each === 'string' ? each.length : isObject(each) ? text.length : 1;
  return sum;
}

function selectXml(
  xpath: XpathSelector,
  text: string,
  { foldValues }: Parameters,
  view: RequestView,
): readonly unknown[] {
  if (xpath.plain !== undefined) {
    // no tag, no element
    if (!text.includes('<')) return [];
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
  return sortElements([...found]);
}
