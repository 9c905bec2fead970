// From flags to one logging configuration: Mountebank's `--log` object (Mountebank docs: commandLine), its three
// short flags, and the text and JSON lines of name `rift`.
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@rift-ts/engine';
import { ExitError } from '../cli/errors.js';

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
export const levels: readonly Level[] = ['trace', 'debug', 'info', 'warn', 'error'];

export interface LogConfiguration {
  readonly level: Level;
  /** `lines`: the text form of name `rift`; `objects`: `--log-format json`; else Mountebank's formats. */
  readonly console: { readonly format: string; readonly colorize: boolean; readonly style: ConsoleStyle } | undefined;
  readonly file: { readonly path: string; readonly format: string } | undefined;
  /** Without a file: whether `GET /logs` is answered from memory. */
  readonly ring: boolean;
  /** What `GET /config` shows as `options.log`. */
  readonly shown: JsonObject;
}

type ConsoleStyle = 'mountebank' | 'lines' | 'objects';

export interface LoggingFlags {
  name: 'mb' | 'rift';
  debug: boolean;
  log: unknown;
  loglevel: string | undefined;
  rustLog: string | undefined;
  logfile: string | undefined;
  nologfile: boolean;
  logFormat: string | undefined;
  colorize: boolean;
  noColor: boolean;
  complain: (message: string) => void;
  warnings: string[];
}

const template = '%level: %message';

/** @throws ExitError kind `configuration` */
export async function resolveLogging(flags: LoggingFlags): Promise<LogConfiguration> {
  let path = flags.logfile;
  const given = await readLogOption(flags);
  if (typeof given === 'string') path ??= given;
  if (typeof given === 'object') return fromObject(given, flags);

  const level = readLevel(flags);
  if (flags.logFormat !== undefined && flags.logFormat !== 'text' && flags.logFormat !== 'json') {
    throw new ExitError('configuration', `--log-format: '${flags.logFormat}' is not valid; expected 'text' or 'json'`);
  }
  const style = flags.logFormat === 'json' ? 'objects' : flags.name === 'mb' ? 'mountebank' : 'lines';
  if (path === undefined && flags.name === 'mb') path = 'mb.log';
  const file = flags.nologfile || path === undefined ? undefined : { path, format: 'json' };
  const colorize = flags.colorize && style !== 'objects';
  return {
    level,
    console: { format: template, colorize, style },
    file,
    ring: flags.name === 'rift' && !flags.nologfile && file === undefined,
    shown: {
      level,
      transports: {
        console: { colorize: flags.name === 'mb' ? true : colorize, format: template },
        ...(file === undefined ? {} : { file }),
      },
    },
  };
}

/** The `--log` value: a configuration, the path of a log file, or nothing. */
async function readLogOption(flags: LoggingFlags): Promise<JsonObject | string | undefined> {
  const given = flags.log;
  if (typeof given === 'object' && given !== null) return given as JsonObject;
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  let text = given.trim();
  if (!text.startsWith('{')) {
    if (!text.endsWith('.json')) return given;
    try {
      text = await readFile(given, 'utf8');
    } catch {
      return given;
    }
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      throw new SyntaxError('expected a JSON object');
    }
    return parsed as JsonObject;
  } catch (error) {
    flags.complain(`Cannot parse --log as JSON: ${error}`);
    return undefined;
  }
}

function fromObject(given: JsonObject, flags: LoggingFlags): LogConfiguration {
  const transports = asObject(given.transports);
  const consoleGiven = asObject(transports?.console);
  const fileGiven = asObject(transports?.file);
  const shown: JsonObject = { ...given };
  let file: LogConfiguration['file'];
  if (!transports) {
    file = { path: 'mb.log', format: 'json' };
    shown.transports = { file };
  } else if (fileGiven) {
    file = { path: textOf(fileGiven.path) ?? 'mb.log', format: textOf(fileGiven.format) ?? template };
  }
  if (flags.nologfile) file = undefined;
  return {
    level: readLevel({ ...flags, loglevel: textOf(given.level) ?? flags.loglevel }),
    console: consoleGiven && {
      format: textOf(consoleGiven.format) ?? template,
      colorize: consoleGiven.colorize === true && !flags.noColor,
      style: 'mountebank',
    },
    file,
    ring: false,
    shown,
  };
}

function readLevel(flags: LoggingFlags): Level {
  const fallback: Level = flags.debug && flags.name === 'rift' ? 'debug' : 'info';
  let word = flags.loglevel;
  if (flags.rustLog !== undefined) {
    if (isLevel(flags.rustLog)) word = flags.rustLog;
    else flags.warnings.push(`RUST_LOG: '${flags.rustLog}' is not a bare level word; ignored`);
  }
  if (word === undefined) return fallback;
  const lower = word.toLowerCase();
  if (lower === 'warning') return 'warn';
  if (isLevel(lower)) return lower;
  if (flags.name === 'mb') {
    throw new ExitError(
      'configuration',
      `Invalid values:\n  Argument: loglevel, Given: "${word}", Choices: "debug", "info", "warn", "error"`,
      { withUsage: true },
    );
  }
  flags.warnings.push(`--loglevel: '${word}' is not one of ${levels.join(', ')}; using info`);
  return 'info';
}

function isLevel(word: string): word is Level {
  return (levels as readonly string[]).includes(word);
}

function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
