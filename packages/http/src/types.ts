// The public shapes of the wire layer. What they promise is the contract between this package and its users;
// nothing here knows what an imposter is.
import type { Readable } from 'node:stream';
import type { KnownText } from './known-texts.js';
import type { PreparedResponse } from './prepared-response.js';

/** Limits of one listener. `undefined` means none. Times in milliseconds, sizes in bytes. */
export interface WireLimits {
  /** Names, values and target of one request head, separators not counted; past it 431 and close. */
  maxHeadBytes: number;
  /** Header lines of one request; past it 431 and close. */
  maxHeaderLines: number;
  /** Request body after transfer decoding; past it 413 and close. */
  maxBodyBytes: number | undefined;
  /** From the first byte of a head (or from accept) to its end; past it 408 and close. */
  headTimeoutMs: number;
  /** Without a further byte of a request body; past it the request is refused as `body-incomplete`. Default 300,000. */
  bodyTimeoutMs?: number;
  /** Idle time of a kept connection between two requests; past it close. */
  keepAliveTimeoutMs: number;
  /** TLS handshake; past it close. */
  tlsHandshakeTimeoutMs: number;
  /** Open connections; further ones wait unserved until one closes. */
  maxConnections: number | undefined;
}

/** One request as it came: nothing is decoded before it is asked for. Valid until its exchange has ended. */
export interface WireRequest {
  /** As sent, upper case by the strict grammar, e.g. `GET`. */
  readonly method: string;
  /** Raw request target, latin1, e.g. `/a%20b?x=1`. */
  readonly target: string;
  /** The same, with a place for what is derived from it; often the same object for the same target. */
  readonly knownTarget: KnownText;
  /** Minor HTTP version: 0 or 1. */
  readonly httpMinor: 0 | 1;
  /** Whether the client lets the connection be kept (version and its Connection header). */
  readonly keepAlive: boolean;
  /** name, value, name, value … in order of arrival, names in the sender's case, values latin1 and trimmed. Memoised. */
  readonly rawHeaders: readonly string[];
  /**
   * Tells a visitor of each header line in order: its name in lower case, and its value if `name` says that it is wanted.
   * Only what is wanted is made.
   */
  visitHeaders(visitor: { name(lowerName: string): boolean; text(value: string): void }): void;
  /** First value of a header by its lower-case name, without building a list or map. */
  header(lowerName: string): string | undefined;
  /** Whether more than one header line has this name, in whatever case. */
  repeats(lowerName: string): boolean;
  /** Body after transfer decoding (not content decoding); empty when there is none. */
  readonly body: Buffer;
  readonly connection: WireConnection;
  /** What stays of the request when its exchange has ended; the body stays with whoever keeps it. */
  detach(): { restore(body: Buffer): WireRequest };
}

/** What is known of the connection a request came on; the same object for all its requests. */
export interface WireConnection {
  /** As the socket gives it, e.g. `::ffff:127.0.0.1`. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  readonly encrypted: boolean;
  /** The same without what is only there while it is open; one object for all its requests. */
  readonly detached: WireConnection;
  /** Place for the user of the server to keep what belongs to the connection. */
  data: unknown;
}

/**
 * The answering side of one request. Exactly one of `send`, `sendStream`, `sendRaw`, `reset`, `destroy` ends it.
 * Answers of pipelined requests leave in the order of their requests, whatever the order of these calls.
 * Every method is safe to call when the client is gone: it does nothing then.
 */
export interface Exchange {
  readonly request: WireRequest;
  /** True once the client's connection has gone. */
  readonly aborted: boolean;
  /** Called once when the connection goes before the answer was complete; at once if it has gone already. */
  onAbort(listener: () => void): void;
  /** One complete response in one write. HEAD, HTTP/1.0, 1xx, 204 and 304 are taken care of. */
  send(response: PreparedResponse): void;
  /** Head first, then the stream's bytes with back pressure; a failing stream cuts the connection. */
  sendStream(response: PreparedResponse, body: Readable): void;
  /**
   * Bytes as they are, outside HTTP (text as Latin-1), then close unless `close` is false. `belowTls`: on an encrypted
   * connection the bytes go to the raw socket, not into the TLS stream, and the connection is closed.
   */
  sendRaw(bytes: Buffer | string, close?: boolean, belowTls?: boolean): void;
  /** Ends the connection with a TCP RST. */
  reset(): void;
  /** Ends the connection without a further byte. */
  destroy(): void;
}

/** Why a request never became an exchange; the server's user may choose the bytes of the refusal. */
export type Refusal =
  | 'bad-request' // RFC 9112: malformed or ambiguous
  | 'missing-host' // HTTP/1.1 without Host
  | 'head-too-large'
  | 'body-too-large'
  | 'extensions-too-large' // those of a chunk
  | 'body-incomplete' // the client ended or stopped sending before the body was complete
  | 'head-timeout'
  | 'expectation-failed' // Expect other than 100-continue: the connection is kept
  | 'unsupported-version';

/** What is known of a refused request: nothing when its head could not be read. */
export interface RefusalDetail {
  request: WireRequest | undefined;
}
