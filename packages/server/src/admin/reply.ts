// Answers of the admin API before they are put on the wire. Header names and their order are Mountebank's.
import { Readable } from 'node:stream';
import { type Profile, prettyBytes } from '@rift-ts/engine';
import { escapeHtml } from './html/markup.js';

export interface Reply {
  readonly status: number;
  /** Content headers in order; Content-Length, Date and Connection are the listener's. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Several buffers are one body. */
  readonly body: string | Buffer | readonly Buffer[];
  /** Instead of `body`: what comes as it happens, until it ends. */
  readonly stream?: Readable;
}

/** Pretty-printed with two spaces, no trailing newline; what is very long is a stream. */
export function jsonContent(value: unknown): Pick<Reply, 'body' | 'stream'> {
  const bytes = prettyBytes(value);
  return typeof bytes === 'string' || isList(bytes)
    ? { body: bytes }
    : { body: '', stream: Readable.from(bytes, { objectMode: false }) };
}

function isList<T>(pieces: readonly T[] | Generator<T>): pieces is readonly T[] {
  return Array.isArray(pieces);
}

export function html(body: string, status = 200, headers: Reply['headers'] = []): Reply {
  return { status, headers: [...headers, ['Content-Type', 'text/html; charset=utf-8']], body };
}

export function text(body: string, type = 'text/plain; charset=utf-8', status = 200): Reply {
  return { status, headers: [['Content-Type', type]], body };
}

/** The page Express answers for what it cannot route; the message is escaped here. */
export function errorPage(status: number, message: string): Reply {
  const body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error</title>
</head>
<body>
<pre>${escapeHtml(message)}</pre>
</body>
</html>
`;
  return html(body, status, [
    ['Content-Security-Policy', "default-src 'none'"],
    ['X-Content-Type-Options', 'nosniff'],
  ]);
}

export function jsonType(profile: Profile): string {
  return profile === 'rift' ? 'application/json' : 'application/json; charset=utf-8';
}

/** A page of this product: scripts and styles only from itself, nothing may frame it. */
export function pageReply(body: string, headers: Reply['headers'] = [], status = 200): Reply {
  return html(body, status, [
    ...headers,
    [
      'Content-Security-Policy',
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ]);
}
