// What `GET /metrics` on the metrics port shows: Rift's families, then the process. A family appears once it has a
// sample; gauges are there at once.

import type {
  AcceptMeter,
  AnswerMeter,
  CounterFamily,
  DataThreads,
  FlowStore,
  Histogram,
  HistogramFamily,
  Meters,
} from '@rift-ts/engine';
import { type Family, familyText, type Labels } from './exposition.js';
import type { ProcessMetrics } from './process-metrics.js';

/** What this process counts beside its imposters' meters: answers, and connections by kind of listener. */
export interface Traffic {
  readonly answers: AnswerMeter;
  readonly accepts: Readonly<Record<'imposter' | 'admin' | 'metrics', AcceptMeter>>;
}

export interface RiftMetricsOptions {
  readonly meters: Meters;
  /** Of the main thread. */
  readonly traffic: Traffic;
  readonly threads: Pick<DataThreads, 'traffic'> | undefined;
  readonly imposters: {
    all(): readonly { readonly flow: { readonly store: Pick<FlowStore, 'backend' | 'flows'> } }[];
  };
  readonly build: { readonly version: string; readonly commit: string | null };
  readonly process: ProcessMetrics;
}

/** Pairs of method and status that are shown; what comes later is summed up as `other`. */
const SERIES_LIMIT = 10_000;

type Samples = Iterable<readonly [Labels, number | Histogram]>;

/** Makes the function that gives the text. */
export function riftMetrics({ meters, traffic, threads, imposters, build, process }: RiftMetricsOptions) {
  const shown = new Set<string>();

  const requests = (): Samples => {
    const sums = new Map<string, { labels: Labels; count: number }>();
    for (const answers of [traffic.answers, ...(threads?.traffic ?? []).map((thread) => thread.answers)]) {
      for (const [method, status, count] of answers) {
        let labels: Labels = { method, status: String(status) };
        let key = `${method} ${status}`;
        if (!shown.has(key)) {
          if (shown.size < SERIES_LIMIT) shown.add(key);
          else {
            labels = { method: 'other', status: 'other' };
            key = '';
          }
        }
        const sum = sums.get(key);
        if (sum === undefined) sums.set(key, { labels, count });
        else sum.count += count;
      }
    }
    return [...sums.values()].map(({ labels, count }): [Labels, number] => [labels, count]);
  };

  /** By thread; with data threads the main one serves what cannot be shared. */
  const accepted = (): Samples => {
    const main: [Labels, number] = [
      { worker: threads === undefined ? '0' : 'main' },
      traffic.accepts.imposter.accepted,
    ];
    const others = (threads?.traffic ?? []).map(({ accepts }, worker): [Labels, number] => [
      { worker: String(worker) },
      accepts.accepted,
    ]);
    return [...others, main].filter(([, count]) => count > 0);
  };

  /** What listeners of each kind counted, over all threads. */
  const listeners = (): [listener: string, transient: number, systemic: number, failing: number][] =>
    Object.entries(traffic.accepts).map(([listener, own]) => {
      const all = listener === 'imposter' ? [own, ...(threads?.traffic ?? []).map(({ accepts }) => accepts)] : [own];
      const sum = (read: (meter: AcceptMeter) => number) => all.reduce((total, meter) => total + read(meter), 0);
      return [
        listener,
        sum((meter) => meter.transientErrors),
        sum((meter) => meter.systemicErrors),
        sum((meter) => meter.failing),
      ];
    });

  const acceptErrors = (): Samples =>
    listeners()
      .flatMap(([listener, transient, systemic]): [Labels, number][] => [
        [{ listener, class: 'transient' }, transient],
        [{ listener, class: 'systemic' }, systemic],
      ])
      .filter(([, count]) => count > 0);

  const flows = (): Samples => {
    const held = { inmemory: 0, redis: 0, none: 0 };
    for (const { flow } of imposters.all()) held[flow.store.backend] += flow.store.flows;
    return [
      [{ backend: 'inmemory' }, held.inmemory],
      [{ backend: 'redis' }, held.redis],
    ];
  };

  const families: readonly (Omit<Family, 'samples'> & { samples: () => Samples })[] = [
    {
      name: 'rift_requests_total',
      help: 'Answers given by imposters',
      type: 'counter',
      samples: requests,
    },
    {
      name: 'rift_accepted_connections_total',
      help: 'Connections accepted by imposters, by data thread',
      type: 'counter',
      samples: accepted,
    },
    {
      name: 'rift_accept_errors_total',
      help: 'Connections that could not be accepted',
      type: 'counter',
      samples: acceptErrors,
    },
    {
      name: 'rift_accept_error_outage',
      help: 'Listeners that cannot accept connections now',
      type: 'gauge',
      samples: () => listeners().map(([listener, , , failing]): [Labels, number] => [{ listener }, failing]),
    },
    {
      name: 'rift_faults_injected_total',
      help: 'Injected faults',
      type: 'counter',
      samples: () => labelled(meters.faults.injected),
    },
    {
      name: 'rift_latency_injected_ms',
      help: 'Injected latency in milliseconds',
      type: 'histogram',
      samples: () => labelled(meters.faults.latency),
    },
    {
      name: 'rift_error_status_total',
      help: 'Injected error statuses',
      type: 'counter',
      samples: () => labelled(meters.faults.errorStatus),
    },
    {
      name: 'rift_script_execution_duration_ms',
      help: 'Time that scripts ran, in milliseconds',
      type: 'histogram',
      samples: () => labelled(meters.scripts.duration),
    },
    {
      name: 'rift_script_errors_total',
      help: 'Scripts that failed',
      type: 'counter',
      samples: () => labelled(meters.scripts.errors),
    },
    {
      name: 'rift_flow_state_ops_total',
      help: 'Operations on flow state',
      type: 'counter',
      samples: () => [...meters.flows].map(([[operation, result], count]) => [{ operation, result }, count]),
    },
    { name: 'rift_active_flows', help: 'Flows held', type: 'gauge', samples: flows },
    {
      name: 'rift_proxy_request_duration_ms',
      help: 'Time to answer requests that are proxied, in milliseconds',
      type: 'histogram',
      samples: () => labelled(meters.upstreams.proxy),
    },
    {
      name: 'rift_upstream_request_duration_ms',
      help: 'Time that upstreams took, in milliseconds',
      type: 'histogram',
      samples: () => labelled(meters.upstreams.upstream),
    },
    {
      name: 'rift_journal_evictions_total',
      help: 'Recorded requests that the limit of the journal dropped',
      type: 'counter',
      samples: () => labelled(meters.evictions),
    },
    {
      name: 'rift_build_info',
      help: 'Version of the server, always 1',
      type: 'gauge',
      samples: () => [
        [{ version: build.version, commit: build.commit ?? 'unknown', node: globalThis.process.version }, 1],
      ],
    },
  ];

  return async (): Promise<string> => {
    let text = '';
    for (const { samples, ...family } of families) {
      const list = [...samples()];
      if (list.length > 0) text += familyText({ ...family, samples: list, boundLast: true });
    }
    return text + (await process.text());
  };
}

function labelled(family: CounterFamily | HistogramFamily): Samples {
  const samples: (readonly [Labels, number | Histogram])[] = [];
  for (const [values, value] of family) {
    samples.push([Object.fromEntries(family.labels.map((name, i) => [name, values[i]])), value]);
  }
  return samples;
}
