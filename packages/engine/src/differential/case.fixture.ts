// One row of the differential suite: an imposter, what clients send to it, and what is known of the answer.

import type { ConnectionOptions } from 'node:tls';
import type { JsonObject } from '../model/types.js';

/** Bytes of a client on one connection: all at once, or parts, each sent when the answer to the one before is complete. */
export type ClientBytes = string | Buffer | readonly (string | Buffer)[];

export interface DifferentialCase {
  /** The behaviour, in words. */
  readonly name: string;
  /** The creation request, without `protocol` for http. */
  readonly imposter: JsonObject;
  /** Each on a connection of its own, one after the other. */
  readonly requests: readonly ClientBytes[];
  /** Name of the intended difference (docs/differences.md) that the row touches: `ours` then says what we answer. */
  readonly fix?: string;
  /** One answer a request as `answer` makes it, where the real Mountebank gives another one. */
  readonly ours?: readonly string[];
  /** The imposter is refused with these errors, where Mountebank does something else. */
  readonly oursRefused?: readonly JsonObject[];
  /** Also compare the imposter as the admin API shows it afterwards: counters, recorded requests, matches. */
  readonly after?: true;
  /** The client ends its side with the last part. */
  readonly halfClose?: true;
  /** Failures of scripts carry a header `x-rift-…-error` here: it is left out of the comparison. */
  readonly mayMark?: true;
  /** How the client of an https imposter connects; `none`: without TLS. */
  readonly tls?: ConnectionOptions | 'none';
}

export const CLOSE = 'Connection: close';
export const CHUNKED = 'Transfer-Encoding: chunked';
export const DATE = 'Date: now';

/** A request with a Host line; `lines` are further header lines. */
export function get(target = '/', ...lines: string[]): string {
  return send('GET', target, lines);
}

export function send(method: string, target: string, lines: readonly string[] = [], body?: string | Buffer): string {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes === undefined ? [] : [`Content-Length: ${bytes.length}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: m', ...lines, ...length].join('\r\n');
  // one character a byte, as all texts of requests here
  return `${head}\r\n\r\n${bytes?.toString('latin1') ?? ''}`;
}

export function post(body: string | Buffer, ...lines: string[]): string {
  return send('POST', '/', lines, body);
}

/** Request lines and headers as they stand, CRLF after each and an empty line at the end. */
export function raw(...lines: string[]): string {
  return lines
    .map((line) => `${line}\r\n`)
    .join('')
    .concat('\r\n');
}

/** An answer as the suite writes it down: the bytes as Latin-1, and how the connection stood at the end. */
export function answer(
  status: string,
  headers: readonly string[],
  body: string,
  end: 'open' | 'closed' | 'reset' = 'closed',
): string {
  const head = [`HTTP/1.1 ${status}`, ...headers].map((line) => `${line}\r\n`).join('');
  return `${head}\r\n${body} [${end}]`;
}

/** The usual answer of an imposter: chunked, and the connection closed behind it. */
export function usual(status: string, headers: readonly string[], body: string): string {
  const bytes = Buffer.from(body).toString('latin1');
  const chunks = bytes === '' ? '' : `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
  return answer(status, [...headers, CLOSE, DATE, CHUNKED], `${chunks}0\r\n\r\n`);
}

/** An error of the data plane as an answer. */
export function failure(...errors: unknown[]): string {
  const body = JSON.stringify({ errors });
  const bytes = Buffer.from(body).toString('latin1');
  const headers = ['content-type: application/json', DATE, 'Connection: keep-alive', 'Keep-Alive: timeout=5', CHUNKED];
  return answer('500 Internal Server Error', headers, `${bytes.length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n`, 'open');
}

/** An imposter whose only stub has these responses. */
export function responses(...list: JsonObject[]): JsonObject {
  return { stubs: [{ responses: list }] };
}

/** An imposter that always answers with this `is`. */
export function is(response: unknown, more: JsonObject = {}): JsonObject {
  return responses({ is: response, ...more } as JsonObject);
}
