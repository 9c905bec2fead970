// The request methods that exist on the wire: those of llhttp, Node's own parser, so that a client meets the same
// refusals as with any Node server. Method names are case-sensitive (RFC 9110 section 9.1).

/** In ascending order. */
export const METHODS: readonly string[] = [
  'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY',
  'OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK',
  'UNLOCK UNSUBSCRIBE',
]
  .join(' ')
  .split(' ');

/** Those of nearly all requests, the most frequent first. */
export const USUAL_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];

const known = new Map(METHODS.map((name) => [name, name]));

/** Length of the longest method name in bytes. */
export const LONGEST_METHOD = Math.max(...METHODS.map((name) => name.length));

/** Whether any method begins like this: bytes that begin none are refused before the method is complete. */
export function beginsMethod(prefix: string): boolean {
  return METHODS.some((name) => name.startsWith(prefix));
}

/** The one string of this method, or undefined if there is no such method. */
export function knownMethod(name: string): string | undefined {
  return known.get(name);
}
