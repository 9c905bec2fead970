// Loggers, their destinations, and the entries that `GET /logs` shows. A level that is off costs one comparison: no
// entry, no text, no clock.
import { readFile } from 'node:fs/promises';
import { format } from 'node:util';
import type { JsonObject, Logger } from '@rift-ts/engine';
import { type Level, type LogConfiguration, levels } from './configuration.js';
import { setAside } from './files.js';
import { type Entry, linesFormat, mountebankFormat, objectsFormat } from './format.js';
import { FileSink, type Sink, StreamSink } from './sink.js';

export interface Logging {
  /** A logger whose lines begin with `[scope] `; a function is asked at every line. */
  logger(scope: string | (() => string)): Logger;
  /**
   * What `GET /logs` shows, oldest first, or the one entry that says why there is nothing
   * (Mountebank docs: api/overview, "GET /logs").
   */
  entries(): Promise<JsonObject[]>;
  flush(): Promise<void>;
  /** Writes what is left, synchronously: for a crash or a second signal. */
  flushNow(): void;
  /** Opens the log file again (SIGHUP). */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const ringSize = 1000;

/** Opens the destinations. Rejects when the log file cannot be opened. */
export async function createLogging(configuration: LogConfiguration): Promise<Logging> {
  const outputs: { line: (entry: Entry) => string; sink: Sink }[] = [];
  const { console, file } = configuration;
  if (console) {
    const line =
      console.style === 'objects'
        ? objectsFormat
        : console.style === 'lines'
          ? linesFormat(console.colorize)
          : mountebankFormat(console.format, console.colorize);
    outputs.push({ line, sink: new StreamSink(1) });
  }
  let fileSink: FileSink | undefined;
  if (file) {
    await setAside(file.path);
    fileSink = new FileSink(file.path);
    await fileSink.open();
    outputs.push({ line: mountebankFormat(file.format, false), sink: fileSink });
  }
  const ring: JsonObject[] = [];

  const threshold = levels.indexOf(configuration.level);
  const emit = (level: Level, label: string | (() => string), text: string, rest: unknown[]): void => {
    if (levels.indexOf(level) < threshold) return;
    const scope = typeof label === 'string' ? label : label();
    const entry: Entry = {
      level,
      scope,
      message: rest.length === 0 ? text : format(text, ...rest),
      timestamp: new Date().toISOString(),
    };
    for (const output of outputs) output.sink.write(output.line(entry));
    if (configuration.ring) {
      if (ring.length === ringSize) ring.shift();
      ring.push({ level, message: `${scope} ${entry.message}`, timestamp: entry.timestamp });
    }
  };

  const everySink = (action: (sink: Sink) => Promise<void>): Promise<void> =>
    Promise.all(outputs.map((output) => action(output.sink))).then(() => {});

  return {
    logger(scope) {
      const label = typeof scope === 'string' ? `[${scope}]` : () => `[${scope()}]`;
      return {
        debug: (text, ...rest) => emit('debug', label, text, rest),
        info: (text, ...rest) => emit('info', label, text, rest),
        warn: (text, ...rest) => emit('warn', label, text, rest),
        error: (text, ...rest) => emit('error', label, text, rest),
        enabled: (level) => levels.indexOf(level) >= threshold && (outputs.length > 0 || configuration.ring),
      };
    },
    async entries() {
      if (configuration.ring) return [...ring];
      if (!file || !fileSink) return [{ level: 'error', message: 'No logfile' }];
      await fileSink.flush();
      const text = await readFile(file.path, 'utf8').catch(() => undefined);
      if (text === undefined) return [{ level: 'error', message: 'No logfile' }];
      try {
        const lines = text.split('\n').filter((line) => line.trim() !== '');
        return lines.map((line) => JSON.parse(line) as JsonObject);
      } catch {
        return [{ level: 'error', message: 'This page only works for JSON file logging' }];
      }
    },
    flush: () => everySink((sink) => sink.flush()),
    flushNow: () => {
      for (const output of outputs) output.sink.flushNow();
    },
    reopen: () => everySink((sink) => sink.reopen()),
    close: () => everySink((sink) => sink.close()),
  };
}
