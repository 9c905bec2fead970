import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    warnings: [],
    ...more,
  };
}

function keys(creation: object, form: ImposterForm, profile: Profile): string {
  return Object.keys(imposterToJson(parts(creation), form, { profile })).join();
}

test('the forms have their keys in their places in both profiles', () => {
  const creation = { protocol: 'http', serviceName: 's', defaultForward: 'http://u' };
  assert.equal(
    keys(creation, 'full', 'rift'),
    'protocol,port,numberOfRequests,enabled,recordRequests,defaultForward,serviceName,requests,stubs,_links',
  );
  assert.equal(
    keys(creation, 'list', 'rift'),
    'protocol,port,numberOfRequests,stubCount,enabled,recordRequests,_links',
  );
  assert.equal(
    keys(creation, 'full', 'mountebank'),
    'protocol,port,numberOfRequests,recordRequests,defaultForward,serviceName,requests,stubs,_links',
  );
  assert.equal(keys(creation, 'list', 'mountebank'), 'protocol,port,numberOfRequests,_links');
});
