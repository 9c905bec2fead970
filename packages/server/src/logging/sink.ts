// Where log lines go. A line costs its caller one array push: bytes are written in batches by asynchronous
// fs.write calls, so a slow disk or a reader that stopped reading stdout never holds up a request. process.stdout is
// not used, because Node writes it synchronously to files and pipes.
import { close, fstatSync, open, write, writeSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { rotatedPath } from './files.js';

const openFile = promisify(open);
const closeFile = promisify(close);

function writeBytes(fd: number, data: Buffer, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, data, offset, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

/** Unwritten bytes past which lines are dropped (and counted) rather than kept. */
const maxPending = 16 * 1024 * 1024;

export interface Sink {
  write(line: string): void;
  /** Resolves when every line so far has been handed to the system. */
  flush(): Promise<void>;
  /** Writes what is left without returning to the event loop: for the way out. */
  flushNow(): void;
  /** Closes and opens the file again, e.g. after an outside rotation. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

abstract class BatchedSink implements Sink {
  #lines: string[] = [];
  #pending = 0;
  #dropped = 0;
  #running: Promise<void> | undefined;
  #inFlight: Buffer | undefined;

  write(line: string): void {
    if (this.#pending > maxPending) {
      this.#dropped++;
      return;
    }
    this.#lines.push(line);
    this.#pending += line.length;
    this.#running ??= new Promise((resolve) => setImmediate(resolve)).then(() => this.#drain());
  }

  async flush(): Promise<void> {
    while (this.#running) await this.#running;
  }

  flushNow(): void {
    const rest = this.#inFlight ? [this.#inFlight, this.#take()] : [this.#take()];
    this.#inFlight = undefined;
    for (const bytes of rest) if (bytes.length > 0) this.putNow(bytes);
  }

  async reopen(): Promise<void> {
    await this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
  }

  #take(): Buffer {
    if (this.#dropped > 0) {
      this.#lines.push(`${this.#dropped} log lines dropped: the output does not keep up`);
      this.#dropped = 0;
    }
    const bytes = this.#lines.length === 0 ? Buffer.alloc(0) : Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    return bytes;
  }

  async #drain(): Promise<void> {
    while (this.#lines.length > 0) {
      const size = this.#pending;
      this.#inFlight = this.#take();
      try {
        await this.put(this.#inFlight);
      } catch {
        // a log that cannot be written must not end the server; the next batch tries again
      }
      this.#inFlight = undefined;
      this.#pending -= size;
    }
    this.#running = undefined;
  }

  protected abstract put(bytes: Buffer): Promise<void>;
  protected abstract putNow(bytes: Buffer): void;
}

/** Writes everything; waits and tries again while a non-blocking pipe is full. */
async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += await writeBytes(fd, bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function writeAllNow(fd: number, bytes: Buffer): void {
  let offset = 0;
  for (let refusals = 0; offset < bytes.length && refusals < 1000; ) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      refusals++;
    }
  }
}

/** Standard output or error. */
export class StreamSink extends BatchedSink {
  readonly #fd: number;

  constructor(fd: 1 | 2) {
    super();
    this.#fd = fd;
  }

  protected put(bytes: Buffer): Promise<void> {
    return writeAll(this.#fd, bytes);
  }

  protected putNow(bytes: Buffer): void {
    writeAllNow(this.#fd, bytes);
  }
}

/**
 * A log file: appended to, made again when somebody deletes it, rotated at `maxBytes` to `name1.ext`, `name2.ext`, …
 * with `keep` files in all, the newest under the plain name.
 */
export class FileSink extends BatchedSink {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  #fd: number | undefined;
  #inode = 0;
  #size = 0;

  constructor(path: string, maxBytes = 20 * 1024 * 1024, keep = 5) {
    super();
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  /** Opens the file; rejects when it cannot be written, which later writes do not. */
  async open(): Promise<void> {
    const fd = await openFile(this.path, 'a', 0o600);
    const { ino, size } = fstatSync(fd);
    this.#fd = fd;
    this.#inode = ino;
    this.#size = size;
  }

  override async reopen(): Promise<void> {
    await super.reopen();
    await this.#closeFile();
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#closeFile();
  }

  async #closeFile(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await closeFile(fd);
  }

  protected async put(bytes: Buffer): Promise<void> {
    if (this.#fd !== undefined) {
      const there = await stat(this.path).catch(() => undefined);
      if (there?.ino !== this.#inode) await this.#closeFile();
    }
    if (this.#fd !== undefined && this.#size > 0 && this.#size + bytes.length > this.#maxBytes) await this.#rotate();
    if (this.#fd === undefined) await this.open();
    await writeAll(this.#fd as number, bytes);
    this.#size += bytes.length;
  }

  protected putNow(bytes: Buffer): void {
    if (this.#fd !== undefined) writeAllNow(this.#fd, bytes);
  }

  async #rotate(): Promise<void> {
    await this.#closeFile();
    for (let index = this.#keep - 1; index > 0; index--) {
      await rename(rotatedPath(this.path, index - 1), rotatedPath(this.path, index)).catch(() => {});
    }
  }
}
