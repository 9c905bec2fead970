// Spaces: stubs, requests and scenario states that belong to one flow of an imposter (docs/spaces.md).
import type { Imposter } from '@rift-ts/engine';
import type { Route } from '../router.js';
import { badData, jsonOf, membersOf } from './body.js';
import { type Environment, jsonReply, riftImposterOf } from './environment.js';
import { resetScenarios, scenariosIn } from './scenarios.js';

const stubKeys = [
  'scenarioName',
  'requiredScenarioState',
  'newScenarioState',
  'space',
  'id',
  'routePattern',
  'predicates',
  'rules',
  'responses',
  'recordedFrom',
  'delayRange',
  '_verify',
];

/** The stub of a POST, bare or in the envelope that clients written for other stub routes send. */
function stubOf(json: unknown): { readonly [key: string]: unknown } {
  const isStub = (value: unknown) => stubKeys.some((key) => Object.hasOwn(membersOf(value), key));
  if (isStub(json)) return membersOf(json);
  const { stub } = membersOf(json);
  if (isStub(stub)) return membersOf(stub);
  const expected = `expected at least one of ${stubKeys.join(', ')}`;
  throw badData(`body is not a stub: no recognised stub field present (${expected})`);
}

function stubsIn(imposter: Imposter, space: string): unknown[] {
  return imposter.stubs.map(({ json }) => json).filter((json) => json.space === space);
}

export function spaceRoutes(environment: Environment): Route[] {
  const { control } = environment;
  return [
    {
      method: 'POST',
      path: '/imposters/:id/spaces/:flowId/stubs',
      family: 'rift',
      async handle({ params, request }) {
        const space = params.flowId!;
        const { space: _, ...stub } = stubOf(jsonOf(request.body, 'Invalid stub JSON: '));
        const imposter = riftImposterOf(environment, params.id!);
        await control.addSpaceStub(imposter, { ...stub, space });
        return jsonReply(environment, 201, { space, stubs: stubsIn(imposter, space) });
      },
    },
    {
      method: 'GET',
      path: '/imposters/:id/spaces/:flowId/stubs',
      family: 'rift',
      handle({ params }) {
        const space = params.flowId!;
        const imposter = riftImposterOf(environment, params.id!);
        return jsonReply(environment, 200, { space, stubs: stubsIn(imposter, space) });
      },
    },
    {
      method: 'GET',
      path: '/imposters/:id/spaces/:flowId',
      family: 'rift',
      async handle({ params }) {
        const space = params.flowId!;
        const imposter = riftImposterOf(environment, params.id!);
        const { flow, journal, port } = imposter;
        const stubs = stubsIn(imposter, space);
        let numberOfRequests = 0;
        for (const { request } of journal) if (flow.source.ofRecorded(request, port) === space) numberOfRequests++;
        const scenarios = await scenariosIn(imposter, space);
        return jsonReply(environment, 200, { space, stubs, scenarios, numberOfRequests });
      },
    },
    {
      method: 'DELETE',
      path: '/imposters/:id/spaces/:flowId',
      family: 'rift',
      async handle({ params }) {
        const space = params.flowId!;
        const imposter = riftImposterOf(environment, params.id!);
        const declared = imposter.scenarioNames;
        await control.removeSpace(imposter, space);
        await resetScenarios(imposter, space, declared);
        return jsonReply(environment, 200, { space, tornDown: true });
      },
    },
  ];
}
