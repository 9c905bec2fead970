// An smtp client for tests that says exactly the lines it is given.

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A command line without its end, a message to be sent after DATA, or the handshake after STARTTLS. */
export type Say = string | { readonly message: string } | 'TLS';

/** The replies to the greeting and to each thing said: their lines. Ends early when the server closes. */
export async function converse(port: number, said: readonly Say[]): Promise<string[][]> {
  let socket: Socket = connect({ host: '127.0.0.1', port });
  const replies: string[][] = [];
  let read = replyReader(socket);
  for (const say of [undefined, ...said]) {
    if (say === 'TLS') {
      socket.removeAllListeners();
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await new Promise<void>((resolve, reject) => secured.once('secureConnect', resolve).once('error', reject));
      socket = secured;
      read = replyReader(socket);
      continue;
    }
    if (typeof say === 'string') socket.write(`${say}\r\n`);
    else if (say !== undefined) socket.write(`${say.message}\r\n.\r\n`);
    const reply = await read();
    if (reply === undefined) break;
    replies.push(reply);
  }
  socket.destroy();
  return replies;
}

/** Reads one reply after the other; undefined at the end of the connection. */
function replyReader(socket: Socket): () => Promise<string[] | undefined> {
  let text = '';
  let ended = false;
  let changed = (): void => {};
  socket.on('data', (chunk) => {
    text += chunk.toString();
    changed();
  });
  for (const event of ['end', 'error', 'close']) {
    socket.on(event, () => {
      ended = true;
      changed();
    });
  }
  return async () => {
    for (;;) {
      const reply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)?.[0];
      if (reply !== undefined) {
        text = text.slice(reply.length);
        return reply.trimEnd().split('\r\n');
      }
      if (ended) return undefined;
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
  };
}

/** One message from a to b and, unless given, c. */
export function deliver(message: string, from = 'a@x.test', to: readonly string[] = ['b@x.test']): Say[] {
  return [
    'EHLO client.test',
    `MAIL FROM:<${from}>`,
    ...to.map((address) => `RCPT TO:<${address}>`),
    'DATA',
    { message: message.replaceAll('\n', '\r\n') },
    'QUIT',
  ];
}
