// Regular expressions of users: JavaScript's dialect without the flags u, m and s, compiled once and kept.

import { RiftError } from '../errors.js';

const LIMIT = 10_000;
const compiled = new Map<string, RegExp | RiftError>();

/** Compiles a pattern; throws a RiftError `bad data` with JavaScript's own reason when it is malformed. */
function regexOf(source: string, flags: string): RegExp {
  const key = `${flags}/${source}`;
  let known = compiled.get(key);
  if (known === undefined) {
    try {
      known = new RegExp(source, flags);
    } catch (error) {
      known = new RiftError('bad data', (error as Error).message);
      known.name = 'SyntaxError';
    }
    if (compiled.size >= LIMIT) compiled.clear();
    compiled.set(key, known);
  }
  if (known instanceof RiftError) throw known;
  return known;
}

/** Whether the pattern finds a match in the text. */
export function finds(source: string, flags: string, text: string): boolean {
  return regexOf(source, flags).test(text);
}

/** A function that removes every match of a pattern; it throws a RiftError when the pattern does not compile. */
export function stripper(source: string, flags: string): (text: string) => string {
  return (text) => text.replace(regexOf(source, flags), '');
}
