// What an imposter recorded: clearing its requests and its saved proxy responses.
import type { Imposter } from '@rift-ts/engine';
import { imposterPage } from '../html/imposter-page.js';
import type { Route } from '../router.js';
import { type Environment, imposterOf } from './environment.js';

export function recordingRoutes(environment: Environment): Route[] {
  const { control, profile, site } = environment;
  const clearing = (path: string, clear: (imposter: Imposter) => Promise<void>): Route => ({
    method: 'DELETE',
    path,
    family: 'mountebank',
    async handle({ params, base }) {
      const imposter = imposterOf(environment, params.id!);
      await clear(imposter);
      return {
        json: () => imposter.toJson('full', { linkBase: base }),
        page: () => imposterPage(site, imposter.toJson('full')),
      };
    },
  });
  const requests = (imposter: Imposter) => control.clearRequests(imposter);
  const proxyResponses = (imposter: Imposter) => control.clearProxyResponses(imposter);
  return [
    clearing('/imposters/:id/savedProxyResponses', proxyResponses),
    clearing('/imposters/:id/savedRequests', requests),
    // the undocumented old name means one thing in Mountebank and the other in the original Rift
    clearing('/imposters/:id/requests', profile === 'rift' ? requests : proxyResponses),
  ];
}
