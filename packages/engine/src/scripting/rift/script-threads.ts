// The threads that run scripts of all imposters. Runs share nothing, so any thread will do; there are two, and more only
// while scripts that take long occupy them: a script without an end must not keep those of other imposters waiting.

import { setPriority } from 'node:os';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { FlowStore } from '../../state/types.js';
import { enterStartGate, leaveStartGate } from '../start-gate.js';
import type { LogLine } from './decision.js';
import type { FromThread, Job, JobResult, ThreadStart } from './messages.js';
import { perform, type StoreCall } from './store-call.js';

interface Run {
  readonly job: Job;
  readonly store: FlowStore;
  readonly log: (line: LogLine) => void;
  readonly resolve: (result: JobResult) => void;
}

const usualThreads = 2;
const mostThreads = 64;
/** Milliseconds that a run may occupy a thread before the others get one more. */
const slowMs = 20;
/** Milliseconds that a thread gets to end a run by itself once its time is over. */
const graceMs = 200;
/** Milliseconds without a run after which a thread ends. */
const idleMs = 30_000;
/** Heap of a thread, in MiB: a runaway script must not take the process along. */
const heapMb = 256;

const threads = new Set<ScriptThread>();
const waiting: Run[] = [];

/** Runs a script in a thread. Never rejects. */
export function runInThread(job: Job, store: FlowStore, log: (line: LogLine) => void): Promise<JobResult> {
  return new Promise((resolve) => {
    waiting.push({ job, store, log, resolve });
    assign();
  });
}

function assign(): void {
  for (const thread of threads) {
    if (waiting.length === 0) return;
    if (thread.free) thread.begin(waiting.shift()!);
  }
  if (waiting.length > 0 && threads.size < usualThreads) threads.add(new ScriptThread());
}

/** One more thread, when all there are run something. */
function makeRoom(): void {
  if (threads.size < mostThreads && [...threads].every(({ busySince }) => busySince !== undefined)) {
    threads.add(new ScriptThread());
  }
}

class ScriptThread {
  /** When its run began; undefined without one. */
  busySince: number | undefined;
  #worker: Worker | undefined;
  #replies: MessagePort | undefined;
  readonly #word = new Int32Array(new SharedArrayBuffer(4));
  #ready = false;
  #run: Run | undefined;
  #timers: NodeJS.Timeout[] = [];
  #idle: NodeJS.Timeout | undefined;
  #threadId: number | undefined;

  constructor() {
    enterStartGate(() => this.#start());
  }

  get free(): boolean {
    return this.#ready && this.#run === undefined;
  }

  #start(): void {
    const { port1, port2 } = new MessageChannel();
    this.#replies = port1;
    port1.unref();
    const start: ThreadStart = { signal: this.#word.buffer as SharedArrayBuffer, replies: port2 };
    this.#worker = new Worker(new URL('./script-worker.js', import.meta.url), {
      workerData: start,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', () => this.#end('its thread ended'));
  }

  begin(run: Run): void {
    this.#run = run;
    this.busySince = performance.now();
    clearTimeout(this.#idle);
    this.#worker?.ref();
    this.#worker?.postMessage(run.job);
    this.#timers = [
      setTimeout(() => {
        this.#lower(19);
        makeRoom();
      }, slowMs),
      setTimeout(() => this.#end(undefined), run.job.timeoutMs + graceMs),
    ];
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        this.#ready = true;
        this.#threadId = message.threadId;
        leaveStartGate();
        this.#rest();
        assign();
        return;
      case 'done':
        this.#finish(message.result);
        this.#rest();
        assign();
        return;
      case 'log':
        this.#run?.log(message.line);
        return;
      case 'call':
        void this.#answer(message.call);
    }
  }

  async #answer(call: StoreCall): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    const reply = await perform(run.store, call);
    this.#replies?.postMessage(reply);
    Atomics.store(this.#word, 0, 1);
    Atomics.notify(this.#word, 0);
  }

  #finish(result: JobResult): void {
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.busySince !== undefined && performance.now() - this.busySince >= slowMs) this.#lower(0);
    const run = this.#run;
    this.#run = undefined;
    this.busySince = undefined;
    run?.resolve(result);
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.#end(undefined), idleMs).unref();
  }

  /** A script that computes for long must not take the processor from requests. Raising it again needs a privilege. */
  #lower(priority: number): void {
    if (process.platform !== 'linux' || this.#threadId === undefined || process.getuid?.() !== 0) return;
    try {
      setPriority(this.#threadId, priority);
    } catch {
      // Not permitted, or the thread has ended
    }
  }

  /** Undefined: its time is over. */
  #end(reason: string | undefined): void {
    if (!threads.delete(this)) return;
    if (!this.#ready) leaveStartGate();
    clearTimeout(this.#idle);
    this.#lower(0);
    void this.#worker?.terminate();
    this.#replies?.close();
    this.#finish(
      reason === undefined ? { kind: 'timeout' } : { kind: 'error', message: `the script ended: ${reason}` },
    );
    if (!this.#ready && reason !== undefined) {
      // What could not be started once would not start for the others either
      for (const run of waiting.splice(0)) run.resolve({ kind: 'error', message: `no thread for scripts: ${reason}` });
    }
    assign();
  }
}
