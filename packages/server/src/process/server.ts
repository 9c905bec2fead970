// The process as a whole: engine, admin port and what belongs to them, put together from the settings.

import {
  AcceptMeter,
  AnswerMeter,
  canSharePorts,
  DataThreads,
  type DataThreadsOptions,
  httpProtocol,
  httpsProtocol,
  Imposters,
  Meters,
  type Protocol,
  type Random,
  RiftError,
  seededRandom,
  smtpProtocol,
  tcpProtocol,
} from '@rift-ts/engine';
import type { WireLimits } from '@rift-ts/http';
import { adminHandler, type NodeHandler } from '../admin/handler.js';
import { ipGate } from '../admin/ip-gate.js';
import { type AdminServer, type AdminServerOptions, startAdminServer } from '../admin/server.js';
import { urlHost } from '../cli/client.js';
import { ExitError } from '../cli/errors.js';
import type { Settings } from '../cli/settings.js';
import { confinedScripts } from '../config/script-files.js';
import type { Datadir } from '../datadir/datadir.js';
import type { Logging } from '../logging/logging.js';
import { adminMetrics } from '../metrics/admin-metrics.js';
import { type MetricsServer, startMetricsServer } from '../metrics/metrics-server.js';
import { processMetrics } from '../metrics/process-metrics.js';
import { riftMetrics, type Traffic } from '../metrics/rift-metrics.js';
import { mountebankVersion, version } from '../version.js';
import { defaultKeyPair } from './default-tls.js';
import { imposterLimits } from './limits.js';
import { addProtocols, type ProtofileEntry } from './protofile.js';

export interface RiftServer {
  readonly imposters: Imposters;
  /** Ports of the configuration that could not be bound (`GET /ready`). */
  readonly bindFailures: number[];
  /** How imposters are served, e.g. `per-core (2 workers)`. */
  readonly topology: string;
  /** Binds the metrics port, if there is to be one; when it cannot be bound the log says why, and all else goes on. */
  openMetrics(): Promise<void>;
  /** Binds the admin port. @throws ExitError kind `port` */
  openAdmin(): Promise<AdminServer>;
  /** Answers admin requests that a server of the caller's took. */
  adminHandler(): NodeHandler;
  /** Ends everything; running requests have `--shutdown-timeout`. */
  close(): Promise<void>;
}

/** Milliseconds that a deleted imposter gives its running requests. */
const deleteGraceMs = { mountebank: 0, rift: 5000 };

/** `custom`: the protocols of `--protofile`; `datadir`: where imposters are kept, undefined: in memory alone. */
export function createRiftServer(
  settings: Settings,
  logging: Logging,
  env: NodeJS.ProcessEnv,
  custom: readonly ProtofileEntry[] = [],
  datadir?: Datadir,
): RiftServer {
  const { profile } = settings;
  const allows = ipGate({ localOnly: settings.localOnly, ipWhitelist: settings.ipWhitelist });
  let draining = false;
  const limits: WireLimits = imposterLimits(settings, env);
  const traffic: Traffic = {
    answers: new AnswerMeter(),
    accepts: { imposter: new AcceptMeter(), admin: new AcceptMeter(), metrics: new AcceptMeter() },
  };
  const protocolOptions = {
    host: profile === 'mountebank' ? settings.host : undefined,
    limits,
    accepts: traffic.accepts.imposter,
    answers: traffic.answers,
    defaultKeyPair: defaultKeyPair(settings),
    backlog: positive(env.RIFT_TCP_BACKLOG) ?? 1024,
    noDelay: !/^(false|0|off)$/i.test(env.RIFT_TCP_NODELAY ?? ''),
    // read when an imposter stops: at shutdown the running requests have the time of the shutdown
    get graceMs() {
      return draining ? settings.shutdownTimeout * 1000 : deleteGraceMs[profile];
    },
  };
  const protocols = new Map<string, Protocol>(
    [
      httpProtocol(protocolOptions),
      httpsProtocol(protocolOptions),
      tcpProtocol(protocolOptions),
      smtpProtocol(protocolOptions),
    ].map((protocol) => [protocol.name, protocol]),
  );
  let admin: AdminServer | undefined;
  addProtocols(
    protocols,
    custom,
    {
      host: protocolOptions.host,
      adminUrl() {
        const port = admin?.port ?? settings.port;
        return port === 0 ? undefined : `http://${urlHost(settings.host ?? 'localhost')}:${port}`;
      },
      loglevel: settings.log.level,
      allowInjection: settings.allowInjection,
      apikey: settings.apikey,
    },
    logging.logger(() => `mb:${admin?.port ?? settings.port}`),
  );
  const meters = new Meters();
  const strictBehaviors = /^(1|true|yes|on)$/i.test(env.RIFT_STRICT_BEHAVIORS?.trim() ?? '');
  // name `rift` does not log each request: that would cost more than serving it
  const requestLogLevel = settings.name === 'mb' ? 'info' : 'debug';
  const threads = openThreads(settings, logging, {
    profile,
    strictBehaviors,
    requestLogLevel,
    workingDirectory: process.cwd(),
    protocol: {
      host: protocolOptions.host,
      limits,
      backlog: protocolOptions.backlog,
      noDelay: protocolOptions.noDelay,
    },
    graceMs: () => protocolOptions.graceMs,
    onReplaced: (why) =>
      logging
        .logger('mb')
        .error(`A data thread was replaced (${why}): its connections were cut, all it served is served again`),
  });
  const imposters = new Imposters({
    profile,
    recordAll: settings.mock,
    debug: settings.debug,
    journalCap: settings.journalCap ?? (profile === 'rift' ? 10_000 : undefined),
    strictBehaviors,
    threads,
    restricted: settings.localOnly || !settings.ipWhitelist.includes('*'),
    workingDirectory: process.cwd(),
    meters,
    keeper: datadir?.keeper,
    random: seeded(env.RIFT_SEED),
    requestLogLevel,
    allows,
    allowInjection: settings.allowInjection,
    protocols,
    scriptTimeoutMs: settings.scriptTimeout,
    readScriptFile: settings.scriptsDir === undefined ? undefined : confinedScripts(settings.scriptsDir),
    loggerFor: (scope) => logging.logger(scope),
  });
  const ofProcess = processMetrics();
  let metricsServer: MetricsServer | undefined;
  const bindFailures: number[] = [];

  const shown = { ...settings.options, apikey: settings.apikey === undefined ? null : '***' };
  const adminOptions: AdminServerOptions = {
    profile,
    port: settings.port,
    host: adminHost(settings),
    apiKey: settings.apikey,
    origin: settings.origin,
    allows,
    imposters,
    loggerFor: (scope) => logging.logger(scope),
    logEntries: () => logging.entries(),
    version: {
      reported: settings.name === 'mb' ? mountebankVersion : version,
      product: version,
      commit: null,
    },
    startOptions: () => shown,
    accepts: traffic.accepts.admin,
    metrics: adminMetrics(meters, imposters, ofProcess),
    refresh: datadir?.refresh && ((method, path, id) => datadir.refresh!(imposters, method, path, id)),
    readiness: () => ({
      status: draining ? 503 : 200,
      body: {
        status: draining ? 'draining' : 'ready',
        ...(bindFailures.length > 0 ? { bindFailures } : {}),
      },
    }),
    limits: settings.maxAdminBody === undefined ? {} : { maxBodyBytes: settings.maxAdminBody || undefined },
  };

  return {
    imposters,
    bindFailures,
    adminHandler: () => adminHandler(adminOptions),
    topology: threads === undefined ? 'work-stealing' : `per-core (${threads.traffic.length} workers)`,
    async openMetrics() {
      const { metricsPort: port, localOnly } = settings;
      if (port === undefined) return;
      const build = { version, commit: adminOptions.version.commit };
      const metrics = riftMetrics({ meters, traffic, threads, imposters, build, process: ofProcess });
      const accepts = traffic.accepts.metrics;
      const logger = logging.logger(() => `metrics:${metricsServer?.port ?? port}`);
      try {
        metricsServer = await startMetricsServer({ port, localOnly, allows, metrics, accepts, logger });
        logger.info(`Metrics are served on port ${metricsServer.port}, at /metrics`);
      } catch (error) {
        logger.error(`${metricsMessage(error as NodeJS.ErrnoException, port)}; the server runs without metrics`);
      }
    },
    async openAdmin() {
      try {
        admin = await startAdminServer(adminOptions);
      } catch (error) {
        throw new ExitError('port', bindMessage(error, settings));
      }
      return admin;
    },
    async close() {
      draining = true;
      const graceMs = settings.shutdownTimeout * 1000;
      // without a drain the imposters end with the process, and say nothing about it, as in Mountebank
      await Promise.all([admin?.close(graceMs), graceMs > 0 ? imposters.stopAll() : undefined]);
      await datadir?.close();
      await metricsServer?.close();
      await threads?.end();
    },
  };
}

/** The data threads of `--runtime per-core`; undefined, with a warning, where one port cannot be opened several times. */
function openThreads(
  { dataThreads }: Settings,
  logging: Logging,
  options: Omit<DataThreadsOptions, 'count'>,
): DataThreads | undefined {
  if (dataThreads === undefined) return undefined;
  if (canSharePorts()) return new DataThreads({ ...options, count: dataThreads });
  logging
    .logger('mb')
    .warn(
      '--runtime per-core needs Node 22.12 or Bun on Linux: serving with one thread, as with --runtime work-stealing',
    );
  return undefined;
}

function adminHost({ name, host, localOnly }: Settings): string | undefined {
  if (name === 'mb') return host;
  return localOnly ? '127.0.0.1' : (host ?? '0.0.0.0');
}

/** Draws that another run with the same `RIFT_SEED` repeats; undefined: others every time. */
function seeded(text: string | undefined): Random | undefined {
  const seed = Number(text?.trim() || Number.NaN);
  return Number.isSafeInteger(seed) ? seededRandom(seed) : undefined;
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text?.trim());
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function metricsMessage({ code, message }: NodeJS.ErrnoException, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} for metrics is already in use: choose another --metrics-port`;
    case 'EACCES':
      return `Port ${port} for metrics may not be opened by this user: choose a --metrics-port above 1023`;
    default:
      return `Port ${port} for metrics cannot be opened: ${message}`;
  }
}

function bindMessage(error: unknown, { port, host }: Settings): string {
  const code = error instanceof RiftError ? error.code : (error as NodeJS.ErrnoException).code;
  const where = host === undefined ? `Port ${port}` : `Port ${port} of ${host}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is already in use: stop the process that has it or choose another --port`;
    case 'EACCES':
      return `${where} may not be opened by this user: choose a --port above 1023`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host '${host}' cannot be resolved to an address`;
    case 'EADDRNOTAVAIL':
      return `--host '${host}' is not an address of this machine`;
    default:
      return `${where} cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
  }
}
