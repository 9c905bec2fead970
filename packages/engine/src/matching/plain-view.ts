// A request that exists as an object only: dummy requests, dry runs, replayed records, tests.

import type { RequestJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';

/** A view of a request object. `rawBody` is its body (or tcp data) in UTF-8 unless given. */
export function plainView(request: RequestJson, rawBody?: Buffer): RequestView {
  const names = Object.keys(request);
  const { body, data } = request;
  return {
    fieldNames: () => names,
    field: (name) => (Object.hasOwn(request, name) ? request[name] : undefined),
    toJSON: () => request,
    get rawBody() {
      return rawBody ?? Buffer.from(typeof body === 'string' ? body : typeof data === 'string' ? data : '');
    },
    memo: new Map(),
  };
}
