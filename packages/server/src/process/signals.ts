// The end of a serving process: SIGINT and SIGTERM close it in order, a second one at once, SIGHUP reopens the log.
import type { Logger } from '@rift-ts/engine';
import type { Logging } from '../logging/logging.js';
import { removePidfile } from './pidfile.js';

export interface Serving {
  readonly server: { close(): Promise<void> };
  readonly logging: Logging;
  readonly log: Logger;
  readonly pidfile: string | undefined;
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the exit code 0 when a signal has ended the server in order. */
export function serveUntilSignal({ server, logging, log, pidfile }: Serving): Promise<number> {
  return new Promise((resolve, reject) => {
    let ending = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (ending) leaveAtOnce(128 + signalNumbers[signal]);
        ending = true;
        end().then(() => resolve(0), reject);
      });
    }
    process.on('SIGHUP', () => void logging.reopen());
    process.on('uncaughtException', (error) => {
      log.error(`Unexpected failure: ${error.message}`);
      leaveAtOnce(1);
    });
    const end = async () => {
      await server.close();
      log.info('Adios - see you soon?');
      removePidfile(pidfile);
      await logging.close();
    };
    const leaveAtOnce = (code: number): never => {
      logging.flushNow();
      removePidfile(pidfile);
      process.exit(code);
    };
  });
}
