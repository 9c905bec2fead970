// `_rift.fault` of a response: broken or late answers with a probability, decided anew for every request, before the
// response itself is made.

import type { JsonObject } from '../../model/types.js';
import { type Random, wholeBetween } from '../../random.js';

/** What is done to one request; nothing when all parts are undefined. */
export interface DrawnFaults {
  /** Milliseconds; 0 counts as a latency that fired. */
  readonly latency: number | undefined;
  /** The name as configured, known or not. */
  readonly tcp: string | undefined;
  readonly error: ErrorFault | undefined;
}

export interface ErrorFault {
  readonly status: number;
  readonly headers: JsonObject;
  readonly body: string;
}

/**
 * Reads a `_rift.fault` that passed the checks.
 * @returns What draws the faults of a request: latency, error and tcp independently of each other, each at most once.
 *   undefined when the object has none of them.
 */
export function faultRules(fault: JsonObject, random: Random): (() => DrawnFaults) | undefined {
  const latency = partOf(fault.latency);
  const error = partOf(fault.error);
  const { tcp } = fault;
  const tcpName = typeof tcp === 'string' ? tcp : (partOf(tcp)?.type as string | undefined);
  if (latency === undefined && error === undefined && tcpName === undefined) return undefined;

  const delay = latency === undefined ? undefined : delayOf(latency, random);
  const made = error === undefined ? undefined : errorOf(error);
  const chances = {
    latency: probabilityOf(latency),
    error: probabilityOf(error),
    tcp: typeof tcp === 'string' ? 1 : probabilityOf(partOf(tcp)),
  };
  return () => {
    const late = delay !== undefined && random() < chances.latency;
    const failing = made !== undefined && random() < chances.error;
    const broken = tcpName !== undefined && random() < chances.tcp;
    return {
      latency: late ? delay() : undefined,
      error: failing ? made : undefined,
      tcp: broken ? tcpName : undefined,
    };
  };
}

function partOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function probabilityOf(part: JsonObject | undefined): number {
  return typeof part?.probability === 'number' ? part.probability : 1;
}

function delayOf({ ms, minMs, maxMs }: JsonObject, random: Random): () => number {
  if (typeof ms === 'number') return () => ms;
  const low = typeof minMs === 'number' ? minMs : 0;
  const high = typeof maxMs === 'number' ? maxMs : 0;
  return high <= low ? () => low : () => wholeBetween(low, high, random);
}

function errorOf({ status, headers, body }: JsonObject): ErrorFault {
  return {
    status: typeof status === 'number' ? status : 503,
    headers: partOf(headers) ?? {},
    body: typeof body === 'string' ? body : '',
  };
}
