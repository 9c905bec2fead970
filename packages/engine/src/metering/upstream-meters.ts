// Requests that imposters passed on: how long the upstream took, and how long the whole answer took with the faults that
// were injected on its way. Milliseconds.

import type { ProxyCall } from '../protocols/types.js';
import type { RequestView } from '../request-view.js';
import type { Eventual } from '../state/types.js';
import { HistogramFamily } from './series.js';

const MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];

/** The injected fault that decided how a proxied request was answered. */
export type FaultApplied = 'none' | 'latency' | 'error' | 'tcp';

export class UpstreamMeters {
  /** `status`: the upstream's, `error` where it gave none. */
  readonly upstream = new HistogramFamily(['method', 'status'], MS);
  readonly proxy = new HistogramFamily(['method', 'fault_applied'], MS);

  /** Calls the upstream of a request and observes it; requests without a method are called alone. */
  measured(call: ProxyCall): ProxyCall {
    return async (request) => {
      const method = methodOf(request.view);
      if (method === undefined) return call(request);
      const started = performance.now();
      let status = 'error';
      try {
        const answer = await call(request);
        status = String(answer.data.statusCode ?? 200);
        return answer;
      } finally {
        this.upstream.observe(performance.now() - started, method, status);
      }
    };
  }

  /** Answers a proxied request and observes it. `faultOf`: what was injected; undefined stands for a failure. */
  async answered<T>(
    view: RequestView,
    answer: () => Eventual<T>,
    faultOf: (outcome: T | undefined) => FaultApplied,
  ): Promise<T> {
    const method = methodOf(view);
    const started = performance.now();
    let outcome: T | undefined;
    try {
      outcome = await answer();
      return outcome;
    } finally {
      if (method !== undefined) this.proxy.observe(performance.now() - started, method, faultOf(outcome));
    }
  }
}

function methodOf(view: RequestView): string | undefined {
  const method = view.field('method');
  return typeof method === 'string' ? method : undefined;
}
