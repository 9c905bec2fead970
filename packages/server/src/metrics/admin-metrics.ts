// What `GET /metrics` on the admin port shows: Rift's gauge and counter of imposters, Mountebank's families, and the
// process under the prefix `mb_`.

import type { Histogram, ImposterMeter, Meters } from '@rift-ts/engine';
import { type Family, familyText, type Labels } from './exposition.js';
import type { ProcessMetrics } from './process-metrics.js';

/** What the metrics need of the running imposters. */
export interface CountedImposters {
  all(): readonly { readonly port: number; readonly totalRequests: number }[];
}

/** Mountebank's families, in its order. */
const MOUNTEBANK_FAMILIES: readonly {
  name: string;
  help: string;
  type: Family['type'];
  read: (meter: ImposterMeter) => number | Histogram;
}[] = [
  { name: 'mb_request_total', help: 'Requests', type: 'counter', read: (meter) => meter.requests },
  { name: 'mb_no_match_total', help: 'Requests that no stub matched', type: 'counter', read: (meter) => meter.noMatch },
  {
    name: 'mb_blocked_ip_total',
    help: 'Connections blocked by address',
    type: 'counter',
    read: (meter) => meter.blocked,
  },
  {
    name: 'mb_predicate_match_duration_seconds',
    help: 'Time to find the stub of a request',
    type: 'histogram',
    read: (meter) => meter.matching,
  },
  {
    name: 'mb_response_generation_duration_seconds',
    help: 'Time to make the response',
    type: 'histogram',
    read: (meter) => meter.responding,
  },
  { name: 'mb_proxy_total', help: 'Requests sent to an upstream', type: 'counter', read: (meter) => meter.proxied },
  {
    name: 'mb_proxy_duration_seconds',
    help: 'Time an upstream took',
    type: 'histogram',
    read: (meter) => meter.proxying,
  },
  {
    name: 'mb_behavior_duration_seconds',
    help: 'Time the behaviors of a response took',
    type: 'histogram',
    read: (meter) => meter.behaving,
  },
];

/** Makes the function that gives the text. */
export function adminMetrics(
  meters: Meters,
  imposters: CountedImposters,
  process: ProcessMetrics,
): () => Promise<string> {
  return async () => {
    const running = imposters.all();
    let text = familyText({
      name: 'rift_imposters_total',
      help: 'Running imposters',
      type: 'gauge',
      samples: [[{}, running.length]],
    });
    text += familyText({
      name: 'rift_imposter_requests_total',
      help: 'Requests of an imposter since it was created',
      type: 'counter',
      samples: running.map(({ port, totalRequests }): [Labels, number] => [{ port: String(port) }, totalRequests]),
    });
    if (meters.used) {
      for (const { name, help, type, read } of MOUNTEBANK_FAMILIES) {
        text += familyText({ name, help, type, samples: samplesOf(meters, read) });
      }
    }
    return text + (await process.text('mb_'));
  };
}

/** A counter that never counted has no sample, except the request counter of an imposter that got one. */
function* samplesOf(
  meters: Meters,
  read: (meter: ImposterMeter) => number | Histogram,
): Generator<[Labels, number | Histogram]> {
  for (const [imposter, meter] of meters) {
    const value = read(meter);
    if ((typeof value === 'number' ? value : value.count) > 0) yield [{ imposter }, value];
  }
}
