// One admin request, decoded as far as every handler needs it.

/** What the listener hands over; nothing of it is validated. */
export interface AdminRequest {
  readonly method: string;
  /** Target as sent, e.g. `/imposters?replayable=true`. */
  readonly target: string;
  /** Target without query and fragment, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** First value of a header by its lower-case name. */
  header(lowerName: string): string | undefined;
  /** The whole body decoded as UTF-8; empty when there is none. */
  readonly body: string;
  /** Address and port of the client, as the socket gives them. */
  readonly peer: { readonly address: string; readonly port: number };
}

/** Splits a request target; absolute-form targets are reduced to their path (RFC 9112 section 3.2.2). */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  let rest = target;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(rest);
  if (absolute !== null && !rest.startsWith('/')) rest = rest.slice(absolute[0].length) || '/';
  const hash = rest.indexOf('#');
  if (hash >= 0) rest = rest.slice(0, hash);
  const mark = rest.indexOf('?');
  if (mark < 0) return { path: rest, query: new URLSearchParams() };
  return { path: rest.slice(0, mark), query: new URLSearchParams(rest.slice(mark + 1)) };
}

/** The last value of a query parameter: a repeated flag is no error, the last one counts. */
export function lastValue(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1);
}

/** Mountebank's query flags: the word (`true`, or `false`) in any case sets them, anything else does not. */
export function flagIs(query: URLSearchParams, name: string, word: 'true' | 'false'): boolean {
  return lastValue(query, name)?.toLowerCase() === word;
}
