// One imposter in Mountebank's layout: a directory with `imposter.json`, a directory for each stub with its responses,
// its cursor and its matches, and a file for each recorded request.
//
// New content comes into new files; what says that it counts (`imposter.json`, `meta.json`) is replaced at the end by a
// rename; what no longer counts is removed after that. Killed anywhere on the way, a process leaves the imposter as it
// was before or as it is after the change, and perhaps files that nothing refers to.
import { rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Imposter, type ResponseJson, type Stub, type StubJson, servings } from '@rift-ts/engine';
import { atMost, codeOf, makeDirectory, namesIn, stamp, syncDirectory, writeJson } from './files.js';
import { GroupCommit } from './group-commit.js';
import { locked } from './lock.js';
import { PendingWrites } from './pending.js';

/** Longest `orderWithRepeats`: past it every response stands once, and the cursor counts responses. */
const LONGEST_ORDER = 100_000;
const FILES_AT_A_TIME = 16;

/** What the directory has of a stub. */
export interface KeptStub {
  /** Relative to the imposter's directory. */
  readonly dir: string;
  /** Relative to the stub's directory; as many as responses are written. */
  readonly responseFiles: string[];
  readonly servings: number[];
}

interface TrackedStub extends KeptStub {
  readonly meta: GroupCommit;
  /** The next `meta.json` names files that no earlier one did. */
  grown: boolean;
}

/** The content of `meta.json`. `position` counts servings, as the ring of the stub does. */
function metaOf(kept: KeptStub, position: number): object {
  const total = kept.servings.reduce((sum, count) => sum + count, 0);
  const spelledOut = total <= LONGEST_ORDER;
  const orderWithRepeats: number[] = [];
  let nextIndex = 0;
  let before = 0;
  kept.servings.forEach((count, index) => {
    for (let i = 0; i < (spelledOut ? count : 1); i++) orderWithRepeats.push(index);
    if (!spelledOut && position >= before) nextIndex = index;
    before += count;
  });
  if (spelledOut && total > 0) nextIndex = position % total;
  return { responseFiles: kept.responseFiles, orderWithRepeats, nextIndex };
}

/** The serving that a cursor of `meta.json` stands for. */
export function positionOf(kept: KeptStub, order: readonly number[], nextIndex: number): number {
  const total = kept.servings.reduce((sum, count) => sum + count, 0);
  if (order.length === 0 || total === 0) return 0;
  const index = nextIndex % order.length;
  if (order.length === total) return index;
  return kept.servings.slice(0, order[index]).reduce((sum, count) => sum + count, 0);
}

export class ImposterFolder {
  readonly path: string;
  readonly #imposter: Imposter;
  /** What stands in `imposter.json` beside port and stubs. */
  readonly #settings: () => object;
  readonly #stubs = new Map<Stub, TrackedStub>();
  /** By index of the journal's entry, in order. */
  readonly #requests = new Map<number, string>();
  readonly #pending = new PendingWrites();
  readonly #list = new GroupCommit(() => this.#writeList());
  #requestsReady: Promise<void> | undefined;
  #closed = false;

  /** `settings`: what the creation request says now; `path`: the imposter's directory, which need not exist. */
  constructor(path: string, imposter: Imposter, settings: () => object) {
    this.path = path;
    this.#imposter = imposter;
    this.#settings = settings;
  }

  /** The directory's content is that of the imposter already. Files of requests by index of the journal's entry. */
  adopt(stubs: readonly KeptStub[], requests: readonly (readonly [index: number, path: string])[]): void {
    this.#imposter.stubs.forEach((stub, index) => {
      this.#track(stub, stubs[index]!);
    });
    for (const [index, path] of requests) this.#requests.set(index, path);
  }

  /** Writes the imposter, instead of whatever the directory holds. */
  async create(): Promise<void> {
    const old = await this.#contents();
    await this.#list.request();
    await atMost(FILES_AT_A_TIME, old, (path) => rm(path, { recursive: true, force: true }));
  }

  async #contents(): Promise<string[]> {
    const folders = ['stubs', 'requests'].map(async (name) => {
      const names = await namesIn(join(this.path, name));
      return names.map((entry) => join(this.path, name, entry));
    });
    return (await Promise.all(folders)).flat();
  }

  /** Removes the directory; the imposter counts as gone from the first step on. */
  async remove(): Promise<void> {
    this.#closed = true;
    await this.#pending.over();
    try {
      await unlink(join(this.path, 'imposter.json'));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    await rm(this.path, { recursive: true, force: true });
  }

  changed(): void {
    if (!this.#closed) this.#pending.add(this.#list.request());
  }

  turned(stub: Stub): void {
    const tracked = this.#stubs.get(stub);
    // of a stub that is not written yet the cursor is written with it
    if (tracked !== undefined && !this.#closed) this.#pending.add(tracked.meta.request());
  }

  recorded(index: number, request: object): void {
    if (this.#closed) return;
    const path = join(this.path, 'requests', `${stamp()}.json`);
    this.#requests.set(index, path);
    this.#pending.add(this.#writeRequest(path, request));
    const { lastDropped } = this.#imposter.journal;
    for (const [old, file] of this.#requests) {
      if (old > lastDropped) break;
      this.#dropRequest(old, file);
    }
  }

  forgot(): void {
    const left = new Set<number>();
    for (const { index } of this.#imposter.journal) left.add(index);
    for (const [index, file] of this.#requests) if (!left.has(index)) this.#dropRequest(index, file);
  }

  matched(stub: Stub, match: object): void {
    const tracked = this.#stubs.get(stub);
    if (tracked !== undefined && !this.#closed) this.#pending.add(this.#writeMatch(tracked, match));
  }

  settled(): Promise<void> {
    return this.#pending.settled();
  }

  #track(stub: Stub, kept: KeptStub): TrackedStub {
    const tracked: TrackedStub = {
      ...kept,
      grown: false,
      meta: new GroupCommit(async () => {
        const path = join(this.path, tracked.dir, 'meta.json');
        const synced = tracked.grown;
        tracked.grown = false;
        if (!this.#closed && tracked.responseFiles.length > 0) {
          await locked(path, () => writeJson(path, metaOf(tracked, stub.ring.position), { synced }));
        }
      }),
    };
    this.#stubs.set(stub, tracked);
    return tracked;
  }

  async #writeList(): Promise<void> {
    if (this.#closed) return;
    const { stubs } = this.#imposter;
    await makeDirectory(join(this.path, 'stubs'));
    const written = await atMost(FILES_AT_A_TIME, stubs, (stub) => this.#writeStub(stub));
    if (written.includes(true)) await syncDirectory(join(this.path, 'stubs'));
    const file = join(this.path, 'imposter.json');
    const json = {
      ...this.#settings(),
      stubs: stubs.map((stub) => stubEntry(stub.json, this.#stubs.get(stub)!.dir)),
    };
    await locked(file, () => writeJson(file, json, { synced: true }));
    await syncDirectory(this.path);
    const current = new Set(stubs);
    const gone = [...this.#stubs].filter(([stub]) => !current.has(stub));
    await atMost(FILES_AT_A_TIME, gone, async ([stub, { dir, meta }]) => {
      this.#stubs.delete(stub);
      await meta.request().catch(() => undefined);
      await rm(join(this.path, dir), { recursive: true, force: true });
    });
  }

  /** Writes what the directory lacks of a stub; whether that was all of it. */
  async #writeStub(stub: Stub): Promise<boolean> {
    const known = this.#stubs.get(stub);
    const responses = [...stub.json.responses];
    if (known !== undefined && known.responseFiles.length >= responses.length) return false;
    const tracked = known ?? this.#track(stub, { dir: `stubs/${stamp()}`, responseFiles: [], servings: [] });
    const folder = join(this.path, tracked.dir, 'responses');
    await makeDirectory(folder);
    const missing = responses.slice(tracked.responseFiles.length);
    const files = await atMost(FILES_AT_A_TIME, missing, (response) => this.#writeResponse(tracked, response));
    tracked.responseFiles.push(...files);
    tracked.servings.push(...missing.map(servings));
    tracked.grown = true;
    await syncDirectory(folder);
    await tracked.meta.request();
    await syncDirectory(join(this.path, tracked.dir));
    if (known === undefined) for (const match of stub.matches) await this.#writeMatch(tracked, match);
    return known === undefined;
  }

  async #writeResponse({ dir }: KeptStub, response: ResponseJson): Promise<string> {
    const name = `responses/${stamp()}.json`;
    await writeJson(join(this.path, dir, name), response, { unfinished: this.#unfinished(), synced: true });
    return name;
  }

  async #writeMatch({ dir }: KeptStub, match: object): Promise<void> {
    const folder = join(this.path, dir, 'matches');
    const file = join(folder, `${stamp()}.json`);
    await makeDirectory(folder);
    await writeJson(file, match, { unfinished: this.#unfinished(), synced: false });
  }

  async #writeRequest(path: string, request: object): Promise<void> {
    this.#requestsReady ??= makeDirectory(join(this.path, 'requests'));
    await this.#requestsReady;
    await writeJson(path, request, { unfinished: this.#unfinished(), synced: false });
  }

  #dropRequest(index: number, file: string): void {
    this.#requests.delete(index);
    // its own write may still be on the way
    const dropping = this.#pending.over().then(() => rm(file, { force: true }));
    this.#pending.add(dropping);
  }

  /** Beside the folders whose every file counts. */
  #unfinished(): string {
    return join(this.path, `${stamp()}.tmp`);
  }
}

/** A stub as `imposter.json` has it: everything but its responses. */
function stubEntry({ responses: _, ...rest }: StubJson, dir: string): object {
  return { meta: { dir }, ...rest };
}
