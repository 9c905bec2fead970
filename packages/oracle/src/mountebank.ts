// A real Mountebank in a process of its own, for as long as a test needs it.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-ports.js';

export interface Mountebank {
  /** Port of its admin API on localhost. */
  readonly port: number;
  /** Sends one admin request; the body is JSON when it is given. */
  admin(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>;
  /** Ends the process and removes its files. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

/** Starts Mountebank 2.9.1 with further command line arguments; resolves when it takes orders. */
export async function startMountebank(...args: string[]): Promise<Mountebank> {
  const bin = createRequire(import.meta.url).resolve('mountebank/bin/mb');
  const folder = await mkdtemp(join(tmpdir(), 'rift-oracle-'));
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      bin,
      'start',
      '--port',
      String(port),
      '--nologfile',
      '--loglevel',
      'error',
      '--pidfile',
      join(folder, 'mb.pid'),
      ...args,
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const admin: Mountebank['admin'] = async (method, path, body) => {
    const response = await fetch(`http://localhost:${port}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    try {
      await admin('GET', '/');
      return { port, admin, stop };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  await stop();
  throw new Error(`Mountebank did not start on port ${port}`);
}
