// A listener that speaks HTTP/1.1: accepts connections over TCP or TLS, watches their deadlines with one coarse timer,
// and closes at once or gracefully. Same code on Node and Bun.
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { AcceptBurst } from './accept-burst.js';
import { listenBun, ON_BUN } from './bun-listener.js';
import { Connection, type ConnectionHost } from './connection.js';
import { listenNode, listenSockets, tlsTransport } from './node-transport.js';
import { OpenConnections } from './open-connections.js';
import type { PreparedResponse } from './prepared-response.js';
import type { TcpListener, Transport } from './transport.js';
import type { Exchange, Refusal, RefusalDetail, WireConnection, WireLimits, WireRequest } from './types.js';

export interface WireServerOptions {
  limits: WireLimits;
  /** Called for each complete request, in order of arrival. What it throws ends the connection and goes to `onError`. */
  onRequest(exchange: Exchange): void;
  /** Chooses the answer to a request that is refused; undefined: the bytes Node's http server would send. */
  refuse?(refusal: Refusal, detail: RefusalDetail): PreparedResponse | Buffer | undefined;
  /** Given: TLS. `handshakeTimeout` and ALPN are set by the server. */
  tls?: TlsOptions;
  /** Default true. */
  noDelay?: boolean;
  /** Length of the queue of connections not yet accepted; default 1024. */
  backlog?: number;
  /** SO_REUSEPORT, where the runtime has it. */
  reusePort?: boolean;
  /** Called for each connection before its first request; false: it is destroyed. */
  onConnection?(connection: WireConnection): boolean | undefined;
  onClose?(connection: WireConnection): void;
  /**
   * What CONNECT does. `own-port`: answered, then the bytes are piped to this server's own port, whatever the target.
   * A function takes over the connection. undefined: the connection is closed.
   */
  onConnect?: 'own-port' | ((request: WireRequest, tunnel: Duplex, firstBytes: Buffer) => void);
  /** Errors of `onRequest`, and TLS handshakes that failed. */
  onError?(error: Error): void;
  /** Connections that could not be accepted, as far as Node shows them; default: as `onError`. */
  onAcceptError?(error: Error): void;
}

export interface WireServer {
  /**
   * Port 0: the system's choice. No host: all interfaces, dual stack. Rejects with the system's error (EADDRINUSE,
   * EACCES, EADDRNOTAVAIL …).
   */
  listen(address: { port: number; host?: string }): Promise<{ port: number }>;
  /**
   * Stops listening. `graceMs` 0: all connections are destroyed. Otherwise idle ones are closed, the others end with
   * their next answer, and what is left after `graceMs` milliseconds is destroyed. Resolves when none is left.
   */
  close(options: { graceMs: number }): Promise<void>;
  /** Open connections. */
  readonly connections: number;
}

/** Node's limit for a whole request. */
const BODY_TIMEOUT_MS = 300_000;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

export function createWireServer(options: WireServerOptions): WireServer {
  return new ListeningServer(options);
}

/** A connection that waits for its place. */
interface QueuedConnection {
  admit(): void;
  destroy(): void;
}

class ListeningServer implements WireServer, ConnectionHost {
  readonly limits;
  now = 0;
  draining = false;
  private readonly open = new OpenConnections<Connection>();
  /** TCP sockets whose TLS handshake is not over, by peer. */
  private readonly handshaking = new Map<string, { socket: Socket; deadline: number }>();
  /** Connections past the limit, in order of arrival. */
  private readonly queued = new Set<QueuedConnection>();
  private readonly burst = new AcceptBurst();
  /** None before `listen` has ended, and after `close` has begun. */
  private listener: TcpListener | undefined;
  private readonly tls;
  private readonly tick: number;
  private timer: NodeJS.Timeout | undefined;
  private address: { port: number; address: string } | undefined;

  constructor(private readonly options: WireServerOptions) {
    this.limits = { bodyTimeoutMs: BODY_TIMEOUT_MS, ...options.limits };
    const { headTimeoutMs, keepAliveTimeoutMs, tlsHandshakeTimeoutMs } = options.limits;
    this.tick = Math.max(10, Math.min(500, headTimeoutMs / 4, keepAliveTimeoutMs / 4, tlsHandshakeTimeoutMs / 4));
    if (options.tls !== undefined) {
      this.tls = createTlsServer({
        ...options.tls,
        ALPNProtocols: ['http/1.1'],
        handshakeTimeout: 2 * options.limits.tlsHandshakeTimeoutMs, // ours comes first
      } as TlsOptions);
      this.tls.on('secureConnection', this.secured);
      this.tls.on('tlsClientError', (error: Error, socket: TLSSocket) => {
        this.handshaking.get(peerOf(socket))?.socket.destroySoon();
        options.onError?.(error);
      });
    }
  }

  get connections(): number {
    return this.open.size + this.handshaking.size;
  }

  async listen(at: { port: number; host?: string }): Promise<{ port: number }> {
    const { backlog = 1024, reusePort = false, noDelay = true } = this.options;
    const options = { host: undefined, ...at, backlog, reusePort, noDelay };
    const onError = this.options.onAcceptError ?? ((error: Error) => this.report(error));
    if (this.tls !== undefined) {
      this.listener = await listenSockets({ ...options, onSocket: (raw) => this.admitRaw(raw), onError });
    } else if (ON_BUN) {
      this.listener = listenBun({ ...options, onTransport: (transport) => this.admit(transport) });
    } else {
      this.listener = await listenNode({ ...options, onTransport: (transport) => this.admit(transport), onError });
    }
    this.address = this.listener.address;
    return { port: this.address.port };
  }

  close({ graceMs }: { graceMs: number }): Promise<void> {
    return new Promise((resolve) => {
      this.draining = true;
      let cut: NodeJS.Timeout | undefined;
      const { listener } = this;
      this.listener = undefined;
      if (listener !== undefined) {
        listener.close(() => {
          clearTimeout(cut);
          resolve();
        });
      } else resolve();
      for (const connection of this.queued) connection.destroy();
      for (const { socket } of this.handshaking.values()) socket.destroy();
      for (const connection of this.open.all()) if (graceMs === 0 || connection.idle) connection.destroy();
      if (graceMs > 0 && this.open.size > 0) {
        cut = setTimeout(() => {
          for (const connection of this.open.all()) connection.destroy();
        }, graceMs);
      }
    });
  }

  onRequest(exchange: Exchange): void {
    try {
      this.options.onRequest(exchange);
    } catch (error) {
      exchange.destroy();
      this.report(error);
    }
  }

  private report(error: unknown): void {
    this.options.onError?.(error instanceof Error ? error : new Error(String(error)));
  }

  refuse(refusal: Refusal, detail: RefusalDetail): PreparedResponse | Buffer | undefined {
    try {
      return this.options.refuse?.(refusal, detail);
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  closed(connection: Connection): void {
    this.open.delete(connection);
    this.options.onClose?.(connection);
    this.admitQueued();
  }

  tunnel(client: Duplex, request: WireRequest, firstBytes: Buffer): void {
    const { onConnect } = this.options;
    if (onConnect === undefined) client.destroy();
    else if (onConnect === 'own-port') this.pipeToSelf(client, firstBytes);
    else onConnect(request, client, firstBytes);
  }

  private pipeToSelf(client: Duplex, firstBytes: Buffer): void {
    const { address, port } = this.address!;
    const own = connect({ port, host: address === '::' || address === '0.0.0.0' ? 'localhost' : address });
    own.on('error', () => client.destroy());
    client.on('close', () => own.destroy());
    own.on('close', () => client.destroy());
    own.once('connect', () => {
      client.write(ESTABLISHED);
      if (firstBytes.length > 0) own.write(firstBytes);
      client.pipe(own);
      own.pipe(client);
    });
  }

  private get full(): boolean {
    const { maxConnections } = this.limits;
    return maxConnections !== undefined && this.connections >= maxConnections;
  }

  private admit(transport: Transport): void {
    if (this.full) this.queue(transport);
    else this.accept(transport);
  }

  private admitRaw(raw: Socket): void {
    if (this.full) this.queueRaw(raw);
    else this.handshake(raw);
  }

  /** A connection past the limit: to the client it looks as if it had not been accepted yet. */
  private queue(transport: Transport): void {
    const waiting = { admit: () => this.accept(transport), destroy: () => transport.destroy() };
    this.queued.add(waiting);
    transport.pause();
    transport.attach({
      received: ignore,
      lent: ignore,
      ended: ignore,
      drained: ignore,
      closed: () => this.queued.delete(waiting),
    });
  }

  private queueRaw(raw: Socket): void {
    const waiting = {
      admit: () => {
        raw.resume();
        this.handshake(raw);
      },
      destroy: () => raw.destroy(),
    };
    this.queued.add(waiting);
    raw.pause();
    raw.on('error', ignore);
    raw.once('close', () => this.queued.delete(waiting));
  }

  private admitQueued(): void {
    for (const waiting of this.queued) {
      if (this.full) return;
      this.queued.delete(waiting);
      waiting.admit();
    }
  }

  private handshake(raw: Socket): void {
    // the client has gone already: nobody would ever tell node:tls, which would keep the descriptor for good
    if (raw.remoteAddress === undefined) {
      raw.destroy();
      return;
    }
    const peer = peerOf(raw);
    this.startWatch();
    this.handshaking.set(peer, { socket: raw, deadline: this.now + this.limits.tlsHandshakeTimeoutMs });
    raw.on('error', ignore);
    raw.once('close', () => {
      if (this.handshaking.delete(peer)) this.admitQueued();
    });
    this.tls?.emit('connection', raw);
  }

  private readonly secured = (socket: TLSSocket): void => {
    const peer = peerOf(socket);
    const raw = this.handshaking.get(peer)?.socket ?? socket;
    this.handshaking.delete(peer);
    // from here on a client that sends no more may wait for answers; in the midst of a handshake it had gone
    socket.allowHalfOpen = true;
    this.accept(tlsTransport(socket, raw));
  };

  private accept(transport: Transport): void {
    this.startWatch();
    const connection = new Connection(this, transport, this.tls !== undefined);
    this.open.add(connection);
    if (this.options.onConnection?.(connection) === false) connection.destroy();
    else if (ON_BUN || this.tls !== undefined) transport.resume();
    else this.burst.start(transport);
  }

  private startWatch(): void {
    if (this.timer !== undefined) return;
    this.now = Date.now() + this.tick;
    this.timer = setInterval(() => this.watch(), this.tick);
    this.timer.unref();
  }

  private watch(): void {
    const now = Date.now();
    this.now = now + this.tick;
    if (this.connections === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    for (const { socket, deadline } of this.handshaking.values()) if (now >= deadline) socket.destroy();
    for (const connection of this.open.all()) {
      if (connection.deadline !== 0 && now >= connection.deadline) connection.expire();
    }
  }
}

/** Identifies a TCP connection among those of one listener. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}

function ignore(): void {}
