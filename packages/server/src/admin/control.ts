// Changes of imposters as the admin API makes them: read and checked, one after the other where they touch the same
// imposter, told to whoever keeps a copy (data directory, event streams).

import { randomUUID } from 'node:crypto';
import {
  type ImposterForm,
  imposterToJson,
  type JsonObject,
  type Profile,
  type Read,
  type ReadOptions,
  RiftError,
  readImposter,
  readImposters,
  readStub,
  readStubAddition,
  readStubs,
  type StubJson,
} from '@rift-ts/engine';
import type { EngineImposter, EngineImposters } from './backend.js';
import { Turns } from './turns.js';

/** Every reason why a request was refused, in their order. */
export class Refused extends Error {
  constructor(readonly errors: readonly RiftError[]) {
    super(errors.map((error) => error.message).join('; '));
  }
}

function accepted<T>(read: Read<T>): T {
  if ('errors' in read) throw new Refused(read.errors);
  return read.value;
}

export interface FormOptions {
  readonly removeProxies?: boolean;
  readonly linkBase?: string;
}

const portless = 'port chosen by the system';

export class Control {
  readonly #turns = new Turns();

  constructor(
    readonly imposters: EngineImposters,
    readonly readOptions: ReadOptions,
  ) {}

  get profile(): Profile {
    return this.readOptions.profile;
  }

  /** The imposter's JSON; shares parts with the imposter: serialize it, do not change it. */
  show(imposter: EngineImposter, form: ImposterForm, options: FormOptions = {}): JsonObject {
    const { creation, port, numberOfRequests, metadata, stubs, journal } = imposter;
    const requests =
      form === 'full' ? Array.from(journal, ({ request, timestamp }) => ({ ...request, timestamp })) : [];
    const enabled = 'enabled' in imposter ? imposter.enabled !== false : creation.enabled !== false;
    return imposterToJson(
      { creation, port, numberOfRequests, enabled, metadata, requests, stubs, warnings: [] },
      form,
      { profile: this.profile, ...options },
    );
  }

  /** Creates one imposter from a creation request; it listens when the promise resolves. */
  async create(json: unknown): Promise<EngineImposter> {
    const creation = accepted(await readImposter(json, this.readOptions));
    const key = creation.port === undefined ? portless : String(creation.port);
    return this.#turns.of(key, () => this.imposters.create(creation));
  }

  /** Replaces the whole set by `{"imposters": [...]}`; in the order of the request. */
  async replaceAll(json: unknown): Promise<readonly EngineImposter[]> {
    const creations = accepted(await readImposters(json, this.readOptions));
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
    return this.#turns.alone(() => this.imposters.replaceAll(creations));
  }

  /** Resolves with the imposter's last JSON when its port is free again; undefined when there is none. */
  delete(id: string, form: ImposterForm, options: FormOptions): Promise<JsonObject | undefined> {
    return this.#turns.of(id, async () => {
      const imposter = this.imposters.get(id);
      if (imposter === undefined) return undefined;
      await this.imposters.delete(id);
      return this.show(imposter, form, options);
    });
  }

  /** Deletes all; their last JSON in ascending order of port. */
  deleteAll(form: ImposterForm, options: FormOptions): Promise<JsonObject[]> {
    return this.#turns.alone(async () => {
      const deleted = await this.imposters.deleteAll();
      return deleted.map((imposter) => this.show(imposter, form, options));
    });
  }

  /** `{"index": n, "stub": {...}}`; without index at the end. */
  addStub(imposter: EngineImposter, json: unknown): Promise<void> {
    return this.#changing(imposter, async () => {
      const { creation, stubs } = imposter;
      const { index, stub } = accepted(await readStubAddition(json, creation, stubs.length, this.readOptions));
      const { id } = stub;
      if (typeof id === 'string' && stubs.some((other) => other.json.id === id)) {
        throw new RiftError(
          'resource conflict',
          `A stub with id '${id}' already exists`,
          {},
          { status: 409, riftOnly: true },
        );
      }
      const named = id === undefined && this.profile === 'rift' ? { id: randomUUID(), ...stub } : stub;
      imposter.insertStub(index, named as StubJson);
    });
  }

  /** `{"stubs": [...]}`. */
  replaceStubs(imposter: EngineImposter, json: unknown): Promise<void> {
    return this.#changing(imposter, async () => {
      imposter.replaceStubs(accepted(await readStubs(json, imposter.creation, this.readOptions)));
    });
  }

  /** `find` gives the position at the time of the change, or throws. */
  replaceStub(imposter: EngineImposter, find: () => number, json: unknown): Promise<void> {
    return this.#changing(imposter, async () => {
      find();
      const stub = accepted(await readStub(json, imposter.creation, this.readOptions));
      imposter.replaceStub(find(), stub);
    });
  }

  deleteStub(imposter: EngineImposter, find: () => number): Promise<void> {
    return this.#changing(imposter, async () => imposter.removeStub(find()));
  }

  clearRequests(imposter: EngineImposter): Promise<void> {
    return this.#changing(imposter, async () => imposter.clearRequests());
  }

  clearProxyResponses(imposter: EngineImposter): Promise<void> {
    return this.#changing(imposter, async () => imposter.clearProxyResponses());
  }

  #changing(imposter: EngineImposter, change: () => Promise<void>): Promise<void> {
    return this.#turns.of(String(imposter.port), change);
  }
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
