// Changes of imposters as the admin API makes them: read and checked, one after the other where they touch the same
// imposter, told to whoever keeps a copy (data directory, event streams).

import { randomUUID } from 'node:crypto';
import {
  accepted,
  type Imposter,
  type ImposterForm,
  type ImposterJson,
  type Imposters,
  type JsonFormOptions,
  type JsonObject,
  type LifecycleAction,
  RiftError,
  readImposter,
  readImposters,
  readStub,
  readStubAddition,
  readStubs,
  reconcile,
  type StubJson,
} from '@rift-ts/engine';
import { PartlyReplaced } from './failures.js';
import type { RequestTest } from './match-clauses.js';
import { Turns } from './turns.js';

export type FormOptions = Omit<JsonFormOptions, 'profile'>;

export class Control {
  readonly #turns = new Turns();
  /** Creations that left the port to the system: they wait for no other. */
  #portless = 0;

  constructor(readonly imposters: Imposters) {}

  /** Creates one imposter from a creation request; it listens when the promise resolves. */
  async create(json: unknown): Promise<Imposter> {
    const creation = accepted(await readImposter(json, this.imposters.readOptions));
    const key = creation.port === undefined ? `portless ${this.#portless++}` : String(creation.port);
    return this.#turns
      .of(key, async () => {
        const imposter = await this.imposters.create(creation);
        this.#tell('created', imposter.port);
        return imposter;
      })
      .catch((error) => this.#startFailure(error, creation));
  }

  /** Replaces the whole set by `{"imposters": [...]}`; in the order of the request. */
  async replaceAll(json: unknown): Promise<readonly Imposter[]> {
    const creations = accepted(await readImposters(json, this.imposters.readOptions));
    for (const { stubs } of creations) {
      const twice = duplicateId(stubs);
      if (twice !== undefined) {
        throw new RiftError(
          'bad data',
          `Invalid imposter set (imposters unchanged): A stub with id '${twice}' already exists`,
          {},
          { riftOnly: true },
        );
      }
    }
    if (this.imposters.options.profile === 'rift') return this.#turns.alone(() => this.#reconcile(creations));
    return this.#turns
      .alone(async () => {
        const before = this.imposters.all().map(({ port }) => port);
        const made = await this.imposters.replaceAll(creations);
        const after = made.map(({ port }) => port);
        for (const port of before) if (!after.includes(port)) this.#tell('deleted', port);
        for (const port of after) this.#tell(before.includes(port) ? 'replaced' : 'created', port);
        return made;
      })
      .catch((error) => this.#startFailure(error));
  }

  /** Resolves with the imposter's last JSON when its port is free again; undefined when there is none. */
  delete(id: string, form: ImposterForm, options: FormOptions): Promise<JsonObject | undefined> {
    return this.#turns.of(id, async () => {
      const imposter = this.imposters.get(id);
      if (imposter === undefined) return undefined;
      await this.imposters.delete(id);
      this.#tell('deleted', imposter.port);
      return imposter.toJson(form, options);
    });
  }

  /** Deletes all; their last JSON in ascending order of port. */
  deleteAll(form: ImposterForm, options: FormOptions): Promise<JsonObject[]> {
    return this.#turns.alone(async () => {
      const deleted = await this.imposters.deleteAll();
      this.#tell('allDeleted');
      return deleted.map((imposter) => imposter.toJson(form, options));
    });
  }

  /** `{"index": n, "stub": {...}}`; without index at the end. */
  addStub(imposter: Imposter, json: unknown): Promise<void> {
    return this.#changing(imposter, async () => {
      const { creation, stubCount } = imposter;
      const { index, stub } = accepted(await readStubAddition(json, creation, stubCount, this.imposters.readOptions));
      const { id } = stub;
      refuseTakenId(imposter, stub);
      const named =
        id === undefined && this.imposters.options.profile === 'rift' ? { id: randomUUID(), ...stub } : stub;
      imposter.insertStub(index, named as StubJson);
      this.#tell('stubsChanged', imposter.port);
    });
  }

  /** A stub that names its space, at the end. */
  addSpaceStub(imposter: Imposter, json: unknown): Promise<void> {
    return this.#changing(imposter, async () => {
      const index = imposter.stubCount;
      const place = { index, door: 'Invalid stub: ' };
      const stub = accepted(await readStub(json, imposter.creation, this.imposters.readOptions, place));
      refuseTakenId(imposter, stub);
      imposter.insertStub(index, stub);
      this.#tell('stubsChanged', imposter.port);
    });
  }

  /** Removes the stubs and the recorded requests of a space. */
  removeSpace(imposter: Imposter, space: string): Promise<void> {
    return this.#changing(imposter, async () => {
      const { flow, port, stubCount } = imposter;
      for (let at = stubCount - 1; at >= 0; at--) {
        if (imposter.stubs[at]!.json.space === space) imposter.removeStub(at);
      }
      if (imposter.stubCount < stubCount) this.#tell('stubsChanged', port);
      imposter.removeRequests(({ request }) => flow.source.ofRecorded(request, port) === space);
    });
  }

  /** `{"stubs": [...]}`. */
  replaceStubs(imposter: Imposter, json: unknown): Promise<void> {
    return this.#changing(imposter, async () => {
      imposter.replaceStubs(accepted(await readStubs(json, imposter.creation, this.imposters.readOptions)));
      this.#tell('stubsChanged', imposter.port);
    });
  }

  /** `find` gives the position at the time of the change, or throws. `keepTurn`: the turn of responses goes on. */
  replaceStub(imposter: Imposter, find: () => number, json: unknown, keepTurn: boolean): Promise<void> {
    return this.#changing(imposter, async () => {
      const place = { index: find() };
      const stub = accepted(await readStub(json, imposter.creation, this.imposters.readOptions, place));
      imposter.replaceStub(find(), stub, keepTurn);
      this.#tell('stubsChanged', imposter.port);
    });
  }

  deleteStub(imposter: Imposter, find: () => number): Promise<void> {
    return this.#changing(imposter, async () => {
      imposter.removeStub(find());
      this.#tell('stubsChanged', imposter.port);
    });
  }

  setEnabled(imposter: Imposter, enabled: boolean): Promise<void> {
    return this.#changing(imposter, async () => {
      const changes = imposter.enabled !== enabled;
      imposter.enabled = enabled;
      if (changes) this.#tell('enabledChanged', imposter.port);
    });
  }

  clearRequests(imposter: Imposter): Promise<void> {
    return this.#changing(imposter, async () => imposter.clearRequests());
  }

  /** Removes recorded requests for which `test` holds; the counter stays. */
  removeRequests(imposter: Imposter, test: RequestTest): Promise<void> {
    return this.#changing(imposter, async () => imposter.removeRequests(({ request }) => test(request)));
  }

  clearProxyResponses(imposter: Imposter): Promise<void> {
    return this.#changing(imposter, async () => {
      imposter.clearProxyResponses();
      this.#tell('stubsChanged', imposter.port);
    });
  }

  /** Changes only what differs; nothing when the set contradicts itself. */
  async #reconcile(creations: readonly ImposterJson[]): Promise<readonly Imposter[]> {
    const done = await reconcile(this.imposters, creations).catch((error: Error) => {
      throw new RiftError('bad data', `Invalid imposter set (imposters unchanged): ${error.message}`);
    });
    const { imposters, failed, created, replaced, stubPatched, deleted } = done;
    const told = { deleted, created, replaced, stubsChanged: stubPatched } as const;
    for (const action of Object.keys(told) as (keyof typeof told)[]) {
      for (const port of told[action]) this.#tell(action, port);
    }
    if (failed.length > 0) {
      throw new PartlyReplaced(`Replace partially failed: ${failed.join('; ')}`, {
        failed,
        created,
        replaced,
        stubPatched,
        deleted,
      });
    }
    return imposters;
  }

  /** What the system says of a port that cannot be bound, in the words of the profile. */
  #startFailure(error: unknown, creation?: ImposterJson): never {
    if (this.imposters.options.profile !== 'rift' || !(error instanceof RiftError)) throw error;
    const { code, message } = error;
    if (/^ERR_(OSSL|SSL|TLS)/.test(code)) {
      throw new RiftError('bad data', `TLS configuration error: ${message}`, {}, { status: 400 });
    }
    if (!/^E[A-Z]+$/.test(code)) throw error;
    const port = creation?.port === undefined ? '' : ` ${String(creation.port)}`;
    throw new RiftError('internal error', `Failed to bind port${port}: ${message}`, {}, { status: 500 });
  }

  #tell(action: LifecycleAction, port?: number): void {
    const { events } = this.imposters;
    if (events.heard) events.tell({ kind: 'lifecycle', action, port });
  }

  #changing(imposter: Imposter, change: () => Promise<void>): Promise<void> {
    return this.#turns.of(String(imposter.port), async () => {
      await change();
      await imposter.settled;
      await imposter.whenKept();
    });
  }
}

function refuseTakenId(imposter: Imposter, { id }: StubJson): void {
  if (typeof id !== 'string' || !imposter.stubs.some((other) => other.json.id === id)) return;
  const message = `A stub with id '${id}' already exists`;
  throw new RiftError('resource conflict', message, {}, { status: 409, riftOnly: true });
}

function duplicateId(stubs: readonly StubJson[]): string | undefined {
  const seen = new Set<string>();
  for (const { id } of stubs) {
    if (typeof id !== 'string') continue;
    if (seen.has(id)) return id;
    seen.add(id);
  }
  return undefined;
}
