// The real executables in processes of their own, seen from outside: output, exit code, ports, files.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const bins = fileURLToPath(new URL('../../bin/', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout contains the text; rejects when the program ends before. */
  says(text: string | RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export interface Served extends Program {
  /** Of the admin API, as its start line tells. */
  readonly port: number;
  call(path: string, options?: CallOptions): Promise<Answer>;
  /** Ends it with SIGTERM. */
  stop(): Promise<Ended>;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  port?: number;
  host?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  json(): Record<string, unknown>;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** A folder that goes away with the test; `files` are written into it. */
export function folder(t: TestContext, files: Record<string, string | object> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'rift-cli-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return path;
}

/** Starts an executable; it is killed when the test ends. */
export function launch(
  t: TestContext,
  name: 'mb' | 'rift',
  args: readonly string[],
  options: RunOptions = {},
): Program {
  const { cwd = folder(t), env = {} } = options;
  const child: ChildProcess = spawn(process.execPath, [join(bins, `${name}.js`), ...args], {
    cwd,
    // tests run side by side: none may need the usual port for metrics
    env: { PATH: process.env.PATH, HOME: cwd, ...(name === 'rift' ? { RIFT_METRICS_PORT: '0' } : {}), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const heard = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    for (const listener of heard) listener();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  let over = false;
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      over = true;
      resolve({ code, stdout, stderr });
      for (const listener of heard) listener();
    });
  });
  t.after(async () => {
    if (!over) child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid as number,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    signal: (signal) => child.kill(signal),
    says: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (typeof text === 'string' ? stdout.includes(text) : text.test(stdout)) resolve();
          else if (over) reject(new Error(`ended without saying ${text}\nstdout: ${stdout}\nstderr: ${stderr}`));
          else return;
          heard.delete(check);
        };
        heard.add(check);
        check();
      }),
  };
}

/** Runs an executable to its end. */
export function run(
  t: TestContext,
  name: 'mb' | 'rift',
  args: readonly string[],
  options?: RunOptions,
): Promise<Ended> {
  return launch(t, name, args, options).ended;
}

/** Starts a server on a port of the system's choice unless `args` name one; ready when it takes orders. */
export async function serve(
  t: TestContext,
  name: 'mb' | 'rift',
  args: readonly string[] = [],
  options?: RunOptions,
): Promise<Served> {
  const chosen = args.some((arg) => /^(-p|--port)/.test(arg)) || options?.env?.MB_PORT !== undefined;
  const program = launch(t, name, chosen ? args : [...args, '--port', '0'], options);
  await program.says(/now taking orders.*\n/);
  const port = Number(/point your browser to http:\/\/.*:(\d+)\/ for help/.exec(program.stdout())?.[1]);
  return {
    ...program,
    port,
    call: (path, call = {}) => exchange({ port, ...call }, path),
    stop: () => {
      program.signal('SIGTERM');
      return program.ended;
    },
  };
}

export function exchange({ host = '127.0.0.1', port, method = 'GET', headers, body }: CallOptions, path: string) {
  return new Promise<Answer>((resolve, reject) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) };
    const call = request({ host, port, method, path, agent: false, headers: { ...length, ...headers } }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: answer,
          json: () => JSON.parse(answer) as Record<string, unknown>,
        });
      });
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(text as string | undefined);
  });
}

/** A listener that keeps a port busy until the test ends. */
export function occupied(t: TestContext, host = '0.0.0.0'): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.listen(0, host, () => resolve((server.address() as { port: number }).port));
    t.after(() => new Promise((done) => server.close(done)));
  });
}

export { freePorts } from '@rift-ts/oracle';

/** Whether somebody accepts connections there. */
export async function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  return exchange({ port, host }, '/').then(
    () => true,
    () => false,
  );
}

export function read(...path: string[]): string {
  return readFileSync(join(...path), 'utf8');
}

/** Resolves when the file is there; rejects when the program that is to write it ends before. */
export async function appears(path: string, program: Program): Promise<void> {
  let over = false;
  void program.ended.then(() => {
    over = true;
  });
  while (!existsSync(path)) {
    if (over) throw new Error(`ended without writing ${path}: ${program.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
