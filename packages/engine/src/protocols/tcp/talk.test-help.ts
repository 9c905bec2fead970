// A tcp client for tests: sends, waits for as many bytes as are expected, and looks at how the connection stands.

import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** What is sent, cut into the chunks given, and what must have come back before the next step. */
export interface Step {
  readonly send: Buffer | readonly Buffer[];
  readonly receive: Buffer;
}

export interface Talk {
  /** Everything received. */
  readonly received: Buffer;
  /** How the connection stood when all steps were done: `open` when only our ending it ended it. */
  readonly end: 'open' | 'closed' | 'reset';
}

const DEADLINE_MS = 20_000;
/** Lets the server read one chunk before the next is sent. */
const CHUNK_PAUSE_MS = 4;

/**
 * Says the steps on one connection. `expectEnd`: wait for the server to end it; otherwise the client ends its side
 * at last and reads what still comes. Gives up waiting after 20 seconds with what it has.
 */
export async function talk(port: number, steps: readonly Step[], expectEnd: boolean): Promise<Talk> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const chunks: Buffer[] = [];
  let length = 0;
  let end: Talk['end'] = 'open';
  let changed = (): void => {};
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    changed();
  });
  const ended = new Promise<void>((resolve) => {
    socket.on('end', () => {
      if (end === 'open') end = 'closed';
      changed();
      resolve();
    });
    socket.on('error', () => {
      end = 'reset';
      changed();
      resolve();
    });
  });
  const deadline = Date.now() + DEADLINE_MS;
  let expected = 0;
  for (const { send, receive } of steps) {
    for (const part of Buffer.isBuffer(send) ? [send] : send) {
      socket.write(part);
      await pause(CHUNK_PAUSE_MS);
    }
    expected += receive.length;
    while (length < expected && end === 'open' && Date.now() < deadline) {
      await Promise.race([new Promise<void>((resolve) => (changed = resolve)), pause(200)]);
    }
  }
  if (expectEnd) await Promise.race([ended, pause(deadline - Date.now())]);
  const before = end as Talk['end'];
  if (before === 'open') {
    socket.end();
    await Promise.race([ended, pause(deadline - Date.now())]);
  }
  socket.destroy();
  return { received: Buffer.concat(chunks), end: before };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** A tcp server for as long as the test runs; called for each connection. Resolves with its port. */
export async function upstream(t: TestContext, onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
