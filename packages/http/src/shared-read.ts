// Node allocates 64 KiB for each read of a socket and shrinks it to what has come; for small requests that is a large
// part of what a request costs. node:net can read into a buffer that it is given (`onread`), but offers that to clients
// only. An accepted socket gets it here by moving its handle to a socket of our own. What has come is copied out of the
// one shared buffer, so that nobody needs to know. Where a runtime has no such handle, the accepted socket stays as it is.
import { Socket, type SocketConstructorOpts } from 'node:net';

interface HandleOwner {
  _handle?: { readStart?: unknown } | null;
}

const buffer = Buffer.allocUnsafeSlow(65_536);

/** Whether sockets must be accepted paused, with `pauseOnConnect`, to be passed to `readShared`. */
export const CAN_READ_SHARED = process.versions.bun === undefined;

/** A socket for the same connection that reads through the shared buffer, not yet reading: `resume` starts it. */
export function readShared(accepted: Socket): Socket {
  const owner = accepted as HandleOwner;
  const handle = owner._handle;
  if (!CAN_READ_SHARED || typeof handle?.readStart !== 'function') return accepted;
  owner._handle = null;
  const options = {
    handle,
    allowHalfOpen: true,
    readable: true,
    writable: true,
    onread: {
      buffer,
      callback(length: number): boolean {
        const bytes = Buffer.allocUnsafe(length);
        buffer.copy(bytes, 0, 0, length);
        socket.emit('data', bytes);
        return true;
      },
    },
  };
  const socket = new Socket(options as SocketConstructorOpts);
  socket.once('close', () => accepted.destroy()); // the server counts the accepted socket
  return socket;
}
