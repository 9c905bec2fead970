// Requests that end the process of Mountebank 2.9.1: each gets an answer that names what is wrong, and the server goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort, withAdmin } from './admin.test-help.js';

const is = { is: { body: 'x' } };

for (const profile of ['mountebank', 'rift'] as const) {
  test(`wrong shapes answer 400 with code and message in profile ${profile}`, () =>
    withAdmin(profile, {}, async ({ call }) => {
      const port = await freePort();
      assert.equal(
        (await call('POST', '/imposters', { protocol: 'http', port, stubs: [{ responses: [is] }] })).status,
        201,
      );
      const before = (await call('GET', `/imposters/${port}`)).body;
      const one = `/imposters/${port}`;
      for (const [method, path, body] of [
        ['POST', '/imposters', 'null'],
        ['PUT', '/imposters', 'null'],
        ['PUT', '/imposters', undefined],
        ['PUT', '/imposters', '7'],
        ['PUT', '/imposters', '"x"'],
        ['PUT', '/imposters', '[]'],
        ['PUT', '/imposters', { imposters: {} }],
        ['PUT', '/imposters', { imposters: 'x' }],
        ['PUT', '/imposters', { imposters: [null] }],
        ['POST', '/imposters', { protocol: 'http', port: null }],
        ['POST', '/imposters', { protocol: 'http', stubs: {} }],
        ['POST', '/imposters', { protocol: 'http', stubs: 'x' }],
        ['POST', '/imposters', { protocol: 'http', stubs: [null] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [7] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ responses: 'x' }] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ responses: [null] }] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ responses: [7] }] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ predicates: [null], responses: [is] }] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ predicates: {}, responses: [is] }] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ responses: [{ ...is, behaviors: [null] }] }] }],
        ['POST', '/imposters', { protocol: 'http', stubs: [{ responses: [{ ...is, behaviors: 'x' }] }] }],
        ['POST', `${one}/stubs`, 'null'],
        ['POST', `${one}/stubs`, { stub: null }],
        ['POST', `${one}/stubs`, { stub: 7 }],
        ['PUT', `${one}/stubs`, 'null'],
        ['PUT', `${one}/stubs`, { stubs: [null] }],
        ['PUT', `${one}/stubs/0`, 'null'],
        ['PUT', `${one}/stubs/0`, { responses: 1 }],
        ['PUT', `${one}/stubs/0`, '[]'],
      ] as const) {
        const label = `${method} ${path} ${JSON.stringify(body)}`;
        const answer = await call(method, path, body);
        assert.equal(answer.status, 400, `${label}: ${answer.body}`);
        const { errors } = answer.json() as { errors: Record<string, string>[] };
        assert.ok(errors.length > 0, label);
        for (const { code, message } of errors) {
          assert.ok(typeof code === 'string' && code.length > 0, label);
          assert.ok(typeof message === 'string' && message.length > 3, label);
        }
      }
      for (const index of ['length', '-0', '1e0', '0x0', '', '__proto__']) {
        assert.equal((await call('DELETE', `${one}/stubs/${index}`)).status, 404, index);
      }
      for (const query of ['replayable=true&replayable=false', 'removeProxies=x&removeProxies=y']) {
        assert.equal((await call('GET', `/imposters?${query}`)).status, 200, query);
      }
      assert.equal((await call('GET', one)).body, before);
      assert.equal(((await call('GET', '/imposters')).json().imposters as unknown[]).length, 1);
    }));
}
