// Proxying a tcp message: the bytes go to the upstream as they came, the answer is the first message that comes back, cut
// like the imposter's own requests. Mountebank docs: protocols/tcp.

import { connect, type Socket } from 'node:net';
import type { ImposterCore, UpstreamAnswer, UpstreamRequest } from '../types.js';
import { UpstreamFailure } from '../upstream-failure.js';
import { type Framing, framingOf, MessageCollector } from './framing.js';
import { TcpRequestView } from './request-view.js';

interface Target {
  readonly host: string;
  readonly port: number;
}

/** The upstream connections of one imposter; those that `keepalive: true` left open serve the next request. */
class UpstreamConnections {
  readonly #idle = new Map<string, Socket[]>();
  readonly #all = new Set<Socket>();

  /** A connection that is already open, if there is one. */
  takeIdle(to: string): Socket | undefined {
    const socket = this.#idle.get(to)?.pop();
    socket?.removeAllListeners('data').removeAllListeners('end').ref();
    return socket;
  }

  open({ host, port }: Target): Socket {
    const socket = connect({ host, port, noDelay: true });
    this.#all.add(socket);
    socket.once('close', () => this.#all.delete(socket));
    return socket;
  }

  /** Keeps a connection for the next request until its upstream ends it or sends what nobody asked for. */
  keep(to: string, socket: Socket): void {
    const idle = this.#idle.get(to) ?? [];
    this.#idle.set(to, idle);
    idle.push(socket);
    const drop = (): void => {
      const at = idle.indexOf(socket);
      if (at >= 0) idle.splice(at, 1);
      socket.destroy();
    };
    socket.on('data', drop).on('end', drop).on('error', drop).unref();
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }
}

const connectionsOf = new WeakMap<ImposterCore, UpstreamConnections>();

/** Ends what an imposter has open to its upstreams. */
export function closeUpstreams(imposter: ImposterCore): void {
  connectionsOf.get(imposter)?.close();
}

/** Rejects with an UpstreamFailure; stays pending while an upstream says nothing. */
export async function callTcpUpstream({ imposter, to, view, options }: UpstreamRequest): Promise<UpstreamAnswer> {
  const target = targetOf(to);
  const framing = framingOf(imposter);
  const { encoding } = framing;
  // a request that was posted to the admin API has no bytes, only their text
  const bytes = view instanceof TcpRequestView ? view.rawBody : Buffer.from(String(view.field('data') ?? ''), encoding);
  let connections = connectionsOf.get(imposter);
  if (connections === undefined) {
    connections = new UpstreamConnections();
    connectionsOf.set(imposter, connections);
  }
  const kept = connections.takeIdle(to);
  // an upstream may end a connection that was kept just when it is used again: then a new one is opened
  const first = kept && (await exchange(kept, bytes, framing, to).catch(() => undefined));
  const socket = first === undefined ? connections.open(target) : kept!;
  const answer = first ?? (await exchange(socket, bytes, framing, to));
  if (options.keepalive === true) connections.keep(to, socket);
  else socket.destroy();
  return { data: { data: answer.toString(encoding) } };
}

function targetOf(to: string): Target {
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (url?.protocol !== 'tcp:') {
    throw new UpstreamFailure('Unable to proxy to any protocol other than tcp', `no tcp URL: ${to}`, { source: to });
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
}

/** Sends the bytes and resolves with the first message that comes back. */
function exchange(socket: Socket, bytes: Buffer, framing: Framing, to: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let ended: string | undefined;
    const done = (): void => {
      socket
        .removeAllListeners('data')
        .removeAllListeners('end')
        .removeAllListeners('error')
        .on('error', () => {});
      socket.off('close', close);
    };
    const messages = new MessageCollector(
      framing,
      (message) => {
        done();
        resolve(message);
      },
      () => {
        if (ended !== undefined) fail(`Unable to connect to "${to}"`, ended);
      },
    );
    const fail = (message: string, reason: string): void => {
      done();
      socket.destroy();
      reject(new UpstreamFailure(message, reason));
    };
    const end = (reason: string): void => {
      ended = reason;
      if (messages.idle) fail(`Unable to connect to "${to}"`, reason);
    };
    const close = (): void => end('the upstream closed the connection before it had answered');
    socket.on('data', (chunk) => messages.push(chunk));
    socket.on('end', close);
    socket.on('close', close);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') fail(`Cannot resolve "${to}"`, error.message);
      else end(error.message);
    });
    socket.write(bytes);
  });
}
