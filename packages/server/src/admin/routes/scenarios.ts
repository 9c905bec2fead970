// Scenarios of an imposter: reading, setting and resetting their states (docs/scenarios.md).
import { type Imposter, scenarioState, stateValueText, storeUnavailable } from '@rift-ts/engine';
import { lastValue } from '../request.js';
import type { Route } from '../router.js';
import { badData, jsonOf, membersOf, optionalText } from './body.js';
import { type Environment, jsonReply, riftImposterOf } from './environment.js';

/** The declared scenarios with their states in a flow, by ascending name. */
export async function scenariosIn(imposter: Imposter, flowId: string): Promise<{ name: string; state: string }[]> {
  const names = imposter.scenarioNames;
  const states = await Promise.all(names.map((name) => scenarioState(imposter.flow, flowId, name)));
  return names.map((name, at) => ({ name, state: states[at]! }));
}

/** Sends scenarios of a flow back to their beginning. */
export async function resetScenarios({ flow }: Imposter, flowId: string, names: readonly string[]): Promise<void> {
  try {
    await Promise.all(names.map((name) => flow.store.delete(flowId, name)));
  } catch (error) {
    throw storeUnavailable(error);
  }
}

export function scenarioRoutes(environment: Environment): Route[] {
  return [
    {
      method: 'GET',
      path: '/imposters/:id/scenarios',
      family: 'rift',
      async handle({ params, request }) {
        const imposter = riftImposterOf(environment, params.id!);
        const flowId = lastValue(request.query, 'flowId') ?? String(imposter.port);
        return jsonReply(environment, 200, { flowId, scenarios: await scenariosIn(imposter, flowId) });
      },
    },
    {
      method: 'PUT',
      path: '/imposters/:id/scenarios/:name/state',
      family: 'rift',
      async handle({ params, request }) {
        const body = membersOf(jsonOf(request.body, 'Invalid JSON: '));
        const { state } = body;
        if (typeof state !== 'string') throw badData('missing required field: state');
        const given = optionalText(body, 'flowId');
        const imposter = riftImposterOf(environment, params.id!);
        const flowId = given ?? String(imposter.port);
        const name = params.name!;
        try {
          await imposter.flow.store.set(flowId, name, stateValueText(state));
        } catch (error) {
          throw storeUnavailable(error);
        }
        return jsonReply(environment, 200, { flowId, name, state });
      },
    },
    {
      method: 'POST',
      path: '/imposters/:id/scenarios/reset',
      family: 'rift',
      async handle({ params, request }) {
        const body = request.body.trim() === '' ? {} : membersOf(jsonOf(request.body, 'Invalid JSON: '));
        const given = optionalText(body, 'flowId');
        const imposter = riftImposterOf(environment, params.id!);
        const flowId = given ?? String(imposter.port);
        await resetScenarios(imposter, flowId, imposter.scenarioNames);
        return jsonReply(environment, 200, { flowId, reset: true });
      },
    },
  ];
}
