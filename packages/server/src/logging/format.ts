// One log entry as a line, in the formats of Mountebank (Mountebank docs: commandLine, `--log`) and of name `rift`.
import type { Level } from './configuration.js';

export interface Entry {
  readonly level: Level;
  /** With brackets and without the blank behind: `[http:4545 name]`. */
  readonly scope: string;
  readonly message: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
}

export type Formatter = (entry: Entry) => string;

const colors: Record<Level, string> = { trace: '90', debug: '34', info: '32', warn: '33', error: '31' };

function colored(level: Level): string {
  return `\u001b[${colors[level]}m${level}\u001b[39m`;
}

function scoped(entry: Entry): string {
  return `${entry.scope} ${entry.message}`;
}

/** Mountebank's formats: `json`, `simple`, or a text with `%level`, `%message`, `%timestamp`. */
export function mountebankFormat(format: string, colorize: boolean): Formatter {
  const word = colorize ? colored : (level: Level) => level as string;
  if (format === 'json') {
    return (entry) => JSON.stringify({ level: word(entry.level), message: scoped(entry), timestamp: entry.timestamp });
  }
  if (format === 'simple') {
    return (entry) => `${word(entry.level)}: ${scoped(entry)} {"timestamp":"${entry.timestamp}"}`;
  }
  // Mountebank drops dollar signs from the template
  const pieces = format.replaceAll('$', '').split(/(%level|%message|%timestamp)/);
  return (entry) => {
    let line = '';
    for (const piece of pieces) {
      if (piece === '%level') line += word(entry.level);
      else if (piece === '%message') line += scoped(entry);
      else if (piece === '%timestamp') line += entry.timestamp;
      else line += piece;
    }
    return line;
  };
}

/** `TIMESTAMP LEVEL [SCOPE] MESSAGE`. */
export function linesFormat(colorize: boolean): Formatter {
  return (entry) => `${entry.timestamp} ${colorize ? colored(entry.level) : entry.level} ${scoped(entry)}`;
}

/** One JSON object a line with `time`, `level`, `scope`, `msg`. */
export const objectsFormat: Formatter = (entry) =>
  JSON.stringify({
    time: entry.timestamp,
    level: entry.level,
    scope: entry.scope.slice(1, -1),
    msg: entry.message,
  });
