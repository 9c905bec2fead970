// The store of an imposter that uses no state: writes succeed and vanish, reads find nothing.

import type { FlowStore } from './types.js';

export const noStore: FlowStore = {
  backend: 'none',
  flows: 0,
  get: () => undefined,
  getAll: (_flowId, keys) => keys.map(() => undefined),
  exists: () => false,
  set() {},
  delete() {},
  incrBy: (_flowId, _key, by) => by,
  cas: (_flowId, _key, expected) =>
    expected === undefined ? { applied: true } : { applied: false, current: undefined },
  expireFlow() {},
  expire: () => false,
  clear() {},
  async close() {},
};
