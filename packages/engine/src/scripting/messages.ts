// What an imposter's script host and its worker threads say to each other.

import type { Hook } from './hooks.js';

/** Given to a worker thread when it starts. */
export interface WorkerStart {
  /** The words of control.ts. */
  readonly control: SharedArrayBuffer;
  /** Where `require` resolves from. */
  readonly workingDirectory: string;
  /** The two state objects as the last worker left them (state.ts), none for a new imposter. */
  readonly state: Uint8Array | undefined;
}

/** One run of one function. */
export interface CallMessage {
  readonly kind: 'call';
  readonly id: number;
  readonly hook: Hook;
  /** The function's number in this host; its text follows once for each worker. */
  readonly script: number;
  readonly text: string | undefined;
  /** JSON text of the request, for the hooks that get one. */
  readonly request: string | undefined;
  /** The response so far (`decorate`), or the bytes so far (`endOfRequest`). */
  readonly input: unknown;
}

export type ToWorker =
  | CallMessage
  | { readonly kind: 'ping' }
  /** Nothing has been asked of the worker for a while: can it be ended without a loss? */
  | { readonly kind: 'canRest' }
  /** State changes that another worker of the imposter made meanwhile. */
  | { readonly kind: 'patch'; readonly patch: Uint8Array };

/** How a user's function failed. */
export interface Failure {
  /** Text of the exception; undefined when something without a `message` was thrown. */
  readonly message: string | undefined;
  /** `TypeError: …`, for the log. */
  readonly described: string;
}

export type FromWorker =
  | { readonly kind: 'ready'; readonly threadId: number | undefined }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown; readonly state: Uint8Array | undefined }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure; readonly state: Uint8Array | undefined }
  /** Everything the functions keep is in the copy of the state: the worker may be ended. */
  | { readonly kind: 'canRest' }
  | { readonly kind: 'log'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly text: string }
  /** A copy of the state objects that was too costly to make at once. */
  | { readonly kind: 'state'; readonly state: Uint8Array }
  /** A function failed after it had returned: in a timer, a promise, an event. The worker is unusable. */
  | {
      readonly kind: 'late';
      readonly id: number | undefined;
      readonly script: number | undefined;
      readonly failure: Failure;
    };
