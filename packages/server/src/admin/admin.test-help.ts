// An admin server over a real engine, and a client that shows answers as they are.

import { type IncomingHttpHeaders, request } from 'node:http';
import {
  httpProtocol,
  httpsProtocol,
  Imposters,
  type ImpostersOptions,
  type Profile,
  silentLogger,
  tcpProtocol,
} from '@rift-ts/engine';
import { mountebankLimits } from '@rift-ts/http';
import { ipGate } from './ip-gate.js';
import { type AdminServer, type AdminServerOptions, startAdminServer } from './server.js';

export { freePort } from '@rift-ts/oracle';

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

/** An engine for tests: http, https and tcp. */
export function engine(profile: Profile, options: Partial<ImpostersOptions> = {}, host?: string): Imposters {
  const protocolOptions = { host, limits: mountebankLimits, graceMs: 0 };
  return new Imposters({
    profile,
    allowInjection: false,
    protocols: new Map([
      ['http', httpProtocol(protocolOptions)],
      ['https', httpsProtocol(protocolOptions)],
      ['tcp', tcpProtocol(protocolOptions)],
    ]),
    recordAll: false,
    debug: false,
    strictBehaviors: false,
    workingDirectory: process.cwd(),
    allows: () => true,
    loggerFor: () => silentLogger,
    ...options,
  });
}

/** Starts an admin server, hands it to `use`, closes it. Texts are sent as they are, other bodies as JSON. */
export async function withAdmin(
  profile: Profile,
  options: Partial<AdminServerOptions>,
  use: (admin: TestAdmin) => Promise<void>,
): Promise<void> {
  const imposters = options.imposters ?? engine(profile, {}, '127.0.0.1');
  const server = await startAdminServer({
    profile,
    port: 0,
    host: '127.0.0.1',
    allows: ipGate({ localOnly: false, ipWhitelist: ['*'] }),
    imposters,
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
    await imposters.deleteAll();
    await server.close();
  }
}
