// A data directory with one file an imposter: `PORT.json`, its whole configuration, and beside it the turns of its
// responses. Recorded requests are not kept.

import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type Imposter,
  type ImposterKeeper,
  type Imposters,
  type JsonObject,
  RiftErrors,
  readImposter,
} from '@rift-ts/engine';
import { withScriptsOf } from '../config/script-files.js';
import type { Datadir, DatadirOptions } from './datadir.js';
import { makeDirectory, namesIn, readJson, syncDirectory, writeJson } from './files.js';
import { GroupCommit } from './group-commit.js';
import { PendingWrites } from './pending.js';
import { persistenceError } from './persistence-error.js';
import { readTurns, writeTurns } from './turns.js';

interface KeptFile {
  readonly path: string;
  readonly commit: GroupCommit;
  readonly turnsPath: string;
  readonly turns: GroupCommit;
  readonly pending: PendingWrites;
  gone: boolean;
}

export class RiftLayout implements Datadir, ImposterKeeper {
  readonly #path: string;
  readonly #options: DatadirOptions;
  readonly #files = new Map<Imposter, KeptFile>();
  /** Files of imposters that are being created from them; by creation request. */
  readonly #loading = new Map<JsonObject, string>();

  constructor(options: DatadirOptions) {
    this.#path = options.path;
    this.#options = options;
  }

  get keeper(): ImposterKeeper {
    return this;
  }

  async load(imposters: Imposters, skips: (port: number) => boolean): Promise<void> {
    const { logger } = this.#options;
    const skipped: string[] = [];
    for (const name of (await namesIn(this.#path)).filter((entry) => entry.endsWith('.json'))) {
      try {
        await this.#loadOne(imposters, join(this.#path, name), skips);
      } catch (error) {
        const reasons = error instanceof RiftErrors ? error.errors : [error as Error];
        skipped.push(`${name}: ${reasons.map(({ message }) => message).join(', ')}`);
      }
    }
    if (skipped.length === 0) return;
    logger.error(
      `${skipped.length} imposter file(s) in the datadir were skipped and are NOT being served: ${skipped.join('; ')}`,
    );
  }

  async #loadOne(imposters: Imposters, path: string, skips: (port: number) => boolean): Promise<void> {
    const { logger } = this.#options;
    const read = await readImposter(await readJson(path), withScriptsOf(this.#path, imposters.readOptions));
    if ('errors' in read) throw new RiftErrors(read.errors);
    const { value: creation } = read;
    if (skips(Number(creation.port))) {
      logger.info(`Skipping ${basename(path)} during loading; the configuration has an imposter on that port`);
      return;
    }
    logger.info(`Loading ${creation.protocol}:${creation.port ?? '(auto)'} from ${path}`);
    this.#loading.set(creation, path);
    try {
      await imposters.create(creation);
    } finally {
      this.#loading.delete(creation);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map(({ pending }) => pending.over()));
  }

  async created(imposter: Imposter): Promise<void> {
    const loaded = this.#loading.get(imposter.creation);
    const path = loaded ?? join(this.#path, `${imposter.port}.json`);
    const turnsPath = path.replace(/json$/, 'turns');
    const file: KeptFile = {
      path,
      turnsPath,
      turns: new GroupCommit(async () => {
        if (!file.gone) await writeTurns(turnsPath, imposter);
      }),
      pending: new PendingWrites(),
      commit: new GroupCommit(() => this.#write(imposter, file)),
      gone: false,
    };
    this.#files.set(imposter, file);
    if (loaded !== undefined) return readTurns(turnsPath, imposter);
    try {
      await rm(turnsPath, { force: true });
      await file.commit.request();
    } catch (error) {
      this.#files.delete(imposter);
      throw persistenceError(error);
    }
  }

  async #write(imposter: Imposter, { path, gone }: KeptFile): Promise<void> {
    if (gone) return;
    await makeDirectory(this.#path);
    await writeJson(path, configurationOf(imposter), { synced: true });
    await syncDirectory(this.#path);
  }

  async deleted(imposter: Imposter): Promise<void> {
    const file = this.#files.get(imposter);
    if (file === undefined) return;
    this.#files.delete(imposter);
    file.gone = true;
    await file.pending.over();
    try {
      await rm(file.turnsPath, { force: true });
      await rm(file.path, { force: true });
    } catch (error) {
      throw persistenceError(error);
    }
  }

  /** The directory stays: it is the layout that tells whose it is, and an empty one follows the profile. */
  async emptied(): Promise<void> {}

  changed(imposter: Imposter): void {
    const file = this.#files.get(imposter);
    file?.pending.add(file.commit.request());
  }

  turned(imposter: Imposter): void {
    const file = this.#files.get(imposter);
    file?.pending.add(file.turns.request());
  }

  recorded(): void {}

  matched(): void {}

  forgot(): void {}

  async settled(imposter: Imposter): Promise<void> {
    try {
      await this.#files.get(imposter)?.pending.settled();
    } catch (error) {
      throw persistenceError(error);
    }
  }
}

function configurationOf(imposter: Imposter): object {
  const { requests: _, stubs: __, port: ___, enabled: ____, protocol, ...rest } = imposter.creation;
  const { port, enabled } = imposter;
  return { protocol, port, ...rest, enabled, stubs: imposter.stubs.map(({ json }) => json) };
}
