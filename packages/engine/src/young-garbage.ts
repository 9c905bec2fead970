// Bun's collector lets garbage grow with what is alive before it looks for any: while a million stubs are loaded that is
// gigabytes, nearly all of which was garbage as soon as the next stub came. Long ways through stubs therefore have what is
// young collected now and then, which costs little, since hardly anything young is alive; and so have stubs that come one
// request at a time, each of which leaves an answer's worth of garbage. Node does that by itself.

import { createRequire } from 'node:module';

/** A power of two; what becomes garbage on the way of so many stubs is some dozens of megabytes. */
const STUBS = 16_384;
/** A power of two; what so many requests leave is about a megabyte, and to collect it takes about a millisecond. */
const CHANGES = 32;

interface BunCollector {
  /** Collects what was allocated since the last collection. */
  edenGC(): number;
}

const collector = process.versions.bun === undefined ? undefined : bunCollector();

function bunCollector(): BunCollector | undefined {
  try {
    return createRequire(import.meta.url)('bun:jsc') as BunCollector;
  } catch {
    return undefined;
  }
}

/** Called once a stub on a way through many; `index`: how many came before it. */
export function passedStub(index: number): void {
  if ((index + 1) % STUBS === 0) collector?.edenGC();
}

let changes = 0;

/** Called once an addition of a stub. */
export function passedChange(): void {
  if (++changes % CHANGES === 0) collector?.edenGC();
}
