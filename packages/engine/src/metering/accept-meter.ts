// Accepted connections, and connections that could not be accepted. Node accepts by itself and shows only some of the
// errors (the `error` event of a server that listens); what it shows is sorted, counted, and told without flooding the
// log. Errors are sorted as servers usually do: of the peer, of this machine's limits, of the listener itself.

import type { Logger } from '../logger.js';

/** `transient`: a peer's fault; `systemic`: ours, out of file descriptors or memory. */
type AcceptErrorClass = 'transient' | 'systemic';

const SYSTEMIC = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'ENOSR']);
const FATAL = new Set(['EBADF', 'EFAULT', 'EINVAL', 'ENOTSOCK', 'EOPNOTSUPP']);
/** Errors of one outage that are counted without a line in the log. */
const SILENT = 600;

const ACCEPTED = 0;
const TRANSIENT = 1;
const SYSTEMIC_ERRORS = 2;
const FAILING = 3;

/** What listeners of one kind count. The numbers may lie in memory that threads share; each thread has its own. */
export class AcceptMeter {
  /** Numbers a meter has. */
  static readonly cells = 4;

  readonly #cells: Float64Array;

  constructor(cells: Float64Array = new Float64Array(AcceptMeter.cells)) {
    this.#cells = cells;
  }

  get accepted(): number {
    return this.#cells[ACCEPTED];
  }

  get transientErrors(): number {
    return this.#cells[TRANSIENT];
  }

  get systemicErrors(): number {
    return this.#cells[SYSTEMIC_ERRORS];
  }

  /** Listeners that cannot accept at the moment. */
  get failing(): number {
    return this.#cells[FAILING];
  }

  count(): void {
    this.#cells[ACCEPTED]++;
  }

  countError(kind: AcceptErrorClass): void {
    this.#cells[kind === 'transient' ? TRANSIENT : SYSTEMIC_ERRORS]++;
  }

  /** `by` 1: one more listener fails, -1: one less. */
  shiftFailing(by: 1 | -1): void {
    this.#cells[FAILING] += by;
  }
}

/** One listener, as it reports to the meter of its kind. */
export class AcceptLoop {
  readonly #meter: AcceptMeter;
  readonly #logger: () => Pick<Logger, 'debug' | 'error' | 'info'>;
  /** Systemic errors since the last connection. */
  #errors = 0;

  constructor(meter: AcceptMeter, logger: () => Pick<Logger, 'debug' | 'error' | 'info'>) {
    this.#meter = meter;
    this.#logger = logger;
  }

  accepted(): void {
    this.#meter.count();
    if (this.#errors > 0) this.#recovered();
  }

  /** The listener could not accept a connection. */
  failed(error: Error): void {
    const { code = '' } = error as NodeJS.ErrnoException;
    const logger = this.#logger();
    if (FATAL.has(code)) {
      logger.error(`the listener has failed and takes no connections any more: ${error.message}`);
      return;
    }
    if (!SYSTEMIC.has(code)) {
      this.#meter.countError('transient');
      logger.debug(`a connection was lost before it was accepted: ${error.message}`);
      return;
    }
    this.#meter.countError('systemic');
    this.#errors++;
    if (this.#errors === 1) {
      this.#meter.shiftFailing(1);
      logger.error(`connections cannot be accepted: ${error.message}${advice(code)}`);
    } else if (this.#errors % (SILENT + 1) === 0) {
      logger.error(`connections still cannot be accepted, ${this.#errors} errors so far: ${error.message}`);
    }
  }

  /** The listener has been closed. */
  closed(): void {
    if (this.#errors > 0) this.#meter.shiftFailing(-1);
    this.#errors = 0;
  }

  #recovered(): void {
    this.#logger().info(`connections are accepted again after ${this.#errors} errors`);
    this.closed();
  }
}

function advice(code: string): string {
  return code === 'EMFILE' || code === 'ENFILE' ? '; raise the limit of open files (ulimit -n)' : '';
}
