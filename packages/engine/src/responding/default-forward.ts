// `defaultForward` of an imposter: where requests go that no stub matched. Never recorded.

import { RiftError } from '../errors.js';
import { type Members, setMember } from '../matching/members.js';
import type { ImposterCore, ProxyCall } from '../protocols/types.js';
import { UpstreamFailure } from '../protocols/upstream-failure.js';
import type { RequestView } from '../request-view.js';
import type { ResponseOutcome } from './types.js';

/** Header lines about the connection to the upstream (RFC 9110 section 7.6.1): the imposter decides about its own. */
const ABOUT_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Answers with what the upstream `to` + path + query answers; rejects with a RiftError `upstream failure`, status 502. */
export function defaultForward(to: string, call: ProxyCall, imposter: ImposterCore, signal: AbortSignal) {
  const { logger } = imposter;
  return async (view: RequestView): Promise<ResponseOutcome> => {
    try {
      const { data, rawBody, stream } = await call({ imposter, to, view, options: {}, mayStream: true, signal });
      const headers: Members = {};
      for (const [name, value] of Object.entries(data.headers ?? {})) {
        if (!ABOUT_THE_CONNECTION.has(name.toLowerCase())) setMember(headers, name, value);
      }
      return {
        kind: 'response',
        origin: 'forward',
        data: { ...data, headers },
        rawBody,
        stream,
        markers: ['default-forward'],
      };
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      logger.warn(`defaultForward to ${to} failed: ${error.reason}`);
      const answer = { status: 502, riftOnly: true, markers: ['default-forward-error'] } as const;
      throw new RiftError('upstream failure', `defaultForward upstream error: ${error.message}`, {}, answer);
    }
  };
}
