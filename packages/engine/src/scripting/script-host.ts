// The user functions of one imposter. Normally one worker thread runs them all, one after the other, and keeps what they
// share. What this file adds is what happens when a function does not come to an end:
//
// - A thread whose event loop stands still for `stallMs` is given up: it finishes what it has begun, everything that
//   waits behind it goes on in a new thread, which starts from the last copy of the state.
// - Functions that waited and have never run to an end before run in threads of their own (the side), so that the next
//   one that hangs holds up nobody. A function that was given up stays on the side until it has come to an end there.
// - A thread that stands still for the time limit is ended; the request in question gets ScriptTimeout.

import { RiftError } from '../errors.js';
import { type Logger, silentLogger } from '../logger.js';
import type { PredicateJson, Profile, RequestJson, ResponseData } from '../model/types.js';
import { type Hook, hookExpression } from './hooks.js';
import type { Failure } from './messages.js';
import { GeneratorOutputError, ScriptTimeout, scriptFailure } from './script-errors.js';
import { type Call, ScriptThread, type ThreadEvents } from './script-thread.js';
import { applyPatch, readState, statePatch, writeState } from './state.js';
import type { ScriptHost } from './types.js';

export interface ScriptHostOptions {
  readonly profile: Profile;
  /** Milliseconds that a function may run; see `timeoutGiven`. */
  readonly timeoutMs: number;
  /** Whether the user set the limit: then, and always in profile `rift`, waiting for a callback or promise counts too. */
  readonly timeoutGiven: boolean;
  readonly logger: Logger;
  /** Absolute path that `require` resolves from. */
  readonly workingDirectory: string;
  /** Milliseconds without a call after which a worker that keeps nothing but the state is ended; a minute by default. */
  readonly idleMs?: number;
}

/** Milliseconds without a turn of the event loop after which waiting calls move to another thread. */
const firstStallMs = 200;

const defaultIdleMs = 60_000;

/** Threads on the side at once, for one imposter. */
const maxSideThreads = 64;

export function createScriptHost(options: ScriptHostOptions): ScriptHost {
  return new Host(options);
}

class Host implements ScriptHost, ThreadEvents {
  readonly #options: ScriptHostOptions;
  readonly #scripts = new Map<string, number>();
  readonly #texts: string[] = [];
  /** Functions that have come to an end at least once. */
  readonly #proven = new Set<number>();
  /** Functions that run on the side, each with its calls that wait for a thread. */
  readonly #side = new Map<number, Call[]>();
  readonly #threads = new Set<ScriptThread>();
  #main: ScriptThread | undefined;
  #state: Uint8Array | undefined;
  #stallMs = firstStallMs;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  /** When no more calls are accepted, in milliseconds of `performance.now()`. */
  readonly #deadline: number;

  constructor(options: ScriptHostOptions, state?: Uint8Array, deadline = Number.POSITIVE_INFINITY) {
    this.#options = options;
    this.#state = state;
    this.#deadline = deadline;
  }

  predicate(source: string, request: RequestJson): Promise<boolean> {
    return this.#call('predicate', source, request) as Promise<boolean>;
  }

  response(source: string, request: RequestJson): Promise<ResponseData> {
    return this.#call('response', source, request) as Promise<ResponseData>;
  }

  decorate(source: string, request: RequestJson, response: ResponseData): Promise<ResponseData> {
    return this.#call('decorate', source, request, response) as Promise<ResponseData>;
  }

  async wait(source: string): Promise<number> {
    const result = (await this.#call('wait', source)) as number;
    return Number.isFinite(result) && result > 0 ? result : 0;
  }

  async generator(source: string, request: RequestJson): Promise<PredicateJson[]> {
    const result = await this.#call('generator', source, request);
    if (Array.isArray(result) && result.every((one) => typeof one === 'object' && one !== null)) {
      return result as PredicateJson[];
    }
    throw new GeneratorOutputError(source);
  }

  async endOfRequest(source: string, data: string | Buffer): Promise<boolean> {
    try {
      return (await this.#call('endOfRequest', source, undefined, data)) as boolean;
    } catch (error) {
      if (error instanceof ScriptTimeout) this.#options.logger.error('%s', error.message);
      return false;
    }
  }

  trial(): ScriptHost {
    const state = this.#main?.state ?? this.#state;
    const options = { ...this.#options, timeoutGiven: true, logger: silentLogger };
    return new Host(options, state, performance.now() + options.timeoutMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const threads = [...this.#threads];
    const calls = [...threads.flatMap((thread) => [...thread.pending.values()]), ...[...this.#side.values()].flat()];
    this.#threads.clear();
    this.#side.clear();
    this.#main = undefined;
    for (const call of calls) call.reject(closedError());
    await Promise.all(threads.map((thread) => thread.end()));
  }

  #call(hook: Hook, text: string, request?: RequestJson, input?: unknown): Promise<unknown> {
    if (this.#closed) return Promise.reject(closedError());
    if (performance.now() > this.#deadline) return Promise.reject(new ScriptTimeout(hook, this.#options.timeoutMs));
    return new Promise((resolve, reject) => {
      this.#dispatch({
        id: ++this.#lastId,
        hook,
        script: this.#number(hook, text),
        text,
        request: request === undefined ? undefined : JSON.stringify(request),
        input,
        since: performance.now(),
        begunAt: undefined,
        repeated: false,
        resolve,
        reject,
      });
    });
  }

  #number(hook: Hook, text: string): number {
    const key = `${hook} ${text}`;
    let number = this.#scripts.get(key);
    if (number === undefined) {
      number = this.#texts.push(hookExpression(hook, text)) - 1;
      this.#scripts.set(key, number);
    }
    return number;
  }

  #dispatch(call: Call): void {
    const side = this.#side.get(call.script);
    if (side !== undefined) {
      side.push(call);
      this.#runSide();
      return;
    }
    this.#main ??= this.#start();
    this.#main.post(call);
  }

  #start(): ScriptThread {
    const thread = new ScriptThread(this.#options.workingDirectory, this.#state, this);
    this.#threads.add(thread);
    return thread;
  }

  /** A call whose thread went away before it had begun the call: a new number, since threads begin in ascending order. */
  #again(call: Call): void {
    this.#dispatch({ ...call, id: ++this.#lastId, begunAt: undefined });
  }

  // --- what threads report -------------------------------------------------------------------------------------------

  done(thread: ScriptThread, call: Call, value: unknown): void {
    this.#cameToAnEnd(thread, call);
    call.resolve(value);
  }

  failed(thread: ScriptThread, call: Call, failure: Failure): void {
    this.#cameToAnEnd(thread, call);
    this.#logFailure(call, failure);
    call.reject(scriptFailure(this.#options.profile, call.hook, call.text, failure.message));
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void {
    this.#options.logger[level]('%s', text);
  }

  late(thread: ScriptThread, id: number | undefined, script: number | undefined, failure: Failure): void {
    const { logger } = this.#options;
    logger.error('%s', `injection X=> ${failure.described} (after the function had returned)`);
    if (script !== undefined) logger.error('%s', `    full source: ${JSON.stringify(this.#texts[script])}`);
    this.#replace(thread, (call) =>
      scriptFailure(
        this.#options.profile,
        call.hook,
        call.text,
        call.id === id ? failure.message : `the script worker was replaced after ${failure.described}`,
      ),
    );
  }

  ended(thread: ScriptThread, reason: string): void {
    this.#options.logger.error('%s', `the script worker was replaced: ${reason}`);
    this.#replace(thread, (call) =>
      scriptFailure(this.#options.profile, call.hook, call.text, `the script worker was replaced: ${reason}`),
    );
  }

  canRest(thread: ScriptThread): void {
    if (thread === this.#main && thread.pending.size === 0) this.#drop(thread);
  }

  #idle(): void {
    if (this.#idleTimer !== undefined) {
      this.#idleTimer.refresh();
      return;
    }
    const ask = () => {
      if (this.#main?.pending.size === 0) this.#main.askForRest();
    };
    this.#idleTimer = setTimeout(ask, this.#options.idleMs ?? defaultIdleMs).unref();
  }

  watch(thread: ScriptThread, now: number): void {
    const { timeoutMs } = this.#options;
    const quiet = thread.quietFor(now);
    if (quiet >= this.#stallMs && !thread.givenUp && thread === this.#main) this.#leave(thread);
    if (quiet >= timeoutMs) {
      this.#overrun(thread);
      return;
    }
    if (this.#options.profile !== 'rift' && !this.#options.timeoutGiven) return;
    for (const call of [...thread.pending.values()]) {
      // A call whose own code is running has the thread ended, above, when its time is over
      if (call.begunAt === undefined || now - call.begunAt < timeoutMs || quiet > 0) continue;
      thread.take(call);
      this.#timeOut(call);
      this.#retire(thread);
    }
  }

  // --- threads that do not come to an end ------------------------------------------------------------------------------

  /** Gives up the main thread, which stands still; what waits behind it goes on elsewhere. */
  #leave(thread: ScriptThread): void {
    const waiting = thread.waiting();
    if (!thread.giveUp()) return;
    this.#state = thread.state;
    thread.base = thread.state;
    this.#main = undefined;
    const hanging = thread.current();
    thread.hangingOn = hanging?.id;
    if (hanging !== undefined) this.#toSide(hanging.script);
    for (const call of waiting) {
      thread.take(call);
      if (!this.#proven.has(call.script)) this.#toSide(call.script);
      this.#again(call);
    }
  }

  #toSide(script: number): void {
    if (!this.#side.has(script)) this.#side.set(script, []);
  }

  /** Starts waiting calls on the side: one thread for a function at a time. */
  #runSide(): void {
    const busy = new Set<number>();
    let count = 0;
    for (const thread of this.#threads) {
      if (thread === this.#main) continue;
      count++;
      for (const call of thread.pending.values()) busy.add(call.script);
    }
    for (const [script, calls] of this.#side) {
      if (count >= maxSideThreads) return;
      if (busy.has(script) || calls.length === 0) continue;
      const call = calls.shift()!;
      const thread = this.#start();
      thread.base = this.#state;
      thread.post(call);
      count++;
    }
  }

  /** Ends a thread that has stood still for the time limit. */
  #overrun(thread: ScriptThread): void {
    const waiting = new Set(thread.waiting());
    const hanging = thread.current();
    const calls = [...thread.pending.values()];
    this.#drop(thread);
    if (hanging !== undefined) {
      this.#toSide(hanging.script);
      // What has waited behind the same function for as long will not fare better
      const now = performance.now();
      const queue = this.#side.get(hanging.script) ?? [];
      this.#side.set(
        hanging.script,
        queue.filter((call) => {
          const over = now - call.since >= this.#options.timeoutMs;
          if (over) this.#timeOut(call);
          return !over;
        }),
      );
    }
    for (const call of calls) {
      if (call === hanging || (hanging === undefined && !waiting.has(call)) || call.repeated) this.#timeOut(call);
      else this.#again({ ...call, repeated: !waiting.has(call) });
    }
    this.#runSide();
  }

  /** Ends a thread that is unusable: what it had begun fails, what waited goes on elsewhere. */
  #replace(thread: ScriptThread, error: (call: Call) => RiftError): void {
    const waiting = new Set(thread.waiting());
    const calls = [...thread.pending.values()];
    this.#drop(thread);
    for (const call of calls) {
      // A thread that could not even start would not start the next time
      if (waiting.has(call) && !thread.stillborn) this.#again(call);
      else call.reject(error(call));
    }
    this.#runSide();
  }

  #drop(thread: ScriptThread): void {
    this.#mergeState(thread);
    this.#threads.delete(thread);
    if (thread === this.#main) this.#main = undefined;
    void thread.end();
  }

  #cameToAnEnd(thread: ScriptThread, call: Call): void {
    this.#proven.add(call.script);
    if (thread === this.#main) {
      this.#state = thread.state;
      if (thread.pending.size === 0) this.#idle();
      return;
    }
    // It was slow, not endless: be more patient next time, and take it back from the side
    const took = performance.now() - (call.begunAt ?? call.since);
    if (thread.current() === call)
      this.#stallMs = Math.max(this.#stallMs, Math.min(2 * took, this.#options.timeoutMs / 2));
    const queue = this.#side.get(call.script);
    this.#side.delete(call.script);
    this.#retire(thread);
    for (const waiting of queue ?? []) this.#again(waiting);
    this.#runSide();
  }

  /** Ends a thread other than the main one when nothing is pending in it. */
  #retire(thread: ScriptThread): void {
    if (thread !== this.#main && thread.pending.size === 0) this.#drop(thread);
  }

  /** Brings what a thread changed in the state objects to where the imposter goes on. */
  #mergeState(thread: ScriptThread): void {
    if (thread.state === undefined) return;
    if (thread === this.#main) {
      this.#state = thread.state;
      return;
    }
    const patch = statePatch(thread.base, thread.state);
    if (patch === undefined) return;
    const state = readState(this.#state);
    applyPatch(state, patch);
    this.#state = writeState(state, () => {});
    this.#main?.patch(patch);
  }

  #timeOut(call: Call): void {
    this.#options.logger.error(
      '%s',
      `injection X=> it did not come to an end within ${this.#options.timeoutMs}ms (--script-timeout)`,
    );
    this.#options.logger.error('%s', `    full source: ${JSON.stringify(this.#texts[call.script])}`);
    call.reject(new ScriptTimeout(call.hook, this.#options.timeoutMs));
  }

  #logFailure(call: Call, failure: Failure): void {
    const { logger } = this.#options;
    if (!logger.enabled('error')) return;
    logger.error('%s', `injection X=> ${failure.described}`);
    logger.error('%s', `    full source: ${JSON.stringify(this.#texts[call.script])}`);
    if (call.request !== undefined) logger.error('%s', `    config.request: ${call.request}`);
    logger.error('%s', `    config.state: ${JSON.stringify(readState(this.#state).state)}`);
  }
}

function closedError(): RiftError {
  return new RiftError('invalid injection', 'the imposter was stopped before its script came to an end');
}
