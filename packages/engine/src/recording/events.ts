// What happens to imposters while somebody listens: requests as they are recorded, changes as they are made.

import type { Imposter } from '../imposter.js';
import type { JournalEntry } from './journal.js';

export type LifecycleAction = 'created' | 'replaced' | 'stubsChanged' | 'enabledChanged' | 'deleted' | 'allDeleted';

export type ImposterEvent =
  | { readonly kind: 'request'; readonly imposter: Imposter; readonly entry: JournalEntry }
  /** `port`: undefined where all imposters are meant. */
  | { readonly kind: 'lifecycle'; readonly action: LifecycleAction; readonly port: number | undefined };

export class ImposterEvents {
  readonly #listeners = new Set<(event: ImposterEvent) => void>();

  /** Whether anybody listens: without, no event needs to be made. */
  get heard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` for every event from now on, in order; the function it returns ends that. */
  listen(listener: (event: ImposterEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(event: ImposterEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
