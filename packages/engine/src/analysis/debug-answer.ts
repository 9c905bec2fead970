// What a request with `X-Rift-Debug` gets instead of a response: which stub it meets, or what every stub asks for
// (docs/debugging.md). Only http and https imposters are asked like that.

import { isUtf8 } from 'node:buffer';
import { RiftError } from '../errors.js';
import type { Imposter } from '../imposter.js';

import { predicatesOf } from '../model/stub-plan.js';
import type { JsonObject } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { ResponseOutcome } from '../responding/types.js';
import { ScriptTimeout } from '../scripting/script-errors.js';
import { type DryRun, dryRun } from './dry-run.js';

const headerName = 'x-rift-debug';
const mostNearMisses = 5;

/** Whether a request asks for debugging. */
export function asksForDebug(view: RequestView): boolean {
  const value = view.header?.(headerName);
  return value !== undefined && /^(true|1)$/i.test(value);
}

/** Moves nothing. Rejects with what a client is to see. */
export async function debugAnswer(imposter: Imposter, view: RequestView): Promise<ResponseOutcome> {
  const found = await tried(imposter, view);
  if (found.failure !== undefined) throw found.failure;
  const body = JSON.stringify(report(imposter, view, found), null, 2);
  return {
    kind: 'response',
    origin: 'debug',
    data: {
      statusCode: 200,
      headers: { 'Content-Type': 'application/json', 'X-Rift-Debug-Response': 'true' },
      body,
    },
  };
}

async function tried(imposter: Imposter, view: RequestView): Promise<DryRun> {
  try {
    return await dryRun(imposter, view, { maxOthers: 0, maxNearMisses: mostNearMisses });
  } catch (error) {
    if (error instanceof ScriptTimeout) {
      const answer = { status: 504, riftOnly: true, markers: ['script-timeout'] } as const;
      throw new RiftError('timeout', 'Debug matching timed out', {}, answer);
    }
    if (error instanceof RiftError) throw error;
    imposter.logger.error('%s', `Debug matching failed: ${error instanceof Error ? error.message : String(error)}`);
    throw new RiftError('internal error', 'Debug matching failed', {}, { status: 500, riftOnly: true });
  }
}

function report(imposter: Imposter, view: RequestView, { report: { stub, nearMisses } }: DryRun): object {
  const { creation } = imposter;
  const stubs = imposter.stubs.map(({ json }) => json);
  return {
    debug: true,
    request: requestPart(view),
    imposter: {
      port: imposter.port,
      ...(creation.name ? { name: creation.name } : {}),
      protocol: creation.protocol,
      stubCount: stubs.length,
    },
    matchResult:
      stub === undefined
        ? {
            matched: false,
            allStubs: stubs.map((json, index) => ({
              index,
              ...(typeof json.id === 'string' ? { id: json.id } : {}),
              predicates: predicatesOf(json),
              responseCount: json.responses.length,
            })),
            reason:
              stubs.length === 0 ? 'No stubs configured for this imposter' : 'No stub predicates matched the request',
            ...(nearMisses === undefined ? {} : { nearMisses }),
          }
        : {
            matched: true,
            stubIndex: stub.index,
            ...(stub.id === undefined ? {} : { stubId: stub.id }),
            predicates: predicatesOf(stubs[stub.index]!),
            responsePreview: stub.responsePreview,
          },
  };
}

function requestPart(view: RequestView): JsonObject {
  const { method, path, headers } = view.toJSON() as { method: string; path: string; headers: JsonObject };
  const query = view.rawQuery ?? '';
  const body = bodyText(view);
  const shown = Object.entries(headers).filter(([name]) => name.toLowerCase() !== headerName);
  return {
    method,
    path,
    ...(query === '' ? {} : { query }),
    headers: Object.fromEntries(shown),
    ...(body === '' ? {} : { body }),
  };
}

/** As text, in base64 when it is none. */
function bodyText(view: RequestView): string {
  const text = view.field('body');
  if (typeof text !== 'string') return view.rawBody.toString('base64');
  return text.includes('�') && !isUtf8(view.rawBody) ? view.rawBody.toString('base64') : text;
}
