// The set of imposters and one imposter: `/imposters` and `/imposters/:id`.
import { errorLine, notFound } from '../failures.js';
import { imposterListPage } from '../html/imposter-list-page.js';
import { imposterPage } from '../html/imposter-page.js';
import { flagIs } from '../request.js';
import type { Call, Route } from '../router.js';
import { type Environment, imposterOf, jsonReply, portId, riftImposterOf } from './environment.js';

export function imposterRoutes(environment: Environment): Route[] {
  const { control, logger, profile, site } = environment;
  const { imposters } = control;

  const logBody = ({ request }: Call): void => {
    if (!logger.enabled('debug')) return;
    let compact = request.body;
    try {
      compact = JSON.stringify(JSON.parse(compact));
    } catch {
      // an unreadable body has its own error line
    }
    logger.debug(`${request.peer.address}:${request.peer.port} => ${compact}`);
  };
  /** The form that GET and DELETE of one imposter show. */
  const formOf = ({ request: { query }, base }: Call) =>
    [
      flagIs(query, 'replayable', 'true') ? 'replayable' : 'full',
      { removeProxies: flagIs(query, 'removeProxies', 'true'), linkBase: base },
    ] as const;
  const creating = async <T>(call: Call, create: () => Promise<T>): Promise<T> => {
    logBody(call);
    try {
      return await create();
    } catch (error) {
      logger.error(`error creating imposter: ${errorLine(error)}`);
      throw error;
    }
  };
  const listed = () => imposters.all().map((imposter) => imposter.toJson('list'));

  const listJson = ({ request: { query }, base }: Call) => {
    const removeProxies = flagIs(query, 'removeProxies', 'true');
    const form = flagIs(query, 'replayable', 'true') ? 'replayable' : removeProxies ? 'full' : 'list';
    const all = imposters.all().map((imposter) => imposter.toJson(form, { removeProxies, linkBase: base }));
    if (form !== 'list' || !flagIs(query, 'list', 'true')) return { imposters: all };
    return {
      imposters: all.map(({ protocol, port, name, numberOfRequests, _links }) => ({
        protocol,
        port,
        name,
        numberOfRequests,
        _links,
      })),
    };
  };

  const switching = (word: 'enable' | 'disable'): Route => ({
    method: 'POST',
    path: `/imposters/:id/${word}`,
    family: 'rift',
    async handle({ params }) {
      await control.setEnabled(riftImposterOf(environment, params.id!), word === 'enable');
      return jsonReply(environment, 200, { message: `Imposter ${word}d` });
    },
  });

  return [
    switching('enable'),
    switching('disable'),
    {
      method: 'GET',
      path: '/imposters',
      family: 'mountebank',
      handle: (call) => ({ json: () => listJson(call), page: () => imposterListPage(site, listed()) }),
    },
    {
      method: 'POST',
      path: '/imposters',
      family: 'mountebank',
      async handle(call) {
        const imposter = await creating(call, () => control.create(call.json));
        const location = `${call.base}/imposters/${imposter.port}`;
        return jsonReply(environment, 201, imposter.toJson('full', { linkBase: call.base }), [['Location', location]]);
      },
    },
    {
      method: 'DELETE',
      path: '/imposters',
      family: 'mountebank',
      async handle({ request: { query }, base }) {
        const form = flagIs(query, 'replayable', 'false') ? 'full' : 'replayable';
        const removeProxies = flagIs(query, 'removeProxies', 'true');
        const deleted = await control.deleteAll(form, { removeProxies, linkBase: base });
        return jsonReply(environment, 200, { imposters: deleted });
      },
    },
    {
      method: 'PUT',
      path: '/imposters',
      family: 'mountebank',
      async handle(call) {
        const created = await creating(call, () => control.replaceAll(call.json));
        const shown = created.map((imposter) => imposter.toJson('list', { linkBase: call.base }));
        return jsonReply(environment, 200, { imposters: shown });
      },
    },
    {
      method: 'GET',
      path: '/imposters/:id',
      family: 'mountebank',
      handle(call) {
        const imposter = imposterOf(environment, call.params.id!);
        return {
          json: () => imposter.toJson(...formOf(call)),
          page: () => imposterPage(site, imposter.toJson('full')),
        };
      },
    },
    {
      method: 'DELETE',
      path: '/imposters/:id',
      family: 'mountebank',
      async handle(call) {
        const id = portId(profile, call.params.id!);
        const deleted = await control.delete(id, ...formOf(call));
        if (deleted === undefined && profile === 'rift') throw notFound(`No imposter exists on port ${id}`);
        return jsonReply(environment, 200, deleted ?? {});
      },
    },
  ];
}
