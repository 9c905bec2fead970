// What the main thread and its data threads say to each other. Every order has a number and is answered once it is
// carried out, so that an answer of the admin API comes after its effect.

import type { ImposterJson, Profile, StubJson } from '../model/types.js';
import type { HttpProtocolOptions } from '../protocols/http/protocol.js';

/** Given to a thread when it starts. */
export interface ThreadSetup {
  readonly profile: Profile;
  readonly strictBehaviors: boolean;
  readonly workingDirectory: string;
  readonly requestLogLevel: 'info' | 'debug';
  readonly protocol: Omit<HttpProtocolOptions, 'graceMs' | 'accepts' | 'answers'>;
  /** This thread's numbers: an AcceptMeter. */
  readonly accepts: SharedArrayBuffer;
  /** This thread's numbers: an AnswerMeter. */
  readonly answers: SharedArrayBuffer;
}

/** A stub and the place where all threads keep its turn; no place when it has one response. */
export interface SharedStub {
  readonly json: StubJson;
  readonly turn: SharedArrayBuffer | undefined;
}

export type StubChange =
  | { readonly kind: 'insert'; readonly at: number; readonly stub: SharedStub }
  | { readonly kind: 'replace'; readonly at: number; readonly stub: SharedStub }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'enabled'; readonly enabled: boolean }
  | { readonly kind: 'all'; readonly stubs: readonly SharedStub[] };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type Order =
  | {
      readonly kind: 'open';
      readonly id: number;
      /** `port` is the one to bind, `stubs` is empty. */
      readonly creation: ImposterJson;
      readonly stubs: readonly SharedStub[];
      /** This thread's numbers: requests handled, then a meter. */
      readonly cells: SharedArrayBuffer;
      readonly logs: readonly LogLevel[];
    }
  | { readonly kind: 'change'; readonly id: number; readonly change: StubChange }
  | { readonly kind: 'close'; readonly id: number; readonly graceMs: number };

export interface NumberedOrder {
  readonly number: number;
  readonly order: Order;
}

export type Report =
  | { readonly kind: 'done'; readonly number: number; readonly port?: number }
  | {
      readonly kind: 'failed';
      readonly number: number;
      readonly error: { readonly code: string; readonly message: string };
    }
  | { readonly kind: 'log'; readonly id: number; readonly level: LogLevel; readonly message: string };
