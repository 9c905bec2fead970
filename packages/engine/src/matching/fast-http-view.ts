// What an http request can offer beyond RequestView, so that predicates on a path, a header or a query parameter make
// no map of all headers or parameters. A view without it works the same, slower.

import type { FamilyVisitor } from '@rift-ts/classifier';
import type { RequestView } from '../request-view.js';

/**
 * Optional abilities of a request view of http and https. Each must agree with `field()`:
 * - folding is `toLowerCase()`;
 * - values are as in the maps: one text, or the texts of a name repeated in the same spelling, in order;
 * - names that differ only in case are different names, of which the one that came first **last** counts, that is the
 *   last key of the map that folds to the name.
 */
export interface FastHttpView extends RequestView {
  readonly method: string;
  readonly path: string;
  /** The path folded. Memoised. */
  readonly foldedPath: string;
  /** Value of the header whose folded name is given, without making the header map. */
  foldedHeader(foldedName: string): string | readonly string[] | undefined;
  /**
   * Visits all headers by folded name without making the header map, all those too that `foldedHeader` leaves out because
   * the name comes again in another case.
   */
  visitHeaders(visitor: FamilyVisitor): void;
  /** Value of the query parameter whose folded name is given. */
  foldedQuery(foldedName: string): string | readonly string[] | undefined;
  /** Visits all query parameters, as `visitHeaders` does headers. */
  visitQuery(visitor: FamilyVisitor): void;
  /** Whether there is a field `form`: without it nothing holds, not even what the empty text would satisfy. */
  readonly hasForm: boolean;
  /** Value of the field of the form whose folded name is given. */
  foldedForm(foldedName: string): string | readonly string[] | undefined;
  /** Visits all fields of the form, as `visitHeaders` does headers. */
  visitForm(visitor: FamilyVisitor): void;
}

export function isFastHttpView(view: RequestView): view is FastHttpView {
  return 'foldedPath' in view;
}

/** A method folded; the usual ones without making a text. */
export function foldedMethod(method: string): string {
  switch (method) {
    case 'GET':
      return 'get';
    case 'POST':
      return 'post';
    case 'PUT':
      return 'put';
    case 'DELETE':
      return 'delete';
    case 'PATCH':
      return 'patch';
    default:
      return method.toLowerCase();
  }
}
