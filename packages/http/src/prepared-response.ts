// A response as bytes. It is serialized when it is first sent and again only when the Date changes, so that a constant
// answer costs one write. What differs by request (HEAD, HTTP/1.0, a close that must be announced) are variants, each
// made when it is first needed. Rules: RFC 9112 sections 6 and 7; Node's http.ServerResponse for the messages of errors.
import { STATUS_CODES } from 'node:http';
import { format } from 'node:util';
import { currentSecond, httpDate } from './http-date.js';

/** What a response is made of. */
export interface ResponseParts {
  /** 100 to 999; fractions are cut off. */
  statusCode: number | string;
  /** Reason phrase; by default that of the standard table, `unknown` for a code it has not. */
  reason?: string;
  /** Header lines in the order they are sent, names in the case they are sent in, values Latin-1. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Text is sent as UTF-8; several buffers are one body, and are neither joined nor copied. */
  body?: Buffer | string | readonly Buffer[];
  /**
   * How the body is delimited when no header does it: one chunk, a Content-Length header, or the end of the connection.
   * An own `Transfer-Encoding: chunked` is honoured, whatever is said here.
   */
  framing: 'chunked' | 'content-length' | 'none';
  /** `close`: without an own Connection header `Connection: close` is added. `keep`: none is added, the connection is kept. */
  connection: 'close' | 'keep';
  /** `count` (default): an own Content-Length header gets the number of bytes of the body. `keep`: it is sent as it is. */
  ownLength?: 'count' | 'keep';
}

/** Which rendering of a response a request needs: bits of `variant`. */
export const HEAD_ONLY = 1;
export const HTTP_1_0 = 2;
export const ANNOUNCE_CLOSE = 4;

/** Bodies longer than this are not copied behind their head each second but written by themselves. */
const COPY_LIMIT = 32_768;

const EMPTY = Buffer.alloc(0);

/** One rendering: the head before and after the date, and the body with its framing. */
interface Rendering {
  beforeDate: string;
  /** undefined: the response has a Date of its own, all of the head is in `beforeDate`. */
  afterDate: string | undefined;
  body: Buffer;
  /** Instead of `body` when it came in several buffers. */
  pieces: readonly Buffer[] | undefined;
  second: number;
  bytes: Buffer;
}

/** An error with the code, name and message that Node's http module uses for a head that cannot be sent. */
function unsendable(kind: typeof TypeError | typeof RangeError, code: string, message: string): Error {
  return Object.assign(new kind(message), { code });
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const CHUNKED = /(?:^|\W)chunked(?:$|\W)/i;
const CLOSE = /(?:^|\W)close(?:$|\W)/i;

/** A complete response that can be sent any number of times: serialized once, only its Date changes. */
export class PreparedResponse {
  readonly statusCode: number;
  private readonly body: Buffer;
  /** The buffers of a body that came in several. */
  private readonly pieces: readonly Buffer[] | undefined;
  private readonly length: number;
  /** Whether the response itself lets the connection be kept; the client and the server have a say, too. */
  readonly keepsConnection: boolean;
  private readonly parts: ResponseParts;
  private readonly ownConnection: boolean;
  private readonly ownDate: boolean;
  private readonly ownLength: boolean;
  private readonly ownEncoding: boolean;
  private readonly ownChunked: boolean;
  private readonly renderings: (Rendering | undefined)[] = [];

  /**
   * Throws an error whose `code` is ERR_HTTP_INVALID_STATUS_CODE, ERR_INVALID_HTTP_TOKEN or ERR_INVALID_CHAR, with
   * Node's message, if the head cannot be sent.
   */
  constructor(parts: ResponseParts) {
    const status = Number(parts.statusCode) | 0;
    if (status < 100 || status > 999) {
      throw unsendable(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', format('Invalid status code: %s', parts.statusCode));
    }
    if (parts.reason !== undefined && NOT_A_VALUE.test(parts.reason)) {
      throw unsendable(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
    }
    this.statusCode = status;
    this.parts = parts;
    const { body = EMPTY } = parts;
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      this.body = typeof body === 'string' ? Buffer.from(body) : body;
      this.length = this.body.length;
    } else {
      this.body = EMPTY;
      this.pieces = body;
      let length = 0;
      for (const piece of body) length += piece.length;
      this.length = length;
    }
    let connection: string | undefined;
    let ownDate = false;
    let ownLength = false;
    let ownEncoding = false;
    let ownChunked = false;
    for (const [name, value] of parts.headers) {
      if (!TOKEN.test(name)) {
        throw unsendable(TypeError, 'ERR_INVALID_HTTP_TOKEN', `Header name must be a valid HTTP token ["${name}"]`);
      }
      if (NOT_A_VALUE.test(value)) {
        throw unsendable(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
      }
      switch (name.length) {
        case 4:
          if (name.toLowerCase() === 'date') ownDate = true;
          break;
        case 10:
          if (name.toLowerCase() === 'connection')
            connection = connection === undefined ? value : `${connection},${value}`;
          break;
        case 14:
          if (name.toLowerCase() === 'content-length') ownLength = true;
          break;
        case 17:
          if (name.toLowerCase() === 'transfer-encoding') {
            ownEncoding = true;
            if (CHUNKED.test(value)) ownChunked = true;
          }
          break;
      }
    }
    this.ownConnection = connection !== undefined;
    this.ownDate = ownDate;
    this.ownLength = ownLength;
    this.ownEncoding = ownEncoding;
    this.ownChunked = ownChunked;
    const delimited = this.hasNoBody || ownChunked || ownLength || (!ownEncoding && parts.framing !== 'none');
    this.keepsConnection =
      delimited && (connection === undefined ? parts.connection === 'keep' : !CLOSE.test(connection));
  }

  /** 1xx, 204 and 304 never have a body (RFC 9110 section 6.4.1). */
  get hasNoBody(): boolean {
    return this.statusCode === 204 || this.statusCode === 304 || this.statusCode < 200;
  }

  /** Whether a close can be announced in the head: only where the response leaves the Connection header to us. */
  get leavesConnection(): boolean {
    return !this.ownConnection && this.parts.connection === 'keep';
  }

  /** All bytes of the response, except those of a long body, which `longBody` has. The buffer is never changed afterwards. */
  bytes(variant: number): Buffer {
    const rendering = this.rendering(variant);
    if (rendering.afterDate === undefined) return rendering.bytes;
    const second = currentSecond();
    if (rendering.second !== second) {
      rendering.bytes = join(rendering.beforeDate + httpDate() + rendering.afterDate, rendering.body);
      rendering.second = second;
    }
    return rendering.bytes;
  }

  /** The body with its framing when it is too long to be part of `bytes`, or came in several buffers. */
  longBody(variant: number): readonly Buffer[] | undefined {
    const { body, pieces } = this.rendering(variant);
    return body.length > COPY_LIMIT ? [body] : pieces;
  }

  /** The head alone for a body that is streamed, and whether the body is to be sent in chunks. */
  streamHead(variant: number): { head: Buffer; chunked: boolean; delimited: boolean } {
    const http10 = (variant & HTTP_1_0) !== 0;
    const chunked = !http10 && (this.ownChunked || (!this.ownLength && !this.ownEncoding && !this.hasNoBody));
    const streamed = new PreparedResponse({
      ...this.parts,
      body: EMPTY,
      framing: chunked ? 'chunked' : 'none',
      ownLength: 'keep',
    });
    const { beforeDate, afterDate } = streamed.rendering(variant);
    const head = afterDate === undefined ? beforeDate : beforeDate + httpDate() + afterDate;
    return { head: Buffer.from(head, 'latin1'), chunked, delimited: chunked || this.ownLength || this.hasNoBody };
  }

  private rendering(variant: number): Rendering {
    const known = this.renderings[variant];
    if (known !== undefined) return known;
    const made = this.render(variant);
    this.renderings[variant] = made;
    return made;
  }

  private render(variant: number): Rendering {
    const { parts, statusCode } = this;
    const http10 = (variant & HTTP_1_0) !== 0;
    const silent = this.hasNoBody || (variant & HEAD_ONLY) !== 0;
    const reason = parts.reason ?? (statusCode === 418 ? "I'm a Teapot" : STATUS_CODES[statusCode]) ?? 'unknown';
    let head = `HTTP/1.1 ${statusCode} ${reason}\r\n`;
    const counted = this.ownLength && parts.ownLength !== 'keep';
    for (const [name, value] of parts.headers) {
      if (counted && name.length === 14 && name.toLowerCase() === 'content-length') {
        head += `${name}: ${this.length}\r\n`;
      } else if (!http10 || name.length !== 17 || name.toLowerCase() !== 'transfer-encoding') {
        head += `${name}: ${value}\r\n`;
      }
    }
    if (!this.ownConnection && (parts.connection === 'close' || (variant & ANNOUNCE_CLOSE) !== 0)) {
      head += 'Connection: close\r\n';
    }
    let framing = '\r\n';
    let chunked = this.ownChunked && !http10;
    if (!this.ownLength && !this.ownEncoding) {
      if (parts.framing === 'content-length') {
        if (!this.hasNoBody) framing = `Content-Length: ${this.length}\r\n\r\n`;
      } else if (parts.framing === 'chunked' && !http10 && !silent) {
        framing = 'Transfer-Encoding: chunked\r\n\r\n';
        chunked = true;
      }
    }
    const whole = chunked && this.pieces !== undefined ? Buffer.concat(this.pieces) : this.body;
    const body = silent ? EMPTY : chunked ? asOneChunk(whole) : whole;
    const pieces = silent || chunked ? undefined : this.pieces;
    const beforeDate = this.ownDate ? head + framing : `${head}Date: `;
    const afterDate = this.ownDate ? undefined : `\r\n${framing}`;
    const bytes = this.ownDate ? join(beforeDate, body) : EMPTY;
    return { beforeDate, afterDate, body, pieces, second: -1, bytes };
  }
}

function join(head: string, body: Buffer): Buffer {
  if (body.length === 0 || body.length > COPY_LIMIT) return Buffer.from(head, 'latin1');
  const bytes = Buffer.allocUnsafe(head.length + body.length);
  bytes.write(head, 0, 'latin1');
  body.copy(bytes, head.length);
  return bytes;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function asOneChunk(body: Buffer): Buffer {
  if (body.length === 0) return LAST_CHUNK;
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}
