// Listening on Node, and a connection carried by a socket of node:tls or, where a runtime does not have the handles that
// handle-transport.ts needs, of node:net.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HandleTransport } from './handle-transport.js';
import { takeHandles } from './tcp-handle.js';
import type { ListenOptions, TcpListener, Transport, TransportReader } from './transport.js';

interface NodeListenOptions extends ListenOptions {
  /** Errors after listening has begun. */
  onError(error: Error): void;
}

/** Hands out TCP connections, not read yet. Rejects with the system's error (EADDRINUSE, EACCES, EADDRNOTAVAIL …). */
export async function listenNode(
  options: NodeListenOptions & { onTransport(transport: Transport): void },
): Promise<TcpListener> {
  const { noDelay, onTransport } = options;
  const onSocket = (socket: Socket) => onTransport(new NodeTransport(socket, socket));
  const server = createServer({ allowHalfOpen: true, noDelay, pauseOnConnect: true }, onSocket);
  const address = await listening(server, options);
  let open = 0;
  let onNone: (() => void) | undefined;
  const gone = (): void => {
    open--;
    if (open === 0) onNone?.();
  };
  takeHandles(server, (handle) => {
    open++;
    if (noDelay) handle.setNoDelay(true);
    onTransport(new HandleTransport(handle, gone));
  });
  const close = (done: () => void): void => {
    server.close(() => {
      onNone = done;
      if (open === 0) done();
    });
  };
  return { address, close };
}

/** Hands out sockets that close with their peer's FIN; otherwise as `listenNode`. */
export async function listenSockets(
  options: NodeListenOptions & { onSocket(socket: Socket): void },
): Promise<TcpListener> {
  const server = createServer({ noDelay: options.noDelay }, options.onSocket);
  const address = await listening(server, options);
  return { address, close: (done) => server.close(done) };
}

function listening(server: Server, options: NodeListenOptions): Promise<AddressInfo> {
  const { port, host, backlog, reusePort, onError } = options;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog, reusePort } as object, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve(server.address() as AddressInfo);
    });
  });
}

/** TLS over a TCP socket. */
export function tlsTransport(socket: Socket, raw: Socket): Transport {
  return new NodeTransport(socket, raw);
}

class NodeTransport implements Transport {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  private reader: TransportReader | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly raw: Socket,
  ) {
    this.remoteAddress = raw.remoteAddress ?? '';
    this.remotePort = raw.remotePort ?? 0;
    this.localPort = raw.localPort ?? 0;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('drain', this.#onDrain);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
    socket.pause(); // listening to data would start the flow
  }

  get touched(): boolean {
    return this.socket.bytesRead > 0;
  }

  attach(reader: TransportReader): void {
    this.reader = reader;
  }

  write(bytes: Buffer): boolean {
    return this.socket.write(bytes);
  }

  cork(): void {
    this.socket.cork();
  }

  uncork(): boolean {
    this.socket.uncork();
    return !this.socket.writableNeedDrain;
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  end(): void {
    this.socket.end();
  }

  destroySoon(): void {
    this.socket.destroySoon();
  }

  destroy(): void {
    this.socket.destroy();
    if (this.raw !== this.socket) this.raw.destroy();
  }

  reset(): void {
    this.raw.resetAndDestroy();
    if (this.raw !== this.socket) this.socket.destroy();
  }

  writeBelowTls(bytes: Buffer): void {
    this.raw.write(bytes, () => this.destroy());
  }

  release(): Duplex {
    const { socket } = this;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('drain', this.#onDrain);
    return socket;
  }

  readonly #onData = (bytes: Buffer): void => this.reader?.received(bytes);
  readonly #onEnd = (): void => this.reader?.ended();
  readonly #onDrain = (): void => this.reader?.drained();
  readonly #onClose = (): void => {
    const { reader } = this;
    // a closed socket may live for long, until its handle is collected
    this.reader = undefined;
    reader?.closed();
  };
}

function ignore(): void {}
