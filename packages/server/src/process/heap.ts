// What V8 takes of memory beyond what is alive, for a process that starts, is configured and then mostly waits. Set here,
// not as flags of a command line: the executables are started by `node`, by package managers, by other people's scripts.
import { setFlagsFromString } from 'node:v8';

const { v8, bun } = process.versions;

/** From so many requests on, collecting garbage in little room would take a sixteenth of the time. */
const MANY = 10_000;
/** Milliseconds between two looks at how many there have been. */
const LOOK_MS = 250;
/** After so many milliseconds a process has compiled what it is used for. */
const LONGEST_MS = 10_000;

/**
 * The room for new objects does not grow at first: what is made then lives on, for which V8 would make that room eight times
 * as large, and later fill it with garbage before it looks for any.
 */
export function beginInLittleRoom(): void {
  if (bun !== undefined) return;
  setFlagsFromString('--semi-space-growth-factor=1');
  // All that an admin call does becomes hot at the same call. What V8 13 needs to compile it is megabytes for each of several
  // threads, which are kept; one after the other, freed where they were taken, it is a third. Later versions may not know
  // these flags and would complain.
  if (!v8.startsWith('13.')) return;
  setFlagsFromString('--concurrent-maglev-max-threads=1');
  setFlagsFromString('--no-maglev-destroy-on-background');
}

/** From the time at which many requests have come, the room grows when what is alive asks for it. */
export function growWithRequests(requests: () => number): void {
  if (bun !== undefined) return;
  const begun = performance.now();
  const looking = setInterval(() => {
    if (requests() < MANY && performance.now() - begun < LONGEST_MS) return;
    clearInterval(looking);
    setFlagsFromString('--semi-space-growth-factor=2'); // V8's default
  }, LOOK_MS).unref();
}
