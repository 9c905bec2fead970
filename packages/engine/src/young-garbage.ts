// Bun's collector lets garbage grow with what is alive before it looks for any: while a million stubs are loaded that is
// gigabytes, nearly all of which was garbage as soon as the next stub came. Long ways through stubs therefore have what is
// young collected now and then, which costs little, since hardly anything young is alive. Node does that by itself.

import { createRequire } from 'node:module';

/** A power of two; what becomes garbage on the way of so many stubs is some dozens of megabytes. */
const STUBS = 16_384;

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
