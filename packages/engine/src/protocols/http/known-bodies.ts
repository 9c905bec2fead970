// Bodies that come again and again are read once: what a text reads as follows from the text alone, so a body of the
// same bytes has the same reading, whoever sends it and whichever imposter it meets. A body is found by a hash of all its
// bytes and compared byte by byte. It stays only if it comes twice, so that bodies that never come again cost their hash
// alone; each hash has one place, so that nothing grows.

import { isUtf8 } from 'node:buffer';
import { TextReading } from '../../matching/text-reading.js';

/** Bytes of a body that may stay. */
const LONGEST = 1024;
const PLACES = 256;
/** A reading of which more was made is left, so that thousands of selectors do not fill the memory. */
const MOST_MADE = 64;

interface Known {
  readonly bytes: Buffer;
  readonly reading: TextReading;
}

const seen = new Int32Array(PLACES);
const known = new Array<Known | undefined>(PLACES).fill(undefined);

/** What a body reads as; undefined when its bytes are no UTF-8. */
export function readingOfBody(bytes: Buffer): TextReading | undefined {
  if (bytes.length === 0 || bytes.length > LONGEST) return read(bytes);
  const hash = hashOf(bytes);
  const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
  if (seen[place] !== hash) {
    seen[place] = hash;
    return read(bytes);
  }
  const there = known[place];
  if (there?.bytes.equals(bytes) && there.reading.size <= MOST_MADE) return there.reading;
  const reading = read(bytes);
  if (reading !== undefined) {
    // memory of its own: what the wire gives is a part of something larger
    const copy = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(copy);
    known[place] = { bytes: copy, reading };
  }
  return reading;
}

function read(bytes: Buffer): TextReading | undefined {
  return isUtf8(bytes) ? new TextReading(bytes.toString('utf8')) : undefined;
}

/** Four bytes at a time. */
function hashOf(bytes: Buffer): number {
  const { length } = bytes;
  let hash = length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < length; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  return hash;
}
