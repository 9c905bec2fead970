import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import type { Profile } from '@rift-ts/engine';
import { freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

function send(port: number, path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function withImposter(
  profile: Profile,
  creation: object,
  use: (port: number, admin: TestAdmin) => Promise<void>,
): Promise<void> {
  await withAdmin(profile, {}, async (admin) => {
    const port = await freePort();
    const whole = { protocol: 'http', port, recordRequests: true, ...creation };
    const created = await admin.call('POST', '/imposters', whole);
    assert.equal(created.status, 201, created.body);
    await use(port, admin);
  });
}

const list = (answer: { json(): unknown }) => answer.json() as { [key: string]: unknown }[];

for (const profile of ['mountebank', 'rift'] as const) {
  test(`${profile}: a body that is no UTF-8 is base64 where nothing is lost by it`, async () => {
    await withImposter(profile, {}, async (port, { call }) => {
      await send(port, '/', { method: 'POST', body: Buffer.from([0xff, 0]) });
      await send(port, '/', { method: 'POST', body: Buffer.from('é') });
      const [binary, text] = list(await call('GET', `/imposters/${port}/savedRequests`));
      assert.deepEqual([binary!.body, binary!._mode, text!.body, text!._mode], ['/wA=', 'binary', 'é', undefined]);
      const keys = Object.keys(binary!);
      assert.equal(keys[keys.indexOf('body') + 1], '_mode');
      assert.deepEqual(keys.slice(-2), ['timestamp', 'matchOutcome']);
      const [shown] = (await call('GET', `/imposters/${port}`)).json().requests as { [key: string]: unknown }[];
      const expected = profile === 'rift' ? ['/wA=', 'binary'] : ['\ufffd\0', undefined];
      assert.deepEqual([shown!.body, shown!._mode], expected);
      assert.equal('matchOutcome' in shown!, false);
    });
  });
}

test('every recorded request says which stub it matched and why those before it did not', async () => {
  const stubs = [
    { predicates: [{ equals: { path: '/a' } }, { equals: { method: 'PUT' } }], responses: [{ is: { body: '0' } }] },
    { space: 's', responses: [{ is: { body: '1' } }] },
    { scenarioName: 'x', requiredScenarioState: 'later', responses: [{ is: { body: '2' } }] },
    { id: 'z', predicates: [{ exists: { path: true } }], responses: [{ is: { body: '3' } }] },
  ];
  await withImposter('rift', { stubs }, async (port, { call }) => {
    await send(port, '/a');
    await send(port, '/a', { method: 'PUT' });
    // positions are those of the time when it matched
    await call('POST', `/imposters/${port}/stubs`, { index: 0, stub: { responses: [{ is: { body: 'new' } }] } });
    await send(port, '/a');
    const outcomes = list(await call('GET', `/imposters/${port}/savedRequests`)).map((entry) => entry.matchOutcome);
    const tried = [
      { stubIndex: 0, why: { reason: 'failedPredicate', predicateIndex: 1 } },
      { stubIndex: 1, why: { reason: 'skippedSpace' } },
      { stubIndex: 2, why: { reason: 'skippedScenarioState' } },
    ];
    assert.deepEqual(outcomes[0], { matched: true, stubIndex: 3, stubId: 'z', tried });
    assert.deepEqual(outcomes[1], { matched: true, stubIndex: 0 });
    assert.equal((outcomes[2] as { stubIndex: number }).stubIndex, 0);
    assert.equal('tried' in (outcomes[2] as object), false);
  });
});

test('of many stubs that were tried the first 25 are listed and the rest counted', async () => {
  // the state of a scenario is nothing that an index could rule out beforehand
  const stubs = Array.from({ length: 40 }, (_, i) => ({
    id: `s${i}`,
    scenarioName: 'x',
    requiredScenarioState: 'later',
    responses: [{ is: {} }],
  }));
  await withImposter('rift', { stubs }, async (port, { call }) => {
    await send(port, '/');
    const [{ matchOutcome }] = list(await call('GET', `/imposters/${port}/savedRequests`)) as [
      { matchOutcome: { matched: boolean; tried: object[]; triedOmitted: number } },
    ];
    assert.equal(matchOutcome.matched, false);
    assert.equal(matchOutcome.tried.length, 25);
    assert.deepEqual(matchOutcome.tried[24], {
      stubIndex: 24,
      stubId: 's24',
      why: { reason: 'skippedScenarioState' },
    });
    assert.equal(matchOutcome.triedOmitted, 15);
  });
});
