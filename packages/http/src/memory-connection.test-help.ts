// A connection without a network, for tests that feed many byte sequences: what goes in, what was understood, what came
// out.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Connection, type ConnectionHost } from './connection.js';
import type { WireExchange } from './exchange.js';
import { PreparedResponse } from './prepared-response.js';
import { withoutDate } from './raw-client.test-help.js';
import type { Refusal } from './types.js';

class MemorySocket extends EventEmitter {
  remoteAddress = '127.0.0.1';
  remotePort = 1;
  localPort = 2;
  bytesRead = 1;
  written: Buffer[] = [];
  ended = false;
  write(bytes: Buffer): boolean {
    this.written.push(bytes);
    return true;
  }
  cork(): void {}
  uncork(): void {}
  pause(): void {}
  resume(): void {}
  end(): void {
    this.ended = true;
  }
  destroySoon(): void {
    this.ended = true;
  }
  destroy(): void {
    this.ended = true;
  }
}

export interface SeenRequest {
  method: string;
  target: string;
  rawHeaders: readonly string[];
  body: string;
}

export interface Conversation {
  requests: SeenRequest[];
  refusals: Refusal[];
  output: string;
  /** Whether the server ended the connection. */
  closed: boolean;
}

const ok = new PreparedResponse({
  statusCode: 200,
  headers: [],
  body: 'ok',
  framing: 'content-length',
  connection: 'keep',
});

/** Feeds the pieces to a new connection; every request is answered with `ok`, at once. */
export function converse(pieces: Iterable<Buffer>, maxBodyBytes?: number): Conversation {
  const requests: SeenRequest[] = [];
  const refusals: Refusal[] = [];
  const host: ConnectionHost = {
    limits: {
      maxHeadBytes: 16_384,
      maxHeaderLines: 2000,
      maxBodyBytes,
      headTimeoutMs: 60_000,
      bodyTimeoutMs: 60_000,
      keepAliveTimeoutMs: 5000,
      tlsHandshakeTimeoutMs: 10_000,
      maxConnections: undefined,
    },
    now: 0,
    draining: false,
    onRequest(exchange: WireExchange) {
      const { method, target, rawHeaders, body } = exchange.request;
      requests.push({ method, target, rawHeaders, body: body.toString('latin1') });
      exchange.send(ok);
    },
    refuse(refusal) {
      refusals.push(refusal);
      return undefined;
    },
    tunnel() {},
    closed() {},
  };
  const socket = new MemorySocket();
  new Connection(host, socket as unknown as Socket, socket as unknown as Socket, false);
  for (const piece of pieces) socket.emit('data', piece);
  const output = withoutDate(Buffer.concat(socket.written).toString('latin1'));
  return { requests, refusals, output, closed: socket.ended };
}

/** The bytes one by one. */
export function* byteByByte(bytes: Buffer): Iterable<Buffer> {
  for (let i = 0; i < bytes.length; i++) yield Buffer.from(bytes.subarray(i, i + 1));
}
