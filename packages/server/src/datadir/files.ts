// Files of a data directory: written whole or not at all. A file is written under another name, brought to the disk
// where it has to survive the machine, and then renamed, so that whoever reads it sees the old or the new content.
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RiftError } from '@rift-ts/engine';

interface WriteOptions {
  /** Name of the unfinished file, in a directory of the same file system; absent: the path with `.tmp` behind it. */
  readonly unfinished?: string;
  /** The content is on the disk before the file has its name: it survives the machine, not only this process. */
  readonly synced: boolean;
}

let counter = 0;

/** A name that no other file of any process has: `<epoch milliseconds>-<pid>-<counter>`. */
export function stamp(): string {
  counter++;
  return `${Date.now()}-${process.pid}-${counter}`;
}

/** Order of stamps: by time, then process, then counter, as numbers. Names that are no stamps come in their own order. */
function byStamp(a: string, b: string): number {
  const left = a.split('-').map((part) => Number.parseInt(part, 10));
  const right = b.split('-').map((part) => Number.parseInt(part, 10));
  for (let i = 0; i < 3; i++) {
    const difference = left[i]! - right[i]!;
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Writes pretty JSON without a newline at the end. */
export async function writeJson(path: string, value: unknown, options: WriteOptions): Promise<void> {
  const unfinished = options.unfinished ?? `${path}.tmp`;
  const file = await open(unfinished, 'w');
  try {
    await file.writeFile(JSON.stringify(value, null, 2));
    if (options.synced) await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

/** Brings names in a directory (new files, renames) to the disk; does nothing where the system cannot. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOENT'].includes(codeOf(error))) throw error;
  }
}

/** Creates a directory and those above it; the new names are on the disk when the promise resolves. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** @throws CorruptedDatabase */
export async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new CorruptedDatabase(`missing file ${path}`, 'file not found', error);
    throw new CorruptedDatabase(`unreadable file ${path}`, `cannot read ${path}`, error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CorruptedDatabase(`invalid JSON for ${path}`, `invalid JSON in ${path}`, error);
  }
}

/** Something in the directory cannot be read. */
export class CorruptedDatabase extends RiftError {
  /** As the log tells it. */
  readonly line: string;

  constructor(line: string, message: string, reason: unknown) {
    super('corrupted database', message, { details: reason instanceof Error ? reason.message : String(reason) });
    this.line = `Corrupted database: ${line}`;
  }
}

/** Names in a directory, in the order of their stamps; none when there is no such directory. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort(byStamp);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** What the JSON files in a directory hold, by path; `unreadable` is told of those that cannot be read. */
export async function readAllJson(
  path: string,
  unreadable: (error: CorruptedDatabase) => void,
): Promise<{ path: string; content: unknown }[]> {
  const names = (await namesIn(path)).filter((name) => name.endsWith('.json'));
  const found = await atMost(16, names, async (name) => {
    const file = join(path, name);
    try {
      return { path: file, content: await readJson(file) };
    } catch (error) {
      if (!(error instanceof CorruptedDatabase)) throw error;
      unreadable(error);
      return undefined;
    }
  });
  return found.filter((entry) => entry !== undefined);
}

/** Runs `work` on every item, on `count` of them at a time; results in the order of the items. */
export async function atMost<T, R>(count: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, worker));
  return results;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
