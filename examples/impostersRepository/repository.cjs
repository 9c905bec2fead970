// A repository for --impostersRepository: imposters and their stubs in the memory of this module. Replace the arrays by
// a database and every imposter is served from there.
//
//   mb --impostersRepository repository.cjs

'use strict';

const noMatch = {
  addResponse: async () => {},
  nextResponse: async () => ({ is: {}, stubIndex: () => 0 }),
  recordMatch: async () => {},
};
const missing = (index) => Object.assign(new Error(`no stub at index ${index}`), { code: 'no such resource' });

function repeatsOf({ repeat }) {
  return Number(repeat) > 0 ? Math.ceil(Number(repeat)) : 1;
}

function stubRepository() {
  /** Each with the JSON of a stub, how many responses it served, and what it matched. */
  let entries = [];
  let requests = [];

  const entryOf = (stub) => ({ stub: { ...stub, responses: [...(stub.responses ?? [])] }, served: 0, matches: [] });

  const handleOf = (entry) => ({
    async addResponse(response) {
      entry.stub.responses.push(response);
    },
    async nextResponse() {
      const turns = entry.stub.responses.flatMap((response) => Array(repeatsOf(response)).fill(response));
      const response = turns[entry.served % turns.length] ?? { is: {} };
      entry.served++;
      return { ...response, stubIndex: async () => entries.indexOf(entry) };
    },
    async recordMatch(request, response, responseConfig, processingTime) {
      entry.matches.push({ timestamp: new Date().toJSON(), request, response, responseConfig, processingTime });
    },
  });

  return {
    async count() {
      return entries.length;
    },
    async first(filter, startIndex = 0) {
      const found = entries.slice(startIndex).find((entry) => filter(entry.stub.predicates ?? []));
      return found === undefined ? { success: false, stub: noMatch } : { success: true, stub: handleOf(found) };
    },
    async add(stub) {
      entries.push(entryOf(stub));
    },
    async insertAtIndex(stub, index) {
      entries.splice(index, 0, entryOf(stub));
    },
    async overwriteAll(stubs) {
      entries = stubs.map(entryOf);
    },
    async overwriteAtIndex(stub, index) {
      if (entries[index] === undefined) throw missing(index);
      entries[index] = entryOf(stub);
    },
    async deleteAtIndex(index) {
      if (entries[index] === undefined) throw missing(index);
      entries.splice(index, 1);
    },
    async toJSON({ debug } = {}) {
      return entries.map(({ stub, matches }) => (debug && matches.length > 0 ? { ...stub, matches } : { ...stub }));
    },
    async deleteSavedProxyResponses() {
      for (const entry of entries) {
        entry.stub.responses = entry.stub.responses.filter(({ is }) => is?._proxyResponseTime === undefined);
      }
      entries = entries.filter(({ stub }) => stub.responses.length > 0);
    },
    async addRequest(request) {
      requests.push({ ...request, timestamp: new Date().toJSON() });
    },
    async loadRequests() {
      return requests;
    },
    async deleteSavedRequests() {
      requests = [];
    },
  };
}

exports.create = function create(_config, logger) {
  const imposters = new Map();
  const stubs = new Map();

  const stubsFor = (id) => {
    if (!stubs.has(String(id))) stubs.set(String(id), stubRepository());
    return stubs.get(String(id));
  };

  const del = async (id) => {
    const imposter = imposters.get(String(id));
    imposters.delete(String(id));
    stubs.delete(String(id));
    if (imposter === undefined) return null;
    await imposter.stop();
    return imposter;
  };

  logger.debug('imposters live in the memory of examples/impostersRepository');
  return {
    async add(imposter) {
      for (const stub of imposter.creationRequest.stubs ?? []) await stubsFor(imposter.port).add(stub);
      imposters.set(String(imposter.port), imposter);
      return imposter;
    },
    async get(id) {
      return imposters.get(String(id)) ?? null;
    },
    async all() {
      return [...imposters.values()];
    },
    async exists(id) {
      return imposters.has(String(id));
    },
    del,
    async deleteAll() {
      await Promise.all([...imposters.keys()].map(del));
    },
    stopAllSync() {
      for (const imposter of imposters.values()) imposter.stop();
      imposters.clear();
    },
    async loadAll(_protocols) {},
    stubsFor,
  };
};
