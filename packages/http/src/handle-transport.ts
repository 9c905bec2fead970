// A TCP connection on Node without node:net, whose sockets cost more than all else of a short connection, and of a kept
// one a third of what a request costs beyond the kernel's part:
// - A socket is two streams with dozens of fields and listeners, and Node 24 keeps each until a full collection.
// - Node allocates 64 KiB for each read and shrinks it to what has come. Here all connections are read into one buffer,
//   which is lent to the reader, who copies what is needed for longer than the call.
// - A write goes through the states of a stream and makes an object for the system's answer, though nearly always all
//   bytes leave at once.
// Node's global is a getter, which every use would call
import { Buffer } from 'node:buffer';
import { Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { type StreamRequest, streams, type TcpHandle } from './tcp-handle.js';
import type { Transport, TransportReader } from './transport.js';

const sharedBuffer = Buffer.allocUnsafeSlow(65_536);
/** Bytes that are held before whoever writes is told to wait. */
const HIGH_WATER = 65_536;
/** libuv's UV_EOF, the same on all systems. */
const END = -4095;

// without `streams` there are no handles, and so no transport of this kind
const { WriteWrap, ShutdownWrap, streamBaseState, kLastWriteWasAsync, kReadBytesOrError } = streams ?? {
  WriteWrap: Object,
  ShutdownWrap: Object,
  streamBaseState: new Int32Array(2),
  kLastWriteWasAsync: 0,
  kReadBytesOrError: 1,
};

export class HandleTransport implements Transport {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  touched = false;
  readonly #handle: TcpHandle;
  readonly #gone: () => void;
  #reader: TransportReader | undefined;
  /** For the next write; one that ends at once does not use it up. */
  #request: StreamRequest | undefined;
  /** Writes that the system has not taken yet. */
  #unfinished = 0;
  /** What was written since `cork`; undefined: not corked. */
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  /** Whoever writes was told to wait for `drained`. */
  #promised = false;
  #reading = false;
  /** The peer sends no more. */
  #ended = false;
  /** Whether this side sends no more: asked for, and done. */
  #shutting = false;
  #shut = false;
  #closesWhenShut = false;
  #closed = false;
  /** Has the handle. */
  #released: Socket | undefined;

  /** `gone`: called after the reader's `closed`. */
  constructor(handle: TcpHandle, gone: () => void) {
    const peer = { address: '', port: 0 };
    const own = { port: 0 };
    handle.getpeername(peer);
    handle.getsockname(own);
    this.remoteAddress = peer.address;
    this.remotePort = peer.port;
    this.localPort = own.port;
    this.#handle = handle;
    this.#gone = gone;
    handle.useUserBuffer(sharedBuffer);
    handle.onread = this.#onRead;
  }

  attach(reader: TransportReader): void {
    this.#reader = reader;
  }

  write(bytes: Buffer): boolean {
    if (this.#held === undefined) return this.#closed ? false : this.#send(bytes);
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes < HIGH_WATER) return true;
    this.#promised = true;
    return false;
  }

  cork(): void {
    this.#held ??= [];
  }

  uncork(): boolean {
    const held = this.#held;
    this.#held = undefined;
    this.#heldBytes = 0;
    if (this.#closed) return false;
    if (held !== undefined && held.length > 0 && !this.#send(held.length === 1 ? held[0]! : held)) return false;
    if (this.#promised) queueMicrotask(this.#keepPromise);
    return true;
  }

  #send(bytes: Buffer | readonly Buffer[]): boolean {
    this.#request ??= new WriteWrap();
    const request = this.#request;
    const handle = this.#handle;
    const failed = Buffer.isBuffer(bytes) ? handle.writeBuffer(request, bytes) : handle.writev(request, bytes, true);
    if (failed !== 0) {
      this.destroy();
      return false;
    }
    if (streamBaseState[kLastWriteWasAsync] === 0) return true;
    request.bytes = bytes;
    request.oncomplete = (status) => {
      request.bytes = undefined;
      this.#unfinished--;
      if (status < 0) this.destroy();
      this.#keepPromise();
    };
    this.#request = undefined; // the system has it
    this.#unfinished++;
    this.#promised = true;
    return false;
  }

  readonly #keepPromise = (): void => {
    if (!this.#promised || this.#unfinished > 0 || this.#closed) return;
    this.#promised = false;
    this.#reader?.drained();
  };

  pause(): void {
    if (!this.#reading) return;
    this.#reading = false;
    this.#handle.readStop();
  }

  resume(): void {
    if (this.#reading || this.#ended || this.#closed) return;
    this.#reading = true;
    if (this.#handle.readStart() !== 0) this.destroy();
  }

  end(): void {
    this.uncork();
    if (this.#shutting || this.#closed) return;
    this.#shutting = true;
    const request: StreamRequest = new ShutdownWrap();
    request.oncomplete = this.#onShut;
    // anything but 0: nothing is to be waited for
    if (this.#handle.shutdown(request) !== 0) this.#onShut();
  }

  destroySoon(): void {
    this.#closesWhenShut = true;
    if (this.#shut) this.destroy();
    else this.end();
  }

  destroy(): void {
    this.#released?.destroy();
    if (this.#closed) return;
    this.#closed = true;
    this.#reading = false;
    this.#handle.close(this.#onClosed);
  }

  reset(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reading = false;
    // refused while FIN waits to be sent
    if (this.#handle.reset(this.#onClosed) !== 0) this.#handle.close(this.#onClosed);
  }

  writeBelowTls(bytes: Buffer): void {
    this.write(bytes);
    this.destroySoon();
  }

  release(): Duplex {
    const handle = this.#handle;
    this.pause();
    this.#closed = true;
    const options = {
      handle,
      allowHalfOpen: true,
      readable: true,
      writable: true,
      // whoever gets it may listen later: nothing is read before
      manualStart: true,
      // the handle goes on reading into the buffer of all
      onread: {
        buffer: sharedBuffer,
        callback: (length: number): boolean => socket.emit('data', Buffer.from(sharedBuffer.subarray(0, length))),
      },
    };
    const socket: Socket = new Socket(options as SocketConstructorOpts);
    socket.on('error', ignore);
    socket.once('close', this.#onClosed);
    this.#released = socket;
    return socket;
  }

  readonly #onRead = (): void => {
    const length = streamBaseState[kReadBytesOrError]!;
    if (length > 0) {
      this.touched = true;
      this.#reader?.lent(sharedBuffer, length);
    } else if (length === END) {
      this.#ended = true;
      this.#reading = false;
      this.#reader?.ended();
      if (this.#shut) this.destroy();
    } else if (length < 0) this.destroy();
  };

  readonly #onShut = (): void => {
    this.#shut = true;
    if (this.#ended || this.#closesWhenShut) this.destroy();
  };

  readonly #onClosed = (): void => {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.closed();
    this.#gone();
  };
}

function ignore(): void {}
