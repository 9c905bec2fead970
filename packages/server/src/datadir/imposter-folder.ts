// One imposter in Mountebank's layout: a directory with `imposter.json`, a directory for each stub with its responses,
// its cursor and its matches, and a file for each recorded request.
//
// New content comes into new files; what says that it counts (`imposter.json`, `meta.json`) is replaced at the end by a
// rename; what no longer counts is removed after that. Killed anywhere on the way, a process leaves the imposter as it
// was before or as it is after the change, and perhaps files that nothing refers to.
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, rm, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type Imposter,
  type JsonObject,
  type Logger,
  type ResponseJson,
  type Stub,
  type StubJson,
  servings,
} from '@rift-ts/engine';
import {
  atMost,
  CorruptedDatabase,
  codeOf,
  makeDirectory,
  namesIn,
  readJson,
  stamp,
  syncDirectory,
  writeJson,
} from './files.js';
import { GroupCommit } from './group-commit.js';
import { locked } from './lock.js';
import { PendingWrites } from './pending.js';
import { readStubs } from './read-folder.js';
import { type KeptStub, metaOf } from './stub-files.js';

const FILES_AT_A_TIME = 16;

interface RequestFile {
  readonly path: string;
  /** Undefined when it was there before. */
  readonly written: Promise<void> | undefined;
}

interface TrackedStub extends KeptStub {
  readonly meta: GroupCommit;
  /** The next `meta.json` names files that no earlier one did. */
  grown: boolean;
  /** Whether `imposter.json` names it. */
  listed: boolean;
}

export class ImposterFolder {
  readonly path: string;
  readonly #imposter: Imposter;
  /** What stands in `imposter.json` beside port and stubs. */
  readonly #settings: () => object;
  readonly #logger: Logger;
  readonly #stubs = new Map<Stub, TrackedStub>();
  /** By index of the journal's entry, in order. */
  readonly #requests = new Map<number, RequestFile>();
  readonly #pending = new PendingWrites();
  readonly #list = new GroupCommit(() => this.#writeList());
  readonly #following = new GroupCommit(() => this.#followStubs());
  #requestsReady: Promise<void> | undefined;
  #closed = false;
  /** Which `imposter.json` the imposter is as. */
  #version = '';
  #watcher: FSWatcher | undefined;
  /** Files of requests that cannot be read: told once. */
  readonly #unreadable = new Set<string>();

  /** `settings`: what the creation request says now; `path`: the imposter's directory, which need not exist. */
  constructor(path: string, imposter: Imposter, settings: () => object, logger: Logger) {
    this.path = path;
    this.#imposter = imposter;
    this.#settings = settings;
    this.#logger = logger;
  }

  /** The directory's content is that of the imposter already. Files of requests by index of the journal's entry. */
  adopt(stubs: readonly KeptStub[], requests: readonly (readonly [index: number, path: string])[]): void {
    this.#imposter.stubs.forEach((stub, index) => {
      this.#track(stub, stubs[index]!).listed = true;
    });
    for (const [index, path] of requests) this.#requests.set(index, { path, written: undefined });
  }

  /** Writes the imposter, instead of whatever the directory holds. */
  async create(): Promise<void> {
    const old = await this.#contents();
    await this.#list.request();
    await atMost(FILES_AT_A_TIME, old, (path) => rm(path, { recursive: true, force: true }));
    this.#watch();
  }

  /** The imposter is as `imposter.json` says; from now on changes that others make to it are followed. */
  async seen(): Promise<void> {
    this.#version = await versionOf(this.#file);
    this.#watch();
  }

  get #file(): string {
    return join(this.path, 'imposter.json');
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.path, { persistent: false }, (_, name) => {
        if (name === 'imposter.json') this.#followed();
      });
      this.#watcher.on('error', () => this.unwatch());
    } catch {
      // a system without watches: changes are seen when the admin API is asked
    }
  }

  unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #followed(): void {
    this.#following.request().catch((error: unknown) => {
      // the file may be on its way; who asks the admin API gets to know
      this.#logger.debug(error instanceof Error ? error.message : String(error));
    });
  }

  /** Takes over what other processes changed on the disk. @throws CorruptedDatabase */
  async refresh(): Promise<void> {
    await this.#following.request();
    await this.#followRequests();
  }

  async #followStubs(): Promise<void> {
    await this.#pending.over();
    const version = await versionOf(this.#file);
    if (version === this.#version || this.#closed) return;
    const loaded = await readStubs(this.path, this.#logger);
    this.#version = version;
    const known = new Map([...this.#stubs].map(([stub, { dir }]) => [dir, stub]));
    const stubs = loaded.stubs.map(({ dir, json }) => {
      const stub = known.get(dir);
      return stub !== undefined && JSON.stringify(stub.json) === JSON.stringify(json) ? stub : json;
    });
    this.#imposter.restock(stubs);
    const before = new Map(this.#stubs);
    this.#stubs.clear();
    this.#imposter.stubs.forEach((stub, index) => {
      const tracked = before.get(stub);
      if (tracked !== undefined) {
        this.#stubs.set(stub, tracked);
        return;
      }
      const { position, matches, ...kept } = loaded.stubs[index]!;
      this.#track(stub, kept).listed = true;
      stub.ring.position = position;
      stub.matches = matches;
    });
  }

  async #followRequests(): Promise<void> {
    const folder = join(this.path, 'requests');
    const names = new Set((await namesIn(folder)).filter((name) => name.endsWith('.json')));
    const known = new Set([...this.#requests.values()].map(({ path }) => basename(path)));
    for (const name of names) {
      if (known.has(name) || this.#unreadable.has(name)) continue;
      try {
        const path = join(folder, name);
        this.#requests.set(addRequest(this.#imposter, await readJson(path)), { path, written: undefined });
      } catch (error) {
        if (!(error instanceof CorruptedDatabase)) throw error;
        this.#unreadable.add(name);
        this.#logger.error(error.line);
      }
    }
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
    this.unwatch();
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
    const written = this.#writeRequest(path, request);
    this.#requests.set(index, { path, written });
    this.#pending.add(written);
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
      listed: false,
      meta: new GroupCommit(async () => {
        const path = join(this.path, tracked.dir, 'meta.json');
        const synced = tracked.grown;
        tracked.grown = false;
        if (this.#closed || tracked.responseFiles.length === 0) return;
        const write = () => writeJson(path, metaOf(tracked, stub.ring.position), { synced });
        // nobody else knows of a stub that is not in the list yet
        await (tracked.listed ? locked(path, write) : write());
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
    const file = this.#file;
    const json = {
      ...this.#settings(),
      stubs: stubs.map((stub) => stubEntry(stub.json, this.#stubs.get(stub)!.dir)),
    };
    await locked(file, async () => {
      await writeJson(file, json, { synced: true });
      this.#version = await versionOf(file);
    });
    await syncDirectory(this.path);
    for (const stub of stubs) this.#stubs.get(stub)!.listed = true;
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
    await mkdir(folder, { recursive: true });
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

  #dropRequest(index: number, { path, written }: RequestFile): void {
    this.#requests.delete(index);
    const remove = () => rm(path, { force: true });
    this.#pending.add(written === undefined ? remove() : written.then(remove, remove));
  }

  /** Beside the folders whose every file counts. */
  #unfinished(): string {
    return join(this.path, `${stamp()}.tmp`);
  }
}

/** Adds a request as its file has it to the journal; the index of the entry. */
export function addRequest(imposter: Imposter, content: unknown): number {
  const { timestamp, ...request } = content as JsonObject;
  const at = new Date(String(timestamp)).getTime();
  return imposter.journal.add({ toJSON: () => request }, Number.isNaN(at) ? Date.now() : at).index;
}

/** What changes with every rename to this path. @throws CorruptedDatabase when there is no such file */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new CorruptedDatabase(`missing file ${path}`, 'file not found', error);
  }
}

/** A stub as `imposter.json` has it: everything but its responses. */
function stubEntry({ responses: _, ...rest }: StubJson, dir: string): object {
  return { meta: { dir }, ...rest };
}
