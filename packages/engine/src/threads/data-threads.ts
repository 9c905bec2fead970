// The data threads of a process: each has its own event loop and its own listener on every port that it serves, and the
// kernel spreads connections over them (SO_REUSEPORT). The main thread keeps the imposters as the admin API sees them
// and tells the threads what changes.

import { Worker } from 'node:worker_threads';
import { RiftError } from '../errors.js';
import type { Imposter } from '../imposter.js';
import { AcceptMeter } from '../metering/accept-meter.js';
import { AnswerMeter } from '../metering/answer-meter.js';
import { ImposterMeter } from '../metering/meters.js';
import type { ImposterJson } from '../model/types.js';
import type { Listener } from '../protocols/types.js';
import type { LogLevel, NumberedOrder, Order, Report, SharedStub, StubChange, ThreadSetup } from './messages.js';
import { shared } from './shared-stubs.js';

export type DataThreadsOptions = Omit<ThreadSetup, 'accepts' | 'answers'> & {
  /** Threads to start; 1 or more. */
  readonly count: number;
  /** Milliseconds that a stopping imposter gives its running requests, read when it stops. */
  readonly graceMs: () => number;
  /** Told that a thread was replaced: what it was in the midst of is lost, its connections are cut. */
  readonly onReplaced: (why: string) => void;
};

/** What one thread has counted of connections and answers. */
export interface ThreadTraffic {
  readonly accepts: AcceptMeter;
  readonly answers: AnswerMeter;
}

interface Thread {
  readonly index: number;
  readonly setup: ThreadSetup;
  readonly traffic: ThreadTraffic;
  worker: Worker;
  /** Whether its worker has ever carried out an order. */
  proven: boolean;
}

interface Waiting {
  readonly thread: Thread;
  readonly order: Order;
  readonly limit: NodeJS.Timeout | undefined;
  resolve(port: number | undefined): void;
  reject(error: RiftError): void;
}

/** An imposter as the threads were told of it: with that a thread can be replaced. */
interface Served {
  readonly imposter: Imposter;
  creation: ImposterJson;
  readonly stubs: SharedStub[];
  /** Of each thread. */
  readonly cells: readonly SharedArrayBuffer[];
  readonly logs: readonly LogLevel[];
  /** The threads that have opened it. */
  readonly on: Set<Thread>;
}

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** A thread that takes longer over an order is held by a request, and is replaced. */
const OPEN_MS = 30_000;
const CHANGE_MS = 10_000;
/** Beyond the time that running requests have. */
const CLOSE_MS = 2000;
/** A thread that does not even end ends with the process. */
const END_MS = 1000;

/** An imposter that the data threads serve. */
export interface SharedListener extends Listener {
  /** Requests that the threads have handled since it was opened. */
  readonly handled: number;
  /** What each thread counts. */
  readonly meters: readonly ImposterMeter[];
  /** Resolves when all threads serve the changed stubs. */
  change(change: StubChange): Promise<void>;
}

export class DataThreads {
  readonly #options: DataThreadsOptions;
  readonly #threads: readonly Thread[];
  readonly #waiting = new Map<number, Waiting>();
  readonly #open = new Map<number, Served>();
  #number = 0;
  #id = 0;
  #ending = false;

  constructor(options: DataThreadsOptions) {
    this.#options = options;
    const { count, graceMs: _, onReplaced: __, ...setup } = options;
    this.#threads = Array.from({ length: count }, (___, index) => {
      const accepts = new SharedArrayBuffer(8 * AcceptMeter.cells);
      const answers = new SharedArrayBuffer(8 * AnswerMeter.cells);
      const traffic = {
        accepts: new AcceptMeter(new Float64Array(accepts)),
        answers: new AnswerMeter(new Float64Array(answers)),
      };
      const own = { ...setup, accepts, answers };
      const thread: Thread = { index, setup: own, traffic, worker: workerOf(own), proven: false };
      this.#listen(thread);
      return thread;
    });
  }

  #listen(thread: Thread): void {
    const { worker } = thread;
    if (this.#waiting.size === 0) worker.unref();
    worker.on('message', (report: Report) => {
      if (thread.worker === worker) this.#hear(thread, report);
    });
    // a thread that has gone would leave its ports half served
    const gone = (why: string) => {
      if (thread.worker === worker && !this.#ending) this.#replace(thread, why);
    };
    worker.on('error', (error) => gone(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => gone(`exit code ${code}`));
  }

  /** Another worker serves what this one did; what it was ordered to do is done by that, too. */
  #replace(thread: Thread, why: string): void {
    // one that cannot even start would be replaced for ever
    if (!thread.proven) throw new Error(`a data thread could not be started: ${why}`);
    this.#options.onReplaced(why);
    const old = thread.worker;
    thread.proven = false;
    thread.worker = workerOf(thread.setup);
    this.#listen(thread);
    const ended = old.terminate();
    const orders = [...this.#waiting].filter(([, waiting]) => waiting.thread === thread);
    const reopened: Promise<unknown>[] = [ended];
    for (const [id, served] of this.#open) {
      if (served.on.has(thread)) reopened.push(this.#give(thread, openOrder(id, served, thread)));
    }
    const ready = Promise.all(reopened);
    for (const [number, { order, limit, resolve, reject }] of orders) {
      clearTimeout(limit);
      this.#waiting.delete(number);
      // changes are part of what was opened, and nothing is open that was to be closed
      if (order.kind === 'open') this.#give(thread, order).then(resolve, reject);
      else ready.then(() => resolve(undefined), reject);
    }
  }

  /** What the threads have counted, in their order. */
  get traffic(): readonly ThreadTraffic[] {
    return this.#threads.map(({ traffic }) => traffic);
  }

  /** Serves an imposter on all threads: all bind its port or none. */
  async open(imposter: Imposter): Promise<SharedListener> {
    const id = this.#id++;
    const served: Served = {
      imposter,
      creation: { ...imposter.creation, ...imposter.metadata, stubs: [] },
      stubs: imposter.stubs.map(shared),
      cells: this.#threads.map(() => new SharedArrayBuffer(8 * (1 + ImposterMeter.cells))),
      logs: LOG_LEVELS.filter((level) => imposter.logger.enabled(level)),
      on: new Set(),
    };
    this.#open.set(id, served);
    let port = Number(served.creation.port ?? 0);
    try {
      for (const thread of this.#threads) {
        // the first thread may leave the choice to the system, the others take the same port
        served.creation = { ...served.creation, port };
        port = (await this.#give(thread, openOrder(id, served, thread), OPEN_MS)) ?? port;
        served.on.add(thread);
      }
      served.creation = { ...served.creation, port };
    } catch (error) {
      await this.#close(id);
      throw error;
    }
    const numbers = served.cells.map((buffer) => new Float64Array(buffer));
    return {
      port,
      meters: numbers.map((own) => new ImposterMeter(own.subarray(1))),
      get handled() {
        return numbers.reduce((sum, own) => sum + own[0], 0);
      },
      change: async (change) => {
        note(change, served);
        await this.#giveAll({ kind: 'change', id, change }, CHANGE_MS);
      },
      close: () => this.#close(id),
    };
  }

  /** Ends the threads; what they still serve is cut. */
  async end(): Promise<void> {
    this.#ending = true;
    const late = new Promise((resolve) => setTimeout(resolve, END_MS).unref());
    await Promise.race([late, Promise.all(this.#threads.map(({ worker }) => worker.terminate()))]);
  }

  async #close(id: number): Promise<void> {
    this.#open.get(id)?.on.clear();
    const graceMs = this.#options.graceMs();
    await this.#giveAll({ kind: 'close', id, graceMs }, graceMs + CLOSE_MS);
    this.#open.delete(id);
  }

  async #giveAll(order: Order, limitMs: number): Promise<void> {
    await Promise.all(this.#threads.map((thread) => this.#give(thread, order, limitMs)));
  }

  #give(thread: Thread, order: Order, limitMs?: number): Promise<number | undefined> {
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      // while an order is carried out the process stays
      if (this.#waiting.size === 0) for (const { worker } of this.#threads) worker.ref();
      // one that is still starting is not held by a request
      const late = () => thread.proven && this.#replace(thread, `a request has held it for ${limitMs} ms`);
      const limit = limitMs === undefined ? undefined : setTimeout(late, limitMs);
      this.#waiting.set(number, { thread, order, limit, resolve, reject });
      thread.worker.postMessage({ number, order } satisfies NumberedOrder);
    });
  }

  #hear(thread: Thread, report: Report): void {
    if (report.kind === 'log') {
      this.#open.get(report.id)?.imposter.logger[report.level]('%s', report.message);
      return;
    }
    thread.proven = true;
    const waiting = this.#waiting.get(report.number);
    clearTimeout(waiting?.limit);
    this.#waiting.delete(report.number);
    if (this.#waiting.size === 0) for (const { worker } of this.#threads) worker.unref();
    if (report.kind === 'done') waiting?.resolve(report.port);
    else waiting?.reject(new RiftError(report.error.code, report.error.message));
  }
}

function workerOf(workerData: ThreadSetup): Worker {
  return new Worker(new URL('./data-thread.js', import.meta.url), { workerData });
}

function openOrder(id: number, { creation, stubs, cells, logs }: Served, { index }: Thread): Order {
  return { kind: 'open', id, creation, stubs, cells: cells[index]!, logs };
}

/** Keeps what a change makes of an imposter, as the threads do. */
function note(change: StubChange, served: Served): void {
  const { stubs } = served;
  switch (change.kind) {
    case 'insert':
      stubs.splice(change.at, 0, change.stub);
      break;
    case 'replace':
      stubs[change.at] = change.stub;
      break;
    case 'remove':
      stubs.splice(change.at, 1);
      break;
    case 'enabled':
      served.creation = { ...served.creation, enabled: change.enabled };
      break;
    case 'all':
      stubs.length = 0;
      for (const stub of change.stubs) stubs.push(stub);
      break;
  }
}

/** Whether this runtime can open one port on several threads. */
export function canSharePorts(): boolean {
  if (process.platform !== 'linux') return false;
  if (process.versions.bun !== undefined) return true;
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}
