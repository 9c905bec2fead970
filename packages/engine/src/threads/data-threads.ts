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
import type { LogLevel, NumberedOrder, Order, Report, StubChange, ThreadSetup } from './messages.js';
import { shared } from './shared-stubs.js';

export type DataThreadsOptions = Omit<ThreadSetup, 'accepts' | 'answers'> & {
  /** Threads to start; 1 or more. */
  readonly count: number;
  /** Milliseconds that a stopping imposter gives its running requests, read when it stops. */
  readonly graceMs: () => number;
};

/** What one thread has counted of connections and answers. */
export interface ThreadTraffic {
  readonly accepts: AcceptMeter;
  readonly answers: AnswerMeter;
}

interface Thread {
  readonly worker: Worker;
  readonly traffic: ThreadTraffic;
}

interface Waiting {
  resolve(port: number | undefined): void;
  reject(error: RiftError): void;
}

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

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
  readonly #threads: Thread[];
  readonly #waiting = new Map<number, Waiting>();
  readonly #open = new Map<number, Imposter>();
  #number = 0;
  #id = 0;

  constructor(options: DataThreadsOptions) {
    this.#options = options;
    const { count, graceMs: _, ...setup } = options;
    this.#threads = Array.from({ length: count }, () => {
      const accepts = new SharedArrayBuffer(8 * AcceptMeter.cells);
      const answers = new SharedArrayBuffer(8 * AnswerMeter.cells);
      const worker = new Worker(new URL('./data-thread.js', import.meta.url), {
        workerData: { ...setup, accepts, answers } satisfies ThreadSetup,
      });
      worker.unref();
      worker.on('message', (report: Report) => this.#hear(report));
      // a thread that fails would leave its port half served: that is worse than ending
      worker.on('error', (error) => {
        throw error;
      });
      const traffic = {
        accepts: new AcceptMeter(new Float64Array(accepts)),
        answers: new AnswerMeter(new Float64Array(answers)),
      };
      return { worker, traffic };
    });
  }

  /** What the threads have counted, in their order. */
  get traffic(): readonly ThreadTraffic[] {
    return this.#threads.map(({ traffic }) => traffic);
  }

  /** Serves an imposter on all threads: all bind its port or none. */
  async open(imposter: Imposter): Promise<SharedListener> {
    const id = this.#id++;
    this.#open.set(id, imposter);
    const creation: ImposterJson = { ...imposter.creation, ...imposter.metadata, stubs: [] };
    const stubs = imposter.stubs.map(shared);
    const logs = LOG_LEVELS.filter((level) => imposter.logger.enabled(level));
    const cells = this.#threads.map(() => new SharedArrayBuffer(8 * (1 + ImposterMeter.cells)));
    let port = Number(creation.port ?? 0);
    try {
      for (const [index, thread] of this.#threads.entries()) {
        const order: Order = { kind: 'open', id, creation: { ...creation, port }, stubs, cells: cells[index], logs };
        // the first thread may leave the choice to the system, the others take the same port
        port = (await this.#give(thread, order)) ?? port;
      }
    } catch (error) {
      await this.#close(id);
      throw error;
    }
    const numbers = cells.map((buffer) => new Float64Array(buffer));
    return {
      port,
      meters: numbers.map((own) => new ImposterMeter(own.subarray(1))),
      get handled() {
        return numbers.reduce((sum, own) => sum + own[0], 0);
      },
      change: async (change) => {
        await this.#giveAll({ kind: 'change', id, change });
      },
      close: () => this.#close(id),
    };
  }

  /** Ends the threads; what they still serve is cut. */
  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  async #close(id: number): Promise<void> {
    await this.#giveAll({ kind: 'close', id, graceMs: this.#options.graceMs() });
    this.#open.delete(id);
  }

  async #giveAll(order: Order): Promise<void> {
    await Promise.all(this.#threads.map((thread) => this.#give(thread, order)));
  }

  #give({ worker }: Thread, order: Order): Promise<number | undefined> {
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      // while an order is carried out the process stays
      if (this.#waiting.size === 0) for (const thread of this.#threads) thread.worker.ref();
      this.#waiting.set(number, { resolve, reject });
      worker.postMessage({ number, order } satisfies NumberedOrder);
    });
  }

  #hear(report: Report): void {
    if (report.kind === 'log') {
      this.#open.get(report.id)?.logger[report.level]('%s', report.message);
      return;
    }
    const waiting = this.#waiting.get(report.number);
    this.#waiting.delete(report.number);
    if (this.#waiting.size === 0) for (const thread of this.#threads) thread.worker.unref();
    if (report.kind === 'done') waiting?.resolve(report.port);
    else waiting?.reject(new RiftError(report.error.code, report.error.message));
  }
}

/** Whether this runtime can open one port on several threads. */
export function canSharePorts(): boolean {
  if (process.platform !== 'linux') return false;
  if (process.versions.bun !== undefined) return true;
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}
