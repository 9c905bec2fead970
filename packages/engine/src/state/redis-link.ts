// The connections of this process to Redis servers: one a URL, shared by all imposters that name it. Commands are pipelined
// by the client. A lost connection is tried again and again; meanwhile every command fails at once.

import type { Logger } from '../logger.js';

/** A command takes longer than this: it has failed. Milliseconds. */
const LIMIT_MS = 5_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;

/** Sends one command; rejects with an Error whose message says what is wrong with the server. */
export interface RedisLink {
  send(command: readonly string[]): Promise<unknown>;
  /** Lets go of the link; the last one to do so ends the connection. */
  release(): Promise<void>;
}

interface Client {
  connect(): Promise<unknown>;
  send(command: readonly string[]): Promise<unknown>;
  close(): void;
  /** Whether commands have somewhere to go. */
  readonly ready: boolean;
}

type RedisLibrary = typeof import('@redis/client');

const links = new Map<string, SharedLink>();

/** Connects, or joins the connection there is, and makes sure that the server answers. */
export async function openRedis(url: string, logger: Logger): Promise<RedisLink> {
  // the library is a sixth of what a start would cost, and few need it
  const library = await import('@redis/client');
  let link = links.get(url);
  if (link === undefined) {
    link = new SharedLink(url, library);
    links.set(url, link);
  }
  return link.join(logger);
}

class SharedLink {
  readonly #url: string;
  /** The server as messages name it: without user and password. */
  readonly #name: string;
  readonly #client: Client;
  readonly #users = new Set<Logger>();
  readonly #connected: Promise<unknown>;
  #wasReady = false;

  constructor(url: string, library: RedisLibrary) {
    this.#url = url;
    this.#name = serverName(url);
    this.#client = this.#makeClient(library);
    this.#connected = this.#client.connect();
    this.#connected.catch(() => {});
  }

  async join(logger: Logger): Promise<RedisLink> {
    // each user counts, also two with one logger
    const user = Object.create(logger) as Logger;
    this.#users.add(user);
    try {
      await within(this.#connected, this.#name);
      this.#wasReady = true;
      await this.#send(['PING']);
    } catch (error) {
      this.#leave(user);
      throw new Error(this.#reason(error));
    }
    return {
      send: (command) =>
        this.#send(command).catch((error: unknown) => {
          throw new Error(this.#reason(error));
        }),
      release: async () => this.#leave(user),
    };
  }

  #send(command: readonly string[]): Promise<unknown> {
    if (!this.#client.ready) return Promise.reject(new Error(`not connected to ${this.#name}`));
    return within(this.#client.send(command), this.#name);
  }

  #leave(user: Logger): void {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    if (links.get(this.#url) === this) links.delete(this.#url);
    this.#client.close();
  }

  #reason(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    const inner = error instanceof AggregateError ? error.errors[0] : undefined;
    const text = error.message || (inner instanceof Error ? inner.message : '') || error.name;
    return text.replaceAll(this.#url, this.#name);
  }

  readonly #onError = (error: unknown): void => {
    if (!this.#wasReady) return;
    this.#wasReady = false;
    for (const logger of this.#users) logger.warn(`${this.#name} is out of reach: ${this.#reason(error)}`);
  };

  readonly #onReady = (): void => {
    if (this.#wasReady) return;
    this.#wasReady = true;
    for (const logger of this.#users) logger.info(`${this.#name} is back`);
  };

  #makeClient({ createClient, createSentinel }: RedisLibrary): Client {
    let established = false;
    const socket = {
      connectTimeout: LIMIT_MS,
      // the first connection is made or not; one that was lost is worth waiting for
      reconnectStrategy: (retries: number, cause: Error) =>
        established ? Math.min(FIRST_RETRY_MS * 2 ** Math.min(retries, 10), LAST_RETRY_MS) : cause,
    };
    const sentinels = sentinelsOf(this.#url);
    if (sentinels !== undefined) {
      const { name, nodes, credentials } = sentinels;
      const sentinel = createSentinel({
        name,
        sentinelRootNodes: nodes,
        nodeClientOptions: { ...credentials, socket: { connectTimeout: LIMIT_MS } },
        sentinelClientOptions: { socket: { connectTimeout: LIMIT_MS } },
        masterPoolSize: 1,
        maxCommandRediscovers: 1,
      });
      sentinel.on('error', this.#onError);
      return {
        connect: () => sentinel.connect(),
        send: (command) => sentinel.sendCommand(false, [...command]),
        close: () => void sentinel.destroy(),
        get ready() {
          return sentinel.isReady;
        },
      };
    }
    const client = createClient({ url: this.#url, socket, disableOfflineQueue: true, disableClientInfo: true });
    client.on('error', this.#onError);
    client.on('ready', () => {
      established = true;
      this.#onReady();
    });
    return {
      connect: () => client.connect(),
      send: (command) => client.sendCommand([...command]),
      close: () => {
        if (client.isOpen) client.destroy();
      },
      get ready() {
        return client.isReady;
      },
    };
  }
}

/** `redis+sentinel://[user:password@]host:port[,host:port]/MASTER`; undefined for other URLs. */
function sentinelsOf(url: string) {
  const parts = /^redis\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^/]+)\/([^/?]+)/.exec(url);
  if (parts === null) return undefined;
  const [, user, password, hosts, name] = parts;
  const nodes = hosts!.split(',').map((host) => {
    const colon = host.lastIndexOf(':');
    return colon < 0 ? { host, port: 26379 } : { host: host.slice(0, colon), port: Number(host.slice(colon + 1)) };
  });
  const credentials =
    password === undefined
      ? {}
      : { password: decodeURIComponent(password), ...(user ? { username: decodeURIComponent(user) } : {}) };
  return { name: decodeURIComponent(name!), nodes, credentials };
}

function serverName(url: string): string {
  try {
    const { host } = new URL(url);
    return host === '' ? 'Redis' : `Redis at ${host}`;
  } catch {
    return 'Redis';
  }
}

async function within<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
