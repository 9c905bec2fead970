// A real Mountebank as an oracle: a process of its own, driven through its admin port.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@rift-ts/oracle';

interface Reply {
  readonly status: number;
  readonly body: string;
}

export class Mountebank {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  private constructor(process: ChildProcess, folder: string, port: number) {
    this.#process = process;
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<Mountebank> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'mountebank-'));
    const bin = join(dirname(createRequire(import.meta.url).resolve('mountebank/package.json')), 'bin', 'mb');
    const flags = ['--port', String(port), '--host', '127.0.0.1', '--nologfile', '--pidfile', join(folder, 'mb.pid')];
    const child = spawn(process.execPath, [bin, ...flags, '--loglevel', 'error'], { stdio: 'ignore', cwd: folder });
    const mountebank = new Mountebank(child, folder, port);
    for (let attempt = 0; ; attempt++) {
      try {
        await mountebank.admin('GET', '/');
        return mountebank;
      } catch (error) {
        if (attempt === 200) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** One call to the admin port. */
  admin(method: string, path: string, body?: unknown): Promise<Reply> {
    const text = body === undefined ? '' : JSON.stringify(body);
    return this.request(this.#port, method, path, ['Content-Type', 'application/json'], text);
  }

  /** One request to a port; headers as a flat list of names and values. */
  request(port: number, method: string, path: string, headers: string[], body: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const all = [...headers, 'Host', `127.0.0.1:${port}`, 'Connection', 'keep-alive'];
      if (body !== '') all.push('Content-Length', String(Buffer.byteLength(body)));
      const options = { host: '127.0.0.1', port, method, path, headers: all, agent: this.#agent };
      const request = http.request(options as unknown as http.RequestOptions, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
