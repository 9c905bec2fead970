// Asking an imposter whether it got the requests that a test expects (docs/verification.md).
import { type VerifyQuery, verify } from '@rift-ts/engine';
import type { Route } from '../router.js';
import { badData, jsonOf, membersOf } from './body.js';
import { type Environment, jsonReply, riftImposterOf } from './environment.js';

const door = 'Invalid verify JSON: ';

function queryOf(body: string): VerifyQuery {
  const json = jsonOf(body, door);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw badData(`${door}expected an object`);
  const { predicates, flowId, includeRequests, includeClosest } = membersOf(json);
  const given = (value: unknown) => value !== undefined && value !== null;
  if (given(predicates) && !Array.isArray(predicates)) throw badData(`${door}predicates must be an array`);
  if (given(flowId) && typeof flowId !== 'string') throw badData(`${door}flowId must be a string`);
  for (const [name, value] of Object.entries({ includeRequests, includeClosest })) {
    if (given(value) && typeof value !== 'boolean') throw badData(`${door}${name} must be true or false`);
  }
  return {
    predicates: Array.isArray(predicates) ? predicates : [],
    ...(typeof flowId === 'string' ? { flowId } : {}),
    includeRequests: includeRequests === true,
    includeClosest: includeClosest === true,
  };
}

export function verificationRoutes(environment: Environment): Route[] {
  return [
    {
      method: 'POST',
      path: '/imposters/:id/verify',
      family: 'rift',
      async handle({ params, request }) {
        const query = queryOf(request.body);
        const imposter = riftImposterOf(environment, params.id!);
        const { journal, port, flow, scripts, profile, logger, encoding } = imposter;
        const { allowInjection } = environment.control.imposters.readOptions;
        const scope = { journal, port, flow, scripts, profile, logger, encoding, allowInjection };
        return jsonReply(environment, 200, await verify(query, scope));
      },
    },
  ];
}
