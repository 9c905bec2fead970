// The same creation requests and stub changes to the real Mountebank and to our reader: errors must be the same bytes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Mountebank, startMountebank } from '@rift-ts/oracle';
import { creationCases } from './creation-cases.fixture.js';
import { generatedRequests } from './creation-generator.fixture.js';
import { errorBody } from './error-json.js';
import { type ImposterForm, type ImposterParts, imposterToJson, type JsonFormOptions } from './imposter-json.js';
import { readImposter } from './read-imposter.js';
import { readOptions } from './read-options.fixture.js';
import { readStub, readStubAddition, readStubs } from './read-stub.js';
import type { ImposterJson, JsonObject } from './types.js';

let allowing: Mountebank;
let denying: Mountebank;

before(async () => {
  [allowing, denying] = await Promise.all([startMountebank('--allowInjection'), startMountebank()]);
});

after(() => Promise.all([allowing?.stop(), denying?.stop()]));

describe('the real Mountebank answers a creation request in the same way', () => {
  for (const { name, post, allowInjection, fix, errors } of creationCases()) {
    // A row that would bind a fixed port says nothing more than its unit test.
    if (fix || (errors === undefined && (post as { port?: unknown }).port !== undefined)) continue;
    test(name, async () => {
      const mountebank = allowInjection ? allowing : denying;
      const { status, text } = await mountebank.admin('POST', '/imposters', post);
      if (errors === undefined) {
        assert.equal(status, 201, text);
        await mountebank.admin('DELETE', `/imposters/${JSON.parse(text).port}`);
      } else {
        assert.equal(text, JSON.stringify({ errors }, null, 2));
        assert.equal(status, 400);
      }
    });
  }
});

const good = { responses: [{ is: {} }] };

/** Method, path below `/imposters/:id/stubs` of an imposter with two stubs, body. */
const changes: [string, string, unknown][] = [
  ['POST', '', {}],
  ['POST', '', []],
  ['POST', '', 1],
  ['POST', '', undefined],
  ['POST', '', { stub: 1 }],
  ['POST', '', { stub: '' }],
  ['POST', '', { stub: false }],
  ['POST', '', { stub: [] }],
  ['POST', '', { stub: {} }],
  ['POST', '', { index: 9 }],
  ['POST', '', { index: 9, stub: {} }],
  ['POST', '', { index: -0.5, stub: good }],
  ['POST', '', { index: '0', stub: good }],
  ['POST', '', { index: null, stub: good }],
  ['POST', '', { index: 3, stub: good }],
  ['POST', '', { stub: { responses: [{ inject: 'x' }] } }],
  ['PUT', '', {}],
  ['PUT', '', []],
  ['PUT', '', 1],
  ['PUT', '', undefined],
  ['PUT', '', { stubs: null }],
  ['PUT', '', { stubs: {} }],
  ['PUT', '', { stubs: '' }],
  ['PUT', '', { stubs: [{}, { responses: [{ is: {}, behaviors: [{ z: 1 }] }] }] }],
  ['PUT', '/0', {}],
  ['PUT', '/0', 1],
  ['PUT', '/0', []],
  ['PUT', '/0', undefined],
  ['PUT', '/0', { responses: [{ inject: 'x' }] }],
  ['PUT', '/0', { responses: [{ is: {}, behaviors: [{ copy: {} }], repeat: 0 }] }],
];

describe('the real Mountebank refuses a stub change in the same way', () => {
  const imposter = { protocol: 'http', stubs: [good, good] } as unknown as ImposterJson;
  const options = readOptions({ allowInjection: false });
  let path: string;
  before(async () => {
    path = `/imposters/${JSON.parse((await denying.admin('POST', '/imposters', imposter)).text).port}/stubs`;
  });

  for (const [method, below, body] of changes) {
    test(`${method} /stubs${below} ${JSON.stringify(body)}`, async () => {
      // Without a body the admin API hands on the empty text.
      const json = body ?? '';
      const read =
        below === ''
          ? method === 'POST'
            ? readStubAddition(json, imposter, 2, options)
            : readStubs(json, imposter, options)
          : readStub(json, imposter, options);
      const result = await read;
      assert.ok('errors' in result);
      const { text } = await denying.admin(method, `${path}${below}`, body);
      assert.equal(JSON.stringify(errorBody(result.errors, 'mountebank'), null, 2), text);
    });
  }
});

/** Creation requests without `host` and `allowCORS`, which Mountebank loses. */
const shown: JsonObject[] = [
  { protocol: 'http' },
  { protocol: 'http', zzz: 1, recordRequests: 1, numberOfRequests: 9, requests: [1], _links: 1 },
  { protocol: 'http', recordRequests: 'false', name: '', defaultResponse: 0, stubs: null },
  { stubs: [good], name: 5, defaultResponse: { b: 1, a: [] }, protocol: 'http', enabled: false, host: '' },
  { protocol: 'tcp', mode: 'binary', endOfRequestResolver: { inject: '() => true' }, name: 'née' },
  { protocol: 'tcp', mode: '', endOfRequestResolver: 0 },
  { protocol: 'smtp', name: 'mail', mode: 'x' },
  {
    protocol: 'http',
    name: 'stubs',
    stubs: [
      { comment: 'first', responses: [{ proxy: { to: 'http://h:1' } }], predicates: [{ exists: { body: true } }] },
      {
        responses: [
          { proxy: { to: 'http://h:1', mode: 'proxyAlways' } },
          { 2: 'two', is: { 10: 1, 9: 2, body: '<é>' } },
        ],
      },
      { responses: [{ is: {}, _behaviors: { wait: 5, repeat: 2 } }], predicates: [] },
      { responses: [{ is: { body: 1, _proxyResponseTime: 3 } }, { is: { _proxyResponseTime: 'x', a: null } }] },
      { _behaviors: { wait: 1 }, responses: [{ _behaviors: { decorate: 'x', copy: [] }, fault: 'x', extra: {} }] },
      { responses: [{ is: {}, _behaviors: { shellTransform: 'a' }, behaviors: [] }] },
    ],
  },
  {
    protocol: 'tcp',
    stubs: [{ responses: [{ proxy: { mode: 'proxyAlways', to: { port: 80, host: 'h' }, keepalive: true } }] }],
  },
];

const queries: [string, ImposterForm, JsonFormOptions][] = [
  ['', 'full', { profile: 'mountebank' }],
  ['?replayable=true', 'replayable', { profile: 'mountebank' }],
  ['?removeProxies=true', 'full', { profile: 'mountebank', removeProxies: true }],
  ['?removeProxies=true&replayable=true', 'replayable', { profile: 'mountebank', removeProxies: true }],
];

/** An imposter that has just been created. */
function fresh(creation: ImposterJson, port: number): ImposterParts {
  return {
    creation,
    port,
    numberOfRequests: 0,
    enabled: true,
    metadata: creation.protocol === 'tcp' ? { mode: creation.mode || 'text' } : {},
    requests: [],
    stubs: creation.stubs.map((json) => ({ json })),
    warnings: { kept: [] },
  };
}

describe('the real Mountebank shows an imposter in the same text', () => {
  for (const post of shown) {
    test(JSON.stringify(post), async () => {
      const created = await allowing.admin('POST', '/imposters', post);
      const { port } = JSON.parse(created.text);
      const result = await readImposter(post, readOptions());
      assert.ok('value' in result);
      const creation = result.value;
      const parts = fresh(creation, port);
      const linkBase = `http://localhost:${allowing.port}`;
      const text = (form: ImposterForm, options: JsonFormOptions) =>
        JSON.stringify(imposterToJson(parts, form, { ...options, linkBase }), null, 2);
      assert.equal(text('full', { profile: 'mountebank' }), created.text);
      for (const [query, form, options] of queries) {
        const { text: theirs } = await allowing.admin('GET', `/imposters/${port}${query}`);
        assert.equal(text(form, options), theirs, query);
      }
      const list = await allowing.admin('GET', '/imposters');
      const element = imposterToJson(parts, 'list', { profile: 'mountebank', linkBase });
      assert.equal(JSON.stringify({ imposters: [element] }, null, 2), list.text);
      await allowing.admin('DELETE', `/imposters/${port}`);
    });
  }
});

test('the real Mountebank answers generated creation requests in the same text', async (context) => {
  const seed = Number(process.env.RIFT_CREATION_SEED ?? 20_240_601);
  const count = Number(process.env.RIFT_CREATION_COUNT ?? 400);
  context.diagnostic(`RIFT_CREATION_SEED=${seed} RIFT_CREATION_COUNT=${count}`);
  const compared = { created: 0, refused: 0 };
  let number = 0;
  for (const { post, allowInjection } of generatedRequests(seed)) {
    if (number === count) break;
    number += 1;
    const where = `seed ${seed}, request ${number}: ${JSON.stringify(post)}`;
    const mountebank = allowInjection ? allowing : denying;
    const { status, text } = await mountebank.admin('POST', '/imposters', post);
    const result = await readImposter(post, readOptions({ allowInjection }));
    if ('errors' in result) {
      // An error without a message is one that Mountebank does not explain.
      const theirs: { errors: { message?: string }[] } = JSON.parse(text);
      assert.ok(Array.isArray(theirs.errors), where);
      if (theirs.errors.some(({ message }) => message === undefined)) continue;
      assert.equal(JSON.stringify(errorBody(result.errors, 'mountebank'), null, 2), text, where);
      compared.refused += 1;
    } else {
      assert.equal(status, 201, `${where}\n${text}`);
      const { port } = JSON.parse(text);
      const linkBase = `http://localhost:${mountebank.port}`;
      const json = imposterToJson(fresh(result.value, port), 'full', { profile: 'mountebank', linkBase });
      assert.equal(JSON.stringify(json, null, 2), text, where);
      await mountebank.admin('DELETE', `/imposters/${port}`);
      compared.created += 1;
    }
  }
  assert.ok(compared.created > count / 10 && compared.refused > count / 2, JSON.stringify(compared));
});
