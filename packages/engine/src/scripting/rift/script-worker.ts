// Entry of a thread that runs scripts, one after the other. Calls to the store go to the owner of the thread, and the thread
// sleeps until it has the reply: scripts know no waiting, stores may be on another machine.

import { readlinkSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Program } from '../rhai/ast.js';
import { RhaiInterrupted } from '../rhai/errors.js';
import { parseRhai } from '../rhai/parser.js';
import type { LogLine } from './decision.js';
import { runJavascript } from './javascript-script.js';
import type { FromThread, Job, JobResult, ThreadStart } from './messages.js';
import { decorateRhai } from './rhai-decorate.js';
import { runRhai } from './rhai-script.js';
import type { StoreCall, StoreReply } from './store-call.js';

const port = parentPort!;
const { signal, replies } = workerData as ThreadStart;
const word = new Int32Array(signal);

const say = (message: FromThread): void => port.postMessage(message);
const log = (line: LogLine): void => say({ kind: 'log', line });

function remote(call: StoreCall): StoreReply {
  Atomics.store(word, 0, 0);
  say({ kind: 'call', call });
  for (;;) {
    Atomics.wait(word, 0, 0, 1000);
    const received = receiveMessageOnPort(replies) as { message: StoreReply } | undefined;
    if (received !== undefined) return received.message;
  }
}

const programs = new Map<string, Program>();

function program(code: string): Program {
  let parsed = programs.get(code);
  if (parsed === undefined) {
    if (programs.size >= 1000) programs.clear();
    parsed = parseRhai(code);
    programs.set(code, parsed);
  }
  return parsed;
}

function run(job: Job): JobResult {
  const deadline = performance.now() + job.timeoutMs;
  const tick = (): void => {
    if (performance.now() >= deadline) throw new RhaiInterrupted();
  };
  try {
    if (job.hook === 'decorate') {
      return decorateRhai(program(job.code), job.input, tick, (text) => log({ level: 'info', text }));
    }
    const known = [...job.replies];
    const access = (call: StoreCall): StoreReply => known.shift() ?? remote(call);
    const { context, timeoutMs } = job;
    return job.engine === 'rhai'
      ? runRhai(program(job.code), { context, access, log, tick })
      : runJavascript(job.code, { context, access, log, timeoutMs });
  } catch (error) {
    if (error instanceof RhaiInterrupted) return { kind: 'timeout' };
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}

port.on('message', (job: Job) => say({ kind: 'done', result: run(job) }));

function nativeThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/')[2]) || undefined;
  } catch {
    return undefined;
  }
}
say({ kind: 'ready', threadId: nativeThreadId() });
