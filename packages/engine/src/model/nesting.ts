// A document that is nested so deeply that working on it overflows the stack would be half accepted: it is refused
// where it comes in. Level by level instead of recursively, for that very reason.

import { RiftError } from '../errors.js';

/** Deeper than anything a person or a generator writes, far from what a stack can bear. */
const MAX_LEVELS = 1000;

/** The error for a document that is nested too deeply; undefined for every other. */
export function nestingError(document: unknown): RiftError | undefined {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) {
      return new RiftError('bad data', `the document is nested deeper than ${MAX_LEVELS} levels`);
    }
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) next.push(member);
    }
    level = next;
  }
  return undefined;
}
