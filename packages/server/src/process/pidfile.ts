// The process id file: its existence means that everything is served (build plugins wait for it), its content is
// whom `stop` signals.
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from '../cli/errors.js';

/**
 * Whoever sees the file sees the whole number in it.
 * @throws ExitError kind `failure` when it cannot be written
 */
export function writePidfile(path: string): void {
  try {
    write(path);
  } catch (error) {
    throw new ExitError('failure', `PID file ${path} cannot be written: ${(error as Error).message}`);
  }
}

function write(path: string): void {
  const text = String(process.pid);
  // a device or pipe is written to, not replaced
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    writeFileSync(path, text);
    return;
  }
  const whole = `${path}.${text}`;
  writeFileSync(whole, text);
  renameSync(whole, path);
}

export function removePidfile(path: string | undefined): void {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  rmSync(path, { force: true });
}

/**
 * Stops the process that the file names and waits, at most a second, until it has removed the file.
 * Resolves with false when there is no file.
 * @throws ExitError kind `failure` when the file names no process or the process must not be signalled
 */
export async function stopProcess(path: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new ExitError('failure', `PID file ${path} cannot be read: ${(error as Error).message}`);
  }
  const pid = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  // 0 and negative numbers mean process groups to kill(2)
  if (pid <= 0 || !Number.isSafeInteger(pid)) {
    throw new ExitError('failure', `PID file ${path} does not hold a process id: '${text.trim().slice(0, 40)}'`);
  }
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH') throw new ExitError('failure', `process ${pid} of ${path} cannot be stopped: ${message}`);
    await rm(path, { force: true });
    return true;
  }
  for (let waited = 0; waited < 1000; waited += 100) {
    await sleep(100);
    const there = await readFile(path).then(
      () => true,
      () => false,
    );
    if (!there) return true;
  }
  await rm(path, { force: true });
  return true;
}
