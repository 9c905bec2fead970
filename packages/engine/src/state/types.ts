// Flow state: values that requests of one flow (a test, a client, a space) leave for later requests of the same flow.
// A cell is (flow id, key). Scripts, scenarios and the admin API work on the same cells.
//
// Values cross this interface as JSON text, compact, object keys in ascending order (`valueText` makes it): what is
// stored never aliases what somebody goes on changing, equal values have equal text, integers keep all 64 bits.

/** A backend on this machine answers at once, a remote one with a promise. */
export type Eventual<T> = T | Promise<T>;

/** The outcome of a compare-and-set; `current` is the value that was there instead, undefined when there was none. */
export type CasResult = { readonly applied: true } | { readonly applied: false; readonly current: string | undefined };

/**
 * Every operation is atomic. Every write (`set`, `incrBy`, a `cas` that is applied) gives its cell the store's whole time to
 * live; reads do not extend it. An expired cell is absent everywhere. Fails (throws or rejects) with a StoreFailure only.
 */
export interface FlowStore {
  /** `none`: writes succeed and vanish, reads find nothing. */
  readonly backend: 'inmemory' | 'redis' | 'none';
  /** Flows that are held; of a remote store those that this process has written. */
  readonly flows: number;
  get(flowId: string, key: string): Eventual<string | undefined>;
  /** The values of several cells of a flow, in the order of `keys`. */
  getAll(flowId: string, keys: readonly string[]): Eventual<readonly (string | undefined)[]>;
  exists(flowId: string, key: string): Eventual<boolean>;
  set(flowId: string, key: string, value: string): Eventual<void>;
  /** No matter whether it exists. */
  delete(flowId: string, key: string): Eventual<void>;
  /** The sum; an absent cell, and a value that is no integer, count as 0. Fails beyond signed 64 bits. */
  incrBy(flowId: string, key: string, by: bigint): Eventual<bigint>;
  /** Writes `value` if the cell has the value `expected`; undefined: if it is absent. */
  cas(flowId: string, key: string, expected: string | undefined, value: string): Eventual<CasResult>;
  /** Seconds to live for every live cell of the flow, from now; 0 and less removes them. */
  expireFlow(flowId: string, seconds: number): Eventual<void>;
  /** The same for one cell; false when it is absent. */
  expire(flowId: string, key: string, seconds: number): Eventual<boolean>;
  /** Removes the flow. */
  clear(flowId: string): Eventual<void>;
  /** Lets go of connections; the store is not used afterwards. */
  close(): Promise<void>;
}

/** The store could not do what was asked: it is out of reach, too slow, or a number does not fit. */
export class StoreFailure extends Error {
  /** `operation`: what was asked, e.g. `incr`; `detail`: why it failed. The message is `<operation>: <detail>`. */
  constructor(
    readonly operation: string,
    readonly detail: string,
  ) {
    super(`${operation}: ${detail}`);
    this.name = 'StoreFailure';
  }
}
