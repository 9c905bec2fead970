// Stubs as data threads get them: their JSON, and the memory in which all threads keep the turn of their responses.

import type { Imposter } from '../imposter.js';
import type { Stub } from '../selection/stub.js';
import type { SharedStub } from './messages.js';

/** The stub for other threads; from then on its turn is kept in shared memory. */
export function shared(stub: Stub): SharedStub {
  return { json: stub.json, turn: stub.ring.share() };
}

/** Makes the stubs of a copy keep their turns where the others keep them. */
export function readTurns(imposter: Imposter, stubs: readonly SharedStub[]): void {
  for (const [index, stub] of imposter.stubs.entries()) stub.ring.share(stubs[index].turn);
}
