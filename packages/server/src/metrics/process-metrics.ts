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
      // before the first pause of the event loop its mean is no number, which the library spells `Nan`
      const text = (await registry.metrics()).replace(/ Nan$/gm, ' NaN');
      return prefix === '' ? text : text.replace(NAME, `$1${prefix}`);
    },
  };
}
