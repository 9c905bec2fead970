// The metrics port: one resource, for whoever may connect. Apart from the admin port, so that a monitoring system needs
// neither its key nor access to it.

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AcceptLoop, type AcceptMeter, type Logger } from '@rift-ts/engine';

export interface MetricsServerOptions {
  /** 0: the system's choice. */
  readonly port: number;
  /** On the loopback addresses alone. */
  readonly localOnly: boolean;
  /** Whether a client's address may connect. */
  readonly allows: (address: string) => boolean;
  readonly metrics: () => Promise<string>;
  readonly accepts: AcceptMeter;
  readonly logger: Logger;
}

export interface MetricsServer {
  readonly port: number;
  /** Cuts its connections; resolves when the port is free. */
  close(): Promise<void>;
}

const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';
/** What the system says of an address that it does not have. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/** Rejects with the system's error when the port cannot be bound. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const first = await listen(options, options.port, options.localOnly ? '127.0.0.1' : undefined);
  const { port } = first.address() as AddressInfo;
  const servers = [first];
  if (options.localOnly) {
    try {
      servers.push(await listen(options, port, '::1'));
    } catch (error) {
      if (!NO_SUCH_ADDRESS.has(String((error as NodeJS.ErrnoException).code))) {
        await close(first);
        throw error;
      }
    }
  }
  return {
    port,
    async close() {
      await Promise.all(servers.map(close));
    },
  };
}

function listen(options: MetricsServerOptions, port: number, host: string | undefined): Promise<Server> {
  const { allows, logger } = options;
  const accepts = new AcceptLoop(options.accepts, () => logger);
  const server = createServer(answering(options));
  server.on('connection', (socket) => {
    accepts.accepted();
    const address = socket.remoteAddress ?? '';
    if (allows(address)) return;
    logger.warn(`Blocking incoming connection from ${address}. Turn off --localOnly or add to --ipWhitelist to allow`);
    socket.destroy();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      server.on('error', (error) => accepts.failed(error));
      server.once('close', () => accepts.closed());
      resolve(server);
    });
  });
}

function answering({ metrics, logger }: MetricsServerOptions): RequestListener {
  return (request, response) => {
    // a body that nobody asked for must not keep the connection from being used again
    request.resume();
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      send(response, 404, 'text/plain; charset=utf-8', 'Not Found\n');
      return;
    }
    metrics().then(
      (text) => send(response, 200, TEXT_FORMAT, text),
      (error: Error) => {
        logger.error(`the metrics cannot be collected: ${error.message}`);
        send(response, 500, 'text/plain; charset=utf-8', 'The metrics cannot be collected\n');
      },
    );
  };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
