// One request and the side that answers it. A new pair of objects for each request: a late call on an exchange that has
// ended can then never reach the request after it.
import type { Readable } from 'node:stream';
import type { Connection } from './connection.js';
import type { PreparedResponse } from './prepared-response.js';
import type { Exchange, WireRequest } from './types.js';

const COLON = 58;
const SP = 32;
const HTAB = 9;
const CR = 13;

/** A request as offsets into the bytes it came in; strings are made, and lines found, when they are asked for. */
export class OffsetRequest implements WireRequest {
  private targetText: string | undefined;
  private headerList: string[] | undefined;
  private fields: number[] | undefined;

  constructor(
    readonly connection: Connection,
    readonly method: string,
    readonly httpMinor: 0 | 1,
    readonly keepAlive: boolean,
    private readonly bytes: Buffer,
    private readonly targetStart: number,
    private readonly targetEnd: number,
    private readonly headersStart: number,
    /** Behind the empty line that ends the head. */
    private readonly headEnd: number,
    public body: Buffer,
  ) {}

  get target(): string {
    const known = this.targetText;
    if (known !== undefined) return known;
    const text = this.bytes.toString('latin1', this.targetStart, this.targetEnd);
    this.targetText = text;
    return text;
  }

  get rawHeaders(): readonly string[] {
    if (this.headerList === undefined) {
      const { bytes } = this;
      const fields = this.findFields();
      const list = new Array<string>(fields.length / 2);
      for (let i = 0; i < fields.length; i += 2) list[i / 2] = bytes.toString('latin1', fields[i], fields[i + 1]);
      this.headerList = list;
    }
    return this.headerList;
  }

  header(lowerName: string): string | undefined {
    const { bytes } = this;
    const fields = this.findFields();
    const length = lowerName.length;
    next: for (let at = 0; at < fields.length; at += 4) {
      const start = fields[at];
      if (fields[at + 1] - start !== length) continue;
      for (let i = 0; i < length; i++) {
        const c = bytes[start + i];
        if ((c >= 65 && c <= 90 ? c + 32 : c) !== lowerName.charCodeAt(i)) continue next;
      }
      return bytes.toString('latin1', fields[at + 2], fields[at + 3]);
    }
    return undefined;
  }

  /** name start, name end, value start, value end of each header line. The parser has seen to the grammar. */
  private findFields(): number[] {
    if (this.fields !== undefined) return this.fields;
    const { bytes } = this;
    const end = this.headEnd - 2;
    const fields: number[] = [];
    for (let line = this.headersStart; line < end; ) {
      let p = line;
      while (bytes[p] !== COLON) p++;
      fields.push(line, p);
      do p++;
      while (bytes[p] === SP || bytes[p] === HTAB);
      const value = p;
      while (bytes[p] !== CR) p++;
      line = p + 2;
      while (p > value && (bytes[p - 1] === SP || bytes[p - 1] === HTAB)) p--;
      fields.push(value, p);
    }
    this.fields = fields;
    return fields;
  }
}

/** The queue of a connection's exchanges is a list of these; the first one alone may write. */
export class WireExchange implements Exchange {
  next: WireExchange | undefined;
  /** Set while the end of this exchange waits for its turn. */
  outcome: (() => void) | undefined;
  aborted = false;
  private ended = false;
  private abortListeners: (() => void)[] | undefined;

  constructor(
    readonly connection: Connection,
    readonly request: OffsetRequest,
  ) {}

  onAbort(listener: () => void): void {
    if (this.aborted) listener();
    else if (!this.ended || this.outcome !== undefined || this.connection.first === this) {
      this.abortListeners ??= [];
      this.abortListeners.push(listener);
    }
  }

  /** The connection has gone, or ends before it is this exchange's turn. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = this.abortListeners;
    this.abortListeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  send(response: PreparedResponse): void {
    if (!this.claim()) return;
    if (this.connection.first === this) this.connection.answer(this, response);
    else this.outcome = () => this.connection.answer(this, response);
  }

  sendStream(response: PreparedResponse, body: Readable): void {
    body.on('error', () => {}); // it may fail before its turn
    if (!this.claim()) {
      body.destroy();
      return;
    }
    this.onAbort(() => body.destroy());
    this.inTurn(() => this.connection.answerStream(this, response, body));
  }

  sendRaw(bytes: Buffer | string, close = true, belowTls = false): void {
    if (!this.claim()) return;
    const raw = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    this.inTurn(() => this.connection.answerRaw(this, raw, close, belowTls));
  }

  reset(): void {
    if (this.claim()) this.inTurn(() => this.connection.reset());
  }

  destroy(): void {
    if (this.claim()) this.inTurn(() => this.connection.destroy());
  }

  /** Runs the end of this exchange when all before it have ended. */
  inTurn(outcome: () => void): void {
    if (this.connection.first === this) outcome();
    else this.outcome = outcome;
  }

  private claim(): boolean {
    if (this.ended || this.aborted) return false;
    this.ended = true;
    return true;
  }
}
