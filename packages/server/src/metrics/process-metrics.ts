// Metrics of the process itself: processor time, memory, event loop, garbage collection. Collected once for both
// endpoints, and from the first time that somebody reads them, because collecting costs (a timer, an observer of the garbage
// collector, and the library's loading); the admin port shows them under Mountebank's names.

import { createRequire } from 'node:module';
import type { Counter, Registry } from 'prom-client';

export interface ProcessMetrics {
  /** Prometheus text; names begin with `process_` and `nodejs_` after `prefix`. */
  text(prefix?: string): Promise<string>;
}

const NAME = /^(# (?:HELP|TYPE) )?(?=process_|nodejs_)/gm;

export function processMetrics(): ProcessMetrics {
  let registry: Registry | undefined;
  return {
    async text(prefix = '') {
      registry ??= collecting();
      // before the first pause of the event loop its mean is no number, which the library spells `Nan`
      const text = (await registry.metrics()).replace(/ Nan$/gm, ' NaN');
      return prefix === '' ? text : text.replace(NAME, `$1${prefix}`);
    },
  };
}

function collecting(): Registry {
  const { collectDefaultMetrics, Registry } = createRequire(import.meta.url)(
    'prom-client',
  ) as typeof import('prom-client');
  const { user, system } = process.cpuUsage();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // the library counts what is spent from now on
  const add = (name: string, micros: number) =>
    (registry.getSingleMetric(`process_cpu_${name}seconds_total`) as Counter).inc(micros / 1e6);
  add('user_', user);
  add('system_', system);
  add('', user + system);
  return registry;
}
