import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ImposterForm, type ImposterParts, imposterToJson } from './imposter-json.js';
import type { ImposterJson, Profile } from './types.js';

function parts(creation: object, more: Partial<ImposterParts> = {}): ImposterParts {
  const json = { stubs: [], ...creation } as unknown as ImposterJson;
  return {
    creation: json,
    port: 4545,
    numberOfRequests: 0,
    enabled: true,
    metadata: {},
    requests: [],
    stubs: json.stubs.map((stub) => ({ json: stub })),
    warnings: { kept: [] },
    ...more,
  };
}

const everything = {
  protocol: 'https',
  name: 'n',
  defaultResponse: { body: 'd' },
  recordRequests: true,
  recordMatches: true,
  endOfRequestResolver: { inject: 'f' },
  allowCORS: true,
  host: '127.0.0.1',
  defaultForward: 'http://u',
  strictBehaviors: true,
  serviceName: 's',
  serviceInfo: null,
  _rift: { flowState: { ttlSeconds: 9, redis: { url: 'redis://:secret@h' }, colour: 'red' } },
  zzz: 1,
};

const forms: [Profile, ImposterForm, boolean, string][] = [
  [
    'mountebank',
    'full',
    true,
    'protocol port name defaultResponse numberOfRequests recordRequests recordMatches key cert endOfRequestResolver allowCORS host defaultForward strictBehaviors serviceName serviceInfo requests stubs _links _rift',
  ],
  [
    'mountebank',
    'replayable',
    true,
    'protocol port name defaultResponse recordRequests recordMatches key cert endOfRequestResolver allowCORS host defaultForward strictBehaviors serviceName serviceInfo stubs _rift',
  ],
  [
    'mountebank',
    'list',
    true,
    'protocol port name defaultResponse numberOfRequests endOfRequestResolver allowCORS host _links',
  ],
  [
    'mountebank',
    'list',
    false,
    'protocol port name defaultResponse numberOfRequests enabled endOfRequestResolver allowCORS host _links',
  ],
  [
    'rift',
    'full',
    true,
    'protocol port name defaultResponse numberOfRequests enabled recordRequests recordMatches key cert endOfRequestResolver allowCORS host defaultForward strictBehaviors serviceName serviceInfo requests stubs _links _rift',
  ],
  [
    'rift',
    'replayable',
    true,
    'protocol port name defaultResponse recordRequests recordMatches key cert endOfRequestResolver allowCORS host defaultForward strictBehaviors serviceName serviceInfo stubs _rift',
  ],
  [
    'rift',
    'replayable',
    false,
    'protocol port name defaultResponse enabled recordRequests recordMatches key cert endOfRequestResolver allowCORS host defaultForward strictBehaviors serviceName serviceInfo stubs _rift',
  ],
  [
    'rift',
    'list',
    true,
    'protocol port name defaultResponse numberOfRequests stubCount enabled recordRequests endOfRequestResolver allowCORS host _links',
  ],
];

describe('every key has its place in every form', () => {
  for (const [profile, form, enabled, keys] of forms) {
    test(`${profile} ${form}${enabled ? '' : ', disabled'}`, () => {
      const metadata = { key: 'k', cert: 'c' };
      const json = imposterToJson(parts(everything, { metadata, enabled }), form, { profile });
      assert.equal(Object.keys(json).join(' '), keys);
    });
  }
});

test('an imposter without anything shows what Mountebank shows, and three more keys in lists of profile rift', () => {
  const keys = (form: ImposterForm, profile: Profile) =>
    Object.keys(imposterToJson(parts({ protocol: 'http' }), form, { profile })).join(' ');
  assert.equal(keys('full', 'mountebank'), 'protocol port numberOfRequests recordRequests requests stubs _links');
  assert.equal(keys('list', 'mountebank'), 'protocol port numberOfRequests _links');
  assert.equal(keys('list', 'rift'), 'protocol port numberOfRequests stubCount enabled recordRequests _links');
});

test('the full form shows of the flow state what holds no secret, the replayable form all of _rift', () => {
  const full = imposterToJson(parts(everything), 'full', { profile: 'mountebank' });
  assert.deepEqual(full._rift, { flowState: { backend: 'inmemory', ttlSeconds: 9 } });
  const replayable = imposterToJson(parts(everything), 'replayable', { profile: 'mountebank' });
  assert.deepEqual(replayable._rift, everything._rift);
  const source = { protocol: 'http', _rift: { flowState: { backend: 'inmemory', flowIdSource: 'header:X-T' } } };
  assert.deepEqual(imposterToJson(parts(source), 'full', { profile: 'rift' })._rift, {
    flowState: { backend: 'inmemory', ttlSeconds: 300, flowIdSource: 'header:X-T' },
  });
});

test('warnings show in profile rift, and in profile mountebank only when the imposter uses a Rift key', () => {
  const warnings = [{ warningType: 'catch_all', message: 'm', stubIndex: 0 }];
  const shows = (creation: object, profile: Profile) => {
    const json = imposterToJson(parts(creation, { warnings: { kept: warnings } }), 'full', { profile });
    return '_rift' in json;
  };
  const is = { is: {} };
  const plain = { protocol: 'http', stubs: [{ scenarioName: 'label', responses: [is] }] };
  assert.equal(shows(plain, 'rift'), true);
  assert.equal(shows(plain, 'mountebank'), false);
  const marks: object[] = [
    { _rift: {} },
    { defaultForward: 'http://u' },
    { strictBehaviors: true },
    { recordMatches: true },
    { stubs: [{ id: 'a', responses: [is] }] },
    { stubs: [{ space: 'a', responses: [is] }] },
    { stubs: [{ requiredScenarioState: 'a', responses: [is] }] },
    { stubs: [{ new_scenario_state: 'a', responses: [is] }] },
    { stubs: [{ routePattern: '/:a', responses: [is] }] },
    { stubs: [{ _verify: {}, responses: [is] }] },
    { stubs: [{ responses: [{ is: {}, _rift: {} }] }] },
  ];
  for (const mark of marks)
    assert.equal(shows({ protocol: 'http', ...mark }, 'mountebank'), true, JSON.stringify(mark));
});

test('stubs carry their matches and a link in the full form only', () => {
  const stub = { responses: [{ is: {} }] };
  const shown = parts(
    { protocol: 'http', stubs: [stub, stub] },
    {
      stubs: [
        { json: stub, matches: [] },
        { json: stub, matches: [1] },
      ],
    },
  );
  const options = { profile: 'mountebank', linkBase: 'http://h:1' } as const;
  const link = (index: number) => ({ self: { href: `http://h:1/imposters/4545/stubs/${index}` } });
  assert.equal(
    JSON.stringify(imposterToJson(shown, 'full', options).stubs),
    JSON.stringify([
      { ...stub, _links: link(0) },
      { ...stub, matches: [1], _links: link(1) },
    ]),
  );
  assert.deepEqual(imposterToJson(shown, 'replayable', options).stubs, [stub, stub]);
  assert.deepEqual(Object.keys(stub), ['responses'], 'the stub itself is left alone');
});

test('without proxies the surviving stubs keep the links of their places', () => {
  const proxy = { proxy: { to: 'http://h' } };
  const creation = { protocol: 'http', stubs: [{ responses: [proxy] }, { responses: [proxy, { is: {} }] }] };
  const json = imposterToJson(parts(creation), 'full', { profile: 'mountebank', removeProxies: true });
  assert.deepEqual(json.stubs, [{ responses: [{ is: {} }], _links: { self: { href: '/imposters/4545/stubs/1' } } }]);
});

test('the replayable form has no time of a proxied response', () => {
  const recorded = { is: { body: 'x', _proxyResponseTime: 5 }, behaviors: [{ wait: 5 }] };
  const creation = { protocol: 'http', stubs: [{ predicates: [], responses: [recorded] }] };
  const json = imposterToJson(parts(creation), 'replayable', { profile: 'mountebank' });
  assert.deepEqual(json.stubs, [{ predicates: [], responses: [{ is: { body: 'x' }, behaviors: [{ wait: 5 }] }] }]);
  assert.equal(recorded.is._proxyResponseTime, 5);
});

test('the replayable form of a custom protocol keeps the fields that are its own', () => {
  const creation = { protocol: 'foo', port: 1, name: 'n', mode: 'm', list: [1], requests: [], _links: {}, host: 'h' };
  const foo = parts(creation, { custom: true, metadata: { mode: 'shown' } });
  assert.deepEqual(imposterToJson(foo, 'replayable', { profile: 'mountebank' }), {
    protocol: 'foo',
    port: 4545,
    name: 'n',
    recordRequests: false,
    mode: 'shown',
    list: [1],
    host: 'h',
    stubs: [],
  });
  assert.equal('list' in imposterToJson(foo, 'full', { profile: 'mountebank' }), false);
});
