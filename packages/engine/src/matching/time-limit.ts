// A time limit for what runs in this thread and cannot be interrupted from within: expressions of selectors over hostile
// texts. A script's time limit (node:vm) is the one means to end them, regular expressions included.

import { createContext, Script } from 'node:vm';
import { RiftError } from '../errors.js';

/** Milliseconds that a selector may take on one request, as for regular expressions. */
const LIMIT_MS = 1000;

const limited: { job: () => unknown } = { job: nothing };
const context = createContext(limited);
const callJob = new Script('job()');

function nothing(): undefined {}

/**
 * What the job gives or throws.
 * @param name What the user calls it, for the message: `JSONPath $..a`.
 * @throws RiftError When it took too long.
 */
export function withinLimit<T>(name: string, job: () => T): T {
  limited.job = job;
  try {
    return callJob.runInContext(context, { timeout: LIMIT_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new RiftError('bad data', `${name} took longer than ${LIMIT_MS} ms on this request`);
  } finally {
    limited.job = nothing;
  }
}
