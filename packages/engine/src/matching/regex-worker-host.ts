// Runs regular expressions that could take too long in a worker of their own, one at a time, each for a limited time.
// A job that passes the limit ends the worker; the next job gets a new one.

import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { RiftError } from '../errors.js';

/** Milliseconds that one regular expression may take on one text. */
const LIMIT_MS = 1000;

export interface RegexJob {
  readonly source: string;
  readonly flags: string;
  readonly text: string;
  /** The text without the matches instead of whether there is one. */
  readonly replaces: boolean;
  /** The first match and its groups (null when there is none) instead of whether there is one. */
  readonly groups?: boolean;
}

/** Undefined: a group that took no part in the match. */
export type RegexGroups = readonly (string | undefined)[];

type RegexAnswer = boolean | string | RegexGroups | null;

interface Hand {
  readonly worker: Worker;
  /** Its first message says that it has started. */
  readonly started: Promise<unknown>;
}

let hand: Hand | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Rejects with a RiftError when the time is up. */
export function inRegexWorker(job: RegexJob & { groups: true }): Promise<RegexGroups | null>;
export function inRegexWorker(job: RegexJob): Promise<boolean | string>;
export function inRegexWorker(job: RegexJob): Promise<RegexAnswer> {
  const result = last.then(() => run(job));
  last = result.catch(() => {});
  return result;
}

function newHand(): Hand {
  const worker = new Worker(new URL('./regex-worker.js', import.meta.url));
  return { worker, started: new Promise((resolve) => worker.once('message', resolve)) };
}

async function run(job: RegexJob): Promise<RegexAnswer> {
  hand ??= newHand();
  const { worker, started } = hand;
  worker.ref();
  await started;
  const answered = new AbortController();
  const { signal } = answered;
  try {
    worker.postMessage(job);
    // The limit is for the expression alone, not for the start of a worker.
    const [answer] = (await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => Promise.reject(new Error('could not be run'))),
      setTimeout(LIMIT_MS, undefined, { signal }).then(() =>
        Promise.reject(new Error(`took longer than ${LIMIT_MS} ms on this request`)),
      ),
    ])) as [RegexAnswer];
    return answer;
  } catch (error) {
    hand = undefined;
    void worker.terminate();
    throw new RiftError('bad data', `regular expression /${job.source}/ ${(error as Error).message}`);
  } finally {
    answered.abort();
    worker.unref();
  }
}
