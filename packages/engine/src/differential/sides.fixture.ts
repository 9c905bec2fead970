// The two servers that a row is played against, the real Mountebank and ours, with what differs by nature made equal:
// times, ports, and in error objects the stack traces that are never sent here (F22).

import { type Mountebank, type RawAnswer, type RawOptions, rawExchange, startMountebank } from '@rift-ts/oracle';
import { RiftError, RiftErrors } from '../errors.js';
import { Imposters } from '../imposters.js';
import { errorBody } from '../model/error-json.js';
import type { JsonObject } from '../model/types.js';
import { httpProtocol, httpsProtocol } from '../protocols/http/protocol.js';
import type { ClientBytes, DifferentialCase } from './case.fixture.js';

/** What came of a row on one side. */
export interface Played {
  /** Status and body of a creation that was refused. */
  readonly refused?: string;
  readonly answers: readonly string[];
  readonly after?: string;
}

export interface Side {
  play(row: DifferentialCase, quietMs: number): Promise<Played>;
  stop(): Promise<void>;
}

export async function mountebankSide(): Promise<Side> {
  const mountebank = await startMountebank('--allowInjection', '--debug');
  return {
    async play(row, quietMs) {
      const created = await createThere(mountebank, row);
      if (created.status !== 201) return { refused: normalJson(JSON.parse(created.text)), answers: [] };
      const { port } = JSON.parse(created.text) as { port: number };
      const answers = await exchangeAll(port, row, quietMs);
      const after = row.after && (await mountebank.admin('GET', `/imposters/${port}`)).text;
      await mountebank.admin('DELETE', `/imposters/${port}`);
      return { answers, after: after && normalImposter(JSON.parse(after), port) };
    },
    stop: () => mountebank.stop(),
  };
}

/** A port that another process takes between its choice and its use is chosen again. */
async function createThere(mountebank: Mountebank, row: DifferentialCase): Promise<{ status: number; text: string }> {
  for (let tries = 0; ; tries++) {
    const created = await mountebank.admin('POST', '/imposters', creationOf(row));
    if (tries === 5 || !created.text.includes('EADDRINUSE')) return created;
  }
}

export function ourSide(): Side {
  const options = {
    limits: {
      maxHeadBytes: 16_384,
      maxHeaderLines: 2000,
      maxBodyBytes: undefined,
      headTimeoutMs: 60_000,
      keepAliveTimeoutMs: 5000,
      tlsHandshakeTimeoutMs: 10_000,
      maxConnections: undefined,
    },
    graceMs: 0,
  };
  const protocols = new Map([httpProtocol(options), httpsProtocol(options)].map((each) => [each.name, each]));
  const made = (debug: boolean) => new Imposters({ profile: 'mountebank', allowInjection: true, protocols, debug });
  const plain = made(false);
  const debugging = made(true);
  return {
    async play(row, quietMs) {
      const imposters = row.after ? debugging : plain;
      try {
        const imposter = await imposters.createFrom(structuredClone(creationOf(row)));
        const answers = await exchangeAll(imposter.port, row, quietMs);
        const after = row.after && normalImposter(imposter.toJson('full'), imposter.port);
        await imposters.delete(String(imposter.port));
        return { answers, after };
      } catch (error) {
        const errors = error instanceof RiftErrors ? error.errors : [error as RiftError];
        if (!(errors[0] instanceof RiftError)) throw error;
        return { refused: normalJson(errorBody(errors, 'mountebank')), answers: [] };
      }
    },
    async stop() {
      await plain.deleteAll();
      await debugging.deleteAll();
    },
  };
}

function creationOf({ imposter }: DifferentialCase): JsonObject {
  return { protocol: 'http', ...imposter };
}

async function exchangeAll(port: number, row: DifferentialCase, quietMs: number): Promise<string[]> {
  const { imposter, tls = {} } = row;
  const options: RawOptions = { quietMs, tls: imposter.protocol === 'https' && tls !== 'none' ? tls : undefined };
  const answers: string[] = [];
  for (const request of row.requests) {
    const text = shown(await rawExchange(port, partsOf(request), options), port);
    answers.push(row.mayMark ? text.replace(/^x-rift-[a-z]+-error: true\r\n/m, '') : text);
  }
  return answers;
}

function partsOf(request: ClientBytes): Buffer[] {
  const parts = typeof request === 'string' || Buffer.isBuffer(request) ? [request] : request;
  return parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
}

/** The bytes of an answer as Latin-1, Date and own port normalised. */
function shown({ bytes, end }: RawAnswer, port: number): string {
  const text = bytes
    .toString('latin1')
    .replace(/^Date: \w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT\r$/gm, 'Date: now\r')
    // which words stand behind the code of an answer that could not be sent is of no account
    .replace(/^HTTP\/1.1 500 OK\r$/gm, 'HTTP/1.1 500 Internal Server Error\r')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<client port>')
    .replaceAll(String(port), '<port>');
  return `${text.replace(/\r\ncontent-type: application\/json\r\n.*?\r\n\r\n.*?\r\n0\r\n\r\n/gs, withoutStack)} [${end}]`;
}

/** An error answer without the stack traces in it, its chunk size as it is then. */
function withoutStack(headAndBody: string): string {
  const [, head, size, body] = /^(.*?\r\n\r\n)([0-9a-f]+)\r\n(.*)\r\n0\r\n\r\n$/s.exec(headAndBody) ?? [];
  if (body === undefined || size === undefined || Number.parseInt(size, 16) !== body.length) return headAndBody;
  const json = JSON.parse(body) as { errors?: unknown };
  if (!Array.isArray(json.errors)) return headAndBody;
  for (const error of json.errors) if (typeof error === 'object' && error !== null) delete error.stack;
  const text = JSON.stringify(json);
  return `${head}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

/** Errors of the TLS library have a message here, and there none: `bind-errors`. */
function withoutTlsMessage(key: string, value: unknown): unknown {
  if (key !== '' && typeof value === 'object' && value !== null && 'library' in value && 'code' in value) {
    return { library: value.library, reason: 'reason' in value ? value.reason : undefined, code: value.code };
  }
  return value;
}

function normalJson(json: unknown): string {
  return JSON.stringify(json, withoutTlsMessage, 1);
}

function normalImposter(json: unknown, port: number): string {
  return normalJson(json)
    .replaceAll(String(port), '<port>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<client port>')
    .replace(/\n "allowCORS": .*/, '')
    .replace(/http:\/\/localhost:\d+\//g, '/')
    .replace(/"timestamp": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"timestamp": "now"')
    .replace(/"processingTime": \d+/g, '"processingTime": 0');
}
