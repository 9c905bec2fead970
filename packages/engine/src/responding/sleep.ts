// Holding an answer back. The waiting request blocks nothing else.

import { RiftError } from '../errors.js';

/** Longest delay of a timer; longer waits are made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after so many milliseconds, however many; rejects when the signal ends it. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = ms;
    let timer: NodeJS.Timeout;
    const stop = () => {
      clearTimeout(timer);
      reject(new RiftError('no such resource', 'the imposter was stopped'));
    };
    const next = () => {
      if (left <= 0) {
        signal.removeEventListener('abort', stop);
        resolve();
        return;
      }
      const step = Math.min(left, LONGEST_TIMER_MS);
      left -= step;
      timer = setTimeout(next, step);
    };
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    next();
  });
}
