/** Ends the process with one message on stderr. The kind decides the exit code by executable name. */
export class ExitError extends Error {
  readonly kind: 'failure' | 'configuration' | 'port';
  /** Whether the usage text goes before the message, as Mountebank's parser prints it. */
  readonly withUsage: boolean;

  constructor(kind: 'failure' | 'configuration' | 'port', message: string, { withUsage = false } = {}) {
    super(message);
    this.kind = kind;
    this.withUsage = withUsage;
  }
}

const riftCodes = { failure: 1, configuration: 2, port: 3 } as const;

/** Exit codes: name `mb` knows 0 and 1 only (Mountebank docs: commandLine), `rift` tells the kinds apart. */
export function exitCode(kind: ExitError['kind'], name: 'mb' | 'rift'): number {
  return name === 'mb' ? 1 : riftCodes[kind];
}
