// Metrics of the process itself: processor time, memory, event loop, garbage collection. Collected once for both
// endpoints, because collecting costs (a timer, an observer of the garbage collector); the admin port shows them under
// Mountebank's names.

import { collectDefaultMetrics, Registry } from 'prom-client';

export interface ProcessMetrics {
  /** Prometheus text; names begin with `process_` and `nodejs_` after `prefix`. */
  text(prefix?: string): Promise<string>;
}

const NAME = /^(# (?:HELP|TYPE) )?(?=process_|nodejs_)/gm;

export function processMetrics(): ProcessMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    async text(prefix = '') {
      const text = await registry.metrics();
      return prefix === '' ? text : text.replace(NAME, `$1${prefix}`);
    },
  };
}
