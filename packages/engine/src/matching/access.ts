// How the index reads a request: the texts of each key that predicates ask for.

import type { Access } from '@rift-ts/classifier';
import type { RequestView } from '../request-view.js';

/** Access to the keys that the conditions of predicates name. */
export const httpAccess: Access<RequestView> = {
  extractor: () => () => undefined,
};
