// A real Redis for tests, in a process of its own on a port of loopback, with nothing kept on disk.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

/** Whether this machine has one. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

export interface Redis {
  readonly port: number;
  /** `redis://127.0.0.1:PORT`. */
  readonly url: string;
  /** Ends the process at once; the port stays this one's. */
  stop(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
}

/** A port that was free a moment ago. */
function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Starts a Redis; `after` gets the function that ends it. */
export async function startRedis(after: (end: () => Promise<void>) => void): Promise<Redis> {
  const port = await anyPort();
  let child: ChildProcess | undefined;
  const stop = async () => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const over = new Promise((resolve) => ending.once('close', resolve));
    ending.kill('SIGKILL');
    await over;
  };
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()];
    const started = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    child = started;
    await new Promise<void>((resolve, reject) => {
      let output = '';
      started.once('error', reject);
      started.once('close', () => reject(new Error(`redis-server ended: ${output}`)));
      started.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ready to accept connections')) resolve();
      });
    });
  };
  after(stop);
  await start();
  return { port, url: `redis://127.0.0.1:${port}`, stop, start };
}
