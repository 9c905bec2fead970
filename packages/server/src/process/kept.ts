// Where imposters are kept beside memory: the user's repository, else the data directory, else nowhere.
import type { Logger } from '@rift-ts/engine';
import type { Settings } from '../cli/settings.js';
import { type Datadir, openDatadir } from '../datadir/datadir.js';
import { RepositoryKeeper } from '../repository/keeper.js';
import { loadRepository } from '../repository/load.js';

/** @throws ExitError when the repository cannot be created, or the directory has two layouts */
export async function openKept(settings: Settings, logger: Logger): Promise<Datadir | undefined> {
  const { datadir: path, profile, host } = settings;
  const repository = await loadRepository(settings, logger);
  if (repository !== undefined) return new RepositoryKeeper(repository, settings.debug);
  if (path === undefined) return undefined;
  // the host is that of imposters which name none, as Mountebank writes it
  return openDatadir({ path, profile, host: profile === 'mountebank' ? host : undefined, logger });
}
