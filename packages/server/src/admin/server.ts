// The admin server: the service on a listener of the wire layer.

import { AcceptLoop, AcceptMeter, type Imposters, type Logger, type Profile, RiftError } from '@rift-ts/engine';
import {
  createWireServer,
  type Exchange,
  mountebankLimits,
  PreparedResponse,
  riftLimits,
  type WireLimits,
  type WireRequest,
} from '@rift-ts/http';
import { keyCheck } from './api-key.js';
import { assetServer } from './assets.js';
import { Control } from './control.js';
import type { OriginOption } from './cors.js';
import { EventHub } from './events/event-hub.js';
import { failureOf } from './failures.js';
import { sites } from './html/layout.js';
import { jsonType, type Reply } from './reply.js';
import { type AdminRequest, splitTarget } from './request.js';
import type { Route } from './router.js';
import { callbackRoutes } from './routes/callbacks.js';
import { dryRunRoutes } from './routes/dry-run.js';
import { eventRoutes } from './routes/events.js';
import { flowStateRoutes } from './routes/flow-state.js';
import { imposterRoutes } from './routes/imposters.js';
import { pageRoutes } from './routes/pages.js';
import { type LogEntry, processRoutes } from './routes/process.js';
import { recordingRoutes } from './routes/recordings.js';
import { scenarioRoutes } from './routes/scenarios.js';
import { spaceRoutes } from './routes/spaces.js';
import { stubRoutes } from './routes/stubs.js';
import { verificationRoutes } from './routes/verification.js';
import { AdminService } from './service.js';

export interface AdminServerOptions {
  readonly profile: Profile;
  /** 0: the system's choice. */
  readonly port: number;
  /** undefined: all interfaces, dual stack. */
  readonly host?: string;
  readonly apiKey?: string | null;
  /** CORS; default off. */
  readonly origin?: OriginOption;
  /** Whether a client's address may connect; the same gate as the imposters'. */
  readonly allows: (address: string) => boolean;
  readonly imposters: Imposters;
  readonly loggerFor: (scope: string) => Logger;
  /** All entries of the current log, oldest first. */
  readonly logEntries: () => Promise<readonly LogEntry[]>;
  /** `reported`: what clients compare (`/config` `version`). */
  readonly version: { readonly reported: string; readonly product: string; readonly commit: string | null };
  /** Effective start options for `GET /config`; the key is masked by whoever gives them. */
  readonly startOptions: () => Readonly<Record<string, unknown>>;
  /** Where connections are counted. */
  readonly accepts?: AcceptMeter;
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  readonly readiness?: () => { readonly status: number; readonly body: Readonly<Record<string, unknown>> };
  /** Called before a route is, with its pattern and the id of its imposter: brings imposters up to date. */
  readonly refresh?: (method: string, path: string, id: string | undefined) => Promise<void>;
  /** Wire limits where they differ from the profile's. */
  readonly limits?: Partial<WireLimits>;
  /** Further routes: parts of the server that have endpoints of their own. */
  readonly routes?: readonly Route[];
}

export interface AdminServer {
  readonly port: number;
  readonly control: Control;
  /** Stops listening. `graceMs` 0: connections are cut; else running answers have that many milliseconds. */
  close(graceMs?: number): Promise<void>;
}

const ready = { status: 200, body: { status: 'ready' } };

/** Limits of the admin port by profile; milliseconds and bytes. */
function adminLimits(profile: Profile): WireLimits {
  return profile === 'rift' ? { ...riftLimits, maxBodyBytes: 67_108_864 } : mountebankLimits;
}

/** Starts the admin server; rejects with the system's error when the port cannot be bound. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { profile, allows } = options;
  // both are there before the first connection is: they are made in the same turn as the listener
  let logger: Logger;
  let service: AdminService;
  const limits = { ...adminLimits(profile), ...options.limits };
  const accepts = new AcceptLoop(options.accepts ?? new AcceptMeter(), () => logger);
  const server = createWireServer({
    limits,
    onConnection({ remoteAddress }) {
      accepts.accepted();
      if (allows(remoteAddress)) return true;
      logger.warn(
        `Blocking incoming connection from ${remoteAddress}. Turn off --localOnly or add to --ipWhitelist to allow`,
      );
      return false;
    },
    onRequest(exchange) {
      void service.handle(new WireAdminRequest(exchange)).then((reply) => {
        const response = prepared(reply, exchange, profile);
        if (reply.stream === undefined) exchange.send(response);
        else exchange.sendStream(response, reply.stream);
      });
    },
    refuse(refusal) {
      if (refusal !== 'body-too-large') return undefined;
      const error = new RiftError(
        'request too large',
        `Request body exceeds the ${limits.maxBodyBytes}-byte admin API limit`,
        {},
        { status: 413, riftOnly: true },
      );
      const { status, body } = failureOf(error, profile);
      return new PreparedResponse({
        statusCode: status,
        headers: [['Content-Type', jsonType(profile)]],
        body: JSON.stringify(body, null, 2),
        framing: 'content-length',
        connection: 'close',
      });
    },
    onError: (error) => logger.error(error.message),
    onAcceptError: (error) => accepts.failed(error),
  });
  const { port } = await server.listen({ port: options.port, host: options.host });
  logger = options.loggerFor(`mb:${port}`);
  const made = adminService(options, port, logger);
  service = made.service;
  return {
    port,
    control: made.control,
    close(graceMs = 0) {
      made.close();
      accepts.closed();
      return server.close({ graceMs });
    },
  };
}

/** What answers admin requests, whoever listens; `port` is for links of clients that name no host. */
export function adminService(
  options: AdminServerOptions,
  port: number,
  logger: Logger,
): { service: AdminService; control: Control; close(): void } {
  const { profile, imposters } = options;
  const control = new Control(imposters);
  const events = new EventHub(imposters, options.version.product);
  const site = sites[profile];
  const environment = {
    profile,
    control,
    logger,
    site,
    logEntries: options.logEntries,
    version: options.version,
    startOptions: () => ({ ...options.startOptions(), port }),
    metrics: options.metrics,
    readiness: options.readiness ?? (() => ready),
  };
  const service = new AdminService({
    profile,
    logger,
    checkKey: keyCheck(options.apiKey, logger),
    origin: options.origin ?? false,
    routes: [
      ...processRoutes(environment),
      ...imposterRoutes(environment),
      ...stubRoutes(environment),
      ...recordingRoutes(environment),
      ...scenarioRoutes(environment),
      ...dryRunRoutes(environment),
      ...spaceRoutes(environment),
      ...eventRoutes(environment, events),
      ...verificationRoutes(environment),
      ...flowStateRoutes(environment),
      ...callbackRoutes(environment, `http://${options.host ?? 'localhost'}:${port}`),
      ...pageRoutes(environment),
      ...(options.routes ?? []),
    ],
    assets: assetServer(port),
    refresh: options.refresh,
    port,
  });
  return { service, control, close: () => events.close() };
}

/** A class, because an object with a getter of its own is kept by its hidden class until the next full collection. */
class WireAdminRequest implements AdminRequest {
  readonly method: string;
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly peer: AdminRequest['peer'];
  readonly #wire: WireRequest;
  #body: string | undefined;

  constructor({ request }: Exchange) {
    const { remoteAddress: address, remotePort: port } = request.connection;
    this.method = request.method;
    this.target = request.target;
    ({ path: this.path, query: this.query } = splitTarget(request.target));
    this.peer = { address, port };
    this.#wire = request;
  }

  header(lowerName: string): string | undefined {
    return this.#wire.header(lowerName);
  }

  get body(): string {
    this.#body ??= this.#wire.body.toString('utf8');
    return this.#body;
  }
}

function prepared({ status, headers, body, stream }: Reply, { request }: Exchange, profile: Profile): PreparedResponse {
  const all = [...headers];
  // Mountebank's stack names the connection's fate in every answer
  if (profile === 'mountebank') {
    if (request.keepAlive) all.push(['Connection', 'keep-alive'], ['Keep-Alive', 'timeout=5']);
    else all.push(['Connection', 'close']);
  }
  return new PreparedResponse({
    statusCode: status,
    headers: all,
    body,
    framing: stream === undefined ? 'content-length' : 'chunked',
    connection: 'keep',
  });
}
