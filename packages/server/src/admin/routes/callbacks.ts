// Where processes that speak a custom protocol ask what to answer: `/imposters/:id/_requests` and, after they called an
// upstream, `/imposters/:id/_requests/:key`. They work for every imposter.
import { buffer } from 'node:stream/consumers';
import { type Imposter, type JsonObject, type ResponseData, RiftError } from '@rift-ts/engine';
import { PostedRequest } from '../posted-request.js';
import type { Route } from '../router.js';
import { type Environment, imposterOf, jsonReply } from './environment.js';

const BLOCKED = { blocked: true, code: 'unauthorized ip address' };

type Outcome = Awaited<ReturnType<Imposter['handle']>>;

export function callbackRoutes(environment: Environment, adminUrl: string): Route[] {
  return [
    {
      method: 'POST',
      path: '/imposters/:id/_requests',
      family: 'mountebank',
      async handle({ params, json }) {
        const imposter = imposterOf(environment, params.id!);
        const request = objectOf(json, 'request');
        const { ip } = request;
        if (!imposter.allows(typeof ip === 'string' ? ip : '')) {
          if (ip === undefined) {
            imposter.logger.error(
              'Blocking request because no IP address provided. This is likely a bug in the protocol implementation.',
            );
          }
          return jsonReply(environment, 200, BLOCKED);
        }
        if (!imposter.enabled && imposter.protocol.outOfProcess) return jsonReply(environment, 200, BLOCKED);
        const outcome = await imposter.handle(new PostedRequest(request));
        if (outcome.kind === 'delegated') {
          const callbackURL = `${adminUrl}/imposters/${imposter.port}/_requests/${outcome.key}`;
          return jsonReply(environment, 200, { proxy: outcome.proxy, request, callbackURL });
        }
        const response = await responseOf(outcome);
        return jsonReply(environment, 200, imposter.protocol.outOfProcess === true ? { response } : response);
      },
    },
    {
      method: 'POST',
      path: '/imposters/:id/_requests/:key',
      family: 'mountebank',
      async handle({ params, json }) {
        const imposter = imposterOf(environment, params.id!);
        const key = params.key!;
        const source = `${adminUrl}/imposters/${imposter.port}/_requests/${key}`;
        const answer = objectOf(json, 'proxyResponse');
        return jsonReply(
          environment,
          200,
          await responseOf(await imposter.pendingProxies.complete(key, answer, source)),
        );
      },
    },
  ];
}

function objectOf(json: unknown, name: string): JsonObject {
  const body = typeof json === 'object' && json !== null ? (json as JsonObject) : {};
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) throw new RiftError('bad data', `'${name}' is a required field`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RiftError('bad data', `'${name}' must be an object`);
  }
  return value;
}

/** The response object as Mountebank would hand it to the protocol. */
async function responseOf(outcome: Outcome): Promise<ResponseData> {
  switch (outcome.kind) {
    case 'fault':
      return { fault: outcome.fault };
    case 'response': {
      if (outcome.stream === undefined) return outcome.data;
      return { ...outcome.data, body: (await buffer(outcome.stream)).toString('utf8') };
    }
    default:
      return BLOCKED;
  }
}
