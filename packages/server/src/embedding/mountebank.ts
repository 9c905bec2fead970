// Mountebank inside a program: `create` and `createApp`, as the package `mountebank` exports them. No signals, no pid file,
// no environment, no console: the program is its own master.
import type { JsonObject } from '@rift-ts/engine';
import type { NodeHandler } from '../admin/handler.js';
import { flags } from '../cli/flags.js';
import type { FlagValue } from '../cli/parse.js';
import { resolveSettings, type Settings } from '../cli/settings.js';
import { createLogging, type Logging } from '../logging/logging.js';
import { openKept } from '../process/kept.js';
import { readProtofile } from '../process/protofile.js';
import { createRiftServer, type RiftServer } from '../process/server.js';
import { mountebankVersion } from '../version.js';

/** Mountebank's start options by their long names; what is not given has the default of the command line. */
export interface MountebankOptions {
  port?: number;
  host?: string;
  allowInjection?: boolean;
  localOnly?: boolean;
  ipWhitelist?: string[];
  origin?: string | string[] | false;
  apikey?: string;
  debug?: boolean;
  mock?: boolean;
  datadir?: string;
  impostersRepository?: string;
  protofile?: string;
  /** Default: level `info` to the file mb.log. Without transports nothing is logged. */
  log?: { level?: string; transports?: JsonObject };
  /** Others are handed to a custom repository. */
  [option: string]: unknown;
}

export interface MountebankServer {
  /** Of the admin API. */
  readonly port: number;
  /** Closes the admin API with its connections and stops all imposters. */
  close(callback?: () => void): Promise<void>;
}

const defaultLog = { level: 'info', transports: { file: { path: 'mb.log', format: 'json' } } };
/** Flags of the command line that are no options here. */
const ignored = new Set(['loglevel', 'logfile', 'nologfile', 'pidfile', 'rcfile', 'configfile', 'imposters']);

/** Resolves when the admin API listens. @throws Error when its port cannot be opened or an option is wrong */
export async function create(options: MountebankOptions = {}): Promise<MountebankServer> {
  const { settings, logging, server } = await prepare(options);
  const { port } = await server.openAdmin().catch(async (error: unknown) => {
    await logging.close();
    throw error;
  });
  const log = logging.logger(`mb:${port}`);
  log.info(
    `mountebank v${mountebankVersion} now taking orders - point your browser to http://${settings.host ?? 'localhost'}:${port}/ for help`,
  );
  let closed: Promise<void> | undefined;
  const close = async () => {
    await server.close();
    await server.imposters.stopAll();
    log.info('Adios - see you soon?');
    await logging.close();
  };
  return {
    port,
    async close(callback) {
      closed ??= close();
      await closed;
      callback?.();
    },
  };
}

/**
 * A request handler to be mounted in a server of the program's, e.g. `app.use('/mountebank', await createApp({}))`.
 * Links do not contain the mount path.
 */
export async function createApp(options: MountebankOptions = {}): Promise<NodeHandler> {
  const { server } = await prepare(options);
  return server.adminHandler();
}

async function prepare(
  options: MountebankOptions,
): Promise<{ settings: Settings; logging: Logging; server: RiftServer }> {
  const names = new Set(flags.map(({ name }) => name));
  const given = new Map<string, FlagValue>([['log', defaultLog as unknown as FlagValue]]);
  const unknown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || ignored.has(name)) continue;
    if (names.has(name)) given.set(name, value as FlagValue);
    else unknown[name] = value;
  }
  const line = { command: 'start', given, unknown, firstUnknown: undefined, help: false, version: false };
  const settings = await resolveSettings({ name: 'mb', line, env: {}, complain: () => undefined });
  const logging = await createLogging(settings.log);
  const log = logging.logger(`mb:${settings.port}`);
  try {
    const datadir = await openKept(settings, log);
    const server = createRiftServer(settings, logging, {}, await readProtofile(settings, log), datadir);
    await datadir?.load(server.imposters, () => false);
    return { settings, logging, server };
  } catch (error) {
    await logging.close();
    throw error;
  }
}
