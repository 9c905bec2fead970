/** printf-style logging; the scope (`[http:4545 name] `) is bound when the logger is made. */
export interface Logger {
  debug(message: string, ...args: unknown[]): void;
  info(message: string, ...args: unknown[]): void;
  warn(message: string, ...args: unknown[]): void;
  error(message: string, ...args: unknown[]): void;
  /** Whether lines of that level go anywhere: lets the hot path skip making them. */
  enabled(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  enabled: () => false,
};
