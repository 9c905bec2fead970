// A store of flow state whose operations are counted.

import type { FlowMeters, FlowOperation } from '../metering/flow-meters.js';
import type { CasResult, Eventual, FlowStore } from './types.js';

export class MeteredStore implements FlowStore {
  readonly #store: FlowStore;
  readonly #meters: FlowMeters;

  constructor(store: FlowStore, meters: FlowMeters) {
    this.#store = store;
    this.#meters = meters;
  }

  get backend(): FlowStore['backend'] {
    return this.#store.backend;
  }

  get flows(): number {
    return this.#store.flows;
  }

  get(flowId: string, key: string): Eventual<string | undefined> {
    return this.#counted('get', () => this.#store.get(flowId, key));
  }

  getAll(flowId: string, keys: readonly string[]): Eventual<readonly (string | undefined)[]> {
    return this.#counted('get', () => this.#store.getAll(flowId, keys));
  }

  exists(flowId: string, key: string): Eventual<boolean> {
    return this.#counted('exists', () => this.#store.exists(flowId, key));
  }

  set(flowId: string, key: string, value: string): Eventual<void> {
    return this.#counted('set', () => this.#store.set(flowId, key, value));
  }

  delete(flowId: string, key: string): Eventual<void> {
    return this.#counted('delete', () => this.#store.delete(flowId, key));
  }

  incrBy(flowId: string, key: string, by: bigint): Eventual<bigint> {
    return this.#counted('increment', () => this.#store.incrBy(flowId, key, by));
  }

  cas(flowId: string, key: string, expected: string | undefined, value: string): Eventual<CasResult> {
    return this.#counted('cas', () => this.#store.cas(flowId, key, expected, value));
  }

  expireFlow(flowId: string, seconds: number): Eventual<void> {
    return this.#counted('ttl', () => this.#store.expireFlow(flowId, seconds));
  }

  expire(flowId: string, key: string, seconds: number): Eventual<boolean> {
    return this.#counted('ttl', () => this.#store.expire(flowId, key, seconds));
  }

  clear(flowId: string): Eventual<void> {
    return this.#counted('clear', () => this.#store.clear(flowId));
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #counted<T>(operation: FlowOperation, perform: () => Eventual<T>): Eventual<T> {
    const meters = this.#meters;
    try {
      const done = perform();
      if (done instanceof Promise) {
        // the caller has the promise, too, and deals with its failure
        done.then(
          () => meters.count(operation, 'success'),
          () => meters.count(operation, 'error'),
        );
      } else meters.count(operation, 'success');
      return done;
    } catch (error) {
      meters.count(operation, 'error');
      throw error;
    }
  }
}
