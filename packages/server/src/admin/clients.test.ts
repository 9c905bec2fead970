// Clients that were written for Mountebank, unmodified: two libraries of npm and the curl lines of docs/admin-api.md.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as ts from '@anev/ts-mountebank';
import { freePort, withAdmin } from './admin.test-help.js';
import { runConsoleExamples } from './console-examples.test-help.js';

/** What the library `mountebank-helper`, which has no types, offers of an imposter. */
interface HelperImposter {
  addRoute(route: { uri: string; verb: string; res: object }): unknown;
  postToMountebank(): Promise<{ status: number }>;
  updateResponseBody(body: string, route: { uri: string; verb: string }): Promise<unknown>;
  updateResponseHeaders(headers: object, route: { uri: string; verb: string }): Promise<unknown>;
}
const helper: {
  Imposter: new (options: { imposterPort: number; mountebankPort: number; protocol: string }) => HelperImposter;
} = createRequire(import.meta.url)('mountebank-helper');

for (const profile of ['mountebank', 'rift'] as const) {
  test(`@anev/ts-mountebank creates, verifies and deletes in profile ${profile}`, () =>
    withAdmin(profile, {}, async ({ server, call }) => {
      const client = new ts.Mountebank().withURL(`http://127.0.0.1:${server.port}`);
      assert.equal(await client.checkIsAlive(), true);
      const port = await freePort();
      const imposter = new ts.Imposter()
        .withPort(port)
        .withRecordRequests(true)
        .withStub(new ts.DefaultStub('/testpath', ts.HttpMethod.GET, 'testbody', 222))
        .withStub(
          new ts.Stub()
            .withPredicate(
              new ts.FlexiPredicate().withOperator(ts.Operator.equals).withPath('/q').withQuery({ name: 'x', max: 5 }),
            )
            .withResponse(new ts.Response().withStatusCode(201).withJSONBody({ found: true })),
        );
      // creating an imposter that is there already replaces it
      await client.createImposter(imposter);
      await client.createImposter(imposter);
      const first = await fetch(`http://127.0.0.1:${port}/testpath`);
      assert.equal(first.status, 222);
      assert.equal(await first.text(), JSON.stringify('testbody'));
      const second = await fetch(`http://127.0.0.1:${port}/q?max=5&name=x`);
      assert.equal(second.status, 201);
      assert.deepEqual(await second.json(), { found: true });
      const seen = (await client.getImposter(port)) as unknown as {
        numberOfRequests: number;
        requests: { path: string }[];
      };
      assert.equal(seen.numberOfRequests, 2);
      assert.deepEqual(
        seen.requests.map(({ path }) => path),
        ['/testpath', '/q'],
      );
      await client.deleteImposter(port);
      assert.equal((await call('GET', `/imposters/${port}`)).status, 404);
    }));

  test(`mountebank-helper posts and updates in profile ${profile}`, () =>
    withAdmin(profile, {}, async ({ server }) => {
      const port = await freePort();
      const imposter = new helper.Imposter({ imposterPort: port, mountebankPort: server.port, protocol: 'http' });
      const route = { uri: '/hello', verb: 'GET' };
      const headers = { 'Content-Type': 'application/json' };
      imposter.addRoute({
        ...route,
        res: { statusCode: 200, responseHeaders: headers, responseBody: '{"hello":"world"}' },
      });
      assert.equal((await imposter.postToMountebank()).status, 201);
      const ask = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/hello`);
        return [answer.headers.get('X-Version'), await answer.text()];
      };
      assert.deepEqual(await ask(), [null, '{"hello":"world"}']);
      await imposter.updateResponseBody('changed', route);
      assert.deepEqual(await ask(), [null, 'changed']);
      await imposter.updateResponseHeaders({ 'X-Version': '2' }, route);
      assert.deepEqual(await ask(), ['2', 'changed']);
    }));
}

test('the curl lines of the documentation give what it says', () =>
  withAdmin('mountebank', { host: undefined }, async ({ server }) => {
    const commands = await runConsoleExamples('admin-api.md', server.port);
    assert.ok(commands >= 10);
  }));
