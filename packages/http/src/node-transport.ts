// A connection carried by node:net or node:tls. On Node a plain TCP connection leaves two of their habits out, which
// together are a third of what a small request costs beyond the kernel's part:
// - Node allocates 64 KiB for each read of a socket and shrinks it to what has come. node:net can read into a buffer that
//   it is given (`onread`), but offers that to clients only; an accepted socket gets it here by moving its handle to a
//   socket of our own. The one shared buffer is lent to the reader, who copies what is needed for longer than the call.
// - A write goes through the states of a stream and makes an object for the system's answer, though nearly always
//   all bytes leave at once. Here the bytes go to the handle; the stream takes over when it has bytes of its own.
// Where a runtime has no such handle, the accepted socket stays as it is.
// Node's global is a getter, which every use would call
import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer, Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ListenOptions, TcpListener, Transport, TransportReader } from './transport.js';

interface Handle {
  readStart?: unknown;
  writeBuffer?(request: WriteRequest, bytes: Buffer): number;
}

/** Told of a write that did not end at once. */
interface WriteRequest {
  oncomplete?: (status: number) => void;
  /** Keeps the bytes while the system needs them. */
  buffer?: Buffer;
}

interface HandleOwner {
  _handle?: Handle | null;
}

interface StreamBinding {
  readonly WriteWrap: new () => WriteRequest;
  readonly streamBaseState: Int32Array;
  readonly kLastWriteWasAsync: number;
}

const IS_NODE = process.versions.bun === undefined;
const sharedBuffer = Buffer.allocUnsafeSlow(65_536);

/** What Node tells of its handles; undefined where it no longer does. */
const binding = IS_NODE ? streamBinding() : undefined;

function streamBinding(): StreamBinding | undefined {
  try {
    const { binding: find } = process as unknown as { binding?(name: string): Partial<StreamBinding> };
    const { WriteWrap, streamBaseState, kLastWriteWasAsync } = find?.call(process, 'stream_wrap') ?? {};
    if (typeof WriteWrap !== 'function' || typeof kLastWriteWasAsync !== 'number') return undefined;
    if (streamBaseState?.[kLastWriteWasAsync] === undefined) return undefined;
    return { WriteWrap, streamBaseState, kLastWriteWasAsync };
  } catch {
    return undefined; // a policy forbids it
  }
}

export interface NodeListenOptions extends ListenOptions {
  /** Hands sockets out paused. */
  readonly paused: boolean;
  onSocket(socket: Socket): void;
  /** Errors after listening has begun. */
  onError(error: Error): void;
}

/** Rejects with the system's error (EADDRINUSE, EACCES, EADDRNOTAVAIL …). */
export function listenNode(options: NodeListenOptions): Promise<TcpListener> {
  const { port, host, backlog, reusePort, noDelay, paused, onSocket, onError } = options;
  return new Promise((resolve, reject) => {
    const listener = createServer({ allowHalfOpen: true, noDelay, pauseOnConnect: paused }, onSocket);
    listener.once('error', reject);
    listener.listen({ port, host, backlog, reusePort } as object, () => {
      listener.off('error', reject);
      listener.on('error', onError);
      resolve({ address: listener.address() as AddressInfo, close: (done) => listener.close(done) });
    });
  });
}

/** TCP, accepted and paused by node:net. */
export function tcpTransport(accepted: Socket): Transport {
  const owner = accepted as HandleOwner;
  const handle = owner._handle;
  if (typeof handle?.readStart !== 'function') return new NodeTransport(accepted, accepted);
  owner._handle = null;
  let transport: HandleTransport;
  const options = {
    handle,
    allowHalfOpen: true,
    readable: true,
    writable: true,
    onread: {
      buffer: sharedBuffer,
      callback(length: number): boolean {
        transport.lend(length);
        return true;
      },
    },
  };
  const socket = new Socket(options as SocketConstructorOpts);
  socket.once('close', () => accepted.destroy()); // the server counts the accepted socket
  transport = new HandleTransport(socket, handle);
  return transport;
}

/** TLS over a TCP socket. */
export function tlsTransport(socket: Socket, raw: Socket): Transport {
  return new NodeTransport(socket, raw);
}

class NodeTransport implements Transport {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  protected reader: TransportReader | undefined;

  constructor(
    protected readonly socket: Socket,
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

/** A TCP connection whose handle is ours. */
class HandleTransport extends NodeTransport {
  readonly #handle: Handle;
  #request: WriteRequest | undefined;
  /** Writes that the system has not taken yet. */
  #unfinished = 0;
  #corked = false;
  #released = false;

  constructor(socket: Socket, handle: Handle) {
    super(socket, socket);
    this.#handle = handle;
  }

  /** So many bytes have been read into the shared buffer. */
  lend(length: number): void {
    if (this.#released) this.socket.emit('data', Buffer.from(sharedBuffer.subarray(0, length)));
    else this.reader?.lent(sharedBuffer, length);
  }

  override write(bytes: Buffer): boolean {
    const { socket } = this;
    if (this.#unfinished > 0 && !this.#corked) {
      this.#unfinished++;
      socket.write(bytes, this.#onWritten);
      return false;
    }
    if (
      binding === undefined ||
      this.#corked ||
      socket.writableLength > 0 ||
      (socket as HandleOwner)._handle !== this.#handle ||
      !socket.writable
    ) {
      return socket.write(bytes);
    }
    this.#request ??= this.#newRequest(binding);
    const failed = this.#handle.writeBuffer!(this.#request, bytes);
    if (failed !== 0) {
      socket.destroy();
      return false;
    }
    if (binding.streamBaseState[binding.kLastWriteWasAsync] === 0) return true;
    this.#request.buffer = bytes;
    this.#request = undefined; // the system has it
    this.#unfinished++;
    return false;
  }

  override cork(): void {
    this.#corked = true;
    super.cork();
  }

  override uncork(): boolean {
    this.#corked = false;
    return super.uncork();
  }

  override release(): Duplex {
    this.#released = true;
    return super.release();
  }

  #newRequest({ WriteWrap }: StreamBinding): WriteRequest {
    const request = new WriteWrap();
    request.oncomplete = (status) => {
      request.buffer = undefined;
      if (status < 0) this.socket.destroy();
      this.#onWritten();
    };
    return request;
  }

  readonly #onWritten = (): void => {
    this.#unfinished--;
    if (this.#unfinished === 0 && !this.socket.destroyed) this.reader?.drained();
  };
}

function ignore(): void {}
