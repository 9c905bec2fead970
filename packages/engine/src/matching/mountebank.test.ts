// Generated predicates and requests, decided here and by the real Mountebank. Inputs that a deliberate difference
// touches are left out by its number.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import type { RequestJson } from '../model/types.js';
import { checkPredicates } from './check.js';
import { compilePredicate } from './compile.js';
import { plainView } from './plain-view.js';
import { differenceTouched, errorDifference } from './testing/differences.fixture.js';
import {
  bendRequest,
  encodePairs,
  type GeneratedRequest,
  generatePredicate,
  generateRequest,
} from './testing/generator.fixture.js';
import { Mountebank } from './testing/mountebank.fixture.js';
import { pairsOfRun, Random, seedOfRun } from './testing/random.fixture.js';

const stubsPerBatch = 40;
const requestsPerStub = 6;
const dummy = { requestFrom: '', method: 'GET', path: '/', query: {}, headers: {}, form: {}, body: '' };

let mountebank: Mountebank;
before(async () => {
  mountebank = await Mountebank.start();
});
after(() => mountebank.stop());

interface Case {
  readonly predicate: { [key: string]: unknown };
  readonly requests: GeneratedRequest[];
}

function generateCases(random: Random): Case[] {
  return Array.from({ length: stubsPerBatch }, () => {
    const near = generateRequest(random);
    const predicate = generatePredicate(random, near);
    const requests = Array.from({ length: requestsPerStub }, () => bendRequest(random, near));
    return { predicate, requests };
  });
}

const keepAlive = { Connection: 'keep-alive' };

function stubOf(predicate: unknown, id: number) {
  return {
    predicates: [{ equals: { headers: { 'X-Case': String(id) } }, caseSensitive: true }, predicate],
    responses: [{ is: { headers: keepAlive, body: 'match' } }],
  };
}

/** Creates an imposter of those cases that Mountebank accepts; gives its port and the places of the refused ones. */
async function createImposter(cases: readonly Case[]): Promise<{ port: number; refused: Set<number> }> {
  const refused = new Set<number>();
  for (;;) {
    const stubs = cases
      .map(({ predicate }, id) => (refused.has(id) ? undefined : stubOf(predicate, id)))
      .filter(Boolean);
    const imposter = { protocol: 'http', recordRequests: true, defaultResponse: { headers: keepAlive }, stubs };
    const reply = await mountebank.admin('POST', '/imposters', imposter);
    if (reply.status === 201) return { port: (JSON.parse(reply.body) as { port: number }).port, refused };
    const { errors } = JSON.parse(reply.body) as { errors: { source: unknown }[] };
    const before = refused.size;
    for (const { source } of errors) {
      const text = typeof source === 'string' ? source : JSON.stringify(source);
      cases.forEach(({ predicate }, id) => {
        if (text.includes(JSON.stringify(stubOf(predicate, id).predicates))) refused.add(id);
      });
    }
    assert.notEqual(refused.size, before, `refused for no stub: ${reply.body}`);
  }
}

function ourVerdict(predicate: unknown, request: RequestJson): string {
  const compiled = compilePredicate(predicate, { encoding: 'utf8', scripts: undefined, logger: silentLogger });
  try {
    return compiled.test(plainView(request)) ? 'match' : 'no';
  } catch (error) {
    if (!(error instanceof RiftError)) throw error;
    return 'error';
  }
}

test('Mountebank and the predicates here give the same verdicts on generated pairs', { timeout: 600_000 }, async () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  const wanted = pairsOfRun(2000);
  const excluded = new Map<string, number>();
  const verdicts = { match: 0, no: 0, error: 0 };
  const differing: string[] = [];
  let compared = 0;
  const leaveOut = (difference: string) => excluded.set(difference, (excluded.get(difference) ?? 0) + 1);
  while (compared < wanted) {
    const cases = generateCases(random);
    const { port, refused } = await createImposter(cases);
    for (const id of refused) {
      const { predicate } = cases[id];
      if (checkPredicates([predicate], dummy, 'utf8') !== undefined) continue;
      const difference = differenceTouched(predicate, dummy);
      if (difference === undefined) differing.push(`refused by Mountebank only: ${JSON.stringify(predicate)}`);
      else leaveOut(difference);
    }
    const answers: string[] = [];
    const sent: number[] = [];
    for (const [id, { requests }] of cases.entries()) {
      if (refused.has(id)) continue;
      for (const request of requests) {
        const target = request.query.length === 0 ? request.path : `${request.path}?${encodePairs(request.query)}`;
        const headers = ['X-Case', String(id), ...request.headers.flat()];
        const reply = await mountebank.request(port, request.method, target, headers, request.body);
        answers.push(reply.status === 500 ? `error ${reply.body}` : reply.body === 'match' ? 'match' : 'no');
        sent.push(id);
      }
    }
    const recorded = JSON.parse((await mountebank.admin('GET', `/imposters/${port}`)).body) as {
      requests: RequestJson[];
    };
    await mountebank.admin('DELETE', `/imposters/${port}`);
    for (const [at, recordedRequest] of recorded.requests.entries()) {
      const { timestamp: _, ...request } = recordedRequest;
      const { predicate } = cases[sent[at]];
      const answer = answers[at].startsWith('error') ? 'error' : (answers[at] as 'match' | 'no');
      const ours = ourVerdict(predicate, request);
      const difference =
        differenceTouched(predicate, request) ?? (answer === 'error' ? errorDifference(answers[at]) : undefined);
      if (difference !== undefined) {
        leaveOut(difference);
        continue;
      }
      compared++;
      verdicts[answer]++;
      if (ours !== answer) {
        differing.push(
          `Mountebank: ${answers[at].slice(0, 200)}, here: ${ours}\n  ${JSON.stringify(predicate)}\n  ${JSON.stringify(request)}`,
        );
      }
    }
  }
  assert.deepEqual(differing.slice(0, 10), [], `${differing.length} differ, RIFT_SEED=${seed}`);
  assert.ok(verdicts.match > wanted / 20 && verdicts.no > wanted / 20, JSON.stringify(verdicts));
  if (process.env.RIFT_VERBOSE) console.log({ seed, compared, verdicts, excluded });
});
