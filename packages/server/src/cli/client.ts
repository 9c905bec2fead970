// Calls of the admin API by commands: save, replay, healthcheck, and the loading of a configuration.
import { type IncomingMessage, request } from 'node:http';
import { ExitError } from './errors.js';

export interface Target {
  readonly host: string | undefined;
  readonly port: number;
  readonly apikey: string | undefined;
}

/** A host as it stands in a URL: IPv6 addresses in brackets (RFC 3986 section 3.2.2). */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** @throws ExitError kind `failure` when nobody answers */
export function callAdmin(
  { host, port, apikey }: Target,
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; body: string }> {
  const name = host ?? 'localhost';
  const refused = (error: NodeJS.ErrnoException) =>
    error.code === 'ECONNREFUSED'
      ? new ExitError('failure', `No mb process running on http://${urlHost(name)}:${port}`)
      : new ExitError('failure', `http://${urlHost(name)}:${port} cannot be reached: ${error.message}`);
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: name,
        port,
        method,
        path,
        headers: {
          'Content-Type': 'application/json',
          Connection: 'close',
          ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
          ...(apikey === undefined ? {} : { 'x-api-key': apikey }),
        },
      },
      (response) => {
        textOf(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, body: text }),
          (error: NodeJS.ErrnoException) => reject(refused(error)),
        );
      },
    );
    call.on('error', (error) => reject(refused(error)));
    call.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
