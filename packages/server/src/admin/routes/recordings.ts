// What an imposter recorded: reading and clearing its requests, clearing its saved proxy responses.
import { type Imposter, RiftError } from '@rift-ts/engine';
import { imposterPage } from '../html/imposter-page.js';
import { type FlowIdSource, matchTest } from '../match-clauses.js';
import { lastValue } from '../request.js';
import type { Call, Negotiable, Route } from '../router.js';
import { type Environment, imposterOf, jsonReply, riftImposterOf } from './environment.js';

export function recordingRoutes(environment: Environment): Route[] {
  const { control, profile, site } = environment;

  const shown = (imposter: Imposter, base: string): Negotiable => ({
    json: () => imposter.toJson('full', { linkBase: base }),
    page: () => imposterPage(site, imposter.toJson('full')),
  });

  /** Removes what matches, or everything and the counter. */
  const clearRequests = async ({ params, base, request }: Call) => {
    const imposter = imposterOf(environment, params.id!);
    const matches = matchTest(request.query.getAll('match'), flowIdSource(imposter));
    if (matches === undefined) await control.clearRequests(imposter);
    else await control.removeRequests(imposter, matches);
    return shown(imposter, base);
  };

  const clearProxyResponses = async ({ params, base }: Call) => {
    const imposter = imposterOf(environment, params.id!);
    await control.clearProxyResponses(imposter);
    return shown(imposter, base);
  };

  const readRequests = ({ params, request }: Call) => {
    const imposter = riftImposterOf(environment, params.id!);
    const { journal } = imposter;
    const since = sinceOf(lastValue(request.query, 'since'));
    const matches = matchTest(request.query.getAll('match'), flowIdSource(imposter));
    const found = [];
    for (const entry of journal) {
      if (since !== undefined && entry.index <= since) continue;
      const json = entry.toJSON();
      if (matches === undefined || matches(json)) found.push(json);
    }
    const truncated = since !== undefined && journal.lastDropped > since;
    return jsonReply(environment, 200, found, [
      ['x-rift-next-index', String(journal.lastIndex)],
      ...(truncated ? [['x-rift-truncated', 'true'] as const] : []),
    ]);
  };

  const reading = (path: string): Route => ({ method: 'GET', path, family: 'rift', handle: readRequests });
  const clearing = (path: string, handle: Route['handle']): Route => ({
    method: 'DELETE',
    path,
    family: 'mountebank',
    handle,
  });

  return [
    clearing('/imposters/:id/savedProxyResponses', clearProxyResponses),
    clearing('/imposters/:id/savedRequests', clearRequests),
    // the undocumented old name means one thing in Mountebank and the other in the original Rift
    clearing('/imposters/:id/requests', profile === 'rift' ? clearRequests : clearProxyResponses),
    reading('/imposters/:id/savedRequests'),
    reading('/imposters/:id/requests'),
  ];
}

function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const message = `invalid since cursor '${text}' (expected a non-negative integer)`;
  throw new RiftError('bad data', message, {}, { status: 400, riftOnly: true });
}

function flowIdSource({ flow, port }: Imposter): FlowIdSource {
  return { header: flow.source.header, port };
}
