// The body of an upstream's answer as Mountebank records it: base64 where text would destroy it, a JSON value where
// parsing loses nothing, text otherwise. Mountebank docs: protocols/http, proxies.

import { isUtf8 } from 'node:buffer';
import type { Json } from '../../../model/types.js';

const BINARY_ENCODINGS = ['gzip', 'br', 'compress', 'deflate'];
const BINARY_TYPES = [
  'audio/',
  'application/epub+zip',
  'application/gzip',
  'application/java-archive',
  'application/msword',
  'application/octet-stream',
  'application/pdf',
  'application/rtf',
  'application/vnd.ms-excel',
  'application/vnd.ms-fontobject',
  'application/vnd.ms-powerpoint',
  'application/vnd.visio',
  'application/x-shockwave-flash',
  'application/x-tar',
  'application/zip',
  'font/',
  'image/',
  'model/',
  'video/',
];

export interface RecordedBody {
  readonly body: Json;
  readonly _mode: 'text' | 'binary';
}

/** `header` gives the joined values of a header by its lower-case name. */
export function recordedBody(bytes: Buffer, header: (lowerName: string) => string): RecordedBody {
  if (isBinary(bytes, header)) return { body: bytes.toString('base64'), _mode: 'binary' };
  const text = bytes.toString('utf8');
  return { body: losslessJson(text) ?? text, _mode: 'text' };
}

function isBinary(bytes: Buffer, header: (lowerName: string) => string): boolean {
  const encoding = header('content-encoding').toLowerCase();
  if (BINARY_ENCODINGS.some((part) => encoding.includes(part))) return true;
  const type = header('content-type').toLowerCase();
  return BINARY_TYPES.some((part) => type.includes(part)) || !isUtf8(bytes);
}

/** The object or array that the text is, undefined when it is none or when a number would be printed differently. */
function losslessJson(text: string): Json | undefined {
  const first = /[^\t\n\r ]/.exec(text)?.[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return numbersSurvive(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

// a string is skipped as a whole, so that digits inside it do not count
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

function numbersSurvive(text: string): boolean {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (token[0] !== '"' && String(Number(token)) !== token) return false;
  }
  return true;
}
