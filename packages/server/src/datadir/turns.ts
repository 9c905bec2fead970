// Turns of responses beside the layout of files: `PORT.turns`, the position of every stub that is not at its start. A stub
// is named by a hash of its JSON, so that a file that is older or newer than the configuration does no harm.
import { createHash } from 'node:crypto';
import type { Imposter, Stub } from '@rift-ts/engine';
import { CorruptedDatabase, readJson, writeJson } from './files.js';

const hashes = new WeakMap<Stub, { readonly responses: number; readonly hash: string }>();

function hashOf(stub: Stub): string {
  const responses = stub.json.responses.length;
  const known = hashes.get(stub);
  // a proxy adds responses in place
  if (known?.responses === responses) return known.hash;
  const hash = createHash('sha256').update(JSON.stringify(stub.json)).digest('base64url').slice(0, 16);
  hashes.set(stub, { responses, hash });
  return hash;
}

/** Stubs with turns by their names: the hash and how many equal ones stand before. */
function* named({ stubs }: Imposter): Iterable<[name: string, stub: Stub]> {
  const seen = new Map<string, number>();
  for (const stub of stubs) {
    if (stub.ring.length < 2) continue;
    const hash = hashOf(stub);
    const before = seen.get(hash) ?? 0;
    seen.set(hash, before + 1);
    yield [`${hash}#${before}`, stub];
  }
}

export async function writeTurns(path: string, imposter: Imposter): Promise<void> {
  const turns: Record<string, number> = {};
  for (const [name, { ring }] of named(imposter)) if (ring.position > 0) turns[name] = ring.position;
  await writeJson(path, turns, { synced: false });
}

/** Brings the turns back; without a readable file they are at their start. */
export async function readTurns(path: string, imposter: Imposter): Promise<void> {
  let turns: Record<string, unknown>;
  try {
    turns = Object(await readJson(path));
  } catch (error) {
    if (error instanceof CorruptedDatabase) return;
    throw error;
  }
  for (const [name, { ring }] of named(imposter)) {
    const position = turns[name];
    if (Number.isSafeInteger(position) && Number(position) > 0) ring.position = Number(position);
  }
}
