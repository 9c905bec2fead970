// Formatters turn `--configfile` into imposters and imposters into `--savefile` (Mountebank docs: formatters). The
// built-in one answers to the names of Mountebank's packages, installed or not.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ExitError } from '../cli/errors.js';

/** `options` is the whole option object, unknown flags included. */
export interface Formatter {
  load(options: Record<string, unknown>): unknown;
  save(options: Record<string, unknown>, imposters: unknown): unknown;
}

const builtIn = new Set(['mountebank-formatters', '@mbtest/mountebank-formatters']);

/**
 * The custom formatter of that name: a path seen from the working directory, else an installed package. Undefined for
 * the built-in one.
 * @throws ExitError kind `configuration` when there is none
 */
export async function findFormatter(name: string): Promise<Formatter | undefined> {
  if (builtIn.has(name)) return undefined;
  const require = createRequire(join(process.cwd(), 'noop.js'));
  let file: string | undefined;
  let reason = '';
  for (const candidate of [resolve(name), name]) {
    try {
      file = require.resolve(candidate);
      break;
    } catch (error) {
      reason = (error as Error).message.split('\n')[0];
    }
  }
  if (file === undefined) throw new ExitError('configuration', `--formatter: ${reason}`);
  const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  const formatter = { ...module, ...(module.default as object | undefined) } as Partial<Formatter>;
  if (typeof formatter.load !== 'function' || typeof formatter.save !== 'function') {
    throw new ExitError('configuration', `--formatter: ${file} must export the functions load and save`);
  }
  return formatter as Formatter;
}

/** What the built-in formatter writes: two spaces, no newline at the end. */
export async function saveJson(file: string, imposters: unknown): Promise<void> {
  await writeFile(file, JSON.stringify(imposters, null, 2));
}
