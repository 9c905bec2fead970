// The two servers that a row is played against, the real Mountebank and ours, with what differs by nature made equal:
// times, ports, and in error objects the stack traces that are never sent here (F22).

import { mountebankLimits } from '@rift-ts/http';
import { type RawAnswer, type RawOptions, rawExchange, startMountebank } from '@rift-ts/oracle';
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
  /** Starts an imposter; the errors as text when it is refused. */
  create(imposter: JsonObject, debug?: boolean): Promise<{ port: number } | { refused: string }>;
  /** The imposter as the admin API shows it. */
  show(port: number): Promise<JsonObject>;
  remove(port: number): Promise<void>;
  stop(): Promise<void>;
}

export async function mountebankSide(): Promise<Side> {
  const mountebank = await startMountebank('--allowInjection', '--debug');
  return {
    async create(imposter) {
      for (let tries = 0; ; tries++) {
        const { status, text } = await mountebank.admin('POST', '/imposters', imposter);
        if (status === 201) return { port: (JSON.parse(text) as { port: number }).port };
        // another process may take a port between its choice and its use
        if (tries === 5 || !text.includes('EADDRINUSE')) return { refused: normalJson(JSON.parse(text)) };
      }
    },
    show: async (port) => JSON.parse((await mountebank.admin('GET', `/imposters/${port}`)).text) as JsonObject,
    async remove(port) {
      await mountebank.admin('DELETE', `/imposters/${port}`);
    },
    stop: () => mountebank.stop(),
  };
}

export function ourSide(): Side {
  const options = {
    limits: mountebankLimits,
    graceMs: 0,
  };
  const protocols = new Map([httpProtocol(options), httpsProtocol(options)].map((each) => [each.name, each]));
  const made = (debug: boolean) => new Imposters({ profile: 'mountebank', allowInjection: true, protocols, debug });
  const plain = made(false);
  const debugging = made(true);
  const of = (port: number) => (plain.get(String(port)) === undefined ? debugging : plain);
  return {
    async create(imposter, debug = false) {
      try {
        return await (debug ? debugging : plain).createFrom(structuredClone(imposter));
      } catch (error) {
        const errors = error instanceof RiftErrors ? error.errors : [error as RiftError];
        if (!(errors[0] instanceof RiftError)) throw error;
        return { refused: normalJson(errorBody(errors, 'mountebank')) };
      }
    },
    show: async (port) => structuredClone(of(port).get(String(port))!.toJson('full')),
    async remove(port) {
      await of(port).delete(String(port));
    },
    async stop() {
      await plain.deleteAll();
      await debugging.deleteAll();
    },
  };
}

/** Milliseconds without a byte after which an open connection counts as left open; more when the sides differ. */
const QUIET_MS = [150, 1500];

/** Plays a row on both sides; once more with patience when they differ, for a machine under load may look quiet. */
export async function playBoth(
  ours: Side,
  theirs: Side,
  row: DifferentialCase,
): Promise<{ own: Played; their: Played; expected: Played }> {
  for (let tries = 0; ; tries++) {
    const quietMs = QUIET_MS[tries]!;
    const [own, their] = await Promise.all([play(ours, row, quietMs), play(theirs, row, quietMs)]);
    const expected = expectedOf(row, their);
    if (tries === QUIET_MS.length - 1 || JSON.stringify(own) === JSON.stringify(expected))
      return { own, their, expected };
  }
}

function expectedOf(row: DifferentialCase, their: Played): Played {
  if (row.oursRefused !== undefined) {
    return { refused: JSON.stringify({ errors: row.oursRefused }, null, 1), answers: [] };
  }
  return row.ours === undefined ? their : { answers: row.ours, after: their.after };
}

/** Plays a row from the creation of its imposter to its end. */
async function play(side: Side, row: DifferentialCase, quietMs: number): Promise<Played> {
  const created = await side.create(creationOf(row), row.after);
  if ('refused' in created) return { refused: created.refused, answers: [] };
  const { port } = created;
  const answers = await exchangeAll(port, row, quietMs);
  const after = row.after && normalImposter(await side.show(port), port);
  await side.remove(port);
  return { answers, after };
}

function creationOf({ imposter }: DifferentialCase): JsonObject {
  return { protocol: 'http', ...imposter };
}

async function exchangeAll(port: number, row: DifferentialCase, quietMs: number): Promise<string[]> {
  const { imposter, tls = {} } = row;
  const options: RawOptions = {
    quietMs,
    halfClose: row.halfClose,
    tls: imposter.protocol === 'https' && tls !== 'none' ? tls : undefined,
  };
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
