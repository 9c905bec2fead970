// Flow state in the memory of this process: cells by flow and key, each with the moment it expires.
//
// Cells stand in a second collection in the order in which they expire, so that the expired ones are found without
// looking at the living: a write gives every cell the same time, so the one written last expires last. The few cells
// with a time of their own are looked at one by one.

import { type CasResult, type FlowStore, StoreFailure } from './types.js';

interface Cell {
  readonly flowId: string;
  readonly key: string;
  value: string;
  /** Milliseconds of the store's clock. */
  expires: number;
}

/** Expired cells are removed at least once in so many writes. */
const SWEEP_EVERY = 256;
const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);

export class MemoryStore implements FlowStore {
  readonly backend = 'inmemory';
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #flows = new Map<string, Map<string, Cell>>();
  /** Cells with the store's time to live, the next to expire first. */
  readonly #inOrder = new Set<Cell>();
  /** Cells that got a time of their own. */
  readonly #odd = new Set<Cell>();
  #writes = 0;

  /** `now`: milliseconds; any clock that does not go back. */
  constructor(ttlSeconds: number, now: () => number = () => performance.now()) {
    this.#ttlMs = ttlSeconds * 1000;
    this.#now = now;
  }

  /** Cells held, expired ones that nobody met included. */
  get size(): number {
    return this.#inOrder.size + this.#odd.size;
  }

  get flows(): number {
    this.#sweep();
    return this.#flows.size;
  }

  get(flowId: string, key: string): string | undefined {
    return this.#live(flowId, key)?.value;
  }

  getAll(flowId: string, keys: readonly string[]): (string | undefined)[] {
    return keys.map((key) => this.get(flowId, key));
  }

  exists(flowId: string, key: string): boolean {
    return this.#live(flowId, key) !== undefined;
  }

  set(flowId: string, key: string, value: string): void {
    this.#write(flowId, key, value);
  }

  delete(flowId: string, key: string): void {
    const cell = this.#live(flowId, key);
    if (cell !== undefined) this.#remove(cell);
  }

  incrBy(flowId: string, key: string, by: bigint): bigint {
    const value = this.get(flowId, key);
    const sum = (value !== undefined && /^-?\d+$/.test(value) ? BigInt(value) : 0n) + by;
    if (sum > MOST || sum < LEAST) throw new StoreFailure('incr', `${sum} does not fit into 64 bits`);
    this.#write(flowId, key, sum.toString());
    return sum;
  }

  cas(flowId: string, key: string, expected: string | undefined, value: string): CasResult {
    const current = this.get(flowId, key);
    if (current !== expected) return { applied: false, current };
    this.#write(flowId, key, value);
    return { applied: true };
  }

  expireFlow(flowId: string, seconds: number): void {
    for (const cell of [...(this.#flows.get(flowId)?.values() ?? [])]) this.#expireIn(cell, seconds);
  }

  expire(flowId: string, key: string, seconds: number): boolean {
    const cell = this.#live(flowId, key);
    if (cell === undefined) return false;
    this.#expireIn(cell, seconds);
    return true;
  }

  clear(flowId: string): void {
    for (const cell of [...(this.#flows.get(flowId)?.values() ?? [])]) this.#remove(cell);
  }

  async close(): Promise<void> {}

  #live(flowId: string, key: string): Cell | undefined {
    const cell = this.#flows.get(flowId)?.get(key);
    if (cell === undefined || cell.expires > this.#now()) return cell;
    this.#remove(cell);
    return undefined;
  }

  #write(flowId: string, key: string, value: string): void {
    if (++this.#writes % SWEEP_EVERY === 0) this.#sweep();
    let flow = this.#flows.get(flowId);
    if (flow === undefined) {
      flow = new Map();
      this.#flows.set(flowId, flow);
    }
    let cell = flow.get(key);
    const expires = this.#now() + this.#ttlMs;
    if (cell === undefined) {
      cell = { flowId, key, value, expires };
      flow.set(key, cell);
    } else {
      cell.value = value;
      cell.expires = expires;
      this.#odd.delete(cell);
      this.#inOrder.delete(cell);
    }
    this.#inOrder.add(cell);
  }

  #expireIn(cell: Cell, seconds: number): void {
    const now = this.#now();
    if (seconds <= 0 || cell.expires <= now) {
      this.#remove(cell);
      return;
    }
    cell.expires = now + seconds * 1000;
    this.#inOrder.delete(cell);
    this.#odd.add(cell);
  }

  #remove(cell: Cell): void {
    this.#inOrder.delete(cell);
    this.#odd.delete(cell);
    const flow = this.#flows.get(cell.flowId);
    flow?.delete(cell.key);
    if (flow?.size === 0) this.#flows.delete(cell.flowId);
  }

  #sweep(): void {
    const now = this.#now();
    for (const cell of this.#inOrder) {
      if (cell.expires > now) break;
      this.#remove(cell);
    }
    for (const cell of this.#odd) if (cell.expires <= now) this.#remove(cell);
  }
}
