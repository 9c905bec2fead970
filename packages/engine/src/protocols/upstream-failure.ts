// Why an upstream could not answer, before a profile decides how the client gets to see it.

import type { ErrorExtras } from '../errors.js';

export class UpstreamFailure extends Error {
  /** Extras of Mountebank's `invalid proxy` error. */
  readonly extras: ErrorExtras;
  /** In a few words and without internals, e.g. `connect ECONNREFUSED 127.0.0.1:1`. */
  readonly reason: string;

  /** `message` is Mountebank's text, e.g. `Unable to connect to "http://h"`. */
  constructor(message: string, reason: string, extras: ErrorExtras = {}) {
    super(message);
    this.extras = extras;
    this.reason = reason;
  }
}
