// What a connection needs of whatever carries its bytes. There are three carriers: the TCP handles of Node, sockets of
// node:tls (and of node:net where there are no such handles), and Bun's own sockets, which cost a third less than its
// node:net.
import type { Duplex } from 'node:stream';

/** Whoever reads from a transport. */
export interface TransportReader {
  /** Bytes have come; they belong to the reader. */
  received(bytes: Buffer): void;
  /** The first `length` bytes of a buffer have come. They are the transport's: after the call they are others. */
  lent(bytes: Buffer, length: number): void;
  /** The peer will send no more. */
  ended(): void;
  /** What was written has left, after `write` answered false. */
  drained(): void;
  /** The connection has gone, for whatever reason. Called once. */
  closed(): void;
}

export interface Transport {
  /** As the system gives it, e.g. `::ffff:127.0.0.1`. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  /** Whether a byte has ever come. */
  readonly touched: boolean;
  /** Bytes and events go to the reader from here on; nothing is read before `resume`. */
  attach(reader: TransportReader): void;
  /**
   * Sends bytes, which must not change afterwards, after all that were written before. False: they have not all left;
   * `drained` follows when they have.
   */
  write(bytes: Buffer): boolean;
  /** Between `cork` and `uncork` what is written is collected, then sent together. */
  cork(): void;
  /** As `write`. */
  uncork(): boolean;
  pause(): void;
  resume(): void;
  /** Sends FIN after what was written. The other direction stays open. */
  end(): void;
  /** Closes after what was written has left. */
  destroySoon(): void;
  destroy(): void;
  /** Closes with a TCP RST, also under TLS. */
  reset(): void;
  /** Sends bytes past the TLS layer, then closes. */
  writeBelowTls(bytes: Buffer): void;
  /** Gives the connection away: the reader gets `closed`, everything else goes to the stream that is returned. */
  release(): Duplex;
}

export interface ListenOptions {
  /** 0: the system's choice. */
  readonly port: number;
  /** undefined: all interfaces, dual stack. */
  readonly host: string | undefined;
  /** Length of the queue of connections not yet accepted. */
  readonly backlog: number;
  /** SO_REUSEPORT, where the runtime has it. */
  readonly reusePort: boolean;
  /** TCP_NODELAY. */
  readonly noDelay: boolean;
}

export interface TcpListener {
  readonly address: { readonly port: number; readonly address: string };
  /** Accepts no more; calls back when the last connection has gone. */
  close(done: () => void): void;
}
