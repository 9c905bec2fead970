// Imposters, upstreams and a client for the tests of proxies; everything on loopback and free ports.

import { Agent, createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { mountebankLimits } from '@rift-ts/http';
import type { Imposter } from '../../imposter.js';
import { Imposters, type ImpostersOptions } from '../../imposters.js';
import { silentLogger } from '../../logger.js';
import type { JsonObject, Profile } from '../../model/types.js';
import { httpProtocol, httpsProtocol } from '../../protocols/http/protocol.js';

const LIMITS = { ...mountebankLimits, maxHeadBytes: 65_536 };

export interface Settings extends Partial<ImpostersOptions> {
  maxBodyBytes?: number;
}

/** Imposters that end with the test. */
export function imposters(t: TestContext, profile: Profile = 'mountebank', settings: Settings = {}): Imposters {
  const { maxBodyBytes, ...options } = settings;
  const http = { limits: { ...LIMITS, maxBodyBytes }, graceMs: 0 };
  const all = new Imposters({
    profile,
    allowInjection: true,
    protocols: new Map([httpProtocol(http), httpsProtocol(http)].map((protocol) => [protocol.name, protocol])),
    recordAll: false,
    debug: false,
    strictBehaviors: false,
    workingDirectory: process.cwd(),
    allows: () => true,
    loggerFor: () => silentLogger,
    ...options,
  });
  t.after(async () => {
    await all.deleteAll();
  });
  return all;
}

/** One http imposter of profile `mountebank` with the stubs given. */
export function imposter(t: TestContext, stubs: unknown, more: JsonObject = {}): Promise<Imposter> {
  return imposters(t).createFrom({ protocol: 'http', stubs, ...more });
}

export interface Origin {
  readonly port: number;
  /** `http://127.0.0.1:port`, or https. */
  readonly url: string;
  /** Requests received so far. */
  readonly seen: IncomingMessage[];
}

/** An upstream; without a listener it answers `n1`, `n2` ... as text. */
export async function origin(t: TestContext, listener?: RequestListener, tls?: TlsOptions): Promise<Origin> {
  const seen: IncomingMessage[] = [];
  const answer: RequestListener = (message, response) => {
    seen.push(message);
    if (listener !== undefined) listener(message, response);
    else {
      message.resume();
      response.setHeader('Content-Type', 'text/plain');
      response.end(`n${seen.length}`);
    }
  };
  const server: Server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  const port = await listening(t, server);
  t.after(() => server.closeAllConnections());
  return { port, url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, seen };
}

/** An upstream that speaks raw bytes: called for each connection. */
export async function rawOrigin(t: TestContext, onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  const port = await listening(t, server);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${port}`;
}

async function listening(t: TestContext, server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface Answer {
  readonly status: number;
  /** name, value, name, value ... */
  readonly rawHeaders: string[];
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  readonly body: string;
}

export interface Call {
  method?: string;
  headers?: { [name: string]: string | string[] };
  body?: string | Buffer;
  tls?: boolean;
}

/** One request on a connection of its own. */
export async function send(port: number, path: string, call: Call = {}): Promise<Answer> {
  const { request: tlsRequest } = await import('node:https');
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, tls } = call;
    const options = { host: '127.0.0.1', port, path, method, headers, rejectUnauthorized: false };
    const outgoing = tls
      ? tlsRequest({ ...options, agent: false }, receive)
      : request({ ...options, agent: new Agent() }, receive);
    outgoing.on('error', reject);
    outgoing.end(body);
    function receive(message: IncomingMessage): void {
      const chunks: Buffer[] = [];
      message.on('data', (chunk) => chunks.push(chunk));
      message.on('error', reject);
      message.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const { rawHeaders, headers } = message;
        resolve({ status: message.statusCode!, rawHeaders, headers, bytes, body: bytes.toString() });
      });
    }
  });
}

/** Bodies of requests sent one after the other. */
export async function bodies(port: number, ...paths: string[]): Promise<string[]> {
  const all: string[] = [];
  for (const path of paths) all.push((await send(port, path)).body);
  return all;
}

/** What the imposter's stubs would be recreated from. */
export function stubsOf({ stubs }: Imposter): JsonObject[] {
  return stubs.map(({ json }) => JSON.parse(JSON.stringify(json)) as JsonObject);
}

/** Predicates of every stub but the last, the one of the proxy. */
export function recordedPredicates(of: Imposter): unknown[] {
  return stubsOf(of)
    .slice(0, -1)
    .map(({ predicates }) => predicates);
}

/** Lines of a header in raw headers. */
export function lines(rawHeaders: readonly string[], lowerName: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1].toLowerCase() === lowerName);
}
