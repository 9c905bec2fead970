// A time limit for what runs in this thread and cannot be interrupted from within: expressions of selectors over hostile
// texts. A script's time limit (node:vm) is the one means to end them, regular expressions included.

import { createContext, Script } from 'node:vm';
import { RiftError } from '../errors.js';

/** Milliseconds that a selector may take on one request, as for regular expressions. */
const LIMIT_MS = 1000;
/** The limit of an expression that was ended lately: half of what it had before, but not less than this. */
const SHORTEST_LIMIT_MS = 30;
/** Milliseconds after which an expression has the whole limit again. */
const FORGIVEN_AFTER_MS = 60_000;
const MOST_ENDED = 1000;

/** Expressions that were ended: whoever sends hostile texts again and again cannot hold this thread a second each time. */
const ended = new Map<string, { readonly limitMs: number; readonly at: number }>();

const limited: { job: () => unknown } = { job: nothing };
const context = createContext(limited);
const callJob = new Script('job()');

function nothing(): undefined {}

/** The limit that an expression has now. */
function limitOf(name: string): number {
  const last = ended.get(name);
  if (last === undefined) return LIMIT_MS;
  if (performance.now() - last.at > FORGIVEN_AFTER_MS) {
    ended.delete(name);
    return LIMIT_MS;
  }
  return Math.max(SHORTEST_LIMIT_MS, Math.ceil(last.limitMs / 2));
}

/**
 * What the job gives or throws. One that was ended has half of its time for the next minute, and half of that when it is ended
 * again.
 * @param name What the user calls it, for the message: `JSONPath $..a`.
 * @param leastMs Milliseconds that it has in any case.
 * @throws RiftError When it took too long.
 */
export function withinLimit<T>(name: string, job: () => T, leastMs = 0): T {
  limited.job = job;
  const limitMs = Math.max(limitOf(name), Math.ceil(leastMs));
  try {
    return callJob.runInContext(context, { timeout: limitMs }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    if (ended.size >= MOST_ENDED) ended.clear();
    ended.set(name, { limitMs: Math.min(limitMs, LIMIT_MS), at: performance.now() });
    throw new RiftError('bad data', `${name} took longer than ${limitMs} ms on this request`);
  } finally {
    limited.job = nothing;
  }
}
