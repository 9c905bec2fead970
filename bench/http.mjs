// One request on a connection of its own, as bytes: for admin calls and for looking at an answer before it is measured.
import { request as send } from 'node:http';

/** @returns {Promise<{status: number, headers: object, body: string, bytes: number, ms: number}>} */
export function call(port, path, { method = 'GET', headers = {}, body = '' } = {}) {
  const payload = typeof body === 'string' ? Buffer.from(body) : body;
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const request = send({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent: false,
      headers: payload.length > 0 ? { ...headers, 'Content-Length': payload.length } : headers,
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: bytes.toString(),
          bytes: bytes.length,
          ms: performance.now() - begun,
        });
      });
    });
    request.end(payload);
  });
}

/** Throws unless the answer to a scenario's request is the one that the scenario is about. */
export async function verify(engine, port, { name, request, marker }) {
  const { status, body } = await call(port, request.target, request);
  const right = status >= 200 && status < 300 && (marker === '' ? body === '' : body.includes(marker));
  if (!right)
    throw new Error(`${engine}, ${name}: wanted ${marker || 'an empty body'}, got ${status} ${body.slice(0, 200)}`);
}
