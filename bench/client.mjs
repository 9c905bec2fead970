// Connections that send one request over and over, for the generators written here. An answer is looked at closely once; those
// after it have the same length nearly always, which is all that is compared.
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
/** The first digit of the status after `HTTP/1.1 `: only 2xx is right. */
const STATUS_AT = 9;
const TWO = 0x32;

export const bytesOf = (port, { method, target, headers, body }) =>
  Buffer.from(
    [
      `${method} ${target} HTTP/1.1`,
      ...('Host' in headers ? [] : [`Host: 127.0.0.1:${port}`]),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
      '',
      body,
    ].join('\r\n'),
  );

/** Whether an answer is complete, its length in bytes (-1: found by its end), whether the server closes after it. */
function look(answer) {
  const end = answer.indexOf(HEAD_END);
  if (end < 0) return { complete: false };
  const head = answer.latin1Slice(0, end).toLowerCase();
  const closes = head.includes('\r\nconnection: close');
  const length = /\r\ncontent-length: *(\d+)/.exec(head);
  if (length) {
    const whole = end + 4 + Number(length[1]);
    return { complete: answer.length >= whole, whole, closes };
  }
  if (head.includes('\r\ntransfer-encoding: chunked')) {
    return { complete: answer.latin1Slice(answer.length - 5) === '0\r\n\r\n', whole: -1, closes };
  }
  return { complete: /^http\/1.1 (204|304)/.test(head), whole: end + 4, closes };
}

/**
 * @param {{port: number, request: object, connections: number, answered: Function, free: Function}} use `answered(connection, ok)`
 *   at the end of an answer, then `free(connection)` once the connection can send again
 * @returns {Promise<{all: object[], send(connection: object): void, reopened(): number, close(): void}>} when all are open
 */
export function openAll({ port, request, connections, answered, free }) {
  const bytes = bytesOf(port, request);
  let usual = -1;
  let reopened = 0;
  let closed = false;

  function end(one, ok) {
    if (!one.busy) return;
    one.busy = false;
    one.received = undefined;
    answered(one, ok);
  }

  function open(one, opened) {
    one.closing = false;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    one.socket = socket;
    socket.once('connect', opened);
    socket.on('error', () => end(one, false));
    socket.on('close', () => {
      end(one, false);
      if (closed) return;
      reopened++;
      open(one, () => free(one));
    });
    socket.on('data', (chunk) => {
      if (chunk.length === usual && one.received === undefined) {
        end(one, chunk[STATUS_AT] === TWO);
        free(one);
        return;
      }
      one.received = one.received === undefined ? chunk : Buffer.concat([one.received, chunk]);
      const { complete, whole, closes } = look(one.received);
      if (!complete) return;
      if (!closes && whole > 0) usual = whole;
      one.closing = closes;
      end(one, one.received[STATUS_AT] === TWO);
      if (!closes) free(one);
    });
  }

  return new Promise((resolve) => {
    let standing = 0;
    const all = Array.from({ length: connections }, () => ({ busy: false, k: 0, at: 0, received: undefined }));
    const pool = {
      all,
      send(one) {
        one.busy = true;
        one.socket.write(bytes);
      },
      reopened: () => reopened,
      close() {
        closed = true;
        for (const { socket } of all) socket.destroy();
      },
    };
    for (const one of all) open(one, () => ++standing === connections && resolve(pool));
  });
}
