// Connections to upstreams: pooled and kept alive, through a corporate proxy where the environment names one
// (http_proxy, https_proxy, no_proxy in either case): absolute-form requests to it for http (RFC 9112 section 3.2.2),
// CONNECT tunnels for https (RFC 9110 section 9.3.6).

import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';

/** Milliseconds an idle connection is kept: below the 5 s after which many servers close theirs. */
const IDLE_MS = 4000;
const POOL: AgentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 256, scheduling: 'lifo' };

const plainAgent = new HttpAgent(POOL);
const tlsAgent = new HttpsAgent(POOL);
const tunnels = new Map<string, TunnelAgent>();
/** When a connection went back to the pool. */
const idleSince = new WeakMap<object, number>();
for (const agent of [plainAgent, tlsAgent]) noteIdle(agent);

function noteIdle(agent: HttpAgent): void {
  agent.on('free', (socket: object) => idleSince.set(socket, performance.now()));
}

/** Milliseconds that a kept connection has been idle since its last use; 0 for one that is used for the first time. */
export function idleMs(socket: object): number {
  const since = idleSince.get(socket);
  return since === undefined ? 0 : performance.now() - since;
}

/** How to reach an upstream: directly or through a proxy. */
export interface Route {
  /** Whom to connect to over plain TCP or TLS. */
  readonly encrypted: boolean;
  readonly hostname: string;
  readonly port: number;
  readonly agent: HttpAgent;
  /** The request goes to an HTTP proxy, which wants the whole URL as the target. */
  readonly absoluteForm: boolean;
  readonly proxyAuthorization: string | undefined;
}

/** The way to an upstream as the environment is now. `upstream` is an http or https URL. */
export function routeTo(upstream: URL): Route {
  const encrypted = upstream.protocol === 'https:';
  const proxy = proxyFor(upstream);
  if (proxy === undefined || encrypted) {
    return {
      encrypted,
      ...addressOf(upstream),
      agent: proxy !== undefined ? tunnelThrough(proxy) : encrypted ? tlsAgent : plainAgent,
      absoluteForm: false,
      proxyAuthorization: undefined,
    };
  }
  const throughTls = proxy.protocol === 'https:';
  return {
    encrypted: throughTls,
    ...addressOf(proxy),
    agent: throughTls ? tlsAgent : plainAgent,
    absoluteForm: true,
    proxyAuthorization: authorizationFor(proxy),
  };
}

function proxyFor(upstream: URL): URL | undefined {
  const configured = getProxyForUrl(upstream.href);
  return configured && URL.canParse(configured) ? new URL(configured) : undefined;
}

function addressOf(url: URL): { hostname: string; port: number } {
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  return { hostname: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) };
}

function authorizationFor(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function tunnelThrough(proxy: URL): TunnelAgent {
  const known = tunnels.get(proxy.href);
  if (known !== undefined) return known;
  const made = new TunnelAgent(proxy);
  tunnels.set(proxy.href, made);
  return made;
}

type Connected = (error: Error | null, socket: Duplex) => void;

/** TLS connections inside CONNECT tunnels through one proxy. */
class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super(POOL);
    noteIdle(this);
    this.#proxy = proxy;
  }

  override createConnection(options: RequestOptions, connected?: Connected): undefined {
    const proxy = this.#proxy;
    const host = String(options.host).includes(':') ? `[${options.host}]` : options.host;
    const authority = `${host}:${options.port}`;
    const authorization = authorizationFor(proxy);
    const call = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
      agent: false,
      rejectUnauthorized: false,
    });
    const fail = (error: Error) => connected?.(error, undefined as unknown as Duplex);
    call.once('error', fail);
    call.once('response', (response) => {
      response.destroy();
      fail(new Error(`the proxy ${proxy.host} refused the tunnel with status ${response.statusCode}`));
    });
    call.once('connect', (response, socket) => {
      if (response.statusCode === 200) connected?.(null, tlsConnect({ ...options, host: undefined, socket } as never));
      else {
        socket.destroy();
        fail(new Error(`the proxy ${proxy.host} refused the tunnel with status ${response.statusCode}`));
      }
    });
    call.end();
  }
}
