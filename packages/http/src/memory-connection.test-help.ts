// A connection without a network, for tests that feed many byte sequences: what goes in, what was understood, what came
// out.
import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { Connection, type ConnectionHost } from './connection.js';
import type { WireExchange } from './exchange.js';
import { PreparedResponse } from './prepared-response.js';
import { mountebankLimits } from './profile-limits.js';
import { withoutDate } from './raw-client.test-help.js';
import type { Transport } from './transport.js';
import type { Refusal } from './types.js';

class MemoryTransport implements Transport {
  remoteAddress = '127.0.0.1';
  remotePort = 1;
  localPort = 2;
  touched = true;
  written: Buffer[] = [];
  ended = false;
  attach(): void {}
  write(bytes: Buffer): boolean {
    this.written.push(bytes);
    return true;
  }
  cork(): void {}
  uncork(): boolean {
    return true;
  }
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
  reset(): void {
    this.ended = true;
  }
  writeBelowTls(bytes: Buffer): void {
    this.written.push(bytes);
  }
  release(): Duplex {
    throw new Error('no tunnels here');
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

const lending = Buffer.alloc(65_536);

/** The bytes in a buffer that has others as soon as they were looked at. */
function lend(connection: Connection, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; from += lending.length) {
    const length = bytes.copy(lending, 0, from);
    connection.lent(lending, length);
    lending.fill('!', 0, length);
  }
}

/** Feeds the pieces to new connections, as gifts and lent; every request is answered with `ok`, at once. */
export function converse(pieces: Iterable<Buffer>, maxBodyBytes?: number): Conversation {
  const all = [...pieces];
  const given = feed(all, (connection, bytes) => connection.received(bytes), maxBodyBytes);
  assert.deepEqual(feed(all, lend, maxBodyBytes), given, 'read where it lies as well as copied');
  return given;
}

function feed(
  pieces: Iterable<Buffer>,
  give: (connection: Connection, bytes: Buffer) => void,
  maxBodyBytes: number | undefined,
): Conversation {
  const requests: SeenRequest[] = [];
  const refusals: Refusal[] = [];
  const host: ConnectionHost = {
    limits: { ...mountebankLimits, maxBodyBytes, bodyTimeoutMs: 60_000 },
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
  const transport = new MemoryTransport();
  const connection = new Connection(host, transport, false);
  for (const piece of pieces) give(connection, piece);
  const output = withoutDate(Buffer.concat(transport.written).toString('latin1'));
  return { requests, refusals, output, closed: transport.ended };
}

/** The bytes one by one. */
export function* byteByByte(bytes: Buffer): Iterable<Buffer> {
  for (let i = 0; i < bytes.length; i++) yield Buffer.from(bytes.subarray(i, i + 1));
}
