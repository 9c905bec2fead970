// One worker thread as its host sees it: calls go in, results come out, and a watchdog notices when it stops answering.

import { setPriority } from 'node:os';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import { Control } from './control.js';
import type { Hook } from './hooks.js';
import type { Failure, FromWorker, ToWorker, WorkerStart } from './messages.js';
import { enterStartGate, leaveStartGate } from './start-gate.js';

/** One run of one function, from the request's side. */
export interface Call {
  readonly id: number;
  readonly hook: Hook;
  readonly script: number;
  readonly text: string;
  readonly request: string | undefined;
  readonly input: unknown;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
  /** When its worker was first seen to have begun it. */
  begunAt: number | undefined;
  /** It was begun by a worker that had to be ended because of another call. */
  repeated: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadEvents {
  done(thread: ScriptThread, call: Call, value: unknown): void;
  failed(thread: ScriptThread, call: Call, failure: Failure): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void;
  /** A function failed after it had returned; the thread must go. */
  late(thread: ScriptThread, call: number | undefined, script: number | undefined, failure: Failure): void;
  /** The thread ended by itself: `process.exit` in a function, memory used up. */
  ended(thread: ScriptThread, reason: string): void;
  /** The thread could be ended without a loss. */
  canRest(thread: ScriptThread): void;
  /** Called every `watchMs` while calls are pending. */
  watch(thread: ScriptThread, now: number): void;
}

/** How often a thread with pending calls is looked at, in milliseconds. */
const watchMs = 25;

/** Milliseconds without a turn of its event loop after which a thread runs with low priority. */
const busyMs = 50;

/** Heap a script worker may use before it is ended, in MiB: a runaway script must not take the process along. */
const heapMb = 1024;

export class ScriptThread {
  readonly pending = new Map<number, Call>();
  /** The state objects as the thread last reported them. */
  state: Uint8Array | undefined;
  /** The state objects that the thread's successor started from, once it has been given up. */
  base: Uint8Array | undefined;
  givenUp = false;
  /** The call that it was given up for. */
  hangingOn: number | undefined;

  #worker: Worker | undefined;
  /** What was sent before the thread was started. */
  readonly #backlog: ToWorker[] = [];
  readonly #control = new Control();
  readonly #events: ThreadEvents;
  readonly #known = new Set<number>();
  #threadId: number | undefined;
  /** It has been able to run functions at all. */
  #ready = false;
  #ended = false;
  #beats = 0;
  #pinged = false;
  #lowered = false;
  #quietSince = 0;

  constructor(workingDirectory: string, state: Uint8Array | undefined, events: ThreadEvents) {
    this.state = state;
    this.#events = events;
    enterStartGate(() => this.#start({ control: this.#control.memory, workingDirectory, state }));
  }

  #start(start: WorkerStart): void {
    if (this.#ended) {
      leaveStartGate();
      return;
    }
    const worker = new Worker(new URL('./script-worker.js', import.meta.url), {
      workerData: start,
      env: SHARE_ENV,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#worker = worker;
    if (this.pending.size === 0) worker.unref();
    worker.on('message', (message: FromWorker) => this.#receive(message));
    worker.on('error', (error) => this.#end(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => {
      if (!this.#ready) leaveStartGate();
      this.#end(`it ended with exit code ${code}`);
    });
    for (const message of this.#backlog.splice(0)) worker.postMessage(message);
  }

  post(call: Call): void {
    if (this.pending.size === 0) {
      this.#worker?.ref();
      this.#pinged = false;
      watched.add(this);
      watchdog.start();
    }
    this.pending.set(call.id, call);
    const text = this.#known.has(call.script) ? undefined : call.text;
    this.#known.add(call.script);
    this.#send({
      kind: 'call',
      id: call.id,
      hook: call.hook,
      script: call.script,
      text,
      request: call.request,
      input: call.input,
    });
  }

  /** Asks for `canRest`. */
  askForRest(): void {
    this.#send({ kind: 'canRest' });
  }

  patch(patch: Uint8Array): void {
    this.#send({ kind: 'patch', patch });
  }

  /** Takes a pending call away from the thread; a result that still comes is ignored. */
  take(call: Call): void {
    if (this.pending.delete(call.id) && this.pending.size === 0) this.#rest();
  }

  /** Whether it never got as far as to run anything. */
  get stillborn(): boolean {
    return !this.#ready;
  }

  /** Pending calls whose function has not been started. */
  waiting(): Call[] {
    const begun = this.#control.lastBegun();
    return [...this.pending.values()].filter((call) => call.id > begun);
  }

  /** The pending call whose code runs now, if that is known. */
  current(): Call | undefined {
    return this.pending.get(this.#current);
  }

  /** Milliseconds for which the thread's event loop has not turned; 0 while it starts. */
  quietFor(now: number): number {
    return this.#pinged ? now - this.#quietSince : 0;
  }

  /** Makes the thread finish what it has begun and begin nothing more; false when it has just gone on by itself. */
  giveUp(): boolean {
    const current = this.#control.current();
    if (current >= 0) this.#current = current;
    if (!this.#control.giveUp(current)) return false;
    this.givenUp = true;
    this.#setPriority(19);
    return true;
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.pending.clear();
    this.#rest();
    if (this.givenUp) this.#setPriority(0);
    await this.#worker?.terminate();
  }

  /** A function that computes for long must not take the processor from requests. */
  #yieldProcessor(now: number): void {
    // Without the privilege to raise it again the thread would keep the low priority for all that it does later
    if (this.givenUp || process.getuid?.() !== 0) return;
    const computes = this.quietFor(now) >= busyMs;
    if (computes === this.#lowered) return;
    this.#lowered = computes;
    this.#setPriority(computes ? 19 : 0);
  }

  /** On Linux each thread has a priority of its own; raising it again needs a privilege, which is nice to have only. */
  #setPriority(priority: number): void {
    if (process.platform !== 'linux' || this.#threadId === undefined) return;
    try {
      setPriority(this.#threadId, priority);
    } catch {
      // Not permitted, or the thread has ended
    }
  }

  look(now: number): void {
    const beats = this.#control.beats();
    if (!this.#ready) return;
    if (beats !== this.#beats) {
      this.#beats = beats;
      this.#pinged = false;
    } else if (!this.#pinged) {
      this.#pinged = true;
      this.#quietSince = now;
      this.#send({ kind: 'ping' });
    }
    this.#yieldProcessor(now);
    const current = this.#control.current();
    if (current >= 0) this.#current = current;
    const begun = this.#control.lastBegun();
    for (const call of this.pending.values()) {
      if (call.id <= begun) call.begunAt ??= now;
    }
    this.#events.watch(this, now);
  }

  #current = 0;

  #send(message: ToWorker): void {
    if (this.#worker === undefined) this.#backlog.push(message);
    else this.#worker.postMessage(message);
  }

  #rest(): void {
    watched.delete(this);
    this.#worker?.unref();
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    watched.delete(this);
    this.#events.ended(this, reason);
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.#ready = true;
      this.#threadId = message.threadId;
      leaveStartGate();
      return;
    }
    if (this.#ended) return;
    switch (message.kind) {
      case 'done':
      case 'failed': {
        if (message.state !== undefined) this.state = message.state;
        const call = this.pending.get(message.id);
        if (call === undefined) return;
        this.take(call);
        if (message.kind === 'done') this.#events.done(this, call, message.value);
        else this.#events.failed(this, call, message.failure);
        return;
      }
      case 'state':
        this.state = message.state;
        return;
      case 'canRest':
        this.#events.canRest(this);
        return;
      case 'log':
        this.#events.log(message.level, message.text);
        return;
      case 'late':
        this.#events.late(this, message.id, message.script, message.failure);
        return;
    }
  }
}

const watched = new Set<ScriptThread>();

/** One timer for all threads of the process; it runs only while calls are pending. */
const watchdog = {
  timer: undefined as NodeJS.Timeout | undefined,
  start(): void {
    this.timer ??= setInterval(() => {
      const now = performance.now();
      for (const thread of [...watched]) thread.look(now);
      if (watched.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
    }, watchMs).unref();
  },
};
