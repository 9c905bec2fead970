// Flow state of an imposter, cell by cell (docs/state.md).
import { type Imposter, stateValueText, storeUnavailable } from '@rift-ts/engine';
import { notFound } from '../failures.js';
import type { Call, Route } from '../router.js';
import { badData, jsonOf, membersOf } from './body.js';
import { type Environment, jsonReply } from './environment.js';

export function flowStateRoutes(environment: Environment): Route[] {
  const { control } = environment;

  const imposterOf = (id: string): Imposter => {
    if (!/^\d+$/.test(id)) throw notFound('Not Found');
    const imposter = control.imposters.get(String(Number(id)));
    if (imposter === undefined) throw notFound(`Imposter not found on port ${Number(id)}`);
    return imposter;
  };

  const route = (
    method: Route['method'],
    path: string,
    answer: (imposter: Imposter, flowId: string, call: Call) => Promise<unknown>,
  ): Route => ({
    method,
    path: `/admin/imposters/:id/flow-state/:flowId${path}`,
    family: 'rift',
    async handle(call) {
      const imposter = imposterOf(call.params.id!);
      try {
        return jsonReply(environment, 200, await answer(imposter, call.params.flowId!, call));
      } catch (error) {
        throw storeUnavailable(error);
      }
    },
  });

  return [
    route('GET', '/:key', async ({ flow }, flowId, { params }) => {
      const key = params.key!;
      const value = await flow.store.get(flowId, key);
      if (value === undefined) throw notFound('flow-state key not found');
      return { flowId, key, value: JSON.parse(value) };
    }),
    route('PUT', '/:key', async ({ flow }, flowId, { params, request }) => {
      const body = membersOf(jsonOf(request.body, 'Invalid JSON: '));
      if (!Object.hasOwn(body, 'value')) throw badData('missing required field: value');
      const key = params.key!;
      await flow.store.set(flowId, key, stateValueText(body.value));
      return { flowId, key, value: body.value };
    }),
    route('DELETE', '/:key', async ({ flow }, flowId, { params }) => {
      await flow.store.delete(flowId, params.key!);
      return { flowId, key: params.key, deleted: true };
    }),
    route('DELETE', '', async ({ flow }, flowId) => {
      await flow.store.clear(flowId);
      return { flowId, cleared: true };
    }),
  ];
}
