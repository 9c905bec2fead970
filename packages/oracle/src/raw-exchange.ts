// Bytes to a server and the bytes that come back, as they are: what two servers send is compared without an HTTP
// client in between that would smooth it over.

import { connect } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface RawAnswer {
  /** All bytes received. */
  readonly bytes: Buffer;
  /** How the connection stood at the end: `open` when nothing ended it within the quiet time. */
  readonly end: 'open' | 'closed' | 'reset';
}

export interface RawOptions {
  /** Milliseconds without a byte or an end after which the answer counts as complete; default 150. */
  readonly quietMs?: number;
  /** Milliseconds to wait for the first byte or an end; default 3000. */
  readonly firstMs?: number;
  readonly host?: string;
  /** End the client's side with the last part; default false. */
  readonly halfClose?: boolean;
  /** Given: over TLS. The server's certificate is not verified unless `rejectUnauthorized` says so. */
  readonly tls?: ConnectionOptions;
}

/** Sends the parts one after the other, each once the answer to the one before is complete. */
export function rawExchange(
  port: number,
  parts: readonly (string | Buffer)[],
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { quietMs = 150, firstMs = 3000, host = '127.0.0.1', tls, halfClose = false } = options;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let next = 0;
    let timer: NodeJS.Timeout | undefined;
    const socket =
      tls === undefined ? connect({ port, host }) : connectTls({ rejectUnauthorized: false, ...tls, port, host });
    const finish = (end: RawAnswer['end']): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ bytes: Buffer.concat(chunks), end });
    };
    let waitedForEnd = false;
    const send = (): void => {
      if (next === parts.length) {
        // on a busy machine the end that an answer announces may be long behind its last byte
        if (waitedForEnd || !announcesClose(chunks)) finish('open');
        else timer = setTimeout(send, firstMs);
        waitedForEnd = true;
        return;
      }
      const part = parts[next++];
      if (halfClose && next === parts.length) socket.end(part);
      else socket.write(part);
      clearTimeout(timer);
      timer = setTimeout(send, firstMs);
    };
    socket.setNoDelay(true);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', send);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(send, quietMs);
    });
    socket.once('end', () => finish('closed'));
    socket.once('error', () => finish('reset'));
    socket.once('close', () => finish('closed'));
  });
}

/** Whether the last answer received says that its connection is closed behind it. */
function announcesClose(chunks: readonly Buffer[]): boolean {
  const text = Buffer.concat(chunks).toString('latin1');
  const head = text.slice(Math.max(0, text.lastIndexOf('HTTP/1.1 '))).split('\r\n\r\n', 1)[0];
  return /^connection: *close *$/im.test(head.replaceAll('\r', ''));
}
