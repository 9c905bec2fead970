// Proxy calls that another process makes: protocols that are spoken out of process get told whom to call and post the
// answer back under a key (Mountebank docs: custom protocols). Keys are 0, 1, 2 ... an imposter, each good for once.

import { RiftError } from '../../errors.js';
import type { ResponseData } from '../../model/types.js';
import type { ResponseOutcome } from '../types.js';

/** Runs behaviors, records, and gives the response for the client. */
type Completion = (answer: ResponseData) => Promise<ResponseOutcome>;

export class PendingProxies {
  readonly #completions = new Map<number, Completion>();
  #nextKey = 0;

  /** Keeps what is to be done once the answer is there; returns the key to post it under. */
  add(completion: Completion): number {
    const key = this.#nextKey++;
    this.#completions.set(key, completion);
    return key;
  }

  /**
   * Finishes the call of a key with the `proxyResponse` that was posted. `source` is the URL it was posted to.
   * Rejects with a RiftError `no such resource` for a key that is not waited for.
   */
  async complete(key: string, answer: ResponseData, source: string): Promise<ResponseOutcome> {
    const number = Number(key);
    const completion = this.#completions.get(number);
    if (completion === undefined || String(number) !== key) {
      throw new RiftError('no such resource', 'invalid proxy resolution key', { source });
    }
    this.#completions.delete(number);
    return completion(answer);
  }
}
