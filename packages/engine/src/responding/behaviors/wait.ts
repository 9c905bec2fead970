// `wait`: the answer is held back for some milliseconds. The waiting request blocks nothing else.

import { RiftError } from '../../errors.js';
import { wholeBetween } from '../../random.js';
import { sleep } from '../sleep.js';
import type { Behavior, BehaviorContext } from './context.js';

/** Profile rift: what a failing function waits, and the longest a function can wait, in milliseconds. */
const failedWaitMs = 100;
const longestFunctionWaitMs = 60_000;

export function compileWait(value: unknown, context: BehaviorContext): Behavior | undefined {
  if (typeof value === 'number') return fixed(value, context);
  if (typeof value === 'string') return fromText(value, context);
  if (typeof value !== 'object' || value === null) return undefined;
  const { inject, min, max } = value as { inject?: unknown; min?: unknown; max?: unknown };
  if (typeof inject === 'string') return fromText(inject, context);
  return range(Number(min), Number(max), context);
}

function fixed(ms: number, context: BehaviorContext): Behavior | undefined {
  const whole = Math.trunc(ms);
  if (!(whole > 0)) return undefined;
  return (_view, data) => wait(whole, context).then(() => data);
}

/** A uniformly drawn whole number of milliseconds, both ends included. */
function range(min: number, max: number, context: BehaviorContext): Behavior | undefined {
  if (Number.isNaN(min) || Number.isNaN(max)) return undefined;
  const low = Math.ceil(Math.min(min, max));
  const high = Math.floor(Math.max(min, max));
  const random = context.random ?? Math.random;
  return (_view, data) => {
    const ms = wholeBetween(low, high, random);
    return ms > 0 ? wait(ms, context).then(() => data) : data;
  };
}

function fromText(text: string, context: BehaviorContext): Behavior | undefined {
  const number = Number.parseInt(text, 10);
  if (!Number.isNaN(number)) return fixed(number, context);
  return async (_view, data) => {
    const ms = await functionWait(text, context);
    if (ms > 0) await wait(ms, context);
    return data;
  };
}

async function functionWait(text: string, { scripts, profile, logger }: BehaviorContext): Promise<number> {
  if (scripts === undefined) throw new RiftError('invalid injection', 'invalid wait injection', { source: text });
  if (profile === 'mountebank') return Math.trunc(await scripts.wait(text));
  try {
    return Math.min(Math.floor(await scripts.wait(text)), longestFunctionWaitMs);
  } catch (error) {
    logger.warn('wait function failed (%s), waiting %d ms instead', (error as Error).message, failedWaitMs);
    return failedWaitMs;
  }
}

function wait(ms: number, { signal, logger }: BehaviorContext): Promise<void> {
  logger.debug('Waiting %d ms...', ms);
  return sleep(ms, signal);
}
