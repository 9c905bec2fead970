// A data directory in Mountebank's layout: one directory an imposter (Mountebank docs: command line, `--datadir`).
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Imposter, ImposterJson, ImposterKeeper, Imposters, JsonObject, Stub, StubJson } from '@rift-ts/engine';
import { type Logger, RiftErrors, readImposter, servings } from '@rift-ts/engine';
import type { Datadir, DatadirOptions } from './datadir.js';
import { CorruptedDatabase, codeOf, namesIn, readAllJson, readJson } from './files.js';
import { ImposterFolder, type KeptStub, positionOf } from './imposter-folder.js';
import { breakAbandoned } from './lock.js';
import { persistenceError } from './persistence-error.js';

type MatchRecord = Stub['matches'][number];

/** What a directory holds of an imposter. */
interface Loaded {
  readonly path: string;
  readonly creation: ImposterJson;
  readonly stubs: readonly (KeptStub & { readonly position: number; readonly matches: readonly MatchRecord[] })[];
  readonly requests: readonly { readonly path: string; readonly content: unknown }[];
}

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
    const read = await readImposter(creation, trusted ? { ...readOptions, allowInjection: true } : readOptions);
    if (!('errors' in read)) return read.value;
    if (trusted) return creation;
    throw new RiftErrors(read.errors);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#folders.values()].map((folder) => folder.settled()));
  }

  async created(imposter: Imposter): Promise<void> {
    const loaded = this.#loading.get(imposter.creation);
    const path = loaded?.path ?? join(this.#path, String(imposter.port));
    const folder = new ImposterFolder(path, imposter, () => settingsOf(imposter, this.#options.host));
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
  imposter.stubs.forEach(({ ring, matches }, index) => {
    const loaded = stubs[index]!;
    ring.position = loaded.position;
    matches.push(...loaded.matches);
  });
  return requests.map(({ path, content }) => {
    const { timestamp, ...request } = content as { timestamp?: string };
    const at = new Date(timestamp ?? Number.NaN);
    const entry = imposter.journal.add(
      { toJSON: () => request },
      Number.isNaN(at.getTime()) ? Date.now() : at.getTime(),
    );
    return [entry.index, path];
  });
}

/** @throws CorruptedDatabase when the imposter itself cannot be read; what else cannot be read is logged and left out */
async function readFolder(path: string, logger: Logger): Promise<Loaded> {
  const unreadable = (error: CorruptedDatabase) => logger.error(error.line);
  const file = join(path, 'imposter.json');
  const { stubs: entries, ...settings } = objectOf(await readJson(file), file);
  const stubs: (Loaded['stubs'][number] & { json: StubJson })[] = [];
  for (const entry of Array.isArray(entries) ? entries : []) {
    try {
      stubs.push(await readStub(path, objectOf(entry, file), unreadable));
    } catch (error) {
      if (!(error instanceof CorruptedDatabase)) throw error;
      unreadable(error);
    }
  }
  const requests = await readAllJson(join(path, 'requests'), unreadable);
  const creation = { ...settings, stubs: stubs.map(({ json }) => json) } as unknown as ImposterJson;
  return { path, creation, stubs, requests: requests.filter(({ content }) => isObject(content)) };
}

async function readStub(path: string, entry: JsonObject, unreadable: (error: CorruptedDatabase) => void) {
  const { meta: place, ...rest } = entry;
  const dir = isObject(place) && typeof place.dir === 'string' ? place.dir : '';
  const file = join(path, dir, 'meta.json');
  const meta = objectOf(await readJson(file), file);
  const kept: KeptStub = { dir, responseFiles: [], servings: [] };
  const responses: JsonObject[] = [];
  for (const name of Array.isArray(meta.responseFiles) ? meta.responseFiles : []) {
    try {
      const responseFile = join(path, dir, String(name));
      const response = objectOf(await readJson(responseFile), responseFile);
      responses.push(response);
      kept.responseFiles.push(String(name));
      kept.servings.push(servings(response));
    } catch (error) {
      if (!(error instanceof CorruptedDatabase)) throw error;
      unreadable(error);
    }
  }
  const matches = await readAllJson(join(path, dir, 'matches'), unreadable);
  const order = Array.isArray(meta.orderWithRepeats) ? meta.orderWithRepeats.map(Number) : [];
  return {
    ...kept,
    position: positionOf(kept, order, Number(meta.nextIndex) || 0),
    matches: matches.map(({ content }) => content as MatchRecord),
    json: { ...rest, responses } as StubJson,
  };
}

function objectOf(value: unknown, file: string): JsonObject {
  if (isObject(value)) return value;
  throw new CorruptedDatabase(`invalid JSON for ${file}`, `invalid JSON in ${file}`, 'not an object');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
