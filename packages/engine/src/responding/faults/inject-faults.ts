// The step between a chosen response and its making: the faults that `_rift.fault` asks for.

import type { FaultApplied } from '../../metering/upstream-meters.js';
import type { JsonObject, ResponseJson } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import type { Stub } from '../../selection/stub.js';
import type { ResponseContext } from '../compile.js';
import { sleep } from '../sleep.js';
import type { CompiledResponse, Outcome } from '../types.js';
import { type ErrorFault, faultRules } from './fault-rules.js';
import { tcpFaultName } from './tcp-faults.js';

/** The response with its faults in front of it; one that has none and is no proxy's is the very same. */
export function withFaults(
  compiled: CompiledResponse,
  response: ResponseJson,
  stub: Stub,
  context: ResponseContext,
): CompiledResponse {
  const fault = (response._rift as JsonObject | undefined)?.fault;
  const draw =
    typeof fault === 'object' && fault !== null ? faultRules(fault as JsonObject, context.random) : undefined;
  const { imposter, faultMeters, upstreamMeters, logger, signal } = context;
  const isProxied = response.proxy !== undefined && imposter.protocol.proxy !== undefined;
  if (draw === undefined) {
    if (!isProxied) return compiled;
    return {
      shown: compiled.shown,
      respond: (view) =>
        upstreamMeters.answered(
          view,
          () => compiled.respond(view),
          () => 'none',
        ),
    };
  }
  const speaksHttp = imposter.protocol.name === 'http' || imposter.protocol.name === 'https';

  const breakOrGoOn = (view: RequestView, tcp: string | undefined, error: ErrorFault | undefined) => {
    if (tcp !== undefined) {
      const name = tcpFaultName(tcp);
      if (name !== undefined) {
        faultMeters.broken(imposter.ruleId(stub), 'v1');
        return { kind: 'fault', fault: name, injected: true } satisfies Outcome;
      }
      logger.warn(
        '_rift.fault.tcp: there is no fault "%s"; use CONNECTION_RESET_BY_PEER, EMPTY_RESPONSE, RANDOM_DATA_THEN_CLOSE or MALFORMED_RESPONSE_CHUNK',
        tcp,
      );
    }
    if (error !== undefined && speaksHttp) {
      faultMeters.failed(error.status, imposter.ruleId(stub), 'v1');
      return errorOutcome(error);
    }
    return compiled.respond(view);
  };

  const respond = (view: RequestView, { latency, tcp, error }: ReturnType<typeof draw>) => {
    if (latency === undefined) return breakOrGoOn(view, tcp, error);
    faultMeters.delayed(latency, imposter.ruleId(stub), 'v1');
    if (latency === 0) return breakOrGoOn(view, tcp, error);
    return sleep(latency, signal).then(() => breakOrGoOn(view, tcp, error));
  };

  return {
    shown: compiled.shown,
    respond(view) {
      const drawn = draw();
      if (!isProxied) return respond(view, drawn);
      return upstreamMeters.answered(
        view,
        () => respond(view, drawn),
        (outcome) => faultApplied(outcome, drawn.latency),
      );
    },
  };
}

/** The fault that decided about an outcome. */
function faultApplied(outcome: Outcome | undefined, latency: number | undefined): FaultApplied {
  if (outcome?.kind === 'fault') return 'tcp';
  if (outcome?.kind === 'response' && outcome.origin === 'fault') return 'error';
  return latency === undefined ? 'none' : 'latency';
}

function errorOutcome({ status, headers, body }: ErrorFault): Outcome {
  return { kind: 'response', origin: 'fault', data: { statusCode: status, headers, body }, markers: ['fault:error'] };
}
