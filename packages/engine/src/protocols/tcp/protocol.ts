// The tcp protocol of imposters. Mountebank docs: protocols/tcp.

import { createServer, type Server } from 'node:net';
import { AcceptLoop, AcceptMeter } from '../../metering/accept-meter.js';
import { bindError } from '../bind-error.js';
import { bindHost } from '../bind-host.js';
import type { ImposterCore, Listener, Protocol } from '../types.js';
import { TcpConnection } from './connection.js';
import { encodingOf, framingOf } from './framing.js';
import { callTcpUpstream, closeUpstreams } from './upstream.js';

export interface TcpProtocolOptions {
  /** Bind address of imposters that name none; undefined: all interfaces, dual stack. */
  readonly host?: string;
  readonly backlog?: number;
  readonly noDelay?: boolean;
  /** Where connections are counted. */
  readonly accepts?: AcceptMeter;
  /** Milliseconds that a stopping imposter gives its running requests. */
  readonly graceMs: number;
}

export function tcpProtocol(options: TcpProtocolOptions): Protocol {
  return {
    name: 'tcp',
    dryRunRequest: { data: 'test' },
    dryRunProxyResponse: { data: '' },
    metadata: ({ mode }) => ({ mode: mode || 'text' }),
    encoding: encodingOf,
    listen: (core) => listen(core, options),
    proxy: callTcpUpstream,
  };
}

async function listen(core: ImposterCore, options: TcpProtocolOptions): Promise<Listener> {
  const port = Number(core.creation.port ?? 0);
  const host = bindHost(core.creation, options.host);
  const connections = new Set<TcpConnection>();
  const framing = framingOf(core);
  const accepts = new AcceptLoop(options.accepts ?? new AcceptMeter(), () => core.logger);
  // half-open, so that a client that ends its side still gets the answers under way; then the other side ends, too
  const server = createServer({ allowHalfOpen: true, noDelay: options.noDelay ?? true }, (socket) => {
    accepts.accepted();
    const connection = new TcpConnection(socket, core, framing);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  try {
    const bound = await bind(server, { port, host, backlog: options.backlog ?? 1024 });
    server.on('error', (error) => accepts.failed(error));
    server.once('close', () => accepts.closed());
    return { port: bound, close: () => close(server, connections, core, options.graceMs) };
  } catch (error) {
    throw bindError(error, port);
  }
}

function bind(server: Server, address: { port: number; host?: string; backlog: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

function close(
  server: Server,
  connections: ReadonlySet<TcpConnection>,
  core: ImposterCore,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = (): void => {
      for (const { socket } of connections) socket.destroy();
      closeUpstreams(core);
    };
    const timer = setTimeout(cut, graceMs);
    server.close(() => {
      clearTimeout(timer);
      closeUpstreams(core);
      resolve();
    });
    for (const connection of connections) {
      if (graceMs === 0 || connection.idle) connection.socket.destroy();
      else connection.leave();
    }
  });
}
