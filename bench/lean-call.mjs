// One request on a connection of its own whose answer is counted, not kept: where the server's time is to be seen, the
// client must need little of its own. `call` (http.mjs) makes texts of what it reads, which of a long answer takes longer
// than making it.
import { connect } from 'node:net';

const buffer = Buffer.allocUnsafeSlow(256 * 1024);

/** @returns {Promise<{status: number, bytes: number, ms: number}>} `bytes`: of the body */
export function leanCall(port, path, { method = 'GET', body = '' } = {}) {
  const payload = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const text = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${payload}\r\n${body}`;
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let head = '';
    let headBytes = 0;
    let received = 0;
    const read = (length) => {
      received += length;
      if (headBytes > 0) return true;
      head += buffer.latin1Slice(0, length);
      const end = head.indexOf('\r\n\r\n');
      if (end >= 0) headBytes = end + 4;
      return true;
    };
    const socket = connect({ host: '127.0.0.1', port, onread: { buffer, callback: read } });
    socket.once('error', reject);
    socket.once('end', () => {
      const ms = performance.now() - begun;
      const bytes = received - headBytes;
      const announced = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
      if (headBytes === 0 || Number(announced) !== bytes)
        reject(new Error(`${method} ${path}: ${bytes} of ${announced}`));
      else resolve({ status: Number(head.slice(9, 12)), bytes, ms });
    });
    socket.write(text);
  });
}
