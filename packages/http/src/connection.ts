// One client connection: takes bytes apart into requests and puts answers back in order.
// Bytes go through phases: a head, its body, the next head. A request is handed out when its body is complete; the
// exchanges that are not yet answered form a queue of which only the first may write.
import type { Duplex, Readable } from 'node:stream';
import { BODY_REFUSED, ChunkedDecoder } from './chunked-decoder.js';
import { WireExchange } from './exchange.js';
import { Expectation, HeadParser, INCOMPLETE, REFUSED } from './head-parser.js';
import { OffsetRequest } from './offset-request.js';
import type { Placed } from './open-connections.js';
import { ANNOUNCE_CLOSE, HEAD_ONLY, HTTP_1_0, PreparedResponse } from './prepared-response.js';
import { refusalBytes } from './refusals.js';
import type { Transport, TransportReader } from './transport.js';
import type { Refusal, RefusalDetail, WireConnection, WireLimits, WireRequest } from './types.js';

/** What a connection needs of its server. */
export interface ConnectionHost {
  readonly limits: WireLimits & { bodyTimeoutMs: number };
  /** Milliseconds at the end of the current tick of a coarse timer: no deadline counted from here is early. */
  readonly now: number;
  /** The server is closing: every answer is the last of its connection. */
  readonly draining: boolean;
  onRequest(exchange: WireExchange): void;
  refuse(refusal: Refusal, detail: RefusalDetail): PreparedResponse | Buffer | undefined;
  /** Takes over a connection after CONNECT. */
  tunnel(client: Duplex, request: WireRequest, firstBytes: Buffer): void;
  closed(connection: Connection): void;
}

enum Phase {
  Head,
  Body,
  Chunks,
  /** Nothing is read any more: the connection ends after what is queued. */
  Ending,
  /** The bytes belong to somebody else. */
  Tunnel,
}

/** Requests of one connection that may wait for their answers; past it reading pauses. */
const MAX_PIPELINED = 64;
/** How long a refused client may go on sending before it is cut, so that it can read why (RFC 9112 section 9.6). */
const LINGER_MS = 3000;

const EMPTY = Buffer.alloc(0);
const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');

/** Where the requests of a connection came from, as far as it outlives the connection. */
class ConnectionOrigin implements WireConnection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  readonly encrypted: boolean;
  data: unknown = undefined;

  constructor({ remoteAddress, remotePort, localPort, encrypted }: WireConnection) {
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
    this.localPort = localPort;
    this.encrypted = encrypted;
  }

  get detached(): WireConnection {
    return this;
  }
}

export class Connection implements WireConnection, TransportReader, Placed {
  data: unknown = undefined;
  place = -1;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  /** Head of the queue of unanswered exchanges. */
  first: WireExchange | undefined;
  /** Time at which `expire` is due; 0 for never. */
  deadline: number;

  private origin: ConnectionOrigin | undefined;
  private last: WireExchange | undefined;
  private waiting = 0;
  private phase: Phase = Phase.Head;
  private readonly head: HeadParser;
  /** Bytes of an incomplete head, or read but not yet looked at. */
  private kept: Buffer | undefined;
  private keptLength = 0;
  /** Whether `kept` is an incomplete head that the parser is in the middle of. */
  private midHead = false;
  private pending: OffsetRequest | undefined;
  private pendingExpectation: Expectation = Expectation.None;
  private body: Buffer | undefined;
  private bodyLength = 0;
  private chunks: ChunkedDecoder | undefined;
  private reading = false;
  private corked = false;
  private paused = false;
  private congested = false;
  /** Nothing more will be written: what was written only has to leave. */
  private lastWritten = false;
  /** The body that is being sent. */
  private streaming: Readable | undefined;
  private clientEnded = false;
  private gone = false;

  constructor(
    private readonly host: ConnectionHost,
    private readonly transport: Transport,
    readonly encrypted: boolean,
  ) {
    this.remoteAddress = transport.remoteAddress;
    this.remotePort = transport.remotePort;
    this.localPort = transport.localPort;
    this.head = new HeadParser(host.limits.maxHeadBytes, host.limits.maxHeaderLines);
    this.head.begin(0);
    this.deadline = host.now + host.limits.headTimeoutMs;
    transport.attach(this);
  }

  get detached(): WireConnection {
    this.origin ??= new ConnectionOrigin(this);
    return this.origin;
  }

  /** Whether it has neither an unanswered request nor one that is being read, and all answers have left. */
  get idle(): boolean {
    return this.first === undefined && this.phase === Phase.Head && !this.midHead && !this.congested;
  }

  /** The deadline has passed. */
  expire(): void {
    this.deadline = 0;
    if (this.phase === Phase.Ending) this.destroy();
    else if (this.phase === Phase.Body || this.phase === Phase.Chunks) this.refuse('body-incomplete', this.pending);
    else if (this.phase === Phase.Head && this.first === undefined) {
      if (this.midHead || this.waitsForFirstHead) this.refuse('head-timeout');
      else this.destroy();
    }
  }

  destroy(): void {
    this.transport.destroy();
    this.closed();
  }

  /** TCP RST, also under TLS. */
  reset(): void {
    this.transport.reset();
    this.closed();
  }

  /** Gives the transport away; the connection only notices its end. */
  private release(): Duplex {
    this.phase = Phase.Tunnel;
    this.deadline = 0;
    return this.transport.release();
  }

  answer(exchange: WireExchange, response: PreparedResponse): void {
    const { request } = exchange;
    const keep = response.keepsConnection && request.keepAlive && !this.host.draining;
    let variant = variantFor(request);
    if (!keep && response.leavesConnection) variant |= ANNOUNCE_CLOSE;
    const long = response.longBody(variant);
    if (long === undefined) this.write(response.bytes(variant));
    else {
      this.transport.cork();
      this.write(response.bytes(variant));
      for (const bytes of long) this.write(bytes);
      if (!this.transport.uncork()) this.congested = true;
    }
    this.finished(exchange, keep);
  }

  answerRaw(exchange: WireExchange, bytes: Buffer, close: boolean, belowTls: boolean): void {
    if (belowTls && this.encrypted) {
      this.phase = Phase.Ending;
      this.transport.writeBelowTls(bytes);
      return;
    }
    if (bytes.length > 0) this.write(bytes);
    this.finished(exchange, !close && exchange.request.keepAlive && !this.host.draining);
  }

  answerStream(exchange: WireExchange, response: PreparedResponse, body: Readable): void {
    const { request } = exchange;
    let variant = variantFor(request);
    let keep = response.keepsConnection && request.keepAlive && !this.host.draining;
    if (!keep && response.leavesConnection) variant |= ANNOUNCE_CLOSE;
    if (body.destroyed && !body.readableEnded) {
      this.destroy(); // it failed while it waited
      return;
    }
    const { head, chunked, delimited } = response.streamHead(variant);
    if (!delimited && request.method !== 'HEAD') keep = false;
    this.write(head);
    body.on('error', () => this.destroy());
    if (request.method === 'HEAD' || response.hasNoBody) {
      body.destroy();
      this.finished(exchange, keep);
      return;
    }
    this.streaming = body;
    body.on('data', (data: Buffer | string) => {
      if (this.gone) return;
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      if (bytes.length === 0) return;
      if (chunked) {
        this.transport.cork();
        this.transport.write(Buffer.from(`${bytes.length.toString(16)}\r\n`));
        this.transport.write(bytes);
        const more = this.transport.write(END_OF_LINE);
        if (!(this.transport.uncork() && more)) body.pause();
      } else if (!this.transport.write(bytes)) body.pause();
    });
    body.on('end', () => {
      this.streaming = undefined;
      if (this.gone) return;
      if (chunked) this.write(LAST_CHUNK);
      this.finished(exchange, keep);
    });
    body.on('close', () => {
      if (!body.readableEnded && !this.gone && this.first === exchange) this.destroy();
    });
    // a stream that was paused by whoever read its beginning does not flow by itself
    body.resume();
  }

  private get waitsForFirstHead(): boolean {
    return !this.transport.touched;
  }

  received(chunk: Buffer): void {
    if (this.phase === Phase.Ending) return;
    if (this.kept === undefined) this.read(chunk, 0);
    else this.readKept(chunk);
  }

  /** A request that is all that came is read where it lies: most are answered before anything is copied. */
  lent(bytes: Buffer, length: number): void {
    const { head } = this;
    if (this.phase === Phase.Head && this.kept === undefined && this.first === undefined && !this.congested) {
      head.begin(0);
      const end = head.parse(bytes, length);
      if (end >= 0 && end + Math.max(head.contentLength, 0) === length && !head.chunked && head.method !== 'CONNECT') {
        this.reading = true;
        this.headComplete(bytes, end);
        if (this.pending !== undefined) {
          this.pending.body = Buffer.from(bytes.subarray(end, length));
          this.bodyComplete();
        }
        this.reading = false;
        const unanswered = this.first as WireExchange | undefined;
        unanswered?.request.keepHead();
        return;
      }
    }
    this.received(Buffer.from(bytes.subarray(0, length)));
  }

  ended(): void {
    this.clientEnded = true;
    if (this.phase === Phase.Ending) return;
    if (this.paused) return; // kept bytes may hold further requests
    this.afterLastByte();
  }

  drained(): void {
    this.congested = false;
    if (this.lastWritten) this.linger();
    else if (this.first === undefined && this.phase === Phase.Head) {
      if (this.idle && this.host.draining) this.close(false);
      else if (this.deadline === 0) this.waitForNext();
    }
    this.streaming?.resume();
    this.resume();
  }

  closed(): void {
    if (this.gone) return;
    this.gone = true;
    this.phase = Phase.Ending;
    this.deadline = 0;
    this.abortAll();
    this.kept = undefined;
    this.host.closed(this);
  }

  private abortAll(): void {
    let exchange = this.first;
    this.first = undefined;
    this.last = undefined;
    for (; exchange !== undefined; exchange = exchange.next) exchange.abort();
  }

  private afterLastByte(): void {
    if (this.phase === Phase.Head) {
      if (this.midHead && this.head.begun) this.refuse('bad-request');
      else if (this.first === undefined) this.close(false);
    } else if (this.phase !== Phase.Ending) this.refuse('body-incomplete', this.pending);
  }

  /** Appends to the kept bytes and goes on. */
  private readKept(chunk: Buffer): void {
    let kept = this.kept!;
    const length = this.keptLength + chunk.length;
    if (length > kept.length) {
      const wider = Buffer.allocUnsafe(Math.max(length, 2 * kept.length));
      kept.copy(wider, 0, 0, this.keptLength);
      kept = wider;
      this.kept = wider;
    }
    chunk.copy(kept, this.keptLength);
    this.keptLength = length;
    if (!this.paused) this.resumeKept();
  }

  private resumeKept(): void {
    const bytes = this.kept!.subarray(0, this.keptLength);
    const midHead = this.midHead;
    if (midHead) {
      const end = this.head.parse(bytes, bytes.length);
      if (end === INCOMPLETE) return;
      this.kept = undefined;
      this.midHead = false;
      if (end === REFUSED) this.refuse(this.head.refusal);
      else {
        this.reading = true;
        this.headComplete(bytes, end);
        this.read(bytes, end);
      }
      return;
    }
    this.kept = undefined;
    this.read(bytes, 0);
  }

  /** Reads on after a pause, once the client takes bytes and the queue has room. */
  private resume(): void {
    if (!this.paused || this.reading || this.congested || this.waiting >= MAX_PIPELINED || this.gone) return;
    this.paused = false;
    if (this.kept !== undefined) this.resumeKept();
    if (this.paused || this.gone) return;
    if (this.clientEnded) this.afterLastByte();
    else this.transport.resume();
  }

  private read(bytes: Buffer, from: number): void {
    this.reading = true;
    let p = from;
    while (p < bytes.length) {
      if (this.phase === Phase.Head) {
        if (this.congested || this.waiting >= MAX_PIPELINED) {
          this.keep(bytes, p);
          this.paused = true;
          this.transport.pause();
          break;
        }
        this.head.begin(p);
        const end = this.head.parse(bytes, bytes.length);
        if (end >= 0) {
          if (p > from && !this.corked) this.cork();
          this.headComplete(bytes, end);
          p = end;
        } else if (end === INCOMPLETE) {
          if (this.first === undefined) this.deadline = this.host.now + this.host.limits.headTimeoutMs;
          this.keep(bytes, p);
          this.midHead = true;
          this.head.begin(0);
          this.head.parse(this.kept!, this.keptLength);
          break;
        } else {
          this.refuse(this.head.refusal);
        }
      } else if (this.phase === Phase.Body) p = this.readBody(bytes, p);
      else if (this.phase === Phase.Chunks) p = this.readChunks(bytes, p);
      else if (this.phase === Phase.Tunnel) break;
      else break;
    }
    this.reading = false;
    if (this.corked) {
      this.corked = false;
      if (!this.transport.uncork()) this.congested = true;
    }
  }

  private cork(): void {
    this.corked = true;
    this.transport.cork();
  }

  private keep(bytes: Buffer, from: number): void {
    const rest = bytes.length - from;
    const kept = Buffer.allocUnsafe(Math.max(2 * rest, 1024));
    bytes.copy(kept, 0, from);
    this.kept = kept;
    this.keptLength = rest;
  }

  private headComplete(bytes: Buffer, end: number): void {
    const { head } = this;
    const request = new OffsetRequest(
      this,
      head.method,
      head.minor,
      head.keepAlive,
      bytes,
      head.targetStart,
      head.targetEnd,
      head.headersStart,
      end,
      EMPTY,
      head.names,
      head.block,
    );
    if (head.minor === 1) {
      if (!head.hasHost) {
        this.refuse('missing-host', request);
        return;
      }
      if (head.expectation !== Expectation.None) this.pendingExpectation = head.expectation;
    }
    if (head.method === 'CONNECT') {
      this.connect(request, bytes, end);
      return;
    }
    if (head.chunked) {
      this.pending = request;
      this.phase = Phase.Chunks;
      this.chunks = new ChunkedDecoder(
        this.host.limits.maxBodyBytes ?? Number.POSITIVE_INFINITY,
        this.host.limits.maxHeadBytes,
        this.appendBody,
      );
      this.bodyLength = 0;
    } else if (head.contentLength > 0) {
      if (head.contentLength > (this.host.limits.maxBodyBytes ?? Number.POSITIVE_INFINITY)) {
        this.refuse('body-too-large', request);
        return;
      }
      this.pending = request;
      this.phase = Phase.Body;
      this.bodyLength = 0;
    } else {
      if (this.pendingExpectation === Expectation.Continue) this.sendContinue();
      this.dispatch(request);
      return;
    }
    this.deadline = this.host.now + this.host.limits.bodyTimeoutMs;
    if (this.pendingExpectation === Expectation.Continue) this.sendContinue();
  }

  /** 100 Continue, after the answers before it. Other expectations get their refusal when the body is over. */
  private sendContinue(): void {
    if (this.first !== undefined) return;
    this.pendingExpectation = Expectation.None;
    this.write(CONTINUE);
  }

  private readBody(bytes: Buffer, from: number): number {
    const expected = this.head.contentLength;
    const available = bytes.length - from;
    if (this.bodyLength === 0 && available >= expected) {
      this.pending!.body = bytes.subarray(from, from + expected);
      this.bodyComplete();
      return from + expected;
    }
    const taken = Math.min(available, expected - this.bodyLength);
    this.appendBody(bytes.subarray(from, from + taken));
    if (this.bodyLength === expected) {
      this.pending!.body = this.body!.subarray(0, expected);
      this.bodyComplete();
    }
    return from + taken;
  }

  private readChunks(bytes: Buffer, from: number): number {
    const end = this.chunks!.decode(bytes, from);
    if (end === BODY_REFUSED) {
      this.refuse(this.chunks!.refusal, this.pending);
      return bytes.length;
    }
    if (end < 0) return bytes.length;
    if (this.body !== undefined) this.pending!.body = this.body.subarray(0, this.bodyLength);
    this.chunks = undefined;
    this.bodyComplete();
    return end;
  }

  /** Collects a body in a buffer that grows with what has really come, never with what was announced. */
  private readonly appendBody = (bytes: Buffer): void => {
    const length = this.bodyLength + bytes.length;
    if (this.body === undefined || this.body.length < length) {
      const wider = Buffer.allocUnsafe(Math.max(length, 2 * this.bodyLength, 4096));
      this.body?.copy(wider, 0, 0, this.bodyLength);
      this.body = wider;
    }
    bytes.copy(this.body, this.bodyLength);
    this.bodyLength = length;
    this.deadline = this.host.now + this.host.limits.bodyTimeoutMs;
  };

  private bodyComplete(): void {
    const request = this.pending!;
    this.pending = undefined;
    this.body = undefined;
    this.phase = Phase.Head;
    this.dispatch(request);
  }

  private dispatch(request: OffsetRequest): void {
    const exchange = this.enqueue(request);
    if (!request.keepAlive) this.phase = Phase.Ending;
    const expectation = this.pendingExpectation;
    this.pendingExpectation = Expectation.None;
    if (expectation === Expectation.Other) exchange.inTurn(() => this.refuseKept(exchange));
    else this.host.onRequest(exchange);
  }

  private enqueue(request: OffsetRequest): WireExchange {
    const exchange = new WireExchange(this, request);
    if (this.first === undefined) this.first = exchange;
    else this.last!.next = exchange;
    this.last = exchange;
    this.waiting++;
    this.deadline = 0;
    return exchange;
  }

  private refuseKept(exchange: WireExchange): void {
    const answer = this.host.refuse('expectation-failed', { request: exchange.request });
    if (answer instanceof PreparedResponse) this.answer(exchange, answer);
    else {
      const keep = exchange.request.keepAlive && !this.host.draining;
      this.write(answer ?? refusalBytes('expectation-failed', exchange.request.method === 'HEAD', keep));
      this.finished(exchange, keep);
    }
  }

  /** The request is not served: the answer says why, and the connection ends. */
  private refuse(refusal: Refusal, request?: OffsetRequest): void {
    this.phase = Phase.Ending;
    this.kept = undefined;
    this.body = undefined;
    this.midHead = false;
    const exchange = this.enqueue(
      request ?? new OffsetRequest(this, 'GET', 1, false, EMPTY, 0, 0, 0, 0, EMPTY, 0, undefined),
    );
    exchange.inTurn(() => {
      const answer = this.host.refuse(refusal, { request });
      if (answer instanceof PreparedResponse) {
        const variant =
          (request === undefined ? 0 : variantFor(request)) | (answer.leavesConnection ? ANNOUNCE_CLOSE : 0);
        this.write(answer.bytes(variant));
        for (const bytes of answer.longBody(variant) ?? []) this.write(bytes);
      } else this.write(answer ?? refusalBytes(refusal, request?.method === 'HEAD'));
      this.close(true);
    });
  }

  private connect(request: OffsetRequest, bytes: Buffer, end: number): void {
    const exchange = this.enqueue(request);
    const rest = bytes.subarray(end);
    this.phase = Phase.Ending;
    this.transport.pause();
    exchange.inTurn(() => {
      this.first = undefined;
      this.last = undefined;
      this.host.tunnel(this.release(), request, rest);
    });
  }

  private write(bytes: Buffer): void {
    if (!this.transport.write(bytes)) this.congested = true;
  }

  private finished(exchange: WireExchange, keep: boolean): void {
    this.waiting--;
    const next = exchange.next;
    this.first = next;
    if (next === undefined) this.last = undefined;
    if (!keep || this.host.draining) {
      this.close(this.phase === Phase.Body || this.phase === Phase.Chunks || this.kept !== undefined);
      return;
    }
    if (next !== undefined) {
      const { outcome } = next;
      if (outcome !== undefined) {
        next.outcome = undefined;
        outcome();
      }
    } else if (this.phase !== Phase.Head) {
      if (this.pendingExpectation === Expectation.Continue) this.sendContinue();
    } else {
      if (this.clientEnded && !this.paused && !this.reading) {
        this.close(false);
        return;
      }
      // a client that still reads is not idle
      if (!this.congested) this.waitForNext();
    }
    if (this.paused) this.resume();
  }

  private waitForNext(): void {
    const { limits, now } = this.host;
    this.deadline = now + (this.midHead ? limits.headTimeoutMs : limits.keepAliveTimeoutMs);
  }

  /** Ends the connection after what has been written; `linger`: the client may still be sending. */
  private close(linger: boolean): void {
    this.phase = Phase.Ending;
    this.kept = undefined;
    this.abortAll();
    this.deadline = 0;
    if (!linger) this.transport.destroySoon();
    else {
      this.lastWritten = true;
      if (!this.congested) this.linger();
      this.transport.resume();
    }
  }

  private linger(): void {
    this.lastWritten = false;
    this.deadline = this.host.now + LINGER_MS;
    this.transport.end();
  }
}

function variantFor({ method, httpMinor }: WireRequest): number {
  return (method === 'HEAD' ? HEAD_ONLY : 0) | (httpMinor === 0 ? HTTP_1_0 : 0);
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');
