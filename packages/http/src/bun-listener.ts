// TCP on Bun by its own sockets instead of its node:net, which costs several times as much a request.
import { Duplex } from 'node:stream';
import type { ListenOptions, TcpListener, Transport, TransportReader } from './transport.js';

/** The part of Bun's socket that is used here. https://bun.com/docs/api/tcp */
interface BunSocket {
  data: BunTransport | undefined;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  /** Bytes taken; fewer than given: `drain` follows. Below 0: closed. */
  write(bytes: Buffer): number;
  /** FIN. */
  shutdown(): void;
  end(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  setNoDelay(on: boolean): void;
}

interface BunListener {
  readonly port: number;
  readonly hostname: string;
  stop(closeConnections: boolean): void;
}

interface BunGlobal {
  listen(options: {
    hostname: string;
    port: number;
    allowHalfOpen: boolean;
    reusePort: boolean;
    ipv6Only?: boolean;
    backlog?: number;
    socket: {
      open(socket: BunSocket): void;
      data(socket: BunSocket, bytes: Buffer): void;
      end(socket: BunSocket): void;
      drain(socket: BunSocket): void;
      close(socket: BunSocket): void;
      error(socket: BunSocket): void;
    };
  }): BunListener;
}

/** So many bytes are collected before the writer is told to wait, and up to so many are copied together. */
const HIGH_WATER = 65_536;

const bun = (globalThis as { Bun?: BunGlobal }).Bun;

/** Whether `listenBun` can be used. */
export const ON_BUN = typeof bun?.listen === 'function';

export interface BunListenOptions extends ListenOptions {
  onTransport(transport: Transport): void;
}

/** Listens at once. Throws the system's error (EADDRINUSE, EACCES, EADDRNOTAVAIL …). */
export function listenBun(options: BunListenOptions): TcpListener {
  const { host } = options;
  if (host !== undefined) return new ListeningBun(options, host);
  try {
    return new ListeningBun(options, '::');
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE' || code === 'EACCES') throw error;
    return new ListeningBun(options, '0.0.0.0'); // a system without IPv6
  }
}

class ListeningBun implements TcpListener {
  readonly address;
  readonly #listener: BunListener;
  #connections = 0;
  #whenClosed: (() => void) | undefined;

  constructor({ port, backlog, reusePort, noDelay, onTransport }: BunListenOptions, hostname: string) {
    this.#listener = bun!.listen({
      hostname,
      port,
      backlog,
      reusePort,
      allowHalfOpen: true,
      socket: {
        open: (socket) => {
          this.#connections++;
          if (noDelay) socket.setNoDelay(true);
          const transport = new BunTransport(socket);
          socket.data = transport;
          onTransport(transport);
        },
        data: (socket, bytes) => socket.data?.received(bytes),
        end: (socket) => socket.data?.ended(),
        drain: (socket) => socket.data?.flush(),
        error: () => {},
        close: (socket) => {
          socket.data?.closed();
          this.#connections--;
          this.#settle();
        },
      },
    });
    this.address = { port: this.#listener.port, address: hostname };
  }

  close(done: () => void): void {
    this.#whenClosed = done;
    this.#listener.stop(false);
    this.#settle();
  }

  #settle(): void {
    if (this.#connections > 0 || this.#whenClosed === undefined) return;
    const done = this.#whenClosed;
    this.#whenClosed = undefined;
    queueMicrotask(done);
  }
}

class BunTransport implements Transport {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  touched = false;
  readonly #socket: BunSocket;
  #reader: TransportReader | undefined;
  /** What the system has not taken yet, in order. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Whether `drained` has to follow. */
  #promised = false;
  #corked = false;
  #ending: 'open' | 'half' | 'whole' | 'gone' = 'open';
  /** Read while paused: Bun hands out what it had read before. */
  #paused = false;
  #early: Buffer[] = [];
  #earlyEnd = false;

  constructor(socket: BunSocket) {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress;
    this.remotePort = socket.remotePort;
    this.localPort = socket.localPort;
  }

  attach(reader: TransportReader): void {
    this.#reader = reader;
  }

  received(bytes: Buffer): void {
    this.touched = true;
    if (this.#paused || this.#reader === undefined) this.#early.push(bytes);
    else this.#reader.received(bytes);
  }

  ended(): void {
    if (this.#paused || this.#reader === undefined) this.#earlyEnd = true;
    else this.#reader.ended();
  }

  closed(): void {
    if (this.#ending === 'gone') return;
    this.#gone();
  }

  #gone(): void {
    this.#ending = 'gone';
    this.#waiting = [];
    this.#early = [];
    this.#reader?.closed();
  }

  write(bytes: Buffer): boolean {
    if (this.#ending !== 'open') return false;
    if (this.#corked || this.#waiting.length > 0) {
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
      if (this.#corked && this.#waitingBytes < HIGH_WATER) return true;
      this.#promised = true;
      return false;
    }
    const taken = this.#socket.write(bytes);
    if (taken === bytes.length) return true;
    if (taken < 0) {
      this.destroy();
      return false;
    }
    this.#waiting.push(taken === 0 ? bytes : bytes.subarray(taken));
    this.#waitingBytes = bytes.length - taken;
    this.#promised = true;
    return false;
  }

  cork(): void {
    this.#corked = true;
  }

  uncork(): boolean {
    this.#corked = false;
    if (this.#waiting.length > 1 && this.#waitingBytes <= HIGH_WATER) this.#waiting = [Buffer.concat(this.#waiting)];
    this.#sendWaiting();
    if (this.#waiting.length > 0) {
      this.#promised = true;
      return false;
    }
    if (this.#promised) queueMicrotask(() => this.#keepPromise());
    return true;
  }

  /** The system takes bytes again. */
  flush(): void {
    if (this.#waiting.length === 0 || this.#corked) return;
    this.#sendWaiting();
    this.#keepPromise();
  }

  /** Tells of all bytes having left, to whoever was told that they had not. */
  #keepPromise(): void {
    if (!this.#promised || this.#waiting.length > 0 || this.#ending === 'gone') return;
    this.#promised = false;
    this.#reader?.drained();
  }

  /** Sends what waits, as far as the system takes it. */
  #sendWaiting(): void {
    while (this.#waiting.length > 0) {
      const [bytes] = this.#waiting;
      const taken = this.#socket.write(bytes);
      if (taken < 0) {
        this.destroy();
        return;
      }
      if (taken < bytes.length) {
        if (taken > 0) this.#waiting[0] = bytes.subarray(taken);
        this.#waitingBytes -= taken;
        return;
      }
      this.#waitingBytes -= taken;
      this.#waiting.shift();
    }
    if (this.#ending === 'half') this.#socket.shutdown();
    else if (this.#ending === 'whole') this.destroy();
  }

  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    while (this.#early.length > 0 && !this.#paused) this.#reader?.received(this.#early.shift()!);
    if (this.#paused || this.#ending === 'gone') return;
    if (this.#earlyEnd) {
      this.#earlyEnd = false;
      this.#reader?.ended();
    }
    this.#socket.resume();
  }

  end(): void {
    if (this.#ending !== 'open') return;
    this.#ending = 'half';
    if (this.#waiting.length === 0) this.#socket.shutdown();
  }

  destroySoon(): void {
    if (this.#ending === 'gone') return;
    this.#ending = 'whole';
    if (this.#waiting.length === 0) this.destroy();
  }

  destroy(): void {
    if (this.#ending === 'gone') return;
    this.#gone();
    this.#socket.end();
  }

  reset(): void {
    if (this.#ending === 'gone') return;
    this.#gone();
    this.#socket.terminate();
  }

  writeBelowTls(bytes: Buffer): void {
    this.write(bytes);
    this.destroySoon();
  }

  release(): Duplex {
    const stream = new TunnelStream(this);
    const reader = this.#reader;
    this.#reader = {
      received: (bytes) => {
        if (!stream.push(bytes)) this.pause();
      },
      lent: () => {}, // never by this transport
      ended: () => stream.push(null),
      drained: () => stream.drained(),
      closed: () => {
        stream.destroy();
        reader?.closed();
      },
    };
    return stream;
  }
}

/** A connection that was given away, as a stream. */
class TunnelStream extends Duplex {
  readonly #transport: BunTransport;
  #whenDrained: (() => void) | undefined;

  constructor(transport: BunTransport) {
    super({ allowHalfOpen: true });
    this.#transport = transport;
  }

  drained(): void {
    const done = this.#whenDrained;
    this.#whenDrained = undefined;
    done?.();
  }

  override _read(): void {
    this.#transport.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#transport.write(bytes)) done();
    else this.#whenDrained = done;
  }

  override _final(done: () => void): void {
    this.#transport.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#transport.destroy();
    done(error);
  }
}
