// What injected faults did, by rule: the id of the stub, or PORT:INDEX where it has none.

import { CounterFamily, HistogramFamily } from './series.js';

/** Which part of the product asked for a fault: a response's `_rift.fault`, or a script. */
type FaultSource = 'v1' | 'script';

export class FaultMeters {
  /** `type`: latency, error or tcp. */
  readonly injected = new CounterFamily(['type', 'rule_id', 'source']);
  /** Milliseconds. */
  readonly latency = new HistogramFamily(['rule_id'], [10, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]);
  readonly errorStatus = new CounterFamily(['status', 'rule_id']);

  delayed(ms: number, rule: string, source: FaultSource): void {
    this.injected.add('latency', rule, source);
    this.latency.observe(ms, rule);
  }

  failed(status: number, rule: string, source: FaultSource): void {
    this.injected.add('error', rule, source);
    this.errorStatus.add(String(status), rule);
  }

  broken(rule: string, source: FaultSource): void {
    this.injected.add('tcp', rule, source);
  }
}
