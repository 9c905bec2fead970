// Names of log files: `mb.log`, and its predecessors `mb1.log`, `mb2.log`, …
import { rename } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** `rotatedPath('a/mb.log', 2)` is `a/mb2.log`; index 0 is the path itself. */
export function rotatedPath(path: string, index: number): string {
  if (index === 0) return path;
  const extension = extname(path);
  return join(dirname(path), `${basename(path, extension)}${index}${extension}`);
}

/** Moves the log of an earlier run out of the way, so that the file holds this process only. */
export async function setAside(path: string): Promise<void> {
  await rename(path, rotatedPath(path, 1)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
