// What the owner of script threads and a thread say to each other.

import type { LogLine, ScriptResult } from './decision.js';
import type { DecorateInput, DecorateResult } from './rhai-decorate.js';
import type { ScriptContext } from './script-context.js';
import type { StoreCall, StoreReply } from './store-call.js';

/** One run of one script; a thread has one at a time. */
export type Job =
  | {
      readonly hook: 'respond';
      readonly engine: 'rhai' | 'javascript';
      readonly code: string;
      readonly context: ScriptContext;
      readonly timeoutMs: number;
      /** Replies to the calls that an earlier run of the same script has made. */
      readonly replies: readonly StoreReply[];
    }
  | { readonly hook: 'decorate'; readonly code: string; readonly input: DecorateInput; readonly timeoutMs: number };

export type JobResult = ScriptResult | DecorateResult;

export interface ThreadStart {
  /** One word: 0 while the thread waits for the reply to a call. */
  readonly signal: SharedArrayBuffer;
  /** Where replies come in. */
  readonly replies: import('node:worker_threads').MessagePort;
}

export type FromThread =
  | { readonly kind: 'ready'; readonly threadId: number | undefined }
  | { readonly kind: 'done'; readonly result: JobResult }
  | { readonly kind: 'log'; readonly line: LogLine }
  | { readonly kind: 'call'; readonly call: StoreCall };
