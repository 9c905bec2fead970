// A data directory in Mountebank's layout: one directory an imposter (Mountebank docs: command line, `--datadir`).

import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Imposter,
  type ImposterJson,
  type ImposterKeeper,
  type Imposters,
  type JsonObject,
  RiftErrors,
  readImposter,
  type Stub,
} from '@rift-ts/engine';
import { withScriptsOf } from '../config/script-files.js';
import type { Datadir, DatadirOptions } from './datadir.js';
import { CorruptedDatabase, codeOf, namesIn } from './files.js';
import { addRequest, ImposterFolder } from './imposter-folder.js';
import { breakAbandoned } from './lock.js';
import { persistenceError } from './persistence-error.js';
import { type Loaded, type MatchRecord, readFolder } from './read-folder.js';

/** How long a lock that was found at the start may stay before its holder counts as killed. */
const PATIENCE_MS = 300;

export class MountebankLayout implements Datadir, ImposterKeeper {
  readonly #path: string;
  readonly #options: DatadirOptions;
  readonly #folders = new Map<Imposter, ImposterFolder>();
  /** Being created from what was read; by creation request. */
  readonly #loading = new Map<ImposterJson, Loaded>();

  constructor(options: DatadirOptions) {
    this.#path = options.path;
    this.#options = options;
  }

  get keeper(): ImposterKeeper {
    return this;
  }

  async load(imposters: Imposters, skips: (port: number) => boolean): Promise<void> {
    const { logger } = this.#options;
    for (const name of await namesIn(this.#path)) {
      const path = join(this.#path, name);
      try {
        await this.#loadOne(imposters, name, path, skips);
      } catch (error) {
        const reasons = error instanceof RiftErrors ? error.errors : [error as Error];
        for (const reason of reasons) {
          logger.error(
            reason instanceof CorruptedDatabase ? reason.line : `Cannot load imposter ${name}; ${reason.message}`,
          );
        }
      }
    }
  }

  async #loadOne(imposters: Imposters, name: string, path: string, skips: (port: number) => boolean): Promise<void> {
    const { logger } = this.#options;
    if (!(await namesIn(path)).includes('imposter.json')) {
      logger.warn(`Skipping ${name} during loading; missing imposter.json`);
      return;
    }
    const loaded = await readFolder(path, logger);
    const { creation } = loaded;
    creation.port ??= Number(name);
    if (skips(Number(creation.port))) {
      logger.info(`Skipping ${name} during loading; the configuration has an imposter on port ${creation.port}`);
      return;
    }
    if (!imposters.options.protocols.has(creation.protocol)) {
      logger.error(`Cannot load imposter ${name}; no protocol loaded for ${creation.protocol}`);
      return;
    }
    const accepted = await this.#accepted(creation, imposters);
    logger.info(`Loading ${creation.protocol}:${name} from datadir`);
    this.#loading.set(accepted, loaded);
    try {
      await imposters.create(accepted);
    } finally {
      this.#loading.delete(accepted);
    }
  }

  /**
   * Profile `rift` checks what it reads as if it were posted. Profile `mountebank` does as Mountebank, which serves what
   * was accepted once, whatever the flags are now.
   */
  async #accepted(creation: ImposterJson, { readOptions, options }: Imposters): Promise<ImposterJson> {
    const trusted = options.profile === 'mountebank';
    const reading = withScriptsOf(this.#path, readOptions);
    const read = await readImposter(creation, trusted ? { ...reading, allowInjection: true } : reading);
    if (!('errors' in read)) return read.value;
    if (trusted) return creation;
    throw new RiftErrors(read.errors);
  }

  async refresh(imposters: Imposters, method: string, route: string, id: string | undefined): Promise<void> {
    const shown = id === undefined ? imposters.all() : [imposters.get(id)];
    for (const imposter of shown) {
      const folder = imposter && this.#folders.get(imposter);
      try {
        await folder?.refresh();
      } catch (error) {
        if (!(error instanceof CorruptedDatabase)) throw error;
        this.#options.logger.error(error.line);
        const deletes = method === 'DELETE' && route === '/imposters/:id';
        if (id !== undefined && !deletes) throw error;
      }
    }
  }

  async close(): Promise<void> {
    for (const folder of this.#folders.values()) folder.unwatch();
    await Promise.allSettled([...this.#folders.values()].map((folder) => folder.settled()));
  }

  async created(imposter: Imposter): Promise<void> {
    const loaded = this.#loading.get(imposter.creation);
    const path = loaded?.path ?? join(this.#path, String(imposter.port));
    const folder = new ImposterFolder(
      path,
      imposter,
      () => settingsOf(imposter, this.#options.host),
      this.#options.logger,
    );
    this.#folders.set(imposter, folder);
    if (loaded === undefined) {
      try {
        await folder.create();
      } catch (error) {
        this.#folders.delete(imposter);
        throw persistenceError(error);
      }
      return;
    }
    folder.adopt(loaded.stubs, restored(imposter, loaded));
    await folder.seen();
    const shared = ['imposter.json', ...loaded.stubs.map(({ dir }) => join(dir, 'meta.json'))];
    await Promise.all(shared.map((file) => breakAbandoned(join(path, file), PATIENCE_MS)));
  }

  async deleted(imposter: Imposter): Promise<void> {
    const folder = this.#folders.get(imposter);
    this.#folders.delete(imposter);
    await folder?.remove().catch((error) => {
      throw persistenceError(error);
    });
  }

  async emptied(): Promise<void> {
    try {
      await rmdir(this.#path);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw persistenceError(error);
    }
  }

  changed(imposter: Imposter): void {
    this.#folders.get(imposter)?.changed();
  }

  turned(imposter: Imposter, stub: Stub): void {
    this.#folders.get(imposter)?.turned(stub);
  }

  recorded(imposter: Imposter, entry: { index: number; timestamp: string; request: object }): void {
    this.#folders.get(imposter)?.recorded(entry.index, { ...entry.request, timestamp: entry.timestamp });
  }

  matched(imposter: Imposter, stub: Stub, match: MatchRecord): void {
    this.#folders.get(imposter)?.matched(stub, match);
  }

  forgot(imposter: Imposter): void {
    this.#folders.get(imposter)?.forgot();
  }

  async settled(imposter: Imposter): Promise<void> {
    await this.#folders
      .get(imposter)
      ?.settled()
      .catch((error) => {
        throw persistenceError(error);
      });
  }
}

/** `imposter.json` without its stubs: the creation request with the port that was bound and the host it is bound to. */
function settingsOf(imposter: Imposter, inherited: string | undefined): object {
  const { requests: _, stubs: __, ...rest } = imposter.creation;
  const json: JsonObject = { ...rest, port: imposter.port };
  if (!imposter.enabled) json.enabled = false;
  else if (json.enabled === false) delete json.enabled;
  if (json.host === undefined && inherited !== undefined) json.host = inherited;
  return json;
}

/** Brings cursors, matches and recorded requests back; the requests' files by index of the journal's entry. */
function restored(imposter: Imposter, { stubs, requests }: Loaded): [number, string][] {
  imposter.stubs.forEach((stub, index) => {
    const { position, matches } = stubs[index]!;
    if (position !== 0) stub.ring.position = position;
    stub.matches = matches;
  });
  return requests.map(({ path, content }) => [addRequest(imposter, content), path]);
}
