// Errors that users see. Each has a code of Mountebank's catalogue, a message for people and, where it helps, the
// piece of configuration it is about.

export type ErrorCode =
  | 'bad data'
  | 'invalid injection'
  | 'resource conflict'
  | 'insufficient access'
  | 'invalid proxy'
  | 'no such resource'
  | 'invalid JSON'
  | 'unauthorized'
  | 'cannot start server'
  | 'corrupted database'
  | 'communication';

/** Extras of an error object, in Mountebank's order. */
export interface ErrorExtras {
  source?: unknown;
  data?: unknown;
  details?: unknown;
  inner?: unknown;
}

export class RiftError extends Error {
  readonly code: string;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode | (string & {}), message: string, extras: ErrorExtras = {}) {
    super(message);
    this.name = 'Error';
    this.code = code;
    this.extras = extras;
  }

  /** The object of an error envelope: code, message, extras. */
  toJSON(): Record<string, unknown> {
    return { code: this.code, message: this.message, ...this.extras };
  }
}
