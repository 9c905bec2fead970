// All imposters of a process, by port. Creating takes its port in the table before it listens, so that of two creators
// of one port exactly one gets it, whatever addresses they bind.

import { RiftError } from './errors.js';
import { Imposter, type ImposterSettings } from './imposter.js';
import { type Logger, silentLogger } from './logger.js';
import { checkPredicates } from './matching/check.js';
import { Meters } from './metering/meters.js';
import { readImposter, readImposters } from './model/read-imposter.js';
import { accepted, type ReadOptions, type ScriptSources } from './model/read-options.js';
import type { ImposterJson, Profile } from './model/types.js';
import type { Protocol } from './protocols/types.js';
import { ImposterEvents } from './recording/events.js';
import { scriptProblem } from './scripting/rift/script-problem.js';
import { createScriptHost } from './scripting/script-host.js';
import { scriptTimeout } from './scripting/script-timeout.js';
import type { ScriptHost } from './scripting/types.js';

/** Everything but profile and protocols has a default: nothing recorded, everybody allowed, no log. */
export interface ImpostersOptions extends Partial<ImposterSettings> {
  readonly profile: Profile;
  /** Whether imposters may run JavaScript and shell commands; default false. */
  readonly allowInjection?: boolean;
  /** By name; an entry may replace a built-in. */
  readonly protocols: ReadonlyMap<string, Protocol>;
  /** Milliseconds a script may run, when the user set a limit; default 5000. */
  readonly scriptTimeoutMs?: number;
  /** The text of a script file that the admin API names; absent: every `file` is refused. */
  readonly readScriptFile?: ScriptSources['readFile'];
  /** A logger whose lines begin with what `scope` gives at that moment, e.g. `http:4545 name`. */
  loggerFor?(scope: () => string): Logger;
}

/** First port tried for an imposter that names none, in profile `rift`. */
const FIRST_FREE_PORT = 49152;
const LAST_PORT = 65535;
const DEFAULT_SCRIPT_TIMEOUT_MS = 5000;

export class Imposters {
  readonly options: ImpostersOptions;
  /** How documents are read for these imposters. */
  readonly readOptions: ReadOptions;
  /** What happens to them, for whoever listens. */
  readonly events: ImposterEvents;
  readonly #settings: ImposterSettings;
  readonly #byPort = new Map<number, Imposter>();
  /** Ports of imposters that are being started. */
  readonly #starting = new Set<number>();

  constructor(options: ImpostersOptions) {
    this.options = options;
    this.events = options.events ?? new ImposterEvents();
    this.#settings = {
      profile: options.profile,
      recordAll: options.recordAll ?? false,
      debug: options.debug ?? false,
      journalCap: options.journalCap,
      meters: options.meters ?? new Meters(),
      keeper: options.keeper,
      random: options.random ?? Math.random,
      events: this.events,
      scriptTimeoutMs: options.scriptTimeoutMs ?? DEFAULT_SCRIPT_TIMEOUT_MS,
      requestLogLevel: options.requestLogLevel ?? 'info',
      strictBehaviors: options.strictBehaviors ?? false,
      workingDirectory: options.workingDirectory ?? process.cwd(),
      allows: options.allows ?? (() => true),
      threads: options.threads,
      restricted: options.restricted,
    };
    this.readOptions = {
      profile: options.profile,
      allowInjection: options.allowInjection ?? false,
      protocols: options.protocols,
      checkPredicates,
      runGenerator: async (source, request) => {
        const scripts = this.#scriptHost(silentLogger);
        try {
          return await scripts.generator(source, request);
        } finally {
          await scripts.close();
        }
      },
      scripts: { parse: scriptProblem, readFile: options.readScriptFile },
    };
  }

  /** Reads and starts one imposter (`POST /imposters`). Throws RiftErrors with every reason why it is refused. */
  async createFrom(json: unknown): Promise<Imposter> {
    return this.create(accepted(await readImposter(json, this.readOptions)));
  }

  /** Reads `{"imposters": [...]}` and replaces the whole set with it; nothing changes unless all are valid. */
  async replaceFrom(json: unknown): Promise<Imposter[]> {
    return this.replaceAll(accepted(await readImposters(json, this.readOptions)));
  }

  /** By ascending port. */
  all(): Imposter[] {
    return [...this.#byPort.values()].sort((a, b) => a.port - b.port);
  }

  /** The imposter of a port given as text: the plain decimal form only. */
  get(id: string): Imposter | undefined {
    const imposter = this.#byPort.get(Number(id));
    return imposter !== undefined && String(imposter.port) === id ? imposter : undefined;
  }

  /** Starts an imposter from a checked creation request; it listens when the promise resolves. */
  async create(creation: ImposterJson): Promise<Imposter> {
    if (creation.port === undefined && this.options.profile === 'rift') {
      // a process chooses its port itself: its failing to bind one is not told from other failures
      const { outOfProcess } = this.options.protocols.get(creation.protocol) ?? {};
      if (!outOfProcess) return this.#createOnFreePort(creation);
    }
    const port = Number(creation.port ?? 0);
    if (port !== 0 && (this.#byPort.has(port) || this.#starting.has(port))) throw portTaken(port);
    this.#starting.add(port);
    try {
      const imposter = this.#make(creation);
      await imposter.start();
      // the process of a custom protocol may listen elsewhere than it was asked to
      if (this.#byPort.has(imposter.port)) {
        await imposter.stop();
        throw portTaken(imposter.port);
      }
      await this.#keep(imposter);
      this.#byPort.set(imposter.port, imposter);
      return imposter;
    } finally {
      this.#starting.delete(port);
    }
  }

  async #createOnFreePort(creation: ImposterJson): Promise<Imposter> {
    for (let port = FIRST_FREE_PORT; port <= LAST_PORT; port++) {
      if (this.#byPort.has(port) || this.#starting.has(port)) continue;
      try {
        return await this.create({ ...creation, port });
      } catch (error) {
        if (!(error instanceof RiftError) || error.code !== 'resource conflict') throw error;
      }
    }
    throw new RiftError('resource conflict', `No port between ${FIRST_FREE_PORT} and ${LAST_PORT} is free`);
  }

  /**
   * Replaces the whole set: all old ones stop, then all new ones start. When one cannot start, those of this call that
   * did are stopped again and the set is empty; the first error is thrown.
   */
  async replaceAll(creations: readonly ImposterJson[]): Promise<Imposter[]> {
    const old = await this.stopAll();
    await this.options.keeper?.emptying?.();
    const results = await Promise.allSettled(creations.map((creation) => this.create(creation)));
    const failed = results.find((result) => result.status === 'rejected');
    // what is kept of the old set goes last: a process killed on the way has the old or the new imposter of a port
    if (failed !== undefined) {
      await this.deleteAll(old);
      throw failed.reason;
    }
    await this.#forget(old.filter(({ port }) => !this.#byPort.has(port)));
    return results.map((result) => (result as PromiseFulfilledResult<Imposter>).value);
  }

  /** Stops and forgets an imposter; its port is free when the promise resolves. */
  async delete(id: string): Promise<Imposter | undefined> {
    const imposter = this.get(id);
    if (imposter === undefined) return undefined;
    this.#byPort.delete(imposter.port);
    await imposter.stop();
    await this.options.keeper?.deleted(imposter);
    return imposter;
  }

  /** Stops and forgets all; by ascending port. `stopped`: more that are to be forgotten. */
  async deleteAll(stopped: readonly Imposter[] = []): Promise<Imposter[]> {
    const all = await this.stopAll();
    await this.options.keeper?.emptying?.();
    await this.#forget([...stopped.filter(({ port }) => !all.some((other) => other.port === port)), ...all]);
    await this.options.keeper?.emptied();
    return all;
  }

  /** Stops all as the end of the process does: what is kept of them stays. By ascending port. */
  async stopAll(): Promise<Imposter[]> {
    const stopped = this.all();
    this.#byPort.clear();
    await Promise.all(stopped.map((imposter) => imposter.stop()));
    return stopped;
  }

  async #keep(imposter: Imposter): Promise<void> {
    try {
      await this.options.keeper?.created(imposter);
    } catch (error) {
      await imposter.stop();
      throw error;
    }
  }

  async #forget(imposters: readonly Imposter[]): Promise<void> {
    const { keeper } = this.options;
    if (keeper !== undefined) await Promise.all(imposters.map((imposter) => keeper.deleted(imposter)));
  }

  #make(creation: ImposterJson): Imposter {
    const { options } = this;
    const protocol = options.protocols.get(creation.protocol);
    if (protocol === undefined) {
      throw new RiftError('bad data', `the ${creation.protocol} protocol is not yet supported`);
    }
    let imposter: Imposter | undefined;
    const scope = () => imposter?.scope ?? `${creation.protocol}:${creation.port ?? 0}`;
    const logger = options.loggerFor?.(scope) ?? silentLogger;
    imposter = new Imposter(
      creation,
      protocol,
      this.#settings,
      this.#scriptHost(logger, scriptTimeout(creation)),
      logger,
    );
    return imposter;
  }

  #scriptHost(logger: Logger, ownTimeoutMs?: number): ScriptHost {
    const { profile } = this.options;
    const scriptTimeoutMs = ownTimeoutMs ?? this.options.scriptTimeoutMs;
    return createScriptHost({
      profile,
      timeoutMs: scriptTimeoutMs ?? DEFAULT_SCRIPT_TIMEOUT_MS,
      timeoutGiven: scriptTimeoutMs !== undefined,
      logger,
      workingDirectory: this.#settings.workingDirectory,
    });
  }
}

function portTaken(port: number): RiftError {
  return new RiftError('resource conflict', `Port ${port} is already in use`);
}
