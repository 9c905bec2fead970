// The bytes of a response with tokens: everything but the values is serialized once. Written for speed, because such
// responses are answered as often as constant ones; whatever is unusual goes the general way.

// Node's global is a getter, which every use would call
import { Buffer } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { httpDate } from '@rift-ts/http';
import type { Filling, ResponseOutcome } from '../../responding/types.js';
import type { ImposterCore } from '../types.js';
import { responseParts } from './response.js';

const ASCII = /^[\0-\x7f]*$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Headers about the message itself: what they mean is decided the general way. */
const UNUSUAL_HEADER = /^(?:connection|content-length|date|transfer-encoding)$/i;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Text with places for values: one piece more than places. */
interface Pieces {
  readonly texts: readonly string[];
  /** Which value stands in each place. */
  readonly values: readonly number[];
}

interface FilledResponse {
  readonly status: number;
  readonly head: Pieces;
  readonly body: Pieces;
  /** Bytes of the body without its values. */
  readonly bodyLength: number;
}

/** The bytes of an outcome, complete; undefined when it has to go the general way. */
export function filledBytes({ pattern, values }: Filling, core: ImposterCore): Buffer | undefined {
  const { slot } = pattern;
  if (slot.serialized === undefined) slot.serialized = filledResponse(pattern, core) ?? null;
  const response = slot.serialized as FilledResponse | null;
  if (response === null) return undefined;
  const { head, body } = response;
  let text = head.texts[0];
  for (let i = 0; i < head.values.length; i++) {
    const value = values[head.values[i]];
    if (!HEADER_VALUE.test(value)) return undefined;
    text += value + head.texts[i + 1];
  }
  let length = response.bodyLength;
  for (const at of body.values) {
    const value = values[at];
    if (!ASCII.test(value)) return undefined;
    length += value.length;
  }
  text += `Date: ${httpDate()}\r\nContent-Length: ${length}\r\n\r\n${body.texts[0]}`;
  for (let i = 0; i < body.values.length; i++) text += values[body.values[i]] + body.texts[i + 1];
  return Buffer.from(text, 'latin1');
}

/** The status of an outcome that `filledBytes` made. */
export function filledStatus({ pattern }: Filling): number {
  return (pattern.slot.serialized as FilledResponse).status;
}

/** undefined: this response always goes the general way. */
function filledResponse(pattern: Filling['pattern'], core: ImposterCore): FilledResponse | undefined {
  if (core.profile === 'mountebank' || core.creation.allowCORS) return undefined;
  const marks = Array.from({ length: pattern.size }, (_, i) => `\0${i}\0`);
  const outcome: ResponseOutcome = { kind: 'response', origin: 'is', data: pattern.filled(marks) };
  if (outcome.data._mode === 'binary') return undefined;
  const { statusCode, headers, body } = responseParts(outcome, core, 'GET');
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599 || status === 204 || status === 304) return undefined;
  if (headers.some(([name]) => !TOKEN.test(name) || UNUSUAL_HEADER.test(name))) return undefined;
  const reason = STATUS_CODES[status];
  if (reason === undefined || status === 418) return undefined;
  const head = pieces(
    `HTTP/1.1 ${status} ${reason}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`,
  );
  const filled = pieces(body.toString('utf8'));
  if (head.texts.some((text) => !/^[\t\r\n\x20-\x7e]*$/.test(text))) return undefined;
  if (headers.some(([, value]) => /[\r\n]/.test(value))) return undefined;
  if (filled.texts.some((text) => !ASCII.test(text) || text.includes('\0'))) return undefined;
  return { status, head, body: filled, bodyLength: filled.texts.reduce((sum, text) => sum + text.length, 0) };
}

function pieces(marked: string): Pieces {
  const parts = marked.split(/\0(\d+)\0/);
  return { texts: parts.filter((_, i) => i % 2 === 0), values: parts.filter((_, i) => i % 2 === 1).map(Number) };
}
