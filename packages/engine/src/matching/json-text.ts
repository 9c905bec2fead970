// Texts that are JSON.

import { isObject, type Members, setMember } from './members.js';

/** Result of parsing: `undefined` stands for "no JSON" (JSON itself has no undefined). */
export function parseJson(text: string): unknown {
  if (!mayBeJson(text)) return undefined;
  try {
    // A byte order mark before JSON is skipped (RFC 8259 section 8.1).
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** A copy with folded keys (when two fold together, the later one wins) and mapped texts. Arrays keep their order. */
export function mapJson(value: unknown, foldKeys: boolean, mapText: ((text: string) => string) | undefined): unknown {
  if (typeof value === 'string') return mapText === undefined ? value : mapText(value);
  if (Array.isArray(value)) return value.map((item) => mapJson(item, foldKeys, mapText));
  if (!isObject(value)) return value;
  const result: Members = {};
  for (const key of Object.keys(value)) {
    setMember(result, foldKeys ? key.toLowerCase() : key, mapJson((value as Members)[key], foldKeys, mapText));
  }
  return result;
}

/** Whether a text begins like JSON: failing to parse is dear, and most texts are told apart by their first character. */
function mayBeJson(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === 0x7b || first === 0x5b || first === 0x22) return true;
  return (first >= 0x30 && first <= 0x39) || /^[\s\ufeff\-tfn]/.test(text);
}
