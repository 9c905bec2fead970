// Order-free comparison of JSON values: one text a value, keys sorted and arrays sorted by their elements' texts.

import { ByteText } from './binary.js';
import { isObject, type Members, setMember } from './members.js';

/** Keys sorted, arrays as they are. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value);
  if (keys.length === 1) return `{${JSON.stringify(keys[0])}:${canonicalText((value as Members)[keys[0]])}}`;
  const members = keys.sort().map((key) => `${JSON.stringify(key)}:${canonicalText((value as Members)[key])}`);
  return `{${members.join()}}`;
}

/**
 * Keys sorted, arrays sorted at every level: two values have the same text exactly when `deepEquals` holds.
 * `asTexts`: every scalar counts as its text. The text is no JSON: lengths stand before names and texts, which is
 * cheaper than quoting.
 */
export function unorderedText(value: unknown, asTexts = false): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (Array.isArray(value)) {
    if (value.length === 1) return `[${unorderedText(value[0], asTexts)}]`;
    return `[${value.map((item) => unorderedText(item, asTexts)).sort()}]`;
  }
  if (value instanceof ByteText) return unorderedText(value.toText());
  if (isObject(value)) {
    const keys = sortedKeys(value);
    let text = '{';
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at];
      text += `${key.length}:${key}=${unorderedText((value as Members)[key], asTexts)},`;
    }
    return `${text}}`;
  }
  const scalar = String(value);
  return asTexts ? `${scalar.length}:${scalar}` : `=${scalar}`;
}

/** By code units, as `sort` does it, without its overhead for the few names that most objects have. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  if (keys.length > 16) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at];
    let to = at;
    for (; to > 0 && keys[to - 1] > key; to--) keys[to] = keys[to - 1];
    keys[to] = key;
  }
  return keys;
}

/**
 * Puts elements in Mountebank's order of normalised arrays: objects by canonical text, everything else by `<`. Each text is made
 * once: of objects that lie in one another all are as long as the document.
 */
export function sortElements(elements: unknown[]): unknown[] {
  if (elements.length < 2) return elements;
  if (!elements.some(isObject)) return elements.sort(comparePrimitives);
  const texts = new Map<object, string>();
  const textOf = (value: object): string => {
    let text = texts.get(value);
    if (text === undefined) {
      text = canonicalText(value);
      texts.set(value, text);
    }
    return text;
  };
  return elements.sort((left, right) => {
    const both = isObject(left) && isObject(right);
    if (!both) return comparePrimitives(left, right);
    const a = textOf(left);
    const b = textOf(right);
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

function comparePrimitives(left: unknown, right: unknown): number {
  const a = primitiveOf(left);
  const b = primitiveOf(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

function primitiveOf(value: unknown): string | number {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? primitiveOf(item) : (item ?? ''))).join();
  if (isObject(value)) return '[object Object]';
  return value as string | number;
}

/** Every scalar as its text, at every depth: what `deepEquals` compares. */
export function textsOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textsOnly);
  if (value instanceof ByteText) return value.toText();
  if (!isObject(value)) return value === undefined ? undefined : String(value);
  const result: Members = {};
  for (const key of Object.keys(value)) setMember(result, key, textsOnly((value as Members)[key]));
  return result;
}
