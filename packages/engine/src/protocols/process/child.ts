// The process of one imposter of a custom protocol: started with the imposter, ended with it, or with us.
// Mountebank docs: protocols/custom.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { RiftError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { JsonObject } from '../../model/types.js';
import { eachLine } from './output-lines.js';

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How long a process may take to end after SIGTERM. */
const TERM_MS = 5000;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const running = new Set<Child>();
let watchingExit = false;

/** Processes do not outlive us. */
function endWithUs(child: Child): void {
  running.add(child);
  if (watchingExit) return;
  watchingExit = true;
  process.on('exit', () => {
    for (const one of running) one.kill();
  });
}

/** A process that says that it is listening. */
export interface ReadyProcess {
  /** What its first line said; empty when that was no JSON object. */
  readonly said: JsonObject;
  /** Ends it; resolves when it is gone. */
  end(): Promise<void>;
}

/**
 * Runs `command`, split at single blanks, with `argument` at its end. Resolves with its first line on stdout; rejects
 * with a RiftError `cannot start server`. Its output goes to the logger all its life.
 */
export function startProcess(
  protocol: string,
  command: string,
  argument: string,
  logger: Logger,
): Promise<ReadyProcess> {
  const [file, ...args] = command.split(' ');
  const cannotRun = (details: object): RiftError =>
    new RiftError('cannot start server', `Invalid configuration for protocol "${protocol}": cannot run "${command}"`, {
      source: command,
      details,
    });
  return new Promise((resolve, reject) => {
    let child: Child;
    try {
      // nothing is written to stdin; its end tells a process that looks at it that we have gone, however we went
      child = spawn(file, [...args, argument], { stdio: ['pipe', 'pipe', 'pipe'] });
      child.stdin.on('error', () => {});
    } catch (error) {
      const { errno, code, message } = error as NodeJS.ErrnoException;
      reject(cannotRun({ errno, code, message }));
      return;
    }
    endWithUs(child);
    let ready = false;
    let ending = false;
    const gone = new Promise<void>((resolveGone) => {
      const over = (): void => {
        running.delete(child);
        resolveGone();
      };
      child.once('exit', over);
      child.once('error', over);
    });
    child.once('error', (error: NodeJS.ErrnoException & { spawnargs?: unknown }) => {
      const { errno, code, syscall, path, spawnargs } = error;
      reject(cannotRun({ errno, code, syscall, path, spawnargs }));
    });
    child.once('exit', (code, signal) => {
      if (ready && !ending) logger.error("Uh oh! I've crashed! Expect subsequent requests to fail.");
      const how = code === null ? `signal ${signal}` : `exit code ${code}`;
      reject(new RiftError('cannot start server', `"${protocol}" start command failed (${how})`, { source: command }));
    });
    const end = async (): Promise<void> => {
      ending = true;
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), TERM_MS);
      await gone;
      clearTimeout(kill);
    };
    eachLine(
      child.stdout,
      (line) => {
        logLine(line, logger);
        if (ready) return;
        ready = true;
        resolve({ said: objectOf(line), end });
      },
      // a first line that lacks its end counts; JSON may still lack its rest
      (text) => !ready && (!text.startsWith('{') || isJson(text)),
    );
    eachLine(child.stderr, (line) => {
      if (line.trim() !== '') logger.error('%s', line);
    });
  });
}

/** Lines that begin with a level go to the log, the others nowhere. */
function logLine(line: string, logger: Logger): void {
  const level = LEVELS.find((name) => line === name || line.startsWith(`${name} `));
  if (level !== undefined) logger[level]('%s', line.slice(level.length).trim());
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function objectOf(line: string): JsonObject {
  try {
    const json: unknown = JSON.parse(line);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as JsonObject) : {};
  } catch {
    return {};
  }
}
