// What scripts of `_rift.script` did, by rule: the id of the stub, or PORT:INDEX where it has none.

import type { ScriptResult } from '../scripting/rift/decision.js';
import { CounterFamily, HistogramFamily } from './series.js';

export class ScriptMeters {
  /** Milliseconds. `result`: `inject` where the script decided, `pass`, `error`. */
  readonly duration = new HistogramFamily(['rule_id', 'result'], [0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100]);
  /** `error_type`: `error` or `timeout`. */
  readonly errors = new CounterFamily(['rule_id', 'error_type']);

  ran(result: ScriptResult, tookMs: number, rule: string): void {
    if (result.kind === 'decision') {
      this.duration.observe(tookMs, rule, result.decision.kind === 'pass' ? 'pass' : 'inject');
      return;
    }
    this.duration.observe(tookMs, rule, 'error');
    this.errors.add(rule, result.kind);
  }
}
