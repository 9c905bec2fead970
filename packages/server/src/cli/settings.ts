// The effective settings of one run. Order of the sources of a value, strongest first: command line, environment,
// --rcfile, default of the executable's name.
import { availableParallelism } from 'node:os';
import type { JsonObject, Profile } from '@rift-ts/engine';
import type { LogConfiguration } from '../logging/configuration.js';
import { resolveLogging } from '../logging/configuration.js';
import { ExitError } from './errors.js';
import { type Flag, flagBySpelling, flags, kebab } from './flags.js';
import { type CommandLine, type FlagValue, readValue } from './parse.js';
import { readRcfile } from './rcfile.js';

export type ExecutableName = 'mb' | 'rift';

export interface Settings {
  readonly name: ExecutableName;
  readonly profile: Profile;
  readonly port: number;
  /** As given; absent: all interfaces (name `mb`: dual stack, `rift`: 0.0.0.0). */
  readonly host: string | undefined;
  readonly configfile: string | undefined;
  readonly imposters: readonly string[];
  readonly noParse: boolean;
  readonly formatter: string;
  readonly datadir: string | undefined;
  readonly impostersRepository: string | undefined;
  readonly scriptsDir: string | undefined;
  readonly protofile: string;
  readonly pidfile: string | undefined;
  readonly savefile: string;
  readonly removeProxies: boolean;
  readonly allowInjection: boolean;
  readonly localOnly: boolean;
  readonly ipWhitelist: readonly string[];
  readonly apikey: string | undefined;
  readonly requireAdminAuth: boolean;
  readonly origin: string | readonly string[] | false;
  readonly debug: boolean;
  readonly mock: boolean;
  readonly log: LogConfiguration;
  readonly metricsPort: number | undefined;
  /** Seconds. */
  readonly shutdownTimeout: number;
  /** 0: no limit; undefined: the profile's default. */
  readonly journalCap: number | undefined;
  readonly maxBody: number | undefined;
  /** Data threads of `--runtime per-core`; undefined: none. */
  readonly dataThreads: number | undefined;
  readonly maxAdminBody: number | undefined;
  /** Files of the pair that https imposters without an own one have. */
  readonly defaultTlsCert: string | undefined;
  readonly defaultTlsKey: string | undefined;
  /** Make no certificate for them. */
  readonly noSelfSignedTls: boolean;
  /** Milliseconds; undefined: the default. */
  readonly scriptTimeout: number | undefined;
  readonly url: string | undefined;
  /** Seconds. */
  readonly timeout: number;
  /** Mountebank's option object: what `GET /config`, formatters and repositories see. The key in it is real. */
  readonly options: JsonObject;
  /** To be logged once logging is on. */
  readonly warnings: readonly string[];
}

export interface ResolveInput {
  name: ExecutableName;
  line: CommandLine;
  env: NodeJS.ProcessEnv;
  /** Messages that go to stderr at once, before logging exists. */
  complain: (message: string) => void;
}

/** Flags whose feature this version does not have: asking for one must not be ignored in silence. */
const notYet = [
  'frontDoor',
  'interceptPort',
  'interceptAuth',
  'interceptCaCert',
  'interceptCaKey',
  'interceptCaCertPem',
  'interceptCaKeyPem',
  'adminTlsCert',
  'adminTlsKey',
];

/**
 * @throws ExitError kind `configuration`
 */
export async function resolveSettings({ name, line, env, complain }: ResolveInput): Promise<Settings> {
  const warnings: string[] = [];
  if (name === 'rift' && line.firstUnknown !== undefined) {
    const flag = line.firstUnknown;
    throw new ExitError('configuration', `unknown flag '${flag}'${nearest(flag)} 'rift --help' lists all flags`);
  }

  if (name === 'rift') {
    // name mb goes on as if the flag were not there, as it does with everything that it cannot read
    for (const flag of flags) {
      if (flag.type === 'text' && flag.name !== 'apikey' && line.given.get(flag.name) === '') {
        throw new ExitError('configuration', `--${kebab(flag.name)} needs a value: ${flag.value ?? 'TEXT'}`);
      }
    }
  }

  const fromEnv = new Map<string, FlagValue>();
  for (const flag of flags) {
    const text = flag.env === undefined ? undefined : env[flag.env];
    if (text === undefined || flag.env === undefined) continue;
    const blankKey = flag.name === 'apikey' && text.trim() === '' && name === 'rift';
    if (text.trim() === '' && !blankKey) continue;
    fromEnv.set(flag.name, readValue(flag, flag.name === 'apikey' ? text : text.trim(), flag.env));
  }

  const rcfile = line.given.get('rcfile');
  const rc = typeof rcfile === 'string' ? await readRcfile(rcfile, name, complain) : { given: new Map(), unknown: {} };
  const source = (key: string): 'flag' | 'env' | 'rc' | undefined =>
    line.given.has(key) ? 'flag' : fromEnv.has(key) ? 'env' : rc.given.has(key) ? 'rc' : undefined;
  const value = (key: string): FlagValue | undefined =>
    line.given.get(key) ?? fromEnv.get(key) ?? (rc.given as Map<string, FlagValue>).get(key);
  const text = (key: string): string | undefined => {
    const found = value(key);
    return typeof found === 'string' && found !== '' ? found : undefined;
  };
  const number = (key: string): number | undefined => {
    const found = value(key);
    return typeof found === 'number' ? found : undefined;
  };
  const isOn = (key: string): boolean => value(key) === true;

  const compat = text('compat');
  if (compat !== undefined && compat !== 'mountebank' && compat !== 'rift') {
    throw new ExitError('configuration', `--compat: '${compat}' is not a profile; expected 'mountebank' or 'rift'`);
  }
  const profile: Profile = compat ?? (name === 'mb' ? 'mountebank' : 'rift');

  const frontDoor = text('frontDoor');
  if (frontDoor !== undefined && !isBindAddress(frontDoor)) {
    throw new ExitError(
      'configuration',
      `--front-door '${frontDoor}' is not a valid bind address; use HOST:PORT (e.g. 0.0.0.0:8080) or a bare port number`,
    );
  }
  const dataThreads = dataThreadsOf(text('runtime'));
  for (const key of notYet) {
    if (value(key) !== undefined) {
      throw new ExitError('configuration', `--${kebab(key)} is not available in this version`);
    }
  }
  const seed = env.RIFT_SEED?.trim();
  if (seed && !Number.isSafeInteger(Number(seed))) {
    warnings.push(`RIFT_SEED: '${seed}' is no whole number; random draws are not repeatable`);
  }
  if (value('runtimeAffinity') !== undefined) warnings.push('--runtime-affinity has no effect in this version');

  const apikey = value('apikey');
  if (typeof apikey === 'string' && apikey.trim() === '' && name === 'rift') {
    throw new ExitError(
      'configuration',
      'the admin API key (`--api-key` / `MB_APIKEY` / `apiKey`) is set to a blank value; give it a value or leave it out',
    );
  }
  const imposters = (text('imposters') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const configfile = text('configfile');
  if (imposters.length > 0 && configfile !== undefined) {
    throw new ExitError('configuration', '--configfile and --imposters are both given; pass only one of them');
  }

  const target = adminUrl(line.command, env, value('host') !== undefined || value('port') !== undefined);
  const debug = isOn('debug');
  const log = await resolveLogging({
    name,
    debug,
    log: value('log') ?? (rc.unknown as Record<string, unknown>).log,
    loglevel: text('loglevel'),
    rustLog: env.RUST_LOG?.trim() || undefined,
    logfile: text('logfile'),
    nologfile: isOn('nologfile'),
    logFormat: text('logFormat'),
    colorize: env.NO_COLOR === undefined && (name === 'mb' || process.stdout.isTTY === true),
    noColor: env.NO_COLOR !== undefined,
    complain,
    warnings,
  });

  const whitelist = value('ipWhitelist');
  const ipWhitelist = (
    Array.isArray(whitelist) ? whitelist : String(whitelist ?? '*').split(name === 'mb' ? '|' : /[|,]/)
  )
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const origin = value('origin');
  const origins = Array.isArray(origin) ? origin : typeof origin === 'string' ? [origin] : [];
  const pidfile = text('pidfile') ?? (name === 'mb' ? 'mb.pid' : undefined);
  const settings = {
    name,
    profile,
    port: target?.port ?? number('port') ?? 2525,
    host: target?.host ?? text('host'),
    configfile,
    imposters,
    noParse: isOn('noParse'),
    formatter: text('formatter') ?? 'mountebank-formatters',
    datadir: text('datadir'),
    impostersRepository: text('impostersRepository'),
    scriptsDir: text('scriptsDir'),
    protofile: text('protofile') ?? 'protocols.json',
    pidfile,
    savefile: text('savefile') ?? 'mb.json',
    removeProxies: isOn('removeProxies'),
    allowInjection: isOn('allowInjection'),
    localOnly: isOn('localOnly'),
    ipWhitelist,
    apikey: typeof apikey === 'string' && apikey !== '' ? apikey : undefined,
    requireAdminAuth: isOn('requireAdminAuth'),
    origin: origins.length === 0 ? (false as const) : origins.length === 1 ? origins[0] : origins,
    debug,
    mock: isOn('mock'),
    log,
    metricsPort: number('metricsPort') ?? (name === 'mb' ? undefined : 9090),
    shutdownTimeout: number('shutdownTimeout') ?? (name === 'mb' ? 0 : 5),
    journalCap: number('journalCap'),
    maxBody: number('maxBody'),
    dataThreads,
    maxAdminBody: number('maxAdminBody'),
    defaultTlsCert: text('defaultTlsCert'),
    defaultTlsKey: text('defaultTlsKey'),
    noSelfSignedTls: isOn('noSelfSignedTls'),
    scriptTimeout: number('scriptTimeout'),
    url: text('url'),
    timeout: number('timeout') ?? 2,
    warnings,
  };

  const options: JsonObject = {
    port: settings.port,
    noParse: settings.noParse,
    formatter: settings.formatter,
    ...(pidfile === undefined ? {} : { pidfile }),
    log: log.shown,
    allowInjection: settings.allowInjection,
    localOnly: settings.localOnly,
    ipWhitelist,
    debug,
    protofile: settings.protofile,
    origin: settings.origin as JsonObject[string],
    apikey: settings.apikey ?? null,
  };
  for (const key of ['host', 'configfile', 'datadir', 'impostersRepository', 'rcfile']) {
    const given = value(key) ?? line.given.get(key);
    if (typeof given === 'string') options[key] = given;
  }
  if (settings.mock) options.mock = true;
  for (const key of ['loglevel', 'logfile', 'nologfile']) {
    if (source(key) === 'rc') options[key] = value(key) as JsonObject[string];
  }
  for (const [key, unknown] of Object.entries({ ...rc.unknown, ...line.unknown })) {
    if (key !== 'log') options[key] = unknown as JsonObject[string];
  }
  return { ...settings, options };
}

/** Where `save` and `healthcheck` find the server when RIFT_ADMIN_URL says so and no flag does. */
function adminUrl(command: string, env: NodeJS.ProcessEnv, given: boolean): { host: string; port: number } | undefined {
  const text = env.RIFT_ADMIN_URL?.trim();
  if (given || !text || (command !== 'save' && command !== 'healthcheck')) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') {
    throw new ExitError('configuration', `RIFT_ADMIN_URL: '${text}' is not an address such as http://localhost:2525`);
  }
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || 80) };
}

function isBindAddress(text: string): boolean {
  const [, port] = /^(?:\[[0-9a-fA-F:.]+\]:|[^\s:[\]]+:)?(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65535;
}

/** Data threads that `--runtime` asks for; undefined: none. @throws ExitError for what is no runtime */
function dataThreadsOf(runtime: string | undefined): number | undefined {
  if (runtime === undefined || runtime === '' || runtime === 'work-stealing') return undefined;
  if (runtime === 'per-core') return availableParallelism();
  const [, count] = /^per-core=(.*)$/.exec(runtime) ?? [];
  if (count === undefined) {
    throw new ExitError(
      'configuration',
      `invalid --runtime "${runtime}": expected work-stealing, per-core, or per-core=N`,
    );
  }
  if (!/^[1-9]\d*$/.test(count)) {
    throw new ExitError(
      'configuration',
      `invalid worker count "${count}" in --runtime: expected a whole number of 1 or more`,
    );
  }
  return Number(count);
}

/** ", did you mean '--port'?" for a misspelt flag, else the end of the sentence. */
function nearest(flag: string): string {
  const spelling = flag.replace(/^-+/, '');
  let best: Flag | undefined;
  let bestDistance = 3;
  for (const [candidate, flag] of flagBySpelling) {
    if (candidate.length === 1) continue;
    const distance = editDistance(spelling, candidate);
    if (distance < bestDistance) {
      best = flag;
      bestDistance = distance;
    }
  }
  return best ? `, did you mean '--${kebab(best.name)}'?` : '.';
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
