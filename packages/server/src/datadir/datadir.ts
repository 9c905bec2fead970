// Imposters on disk (`--datadir`): which of the two layouts a directory has, and what both can do.
import type { ImposterKeeper, Imposters, Logger, Profile } from '@rift-ts/engine';
import { MountebankLayout } from './mountebank-layout.js';

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
  /** Resolves when everything that was noticed is written. */
  close(): Promise<void>;
}

export async function openDatadir(options: DatadirOptions): Promise<Datadir> {
  return new MountebankLayout(options);
}
