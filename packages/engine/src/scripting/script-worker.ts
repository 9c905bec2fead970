// Entry of a worker thread: runs the users' functions of one imposter. Started by script-thread.ts.

import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { readlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { format, inspect } from 'node:util';
import threads from 'node:worker_threads';
import { Control } from './control.js';
import type { CallMessage, Failure, FromWorker, ToWorker, WorkerStart } from './messages.js';
import { runHook } from './run-hook.js';
import { ScriptFunctions } from './script-functions.js';
import { applyPatch, readState, sameBytes, writeState } from './state.js';

const port = threads.parentPort!;
const start = threads.workerData as WorkerStart;
// Functions find what they would find in the main thread: what they sent over this port would be taken for the worker's word
Object.assign(threads, { parentPort: null, workerData: null });
syncBuiltinESMExports();
const control = new Control(start.control);
const functions = new ScriptFunctions(start.workingDirectory);
const state = readState(start.state);

const say = (message: FromWorker): void => port.postMessage(message);

const log =
  (level: 'debug' | 'info' | 'warn' | 'error') =>
  (...args: unknown[]): void =>
    say({ kind: 'log', level, text: format(...args) });
const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };

// Whose code runs, also after an await or in a timer: the host reads it when the thread has stopped answering
const running = new AsyncLocalStorage<CallMessage>();
if (process.versions.bun === undefined) {
  createHook({ before: () => control.resume(running.getStore()?.id ?? 0) }).enable();
}

function describe(error: unknown): Failure {
  if (error instanceof Error) return { message: error.message, described: `${error.name}: ${error.message}` };
  const message = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  return { message: message === undefined ? undefined : String(message), described: inspect(error, { depth: 1 }) };
}

/** A copy of the state objects when they have changed since the last one. */
const snapshots = {
  last: start.state,
  /** Copies that take long are made less often: at most a twentieth of the time goes into them. */
  notBefore: 0,
  reported: new Set<string>(),
  timer: undefined as NodeJS.Timeout | undefined,

  /** Whether the last copy is all there is. */
  complete(): boolean {
    return this.timer === undefined && this.reported.size === 0;
  },

  take(): Uint8Array | undefined {
    if (this.last === undefined && isEmpty(state.state) && isEmpty(state.injectState)) return undefined;
    const begin = performance.now();
    if (begin < this.notBefore) {
      this.timer ??= setTimeout(
        () => {
          this.timer = undefined;
          const late = this.take();
          if (late !== undefined) say({ kind: 'state', state: late });
        },
        this.notBefore - begin + 1,
      ).unref();
      return undefined;
    }
    const bytes = writeState(state, (path) => {
      if (this.reported.has(path)) return;
      this.reported.add(path);
      logger.warn(`${path} cannot be copied: it is lost when this imposter's script worker has to be replaced`);
    });
    const cost = performance.now() - begin;
    if (cost > 1) this.notBefore = begin + cost * 20;
    if (this.last !== undefined && sameBytes(this.last, bytes)) return undefined;
    this.last = bytes;
    return bytes;
  },
};

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function run(call: CallMessage): void {
  const done = (value: unknown): void => say({ kind: 'done', id: call.id, value, state: snapshots.take() });
  const failed = (failure: Failure): void => say({ kind: 'failed', id: call.id, failure, state: snapshots.take() });
  try {
    const value = running.run(call, () => runHook(call, { functions, state, logger }));
    if (!isThenable(value)) {
      done(value);
      return;
    }
    value.then(done, (error: unknown) =>
      failed(typeof error === 'string' ? { message: error, described: error } : describe(error)),
    );
  } catch (error) {
    failed(describe(error));
  }
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'call') {
    if (control.begin(message.id)) run(message);
  } else if (message.kind === 'ping') {
    control.resume(0);
    control.beat();
  } else if (message.kind === 'patch') {
    applyPatch(state, message.patch);
  } else if (canTell && snapshots.complete() && surroundings() === firstSurroundings) {
    say({ kind: 'canRest' });
  }
});

/** What functions can leave behind outside the state objects: timers and sockets, globals, loaded modules. */
function surroundings(): string {
  const resources = process.getActiveResourcesInfo().filter((kind) => kind !== 'MessagePort' && kind !== 'CloseReq');
  return [...resources, ...Object.keys(globalThis), Object.keys(functions.loadedModules()).length].join();
}
// Bun does not tell of timers
const canTell = process.versions.bun === undefined;
const firstSurroundings = surroundings();

/** An exception that no call is there to take: the process of Mountebank would end here, ours replaces this worker. */
function late(event: 'uncaughtException' | 'unhandledRejection', error: unknown): void {
  // A script that has its own handler for this has dealt with it
  if (process.listenerCount(event) > 1) return;
  const call = running.getStore();
  // Nothing more begins here
  control.giveUp(control.current());
  say({ kind: 'late', id: call?.id, script: call?.script, failure: describe(error) });
}
process.on('uncaughtException', (error) => late('uncaughtException', error));
process.on('unhandledRejection', (error) => late('unhandledRejection', error));

function nativeThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/')[2]) || undefined;
  } catch {
    return undefined;
  }
}
say({ kind: 'ready', threadId: nativeThreadId() });
