// The stubs of an imposter: by position as in Mountebank, to read and by id as this product adds.
import { type Imposter, RiftError } from '@rift-ts/engine';
import { errorLine, notFound } from '../failures.js';
import type { Route } from '../router.js';
import { type Environment, imposterOf, jsonReply, riftImposterOf } from './environment.js';

const badIndex = "'stubIndex' must be a valid integer, representing the array index position of the stub to replace";

export function stubRoutes(environment: Environment): Route[] {
  const { control, logger, profile } = environment;

  const changing = async (imposter: Imposter, base: string, change: Promise<void>) => {
    try {
      await change;
    } catch (error) {
      logger.error(`error changing stubs: ${errorLine(error)}`);
      throw error;
    }
    return jsonReply(environment, 200, imposter.toJson('full', { linkBase: base }));
  };

  const stubsOf = (imposter: Imposter, base: string): Record<string, unknown>[] =>
    imposter.toJson('full', { linkBase: base }).stubs as Record<string, unknown>[];

  /** An existing position in its only spelling: `01` and `1.0` are none. */
  const position = (imposter: Imposter, index: string) => () => {
    const at = Number(index);
    if (String(at) === index && Number.isInteger(at) && at >= 0 && at < imposter.stubCount) return at;
    if (profile === 'rift') throw notFound(`Stub index ${index} not found`);
    throw new RiftError('bad data', badIndex, {}, { status: 404 });
  };

  const byId = (imposter: Imposter, id: string) => () => {
    const at = imposter.stubs.findIndex(({ json }) => json.id === id);
    if (at < 0) throw notFound(`No stub with id '${id}'`);
    return at;
  };

  return [
    {
      method: 'PUT',
      path: '/imposters/:id/stubs',
      family: 'mountebank',
      handle({ params, json, base }) {
        const imposter = imposterOf(environment, params.id!);
        return changing(imposter, base, control.replaceStubs(imposter, json));
      },
    },
    {
      method: 'POST',
      path: '/imposters/:id/stubs',
      family: 'mountebank',
      handle({ params, json, base }) {
        const imposter = imposterOf(environment, params.id!);
        return changing(imposter, base, control.addStub(imposter, json));
      },
    },
    {
      method: 'GET',
      path: '/imposters/:id/stubs',
      family: 'rift',
      handle: ({ params, base }) =>
        jsonReply(environment, 200, { stubs: stubsOf(riftImposterOf(environment, params.id!), base) }),
    },
    {
      method: 'GET',
      path: '/imposters/:id/stubs/by-id/:stubId',
      family: 'rift',
      handle({ params, base }) {
        const imposter = riftImposterOf(environment, params.id!);
        const at = byId(imposter, params.stubId!)();
        const { _links, ...stub } = stubsOf(imposter, base)[at]!;
        return jsonReply(environment, 200, stub);
      },
    },
    {
      method: 'PUT',
      path: '/imposters/:id/stubs/by-id/:stubId',
      family: 'rift',
      handle({ params, request, base }) {
        const id = params.stubId!;
        const stub = bareStub(request.body);
        const imposter = riftImposterOf(environment, params.id!);
        const named = typeof stub === 'object' && stub !== null && !Array.isArray(stub) ? { ...stub, id } : stub;
        return changing(imposter, base, control.replaceStub(imposter, byId(imposter, id), named, true));
      },
    },
    {
      method: 'DELETE',
      path: '/imposters/:id/stubs/by-id/:stubId',
      family: 'rift',
      handle({ params, base }) {
        const imposter = riftImposterOf(environment, params.id!);
        return changing(imposter, base, control.deleteStub(imposter, byId(imposter, params.stubId!)));
      },
    },
    {
      method: 'PUT',
      path: '/imposters/:id/stubs/:index',
      family: 'mountebank',
      handle({ params, json, base }) {
        const imposter = imposterOf(environment, params.id!);
        return changing(
          imposter,
          base,
          control.replaceStub(imposter, position(imposter, params.index!), json, profile === 'rift'),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/imposters/:id/stubs/:index',
      family: 'mountebank',
      handle({ params, base }) {
        const imposter = imposterOf(environment, params.id!);
        return changing(imposter, base, control.deleteStub(imposter, position(imposter, params.index!)));
      },
    },
    {
      method: 'GET',
      path: '/imposters/:id/stubs/:index',
      family: 'rift',
      handle({ params, base }) {
        const imposter = riftImposterOf(environment, params.id!);
        const index = params.index!;
        const stub = /^\d+$/.test(index) ? stubsOf(imposter, base)[Number(index)] : undefined;
        if (stub === undefined) throw notFound(`Stub index ${index} not found`);
        return jsonReply(environment, 200, stub);
      },
    },
  ];
}

function bareStub(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RiftError('bad data', `Invalid stub JSON: ${reason}`, {}, { status: 400, riftOnly: true });
  }
}
