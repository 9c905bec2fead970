// Brings the running imposters to a new set of documents by changing only what differs (`PUT /imposters` in profile
// `rift`): an imposter that is declared as it runs keeps its counters, journal, state and open connections.

import { RiftError } from './errors.js';
import type { Imposter } from './imposter.js';
import type { Imposters } from './imposters.js';
import { canonicalText } from './matching/canonical.js';
import type { ImposterJson, JsonObject, StubJson } from './model/types.js';
import type { Stub } from './selection/stub.js';

/** What was done; ports in the order in which it was done. */
export interface Reconciliation {
  readonly created: number[];
  /** Started anew because something beside the stubs differed, or most of the stubs did. */
  readonly replaced: number[];
  readonly stubPatched: number[];
  readonly deleted: number[];
  /** `PORT: REASON` of imposters that could not be started. */
  readonly failed: string[];
  /** The imposters of the set, in its order; without those that failed. */
  readonly imposters: Imposter[];
}

/**
 * The set was read and checked before. Throws, with nothing changed, when two of its imposters want one port. Failures to
 * start are reported, not thrown: the rest of the set is in force.
 */
export async function reconcile(imposters: Imposters, set: readonly ImposterJson[]): Promise<Reconciliation> {
  const ports = new Set<number>();
  for (const { port } of set) {
    if (port === undefined) continue;
    if (ports.has(Number(port))) throw new RiftError('bad data', `port ${port} is declared twice`);
    ports.add(Number(port));
  }
  const done: Reconciliation = { created: [], replaced: [], stubPatched: [], deleted: [], failed: [], imposters: [] };
  for (const { port } of imposters.all()) {
    if (ports.has(port)) continue;
    await imposters.delete(String(port));
    done.deleted.push(port);
  }
  for (const creation of set) {
    const running = creation.port === undefined ? undefined : imposters.get(String(creation.port));
    try {
      const imposter = await (running === undefined
        ? start(imposters, creation, done)
        : renew(imposters, running, creation, done));
      done.imposters.push(imposter);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      done.failed.push(`${creation.port ?? 'auto-assign'}: ${reason}`);
    }
  }
  return done;
}

async function start(imposters: Imposters, creation: ImposterJson, done: Reconciliation): Promise<Imposter> {
  const imposter = await imposters.create(creation);
  done.created.push(imposter.port);
  return imposter;
}

async function renew(
  imposters: Imposters,
  running: Imposter,
  creation: ImposterJson,
  done: Reconciliation,
): Promise<Imposter> {
  const patch = sameBesideStubs(running.creation, creation) ? patchOf(running.stubs, creation.stubs) : undefined;
  if (patch === undefined) {
    await imposters.delete(String(running.port));
    const imposter = await imposters.create(creation);
    done.replaced.push(imposter.port);
    return imposter;
  }
  if (patch.changed) {
    running.replaceStubs(patch.stubs);
    done.stubPatched.push(running.port);
  }
  const enabled = creation.enabled !== false;
  if (running.enabled !== enabled) running.enabled = enabled;
  await running.settled;
  return running;
}

function sameBesideStubs(running: ImposterJson, declared: ImposterJson): boolean {
  const rest = ({ stubs: _, enabled: __, port, ...others }: ImposterJson): JsonObject => ({
    ...others,
    port: Number(port),
  });
  return canonicalText(rest(running)) === canonicalText(rest(declared));
}

interface StubPatch {
  readonly changed: boolean;
  /** The new list: stubs that go on as they are, and documents of new ones. */
  readonly stubs: readonly (Stub | StubJson)[];
}

/** How to come from the running stubs to the declared ones; undefined when more than half of all slots would change. */
function patchOf(running: readonly Stub[], declared: readonly StubJson[]): StubPatch | undefined {
  const texts = new Map<Stub, string>();
  const byKey = new Map<string, Stub>();
  const runningKeys = keysOf(
    running.map((stub) => stub.json),
    (index, text) => texts.set(running[index], text),
  );
  for (const [index, key] of runningKeys.entries()) byKey.set(key, running[index]);
  let kept = 0;
  let inPlace = running.length === declared.length;
  const declaredTexts: string[] = [];
  const stubs = keysOf(declared, (_, text) => declaredTexts.push(text)).map((key, index) => {
    const stub = byKey.get(key);
    const same = stub !== undefined && texts.get(stub) === declaredTexts[index];
    if (!same) return declared[index];
    kept++;
    if (running[index] !== stub) inPlace = false;
    return stub;
  });
  const slots = running.length + declared.length;
  const changed = slots - 2 * kept;
  if (changed * 2 > slots) return undefined;
  return { changed: changed > 0 || !inPlace, stubs };
}

/** A stub's id, else its canonical text, with the number of its occurrence among equals. */
function keysOf(stubs: readonly StubJson[], visit: (index: number, text: string) => void): string[] {
  const seen = new Map<string, number>();
  return stubs.map((stub, index) => {
    const text = canonicalText(stub);
    visit(index, text);
    const name = typeof stub.id === 'string' ? `id ${stub.id}` : text;
    const occurrence = seen.get(name) ?? 0;
    seen.set(name, occurrence + 1);
    return `${name}#${occurrence}`;
  });
}
