// Finds the module of `--impostersRepository` and lets it create its repository.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from '@rift-ts/engine';
import { ExitError } from '../cli/errors.js';
import type { Settings } from '../cli/settings.js';
import type { ImpostersRepository, RepositoryModule } from './contract.js';

/**
 * The repository; undefined, with a warning, when there is no such file: imposters then live where they would without
 * the flag.
 * @throws ExitError when the module cannot be loaded or cannot create its repository
 */
export async function loadRepository(
  { impostersRepository, options }: Settings,
  logger: Logger,
): Promise<ImpostersRepository | undefined> {
  if (impostersRepository === undefined) return undefined;
  const path = resolve(impostersRepository);
  if (!existsSync(path)) {
    logger.warn(`Imposters Respository ${path} does not exist. The default will be used`);
    return undefined;
  }
  try {
    const module = await load(path);
    if (typeof module.create !== 'function') {
      throw new Error(`${impostersRepository} exports no function named create`);
    }
    return await module.create(options, logger);
  } catch (error) {
    const message = `An error occured while creating custom impostersRepository:\n ${String(error)}`;
    logger.error(message);
    throw new ExitError('failure', message);
  }
}

async function load(path: string): Promise<Partial<RepositoryModule>> {
  if (!path.endsWith('.mjs')) {
    try {
      return createRequire(import.meta.url)(path);
    } catch (error) {
      // a module in the other format: loaded as such
      if ((error as NodeJS.ErrnoException).code !== 'ERR_REQUIRE_ESM') throw error;
    }
  }
  const module = await import(pathToFileURL(path).href);
  return module.create === undefined ? module.default : module;
}
