// Flow state in Redis, for imposters of several processes that share it: one key a cell, `PREFIXflow:FLOW:KEY`, its value
// JSON text, its time to live the server's. What reads and then writes is a script on the server (Redis docs: EVAL).

import { LiveFlows } from './live-flows.js';
import type { RedisLink } from './redis-link.js';
import { type CasResult, type FlowStore, StoreFailure } from './types.js';

const INCREMENT = `
local value = redis.call('GET', KEYS[1])
if value and not string.match(value, '^-?%d+$') then redis.call('SET', KEYS[1], '0') end
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('GET', KEYS[1])`;

/** ARGV: the new value, the time to live and, unless the cell has to be absent, the expected value. */
const COMPARE_AND_SET = `
local value = redis.call('GET', KEYS[1])
if value == (ARGV[3] or false) then
  redis.call('SETEX', KEYS[1], ARGV[2], ARGV[1])
  return {1}
end
if value then return {0, value} end
return {0}`;

/** Keys that one SCAN looks at, more or less. */
const SCAN_COUNT = '500';

export class RedisStore implements FlowStore {
  readonly backend = 'redis';
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #ttl: string;
  readonly #live = new LiveFlows();

  constructor(link: RedisLink, prefix: string, ttlSeconds: number) {
    this.#link = link;
    this.#prefix = prefix;
    this.#ttl = String(ttlSeconds);
  }

  get flows(): number {
    return this.#live.count;
  }

  async get(flowId: string, key: string): Promise<string | undefined> {
    return textOf(await this.#do('get', ['GET', this.#key(flowId, key)]));
  }

  async getAll(flowId: string, keys: readonly string[]): Promise<(string | undefined)[]> {
    if (keys.length === 0) return [];
    const found = await this.#do('get', ['MGET', ...keys.map((key) => this.#key(flowId, key))]);
    return (found as unknown[]).map(textOf);
  }

  async exists(flowId: string, key: string): Promise<boolean> {
    return Number(await this.#do('exists', ['EXISTS', this.#key(flowId, key)])) === 1;
  }

  async set(flowId: string, key: string, value: string): Promise<void> {
    await this.#do('set', ['SETEX', this.#key(flowId, key), this.#ttl, value]);
    this.#live.written(flowId, Number(this.#ttl));
  }

  async delete(flowId: string, key: string): Promise<void> {
    await this.#do('delete', ['DEL', this.#key(flowId, key)]);
  }

  async incrBy(flowId: string, key: string, by: bigint): Promise<bigint> {
    const command = ['EVAL', INCREMENT, '1', this.#key(flowId, key), by.toString(), this.#ttl];
    const sum = BigInt(String(await this.#do('incr', command)));
    this.#live.written(flowId, Number(this.#ttl));
    return sum;
  }

  async cas(flowId: string, key: string, expected: string | undefined, value: string): Promise<CasResult> {
    const command = ['EVAL', COMPARE_AND_SET, '1', this.#key(flowId, key), value, this.#ttl];
    if (expected !== undefined) command.push(expected);
    const [applied, current] = (await this.#do('cas', command)) as unknown[];
    if (Number(applied) !== 1) return { applied: false, current: textOf(current) };
    this.#live.written(flowId, Number(this.#ttl));
    return { applied: true };
  }

  async expireFlow(flowId: string, seconds: number): Promise<void> {
    if (seconds <= 0) await this.#everyKey('ttl', flowId, (keys) => ['DEL', ...keys]);
    else await this.#everyKey('ttl', flowId, undefined, (key) => ['PEXPIRE', key, milliseconds(seconds)]);
    this.#live.limited(flowId, seconds);
  }

  async expire(flowId: string, key: string, seconds: number): Promise<boolean> {
    const name = this.#key(flowId, key);
    const command = seconds <= 0 ? ['DEL', name] : ['PEXPIRE', name, milliseconds(seconds)];
    const found = Number(await this.#do('ttl', command)) === 1;
    if (found && seconds > 0) this.#live.written(flowId, seconds);
    return found;
  }

  async clear(flowId: string): Promise<void> {
    await this.#everyKey('clear', flowId, (keys) => ['DEL', ...keys]);
    this.#live.limited(flowId, 0);
  }

  async close(): Promise<void> {
    await this.#link.release();
  }

  #key(flowId: string, key: string): string {
    return `${this.#prefix}flow:${flowId}:${key}`;
  }

  async #do(operation: string, command: readonly string[]): Promise<unknown> {
    try {
      return await this.#link.send(command);
    } catch (error) {
      throw new StoreFailure(operation, error instanceof Error ? error.message : String(error));
    }
  }

  /** Runs one command for many keys of a flow, or one for each. */
  async #everyKey(
    operation: string,
    flowId: string,
    forMany: ((keys: readonly string[]) => readonly string[]) | undefined,
    forEach?: (key: string) => readonly string[],
  ): Promise<void> {
    const pattern = `${globText(this.#key(flowId, ''))}*`;
    let cursor = '0';
    do {
      const command = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT];
      const [next, found] = (await this.#do(operation, command)) as [unknown, unknown[]];
      const keys = found.map(String);
      if (forMany !== undefined && keys.length > 0) await this.#do(operation, forMany(keys));
      if (forEach !== undefined) await Promise.all(keys.map((key) => this.#do(operation, forEach(key))));
      cursor = String(next);
    } while (cursor !== '0');
  }
}

function textOf(reply: unknown): string | undefined {
  return reply === null || reply === undefined ? undefined : String(reply);
}

function milliseconds(seconds: number): string {
  return String(Math.max(1, Math.round(seconds * 1000)));
}

/** A text that a pattern of Redis takes as it is. */
function globText(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}
