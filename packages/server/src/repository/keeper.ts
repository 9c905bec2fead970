// Imposters whose stubs live in a user's module (`--impostersRepository`). Each request is decided by the module, whose
// search is linear; the imposter of this process holds a copy of the stubs, which is renewed before the admin API shows
// or changes them and before a proxy records beside them, and from which changes are told to the module.
import {
  type Choice,
  type Holds,
  type Imposter,
  type ImposterKeeper,
  type Imposters,
  type JsonObject,
  type PredicateJson,
  plainView,
  type ResponseJson,
  RiftError,
  type Stub,
  type StubJson,
} from '@rift-ts/engine';
import type { Datadir } from '../datadir/datadir.js';
import { PendingWrites } from '../datadir/pending.js';
import type { Found, ImposterFactory, ImpostersRepository, KeptImposter, StubRepository } from './contract.js';

interface Kept {
  readonly stubs: StubRepository;
  readonly facade: KeptImposter & { stopped: Promise<void> | undefined };
  readonly pending: PendingWrites;
  /** The end of the changes that were told so far: they are told one after the other. */
  told: Promise<void>;
  /** The stubs as the module was last told of them, and how many responses each had. */
  known: { readonly stub: Stub; readonly responses: number }[];
}

export class RepositoryKeeper implements Datadir, ImposterKeeper {
  readonly #repository: ImpostersRepository;
  readonly #debug: boolean;
  readonly #kept = new Map<Imposter, Kept>();
  /** Creation requests of imposters that the module itself asked for. */
  readonly #loading = new Set<JsonObject>();
  /** The deletion of all of them was told at once. */
  #deletedTogether = new Set<Imposter>();

  constructor(repository: ImpostersRepository, debug: boolean) {
    this.#repository = repository;
    this.#debug = debug;
    process.once('exit', () => repository.stopAllSync());
  }

  get keeper(): ImposterKeeper {
    return this;
  }

  async load(imposters: Imposters): Promise<void> {
    const createImposterFrom: ImposterFactory['createImposterFrom'] = async (creationRequest) => {
      const creation = { ...creationRequest, stubs: [], protocol: String(creationRequest.protocol) };
      this.#loading.add(creation);
      try {
        const imposter = await imposters.create(creation);
        await this.#renew(imposter);
        return this.#kept.get(imposter)!.facade;
      } finally {
        this.#loading.delete(creation);
      }
    };
    const names = [...imposters.options.protocols.keys()];
    await this.#repository.loadAll(Object.fromEntries(names.map((name) => [name, { createImposterFrom }])));
  }

  /**
   * Before the admin API looks at imposters, or at one of them: asks the module as Mountebank does and renews the copies.
   * @throws RiftError when the module has no such imposter
   */
  async refresh(imposters: Imposters, method: string, path: string, id: string | undefined): Promise<void> {
    if (id === undefined) {
      if (path !== '/imposters' || (method !== 'GET' && method !== 'DELETE')) return;
      await this.#repository.all();
      await Promise.all(imposters.all().map((imposter) => this.#renew(imposter)));
      return;
    }
    const deletes = method === 'DELETE' && path === '/imposters/:id';
    const exists = deletes || Boolean(await this.#repository.exists(id));
    const found = exists ? await this.#repository.get(id) : undefined;
    const imposter = imposters.get(id);
    if (!found && !deletes) throw new RiftError('no such resource', 'Try POSTing to /imposters first?');
    if (imposter !== undefined) await this.#renew(imposter);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ pending }) => pending.over()));
  }

  async created(imposter: Imposter): Promise<void> {
    const stubs = this.#repository.stubsFor(imposter.port);
    const facade = facadeOf(imposter, () => this.#renew(imposter));
    this.#kept.set(imposter, {
      stubs,
      facade,
      pending: new PendingWrites(),
      told: Promise.resolve(),
      known: knownOf(imposter.stubs),
    });
    if (this.#loading.has(imposter.creation)) return;
    try {
      await this.#repository.add(facade);
    } catch (error) {
      this.#kept.delete(imposter);
      throw moduleError(error);
    }
  }

  async emptying(): Promise<void> {
    for (const [imposter, { facade }] of this.#kept) {
      facade.stopped = Promise.resolve();
      this.#deletedTogether.add(imposter);
    }
    await this.#repository.deleteAll();
  }

  async deleted(imposter: Imposter): Promise<void> {
    const kept = this.#kept.get(imposter);
    this.#kept.delete(imposter);
    if (kept === undefined || this.#deletedTogether.delete(imposter)) return;
    await kept.pending.over();
    kept.facade.stopped = Promise.resolve();
    await this.#repository.del(String(imposter.port));
  }

  async emptied(): Promise<void> {}

  changed(imposter: Imposter): void {
    const kept = this.#kept.get(imposter);
    if (kept === undefined) return;
    const change = changeBetween(kept.known, imposter.stubs);
    if (change === undefined) return;
    kept.known = knownOf(imposter.stubs);
    this.#tell(kept, () => change(this.#repository.stubsFor(imposter.port)));
  }

  unrecorded(imposter: Imposter): void {
    const kept = this.#kept.get(imposter);
    if (kept === undefined) return;
    kept.known = knownOf(imposter.stubs);
    this.#tell(kept, () => this.#repository.stubsFor(imposter.port).deleteSavedProxyResponses());
  }

  turned(): void {}

  matched(): void {}

  recorded(imposter: Imposter, { request }: { request: object }): void {
    const kept = this.#kept.get(imposter);
    if (kept !== undefined) this.#tell(kept, () => kept.stubs.addRequest(request));
  }

  forgot(imposter: Imposter): void {
    const kept = this.#kept.get(imposter);
    // the module can only forget all
    if (kept !== undefined && imposter.journal.length === 0) this.#tell(kept, () => kept.stubs.deleteSavedRequests());
  }

  async settled(imposter: Imposter): Promise<void> {
    try {
      await this.#kept.get(imposter)?.pending.settled();
    } catch (error) {
      throw moduleError(error);
    }
  }

  async choose(imposter: Imposter, holds: Holds): Promise<Choice | undefined> {
    const kept = this.#kept.get(imposter);
    if (kept === undefined) return undefined;
    await kept.told.catch(() => undefined);
    const { success, stub } = await firstOf(kept.stubs, holds);
    if (!success) return undefined;
    const { stubIndex, ...response } = await stub.nextResponse();
    if (response.proxy !== undefined) await this.#renew(imposter);
    return {
      at: Number((await stubIndex?.()) ?? 0),
      response: response as ResponseJson,
      note: async ({ request, response: answer, responseConfig, processingTime }) => {
        await stub.recordMatch(request, answer, responseConfig, processingTime);
      },
    };
  }

  #tell(kept: Kept, change: () => unknown): void {
    kept.told = kept.told
      .catch(() => undefined)
      .then(async () => {
        await change();
      });
    kept.pending.add(kept.told);
  }

  /** Brings the copy of the stubs and the recorded requests to what the module has. */
  async #renew(imposter: Imposter): Promise<void> {
    const kept = this.#kept.get(imposter);
    if (kept === undefined) return;
    await kept.pending.over();
    const requests = await kept.stubs.loadRequests();
    const stubs = await kept.stubs.toJSON({ debug: this.#debug });
    const unchanged = new Map<string, Stub[]>();
    for (const stub of imposter.stubs) {
      const text = JSON.stringify(stub.json);
      unchanged.set(text, [...(unchanged.get(text) ?? []), stub]);
    }
    const matches: unknown[][] = [];
    const renewed = stubs.map(({ matches: matched, _links, ...json }) => {
      matches.push(Array.isArray(matched) ? matched : []);
      return unchanged.get(JSON.stringify(json))?.shift() ?? (json as StubJson);
    });
    imposter.restock(renewed);
    imposter.stubs.forEach((stub, at) => {
      stub.matches = matches[at] as Stub['matches'][number][];
    });
    kept.known = knownOf(imposter.stubs);
    imposter.journal.clear();
    for (const { timestamp, ...request } of requests) {
      const at = new Date(String(timestamp)).getTime();
      imposter.journal.add({ toJSON: () => request }, Number.isNaN(at) ? Date.now() : at);
    }
  }
}

function knownOf(stubs: readonly Stub[]): Kept['known'] {
  return stubs.map((stub) => ({ stub, responses: stub.json.responses.length }));
}

/** How a module is told that its stubs are others now; undefined when they are not. */
function changeBetween(
  before: Kept['known'],
  after: readonly Stub[],
): ((stubs: StubRepository) => unknown) | undefined {
  let start = 0;
  while (start < before.length && before[start]!.stub === after[start]) start++;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before[before.length - 1 - end]!.stub === after[after.length - 1 - end]) end++;
  const removed = before.length - start - end;
  const added = after.slice(start, after.length - end).map(({ json }) => json);
  if (removed === 0 && added.length === 0) {
    const grown = before.findIndex(({ stub, responses }) => stub.json.responses.length > responses);
    if (grown < 0) return undefined;
    const { stub, responses } = before[grown]!;
    return (stubs) => addResponses(stubs, grown, stub.json, stub.json.responses.slice(responses));
  }
  if (removed === 0 && added.length === 1) return (stubs) => stubs.insertAtIndex(added[0]!, start);
  if (removed === 1 && added.length === 0) return (stubs) => stubs.deleteAtIndex(start);
  if (removed === 1 && added.length === 1) return (stubs) => stubs.overwriteAtIndex(added[0]!, start);
  const all = after.map(({ json }) => json);
  return (stubs) => stubs.overwriteAll(all);
}

async function addResponses(stubs: StubRepository, at: number, json: StubJson, responses: ResponseJson[]) {
  const wanted = JSON.stringify(json.predicates ?? []);
  const { success, stub } = await stubs.first((predicates) => JSON.stringify(predicates) === wanted, at);
  if (success) for (const response of responses) await stub.addResponse(response);
}

/**
 * The first stub whose predicates hold. The module's filter cannot wait, scripts have to: a predicate that waits counts as
 * failed until its verdict is there, and then the module is asked again.
 */
async function firstOf(stubs: StubRepository, holds: Holds): Promise<Found> {
  const verdicts = new Map<string, boolean>();
  for (;;) {
    const waiting = new Map<string, Promise<boolean>>();
    let failure: { reason: unknown } | undefined;
    const filter = (predicates: PredicateJson[]): boolean => {
      const text = JSON.stringify(predicates);
      const verdict = verdicts.get(text);
      if (verdict !== undefined) return verdict;
      try {
        const held = holds(predicates);
        if (typeof held === 'boolean') return held;
        waiting.set(text, held);
        // nothing behind a stub that may match is asked
        return true;
      } catch (reason) {
        failure ??= { reason };
        return true;
      }
    };
    const found = await stubs.first(filter, 0);
    if (failure !== undefined) throw failure.reason;
    if (waiting.size === 0) return found;
    for (const [text, held] of waiting) verdicts.set(text, await held);
  }
}

function facadeOf(imposter: Imposter, renew: () => Promise<void>): Kept['facade'] {
  const facade: Kept['facade'] = {
    port: imposter.port,
    protocol: imposter.protocol.name,
    creationRequest: { ...imposter.creation, port: imposter.port },
    stopped: undefined,
    async toJSON({ replayable = false, removeProxies = false, list = false } = {}) {
      await renew();
      return imposter.toJson(list ? 'list' : replayable ? 'replayable' : 'full', { removeProxies });
    },
    stop() {
      facade.stopped ??= imposter.stop();
      return facade.stopped;
    },
    async getResponseFor(request) {
      const outcome = await imposter.handle(plainView(request));
      return outcome.kind === 'response' ? outcome.data : outcome;
    },
    async getProxyResponseFor(response, key) {
      const outcome = await imposter.pendingProxies.complete(String(key), response, String(key));
      return outcome.kind === 'response' ? outcome.data : outcome;
    },
    async resetRequests() {
      imposter.clearRequests();
      await imposter.whenKept();
    },
  };
  Object.defineProperty(facade, 'stopped', { enumerable: false });
  return facade;
}

/** What a module throws keeps its code where it has one. */
function moduleError(error: unknown): RiftError {
  if (error instanceof RiftError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'corrupted database';
  return new RiftError(code, message);
}
