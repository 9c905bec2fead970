// The side that answers a request. A new one for each request: a late call on an exchange that has ended can then never
// reach the request after it.
import type { Readable } from 'node:stream';
import type { Connection } from './connection.js';
import type { OffsetRequest } from './offset-request.js';
import type { PreparedResponse } from './prepared-response.js';
import type { Exchange } from './types.js';

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
