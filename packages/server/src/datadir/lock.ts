// Locks between processes that share a data directory: a directory `<file>.lock`, as Mountebank makes it. Whoever could
// create it holds the lock; one that is older than any holder would leave it belonged to a process that was killed.
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './files.js';

const STALE_MS = 30_000;
const RETRIES = 20;
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 5_000;
const GROWTH = 1.5;

/** Runs `work` while nobody else holds the lock of `file`. @throws when the lock cannot be had */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  await acquire(lock);
  try {
    return await work();
  } finally {
    await release(lock);
  }
}

async function acquire(lock: string): Promise<void> {
  let wait = FIRST_WAIT_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if ((await ageOf(lock)) > STALE_MS) {
      await release(lock);
      continue;
    }
    if (attempt >= RETRIES) throw new Error(`${lock} is held by another process; remove it when there is none`);
    await delay(wait * (1 + Math.random()));
    wait = Math.min(wait * GROWTH, LONGEST_WAIT_MS);
  }
}

/**
 * Removes the lock of a file when it stays untouched for `patienceMs`: who has just bound the port of an imposter knows
 * that a holder which does not finish was killed.
 */
export async function breakAbandoned(file: string, patienceMs: number): Promise<void> {
  const lock = `${file}.lock`;
  const before = await made(lock);
  if (before === undefined) return;
  await delay(patienceMs);
  if ((await made(lock)) === before) await release(lock);
}

async function made(lock: string): Promise<number | undefined> {
  return stat(lock).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** Milliseconds since the lock was made or refreshed; 0 when it has gone. */
async function ageOf(lock: string): Promise<number> {
  const at = await made(lock);
  return at === undefined ? 0 : Date.now() - at;
}

async function release(lock: string): Promise<void> {
  try {
    await rmdir(lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
