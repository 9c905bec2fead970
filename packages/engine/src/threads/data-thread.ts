// Entry of a data thread: serves copies of imposters on their ports beside the other threads (SO_REUSEPORT) and does
// what the main thread orders.

import { format } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { RiftError } from '../errors.js';
import { Imposter } from '../imposter.js';
import type { Logger } from '../logger.js';
import { AcceptMeter } from '../metering/accept-meter.js';
import { AnswerMeter } from '../metering/answer-meter.js';
import { ImposterMeter, Meters } from '../metering/meters.js';
import { httpProtocol, httpsProtocol } from '../protocols/http/protocol.js';
import { ImposterEvents } from '../recording/events.js';
import type { ScriptHost } from '../scripting/types.js';
import type { LogLevel, NumberedOrder, Order, Report, ThreadSetup } from './messages.js';
import { readTurns } from './shared-stubs.js';

const setup = workerData as ThreadSetup;
const port = parentPort!;
const imposters = new Map<number, Imposter>();
let graceMs = 0;
const protocolOptions = {
  ...setup.protocol,
  reusePort: true,
  accepts: new AcceptMeter(new Float64Array(setup.accepts)),
  answers: new AnswerMeter(new Float64Array(setup.answers)),
  // set by the order that closes an imposter
  get graceMs() {
    return graceMs;
  },
};
const protocols = { http: httpProtocol(protocolOptions), https: httpsProtocol(protocolOptions) };

/** What an imposter counts beside its answers is one meter that the main thread reads. */
class OneMeter extends Meters {
  readonly #meter: ImposterMeter;

  constructor(meter: ImposterMeter) {
    super();
    this.#meter = meter;
  }

  override of(): ImposterMeter {
    return this.#meter;
  }
}

/** Imposters with scripts are not served here. */
const noScripts = new Proxy({} as ScriptHost, {
  get: (_, name) =>
    name === 'close' ? async () => {} : () => Promise.reject(new Error('scripts run on the main thread only')),
});

function tell(report: Report): void {
  port.postMessage(report);
}

function loggerOf(id: number, logs: readonly LogLevel[]): Logger {
  const line =
    (level: LogLevel) =>
    (message: string, ...args: unknown[]): void => {
      if (logs.includes(level)) tell({ kind: 'log', id, level, message: format(message, ...args) });
    };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    enabled: (level) => logs.includes(level),
  };
}

async function open({ id, creation, stubs, cells, logs }: Order & { kind: 'open' }): Promise<number> {
  const numbers = new Float64Array(cells);
  const meter = new ImposterMeter(numbers.subarray(1));
  const imposter = new Imposter(
    { ...creation, stubs: stubs.map(({ json }) => json) },
    protocols[creation.protocol as 'http' | 'https'],
    {
      profile: setup.profile,
      recordAll: false,
      debug: false,
      meters: new OneMeter(meter),
      random: Math.random,
      requestLogLevel: setup.requestLogLevel,
      // imposters with scripts are not shared
      scriptTimeoutMs: 0,
      strictBehaviors: setup.strictBehaviors,
      workingDirectory: setup.workingDirectory,
      allows: () => true,
      handled: numbers.subarray(0, 1),
      silentLife: true,
      events: new ImposterEvents(),
    },
    noScripts,
    loggerOf(id, logs),
  );
  readTurns(imposter, stubs);
  await imposter.start();
  imposters.set(id, imposter);
  return imposter.port;
}

async function carryOut(order: Order): Promise<number | undefined> {
  if (order.kind === 'open') return open(order);
  const imposter = imposters.get(order.id);
  if (imposter === undefined) return undefined;
  if (order.kind === 'close') {
    imposters.delete(order.id);
    graceMs = order.graceMs;
    await imposter.stop();
    return undefined;
  }
  const { change } = order;
  switch (change.kind) {
    case 'insert':
      imposter.insertStub(change.at, change.stub.json).ring.share(change.stub.turn);
      break;
    case 'replace':
      imposter.replaceStub(change.at, change.stub.json).ring.share(change.stub.turn);
      break;
    case 'remove':
      imposter.removeStub(change.at);
      break;
    case 'enabled':
      imposter.enabled = change.enabled;
      break;
    case 'all':
      imposter.replaceStubs(change.stubs.map(({ json }) => json));
      readTurns(imposter, change.stubs);
      break;
  }
  return undefined;
}

port.on('message', ({ number, order }: NumberedOrder) => {
  carryOut(order).then(
    (bound) => tell({ kind: 'done', number, port: bound }),
    (error: unknown) => {
      const { code, message } = error instanceof RiftError ? error : { code: 'bad data', message: String(error) };
      tell({ kind: 'failed', number, error: { code, message } });
    },
  );
});
