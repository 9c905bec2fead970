// A data directory with imposters in this process: opened, used, closed and opened again, as restarts do.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Imposters, ImpostersOptions, JsonObject, Logger, Profile } from '@rift-ts/engine';
import { engine } from '../admin/admin.test-help.js';
import { type Datadir, openDatadir } from './datadir.js';

/** A directory that does not exist yet, in a folder that goes away with the test. */
export function newPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rift-datadir-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'D');
}

export interface Opened {
  readonly imposters: Imposters;
  readonly datadir: Datadir;
  /** Everything logged about the directory, as `level: message`. */
  readonly lines: string[];
  /** As the end of the process: imposters stop, the directory stays. */
  stop(): Promise<void>;
}

/** Opens the directory and loads what is in it; stopped when the test ends. */
export async function open(
  t: TestContext,
  profile: Profile,
  path: string,
  options: Partial<ImpostersOptions> = {},
): Promise<Opened> {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => {
    lines.push(`${level}: ${message}`);
  };
  const logger: Logger = {
    enabled: () => true,
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };
  const datadir = await openDatadir({ path, profile, host: undefined, logger });
  const imposters = engine(profile, { keeper: datadir.keeper, ...options }, '127.0.0.1');
  await datadir.load(imposters, () => false);
  const stop = async () => {
    await imposters.stopAll();
    await datadir.close();
  };
  t.after(stop);
  return { imposters, datadir, lines, stop };
}

export async function get(port: number, path = '/'): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return answer.text();
}

export function json(...path: string[]): JsonObject {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

/** A creation request of an http imposter whose only stub answers the bodies in turn. */
export function answering(...bodies: string[]): JsonObject & { stubs: JsonObject[] } {
  return { protocol: 'http', stubs: [{ responses: bodies.map((body) => ({ is: { body } })) }] };
}
