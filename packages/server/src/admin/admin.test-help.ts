// An admin server over an engine that opens no ports, and a client that shows answers as they are.

import { type IncomingHttpHeaders, request } from 'node:http';
import {
  type ImposterJson,
  type JsonObject,
  type Profile,
  type ReadableProtocol,
  type RequestJson,
  type StubJson,
  silentLogger,
} from '@rift-ts/engine';
import type { EngineImposter, EngineImposters } from './backend.js';
import { ipGate } from './ip-gate.js';
import { type AdminServer, type AdminServerOptions, startAdminServer } from './server.js';

class PortlessImposter implements EngineImposter {
  readonly metadata: JsonObject = {};
  readonly journal: { index: number; timestamp: string; request: RequestJson }[] = [];
  numberOfRequests = 0;
  stubs: { json: StubJson }[];

  constructor(
    readonly creation: ImposterJson,
    readonly port: number,
  ) {
    this.stubs = creation.stubs.map((json) => ({ json }));
  }
  insertStub(at: number, json: StubJson): void {
    this.stubs = this.stubs.toSpliced(at, 0, { json });
  }
  replaceStub(at: number, json: StubJson): void {
    this.stubs = this.stubs.with(at, { json });
  }
  removeStub(at: number): void {
    this.stubs = this.stubs.toSpliced(at, 1);
  }
  replaceStubs(stubs: readonly StubJson[]): void {
    this.stubs = stubs.map((json) => ({ json }));
  }
  clearRequests(): void {
    this.journal.length = 0;
    this.numberOfRequests = 0;
  }
  clearProxyResponses(): void {}
}

class PortlessImposters implements EngineImposters<PortlessImposter> {
  readonly #byPort = new Map<number, PortlessImposter>();
  all(): PortlessImposter[] {
    return [...this.#byPort.values()].sort((a, b) => a.port - b.port);
  }
  get(id: string): PortlessImposter | undefined {
    return this.all().find(({ port }) => String(port) === id);
  }
  async create(creation: ImposterJson): Promise<PortlessImposter> {
    const imposter = new PortlessImposter(creation, Number(creation.port ?? 50_000 + this.#byPort.size));
    this.#byPort.set(imposter.port, imposter);
    return imposter;
  }
  async replaceAll(creations: readonly ImposterJson[]): Promise<PortlessImposter[]> {
    this.#byPort.clear();
    return Promise.all(creations.map((creation) => this.create(creation)));
  }
  async delete(id: string): Promise<PortlessImposter | undefined> {
    const imposter = this.get(id);
    if (imposter !== undefined) this.#byPort.delete(imposter.port);
    return imposter;
  }
  async deleteAll(): Promise<PortlessImposter[]> {
    const all = this.all();
    this.#byPort.clear();
    return all;
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestAdmin {
  readonly server: AdminServer;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer & { json(): Record<string, unknown> }>;
}

const protocol: ReadableProtocol = { dryRunRequest: {}, encoding: () => 'utf8' };

/** Starts an admin server, hands it to `use`, closes it. Texts are sent as they are, other bodies as JSON. */
export async function withAdmin(
  profile: Profile,
  options: Partial<AdminServerOptions>,
  use: (admin: TestAdmin) => Promise<void>,
): Promise<void> {
  const server = await startAdminServer({
    profile,
    port: 0,
    host: '127.0.0.1',
    allows: ipGate({ localOnly: false, ipWhitelist: ['*'] }),
    imposters: new PortlessImposters(),
    readOptions: {
      profile,
      allowInjection: false,
      protocols: new Map([['http', protocol]]),
      checkPredicates: () => undefined,
    },
    loggerFor: () => silentLogger,
    logEntries: async () => [],
    version: { reported: '2.9.1', product: '0.0.0', commit: null },
    startOptions: () => ({}),
    metrics: async () => '',
    ...options,
  });
  const call: TestAdmin['call'] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', port: server.port, method, path, headers, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              body: text,
              json: () => JSON.parse(text),
            });
          });
        },
      );
      call.on('error', reject);
      call.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    });
  try {
    await use({ server, call });
  } finally {
    await server.close();
  }
}
