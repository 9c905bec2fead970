// Events as they happen: of all imposters, or the requests of one (docs/verification.md).
import type { Readable } from 'node:stream';
import type { EventHub, Family } from '../events/event-hub.js';
import { notFound } from '../failures.js';
import type { Reply } from '../reply.js';
import { lastValue } from '../request.js';
import type { Route } from '../router.js';
import { badData } from './body.js';
import { type Environment, riftImposterOf } from './environment.js';

export function eventRoutes(environment: Environment, hub: EventHub): Route[] {
  const portOf = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw badData(`invalid port: ${text}`);
    if (environment.control.imposters.get(String(port)) === undefined) throw notFound(`no imposter on port ${port}`);
    return port;
  };
  return [
    {
      method: 'GET',
      path: '/events',
      family: 'rift',
      handle({ request: { query } }) {
        const types = typesOf(lastValue(query, 'types'));
        const port = portOf(lastValue(query, 'port'));
        return streamed(hub.open({ types, port, clauses: query.getAll('match') }));
      },
    },
    {
      method: 'GET',
      path: '/imposters/:id/savedRequests/stream',
      family: 'rift',
      handle({ params, request: { query } }) {
        const { port } = riftImposterOf(environment, params.id!);
        return streamed(hub.open({ types: ['requests'], port, clauses: query.getAll('match') }));
      },
    },
  ];
}

function typesOf(text: string | undefined): readonly Family[] {
  if (text === undefined) return ['requests', 'lifecycle'];
  const words = text.split(',');
  for (const word of words) {
    if (word === 'requests' || word === 'lifecycle') continue;
    throw badData(`unknown types value '${word}' (expected requests|lifecycle)`);
  }
  return [...new Set(words as Family[])];
}

function streamed(stream: Readable): Reply {
  const headers = [
    ['Content-Type', 'text/event-stream'],
    ['Cache-Control', 'no-cache'],
    ['X-Accel-Buffering', 'no'],
  ] as const;
  return { status: 200, headers, body: '', stream };
}
