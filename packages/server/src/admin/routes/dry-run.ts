// `POST /imposters/:id/test`: which stub would answer a request, and what keeps it from the others. Nothing changes.
import {
  candidateView,
  type DryRunOptions,
  dryRun,
  type Imposter,
  type JsonObject,
  plainView,
  type RequestView,
  RiftError,
  ScriptTimeout,
} from '@rift-ts/engine';
import { failureOf, notFound } from '../failures.js';
import { jsonContent, jsonType, type Reply } from '../reply.js';
import type { Route } from '../router.js';
import { badData, jsonOf } from './body.js';
import { type Environment, jsonReply, riftImposterOf } from './environment.js';

const keys = ['request', 'index', 'flowId', 'scenarios', 'maxOthers', 'maxNearMisses'];
const mostOthers = 1000;
const mostNearMisses = 5;

export function dryRunRoutes(environment: Environment): Route[] {
  return [
    {
      method: 'POST',
      path: '/imposters/:id/test',
      family: 'rift',
      async handle({ params, request }) {
        const imposter = riftImposterOf(environment, params.id!);
        const question = questionOf(request.body);
        const view = viewOf(question, imposter);
        try {
          const { report } = await dryRun(imposter, view, optionsOf(question));
          return jsonReply(environment, 200, report);
        } catch (error) {
          if (error instanceof ScriptTimeout) return timedOut(environment);
          throw error;
        }
      },
    },
  ];
}

function questionOf(body: string): JsonObject {
  const door = 'Invalid test JSON: ';
  const json = jsonOf(body, door);
  if (!isObject(json)) throw badData(`${door}it must be an object`);
  const unknown = Object.keys(json).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw badData(`unknown key '${unknown}' (expected ${keys.join(', ')})`);
  if (json.request === undefined && json.index === undefined) throw badData('missing required field: request');
  if (json.request !== undefined && json.index !== undefined) throw badData("give either 'request' or 'index'");
  return json;
}

function viewOf({ request, index }: JsonObject, imposter: Imposter): RequestView {
  const { protocol } = imposter;
  if (request !== undefined) {
    if (!isObject(request)) throw badData('request must be an object');
    const name = protocol.custom === true || protocol.outOfProcess === true ? '' : protocol.name;
    return candidateView(request, { protocol: name, encoding: imposter.encoding });
  }
  const wanted = whole(index, 'index', 1);
  for (const entry of imposter.journal) if (entry.index === wanted) return plainView(entry.request);
  throw notFound(`no recorded request with index ${wanted}`);
}

function optionsOf({ flowId, scenarios, maxOthers, maxNearMisses }: JsonObject): DryRunOptions {
  if (flowId !== undefined && typeof flowId !== 'string') throw badData('flowId must be a string');
  if (scenarios !== undefined && !isTexts(scenarios)) throw badData('scenarios must be an object of strings');
  return {
    flowId,
    scenarios,
    maxOthers: maxOthers === undefined ? mostOthers : whole(maxOthers, 'maxOthers', 0),
    maxNearMisses: maxNearMisses === undefined ? mostNearMisses : whole(maxNearMisses, 'maxNearMisses', 0),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is { [name: string]: string } {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string');
}

function whole(value: unknown, name: string, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw badData(`${name} must be an integer >= ${least}`);
}

function timedOut({ profile }: Environment): Reply {
  const error = new RiftError('timeout', 'Test timed out', {}, { status: 504, riftOnly: true });
  const { status, body } = failureOf(error, profile);
  return {
    status,
    headers: [
      ['x-rift-script-timeout', 'true'],
      ['Content-Type', jsonType(profile)],
    ],
    ...jsonContent(body),
  };
}
