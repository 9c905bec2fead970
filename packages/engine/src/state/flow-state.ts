// The flow state of one imposter: where it is kept, and which flow a request belongs to. An imposter that names no store
// gets one in memory when the first of its stubs needs it, and keeps it.

import { RiftError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { FlowMeters } from '../metering/flow-meters.js';
import { isObject } from '../model/shapes.js';
import type { ImposterJson, JsonObject, StubJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import { FlowIdSource } from './flow-id.js';
import { MemoryStore } from './memory-store.js';
import { MeteredStore } from './metered-store.js';
import { noStore } from './no-store.js';
import { openRedis } from './redis-link.js';
import { RedisStore } from './redis-store.js';
import { type FlowStore, StoreFailure } from './types.js';

const DEFAULT_TTL_SECONDS = 300;
const STATE_KEYS = [
  'scenarioName',
  'requiredScenarioState',
  'newScenarioState',
  'required_scenario_state',
  'new_scenario_state',
];

export class FlowState {
  readonly source: FlowIdSource;
  readonly #configuration: JsonObject | undefined;
  readonly #logger: Logger;
  readonly #port: () => number;
  readonly #meters: FlowMeters | undefined;
  #store: FlowStore = noStore;
  // gates of many stubs ask for the flow of the same request one after the other
  #lastView: RequestView | undefined;
  #lastFlow = '';

  /** `meters`: where what is done with the state is counted. */
  constructor(creation: ImposterJson, logger: Logger, port: () => number, meters?: FlowMeters) {
    const rift = creation._rift;
    this.#configuration = isObject(rift) && isObject(rift.flowState) ? (rift.flowState as JsonObject) : undefined;
    this.source = new FlowIdSource(this.#configuration?.flowIdSource);
    this.#logger = logger;
    this.#port = port;
    this.#meters = meters;
    if (this.#configuration !== undefined && !this.remote) this.#keepIn(new MemoryStore(this.#ttlSeconds));
  }

  get store(): FlowStore {
    return this.#store;
  }

  /** The flow of a request. */
  flowOf(view: RequestView): string {
    if (this.source.header === undefined) return String(this.#port());
    if (view !== this.#lastView) {
      this.#lastFlow = this.source.of(view, this.#port());
      this.#lastView = view;
    }
    return this.#lastFlow;
  }

  /** Connects to where the state is kept. @throws RiftError 400 when that is out of reach */
  async open(): Promise<void> {
    if (!this.remote) return;
    const flowState = this.#configuration!;
    const redis = isObject(flowState.redis) ? flowState.redis : flowState;
    try {
      const link = await openRedis(String(redis.url), this.#logger);
      this.#keepIn(new RedisStore(link, String(redis.keyPrefix ?? 'rift:'), this.#ttlSeconds));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      const message = `Flow store configuration error: failed to build the Redis flow store: ${detail}`;
      throw new RiftError('bad data', message, {}, { status: 400, riftOnly: true, path: '_rift.flowState' });
    }
  }

  /** Makes a store for a stub that needs one, if there is none yet. */
  provideFor(stub: StubJson): void {
    if (this.#store !== noStore || this.remote) return;
    const scripted = stub.responses?.some?.(
      (response) => isObject(response) && isObject(response._rift) && isObject(response._rift.script),
    );
    if (!scripted && !STATE_KEYS.some((key) => typeof stub[key] === 'string')) return;
    this.#keepIn(new MemoryStore(DEFAULT_TTL_SECONDS));
    if (scripted) {
      this.#logger.warn(
        `_rift.script without _rift.flowState: state is kept in memory for ${DEFAULT_TTL_SECONDS} seconds`,
      );
    }
  }

  /** Whether state is kept outside this process, so that reading it takes a while. */
  get remote(): boolean {
    return this.#configuration?.backend === 'redis';
  }

  /** A line for those who look for what became of a transition. */
  tell(line: string): void {
    this.#logger.debug(line);
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  #keepIn(store: FlowStore): void {
    this.#store = this.#meters === undefined ? store : new MeteredStore(store, this.#meters);
  }

  get #ttlSeconds(): number {
    return Number(this.#configuration?.ttlSeconds ?? DEFAULT_TTL_SECONDS);
  }
}

/** What a client sees when the store fails a request: 503 with what was needed and why it is not there. */
export function storeUnavailable(error: unknown): unknown {
  if (!(error instanceof StoreFailure)) return error;
  const { detail } = error;
  return new RiftError(
    'backend unavailable',
    `flowState: ${detail}`,
    { feature: 'flowState', detail },
    { status: 503, riftOnly: true },
  );
}
