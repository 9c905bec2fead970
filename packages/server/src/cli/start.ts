// `start`: reads what is to be served, opens the ports in the order of the executable's name, and serves until a
// signal comes. Name `mb` opens the admin port first and loads the configuration over it, as Mountebank does
// (Mountebank docs: commandLine); name `rift` opens it last, so that whoever can ask finds everything there.
import { type JsonObject, type Logger, type RiftError, RiftErrors, readImposters } from '@rift-ts/engine';
import type { ConfigDocument } from '../config/document.js';
import { findFormatter } from '../config/formatter.js';
import { readSources } from '../config/sources.js';
import type { Datadir } from '../datadir/datadir.js';
import { createLogging, type Logging } from '../logging/logging.js';
import { growWithRequests } from '../process/heap.js';
import { openKept } from '../process/kept.js';
import { writePidfile } from '../process/pidfile.js';
import { readProtofile } from '../process/protofile.js';
import { createRiftServer, type RiftServer } from '../process/server.js';
import { serveUntilSignal } from '../process/signals.js';
import { mountebankVersion, version } from '../version.js';
import { callAdmin, urlHost } from './client.js';
import { ExitError } from './errors.js';
import { exposureWarning } from './exposure.js';
import type { Settings } from './settings.js';

/** Serves until a signal; resolves with the exit code. @throws ExitError when it cannot start */
export async function start(settings: Settings, env: NodeJS.ProcessEnv): Promise<number> {
  const logging = await createLogging(settings.log).catch((error: Error) => {
    throw new ExitError('configuration', `the log file cannot be opened: ${error.message}`);
  });
  let port = settings.port;
  const log = logging.logger(() => `mb:${port}`);
  const ending = async (error: unknown): Promise<never> => {
    await logging.close();
    throw error;
  };
  const custom = await readProtofile(settings, log).catch(ending);
  const datadir = await openKept(settings, log).catch(ending);
  const server = createRiftServer(settings, logging, env, custom, datadir);
  growWithRequests(() => server.imposters.all().reduce((sum, { totalRequests }) => sum + totalRequests, 0));
  // a signal may come as soon as anybody can see this process
  const ended = serveUntilSignal({ server, logging, log, pidfile: settings.pidfile });
  const opening = async () => {
    for (const warning of settings.warnings) log.warn(warning);
    if (settings.name === 'rift') tellExposure(settings, log);
    const document = await readConfiguration(settings, logging);
    if (document !== undefined) {
      checkBlocks(document, log);
      await refuseScripts(settings, document, server);
    }
    await server.openMetrics();
    port = await (settings.name === 'mb' ? openAsMountebank : openAsRift)(settings, logging, server, document, datadir);
    if (settings.pidfile !== undefined) writePidfile(settings.pidfile);
    return ended;
  };
  try {
    return await Promise.race([ended, opening()]);
  } catch (error) {
    await server.close();
    await logging.close();
    throw error;
  }
}

/** Whether the configuration has an imposter on this port. */
function declares(document: ConfigDocument | undefined): (port: number) => boolean {
  const ports = new Set((document?.imposters ?? []).map((imposter) => Number((imposter as JsonObject | null)?.port)));
  return (port) => ports.has(port);
}

function tellExposure(settings: Settings, log: Logger): void {
  const warning = exposureWarning(settings);
  if (warning !== undefined) log.warn(warning);
  log.info(
    settings.apikey === undefined
      ? 'The admin API is not authenticated (no --api-key)'
      : 'The admin API is authenticated by --api-key',
  );
}

async function readConfiguration(settings: Settings, logging: Logging): Promise<ConfigDocument | undefined> {
  const warn = (message: string) => logging.logger(`mb:${settings.port}`).warn(message);
  const formatter = settings.configfile === undefined ? undefined : await findFormatter(settings.formatter);
  if (formatter === undefined) return readSources({ ...settings, warn });
  try {
    const loaded: unknown = await formatter.load(settings.options);
    return loaded as ConfigDocument;
  } catch (error) {
    throw new ExitError('configuration', `--formatter ${settings.formatter}: ${(error as Error).message}`);
  }
}

/** Blocks beside `imposters` that this version cannot serve. */
function checkBlocks(document: ConfigDocument, log: Logger): void {
  if (document.intercept !== undefined) {
    throw new ExitError('configuration', 'the "intercept" block of the configuration is not available in this version');
  }
  if (document.routes !== undefined)
    log.warn('The "routes" block of the configuration has no effect without --front-door');
}

/** A configuration with scripts and no `--allowInjection` ends the start before anything is bound. */
async function refuseScripts(settings: Settings, document: ConfigDocument, { imposters }: RiftServer): Promise<void> {
  if (settings.allowInjection || !Array.isArray(document.imposters)) return;
  const ports: string[] = [];
  for (const imposter of document.imposters) {
    const read = await readImposters({ imposters: [imposter] }, imposters.readOptions);
    if (!('errors' in read) || !read.errors.some((error) => error.code === 'invalid injection')) continue;
    const port = (imposter as JsonObject | null)?.port;
    ports.push(port === undefined || port === null ? '<auto-assigned>' : String(port));
  }
  if (ports.length === 0) return;
  throw new ExitError(
    'configuration',
    `${settings.configfile ?? settings.imposters.join(', ')}: imposter(s) on port(s) ${ports.join(', ')} use inject/decorate/shellTransform/JS-function wait. Restart with --allowInjection to allow this, or remove the scripting from the config.`,
  );
}

function baseUrl(settings: Settings, port: number): string {
  return `http://${urlHost(settings.host ?? 'localhost')}:${port}`;
}

async function openAsMountebank(
  settings: Settings,
  logging: Logging,
  server: RiftServer,
  document: ConfigDocument | undefined,
  datadir: Datadir | undefined,
): Promise<number> {
  const { imposters } = server;
  // in profile `mountebank` the configuration then replaces what was loaded, in profile `rift` it only comes first
  const loadsFirst = settings.profile === 'mountebank' || document === undefined;
  if (loadsFirst) await datadir?.load(imposters, () => false);
  const admin = await server.openAdmin();
  const log = logging.logger(`mb:${admin.port}`);
  const base = baseUrl(settings, admin.port);
  if (settings.allowInjection) {
    log.warn(`Running with --allowInjection set. See ${base}/docs/security for security info`);
  }
  announce(settings, logging, admin.port);
  if (document !== undefined) {
    const answer = await callAdmin(
      { ...settings, port: admin.port },
      'PUT',
      '/imposters',
      JSON.stringify({ imposters: document.imposters }),
    );
    if (answer.status !== 200) throw new ExitError('failure', `Error: ${answer.status}\n${answer.body}`);
  }
  if (!loadsFirst) await datadir?.load(imposters, declares(document));
  return admin.port;
}

async function openAsRift(
  settings: Settings,
  logging: Logging,
  server: RiftServer,
  document: ConfigDocument | undefined,
  datadir: Datadir | undefined,
): Promise<number> {
  const log = logging.logger(`mb:${settings.port}`);
  const { imposters } = server;
  if (settings.profile === 'mountebank') {
    await datadir?.load(imposters, () => false);
    if (document !== undefined) await imposters.deleteAll();
  }
  if (document !== undefined) await createImposters(settings, logging, server, document);
  if (settings.profile === 'rift') await datadir?.load(imposters, declares(document));
  log.info(`Runtime topology: ${server.topology}`);
  const admin = await server.openAdmin();
  if (settings.allowInjection) {
    log.warn('Running with --allowInjection set: imposters may run JavaScript and shell commands');
  }
  logging.logger(`mb:${admin.port}`).info(`Starting Rift on port ${admin.port}`);
  announce(settings, logging, admin.port);
  return admin.port;
}

/** Creates what the configuration names; a port that cannot be bound is reported and the start goes on. */
async function createImposters(
  settings: Settings,
  logging: Logging,
  { imposters, bindFailures }: RiftServer,
  document: ConfigDocument,
): Promise<void> {
  const read = await readImposters({ imposters: [...document.imposters] }, imposters.readOptions);
  if ('errors' in read) {
    const errors = read.errors.map((error) => `${error.code}: ${error.message}`).join('\n  ');
    throw new ExitError('configuration', `${settings.configfile ?? settings.imposters.join(', ')}:\n  ${errors}`);
  }
  const log = logging.logger(`mb:${settings.port}`);
  for (const creation of read.value) {
    try {
      await imposters.create(creation);
    } catch (error) {
      const reasons = error instanceof RiftErrors ? error.errors : [error as RiftError];
      const name = creation.name === undefined ? '' : ` '${String(creation.name)}'`;
      log.error(
        `imposter${name} on port ${creation.port ?? '(auto)'} cannot start: ${reasons.map(({ message }) => message).join('; ')}`,
      );
      if (creation.port !== undefined) bindFailures.push(Number(creation.port));
    }
  }
}

function announce(settings: Settings, logging: Logging, port: number): void {
  const log = logging.logger(`mb:${port}`);
  const shown = settings.name === 'mb' ? mountebankVersion : version;
  log.info(`mountebank v${shown} now taking orders - point your browser to ${baseUrl(settings, port)}/ for help`);
  if (!log.enabled('debug')) return;
  const { version: nodeVersion, arch: architecture, platform } = process;
  const options = {
    ...settings.options,
    mock: settings.mock,
    port,
    apikey: settings.apikey === undefined ? null : '***',
  };
  log.debug(`config: ${JSON.stringify({ options, process: { nodeVersion, architecture, platform } })}`);
}
