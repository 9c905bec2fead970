// What node:net itself works with: the handle of a TCP connection and what the system told last (`stream_wrap`). No public
// interface, but one that has been the same since Node 12; where any of it is missing, node:net is used (node-transport.ts).
import type { Buffer } from 'node:buffer';
import type { Server } from 'node:net';

/** Told when the system has done what was asked. */
export interface StreamRequest {
  oncomplete?: (status: number) => void;
  /** Keeps the bytes while the system needs them. */
  bytes?: Buffer | readonly Buffer[];
}

interface Address {
  address?: string;
  port?: number;
}

/** Functions return 0 or an error of the system, a negative number. */
export interface TcpHandle {
  /** Called for bytes that are in the user's buffer, for the end and for errors; what it returns is the next buffer. */
  onread: () => void;
  useUserBuffer(buffer: Buffer): void;
  readStart(): number;
  readStop(): number;
  writeBuffer(request: StreamRequest, bytes: Buffer): number;
  writev(request: StreamRequest, bytes: readonly Buffer[], onlyBuffers: true): number;
  /** 1: done already. */
  shutdown(request: StreamRequest): number;
  setNoDelay(on: boolean): number;
  getpeername(into: Address): number;
  getsockname(into: Address): number;
  close(done: () => void): void;
  reset(done: () => void): number;
}

interface StreamBinding {
  readonly WriteWrap: new () => StreamRequest;
  readonly ShutdownWrap: new () => StreamRequest;
  readonly streamBaseState: Int32Array;
  readonly kLastWriteWasAsync: number;
  readonly kReadBytesOrError: number;
}

interface ListeningHandle extends TcpHandle {
  onconnection(this: ListeningHandle, status: number, accepted: TcpHandle | undefined): void;
}

const FUNCTIONS = [
  ...['useUserBuffer', 'readStart', 'readStop', 'writeBuffer', 'writev', 'shutdown'],
  ...['setNoDelay', 'getpeername', 'getsockname', 'close', 'reset'],
];

/** What Node tells of its streams; undefined where it no longer does. */
export const streams = streamBinding();

function streamBinding(): StreamBinding | undefined {
  if (process.versions.bun !== undefined) return undefined;
  try {
    const { binding } = process as unknown as { binding?(name: string): Partial<StreamBinding> };
    const found = binding?.call(process, 'stream_wrap') ?? {};
    const { WriteWrap, ShutdownWrap, streamBaseState, kLastWriteWasAsync, kReadBytesOrError } = found;
    if (typeof WriteWrap !== 'function' || typeof ShutdownWrap !== 'function') return undefined;
    if (typeof kLastWriteWasAsync !== 'number' || typeof kReadBytesOrError !== 'number') return undefined;
    if (streamBaseState?.[kLastWriteWasAsync] === undefined || streamBaseState[kReadBytesOrError] === undefined)
      return undefined;
    return { WriteWrap, ShutdownWrap, streamBaseState, kLastWriteWasAsync, kReadBytesOrError };
  } catch {
    return undefined; // a policy forbids it
  }
}

/**
 * Hands out the handles that a listening server accepts, instead of its making sockets of them. False: it cannot be done,
 * the server goes on as it is.
 */
export function takeHandles(server: Server, take: (handle: TcpHandle) => void): boolean {
  const listening = (server as unknown as { _handle?: Partial<ListeningHandle> })._handle;
  const { onconnection } = listening ?? {};
  if (streams === undefined || listening === undefined || onconnection === undefined) return false;
  if (FUNCTIONS.some((name) => typeof (listening as Record<string, unknown>)[name] !== 'function')) return false;
  listening.onconnection = function (status, accepted) {
    if (status !== 0 || accepted === undefined) onconnection.call(this, status, accepted);
    else take(accepted);
  };
  return true;
}
