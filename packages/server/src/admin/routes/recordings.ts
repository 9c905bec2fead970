// What an imposter recorded: clearing its requests and its saved proxy responses.
import type { EngineImposter } from '../backend.js';
import { imposterPage } from '../html/imposter-page.js';
import type { Route } from '../router.js';
import { type Environment, imposterOf } from './environment.js';

export function recordingRoutes(environment: Environment): Route[] {
  const { control, profile, site } = environment;
  const clearing = (path: string, clear: (imposter: EngineImposter) => Promise<void>): Route => ({
    method: 'DELETE',
    path,
    family: 'mountebank',
    async handle({ params, base }) {
      const imposter = imposterOf(environment, params.id!);
      await clear(imposter);
      return {
        json: () => control.show(imposter, 'full', { linkBase: base }),
        page: () => imposterPage(site, control.show(imposter, 'full')),
      };
    },
  });
  const requests = (imposter: EngineImposter) => control.clearRequests(imposter);
  const proxyResponses = (imposter: EngineImposter) => control.clearProxyResponses(imposter);
  return [
    clearing('/imposters/:id/savedProxyResponses', proxyResponses),
    clearing('/imposters/:id/savedRequests', requests),
    // the undocumented old name means one thing in Mountebank and the other in the original Rift
    clearing('/imposters/:id/requests', profile === 'rift' ? requests : proxyResponses),
  ];
}
