// Imposters on disk (`--datadir`): which of the two layouts a directory has, and what both can do.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImposterKeeper, Imposters, Logger, Profile } from '@rift-ts/engine';
import { ExitError } from '../cli/errors.js';
import { namesIn } from './files.js';
import { MountebankLayout } from './mountebank-layout.js';
import { RiftLayout } from './rift-layout.js';

export interface DatadirOptions {
  /** As the user gave it: messages name files below it in the same way. */
  readonly path: string;
  readonly profile: Profile;
  /** Address that imposters without one of their own are bound to; written into what Mountebank reads. */
  readonly host: string | undefined;
  readonly logger: Logger;
}

export interface Datadir {
  readonly keeper: ImposterKeeper;
  /** Creates the imposters of the directory, except those on ports that `skips` holds for. Never rejects for content. */
  load(imposters: Imposters, skips: (port: number) => boolean): Promise<void>;
  /** Before the admin API looks at imposters: `path` is the pattern of the route, `id` its imposter's. */
  refresh?(imposters: Imposters, method: string, path: string, id: string | undefined): Promise<void>;
  /** Resolves when everything that was noticed is written. */
  close(): Promise<void>;
}

/**
 * The content of a directory decides its layout; one without imposters follows the profile.
 * @throws ExitError kind `configuration` when it is no directory, or has imposters in both layouts
 */
export async function openDatadir(options: DatadirOptions): Promise<Datadir> {
  const { path, profile } = options;
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    throw new ExitError(
      'configuration',
      `--datadir ${path} is a file; name a directory, which is made when it does not exist`,
    );
  }
  const names = await namesIn(path);
  const files = names.filter((name) => name.endsWith('.json'));
  const folders: string[] = [];
  for (const name of names) if ((await namesIn(join(path, name))).includes('imposter.json')) folders.push(name);
  if (files.length > 0 && folders.length > 0) {
    throw new ExitError(
      'configuration',
      `--datadir ${path} has imposters in two layouts: directories such as ${folders[0]} and files such as ${files[0]}; keep one of the two`,
    );
  }
  const asFiles = files.length > 0 || (folders.length === 0 && profile === 'rift');
  return asFiles ? new RiftLayout(options) : new MountebankLayout(options);
}
