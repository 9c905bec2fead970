import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../model/types.js';
import { isShareable } from './shareable.js';

const is = { is: { body: 'x' } };

function shareable(stub: JsonObject, imposter: JsonObject = {}): boolean {
  return isShareable({ protocol: 'http', stubs: [], ...imposter }, [{ responses: [is], ...stub }]);
}

const sharedByThreads: [string, JsonObject, JsonObject?][] = [
  ['static responses in turn', { responses: [is, { ...is, repeat: 3 }] }],
  ['predicates of any depth', { predicates: [{ not: { or: [{ equals: { path: '/a' } }] } }] }],
  [
    'waits in numbers, copies and lookups',
    { responses: [{ ...is, behaviors: [{ wait: 5 }, { copy: {} }, { lookup: {} }] }] },
  ],
  ['faults', { responses: [{ fault: 'CONNECTION_RESET_BY_PEER' }] }],
  ['https', {}, { protocol: 'https' }],
];

for (const [what, stub, imposter] of sharedByThreads) {
  test(`${what}: every data thread may serve it`, () => assert.equal(shareable(stub, imposter), true));
}

const ownedByOne: [string, JsonObject, JsonObject?][] = [
  ['a proxy', { responses: [is, { proxy: { to: 'http://h' } }] }],
  ['an injected response', { responses: [{ inject: '() => ({})' }] }],
  ['an injected predicate in a compound one', { predicates: [{ and: [{ not: { inject: '() => true' } }] }] }],
  ['decorate', { responses: [{ ...is, behaviors: [{ decorate: 'x' }] }] }],
  ['decorate in the old spelling', { responses: [{ ...is, _behaviors: { decorate: 'x' } }] }],
  ['a wait that is a function', { responses: [{ ...is, behaviors: [{ wait: '() => 1' }] }] }],
  ['a scenario', { scenarioName: 's', newScenarioState: 'n' }],
  ['a scenario in the other spelling', { required_scenario_state: 's' }],
  ['a space', { space: 'red' }],
  ['a Rift extension of a response', { responses: [{ ...is, _rift: { fault: {} } }] }],
  ['recorded requests', {}, { recordRequests: true }],
  ['matches kept', {}, { recordMatches: true }],
  ['flow state', {}, { _rift: { flowState: {} } }],
  ['tcp', {}, { protocol: 'tcp' }],
];

for (const [what, stub, imposter] of ownedByOne) {
  test(`${what}: one thread serves it`, () => assert.equal(shareable(stub, imposter), false));
}
