// Calls an http or https upstream with a request as received and gives back Mountebank's response object.
// Mountebank docs: proxies; RFC 9112 for what goes over the wire.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { type Members, setMember } from '../../../matching/members.js';
import type { JsonObject } from '../../../model/types.js';
import type { UpstreamAnswer, UpstreamRequest } from '../../types.js';
import { UpstreamFailure } from '../../upstream-failure.js';
import { idleMs, type Route, routeTo } from './agents.js';
import { recordedBody } from './answer-body.js';
import { readBody } from './read-body.js';
import { type RequestParts, requestParts, upstreamHeaders, upstreamTarget } from './request-head.js';

/** Bytes of names and values that the head of an answer may have. */
const MAX_HEAD = 65_536;
/** Methods that may be sent again when a kept connection turns out to be closed (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);
const ATTEMPTS = 3;
/** After so long the upstream may have closed a kept connection; before that a hang-up is its answer. */
const STALE_MS = 500;

/** `maxBodyBytes`: the longest body that is kept whole; undefined: any. Rejects with an UpstreamFailure. */
export async function callHttpUpstream(
  request: UpstreamRequest,
  maxBodyBytes: number | undefined,
): Promise<UpstreamAnswer> {
  const { to, options } = request;
  const upstream = upstreamUrl(to);
  const parts = requestParts(request.view);
  const inject = isObject(options.injectHeaders) ? options.injectHeaders : {};
  const headers = upstreamHeaders(parts, upstream.host, inject);
  const route = routeTo(upstream);
  const basePath = upstream.pathname.replace(/\/$/, '');
  let path = upstreamTarget(parts.target, basePath, options.pathRewrite);
  if (route.absoluteForm) {
    path = upstream.origin + originForm(path);
    if (route.proxyAuthorization !== undefined) headers.push('Proxy-Authorization', route.proxyAuthorization);
  }
  const tls = upstream.protocol === 'https:' ? tlsOptions(options, serverName(upstream, headers), to) : {};
  const answer = await send(parts, route, { path, headers: headers as never, signal: request.signal, ...tls }, to);
  try {
    return await toAnswer(answer, request.mayStream, maxBodyBytes);
  } catch (error) {
    throw failureOf(error, to);
  }
}

function upstreamUrl(to: string): URL {
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const message = 'Unable to proxy to any protocol other than http and https';
  throw new UpstreamFailure(message, message, { source: to });
}

/** Path and query of a target that may be a whole URL. */
function originForm(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');
}

/** The name asked for in the TLS handshake: that of the Host header, none for an address (RFC 6066 section 3). */
function serverName(upstream: URL, headers: readonly string[]): string {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  const name = (headers[at + 1] || upstream.host).replace(/:\d*$/, '');
  return name.startsWith('[') || isIP(name) !== 0 ? '' : name;
}

const contexts = new WeakMap<JsonObject, SecureContext>();

function tlsOptions(options: JsonObject, servername: string, to: string): RequestOptions {
  const text = (key: string) => (options[key] ? String(options[key]) : undefined);
  const given: SecureContextOptions = {
    key: text('key'),
    cert: text('cert'),
    passphrase: text('passphrase'),
    ciphers: text('ciphers') ?? 'ALL',
    secureProtocol: text('secureProtocol'),
  };
  let secureContext = contexts.get(options);
  if (secureContext === undefined) {
    try {
      secureContext = createSecureContext(given);
    } catch (error) {
      throw new UpstreamFailure(`Unable to connect to "${to}"`, reasonOf(error));
    }
    contexts.set(options, secureContext);
  }
  // key and the others tell the pool apart what may share a connection; the certificate of the upstream is not verified
  return { ...given, secureContext, servername, rejectUnauthorized: false } as RequestOptions;
}

/** Sends the request and resolves with the head of the answer, its body still to be read. */
async function send(parts: RequestParts, route: Route, options: RequestOptions, to: string): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    let idle = 0;
    try {
      const call = (route.encrypted ? httpsRequest : httpRequest)({
        method: parts.method,
        hostname: route.hostname,
        port: route.port,
        agent: route.agent,
        maxHeaderSize: MAX_HEAD,
        ...(route.absoluteForm ? { rejectUnauthorized: false } : {}),
        ...options,
      });
      call.setNoDelay(true);
      call.once('socket', (socket) => (idle = idleMs(socket)));
      return await answerOf(call, parts.body);
    } catch (error) {
      const stale = idle > STALE_MS && isHangUp(error);
      if (!stale || attempt === ATTEMPTS || !IDEMPOTENT.has(parts.method)) throw failureOf(error, to);
    }
  }
}

function answerOf(call: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.on('error', reject);
    call.once('response', resolve);
    call.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('the upstream switched to another protocol'));
    });
    call.end(body.length > 0 ? body : undefined);
  });
}

async function toAnswer(
  answer: IncomingMessage,
  mayStream: boolean,
  maxBodyBytes: number | undefined,
): Promise<UpstreamAnswer> {
  const data = { statusCode: answer.statusCode!, headers: headersOf(answer.rawHeaders) };
  const body = await readBody(answer, mayStream, maxBodyBytes);
  if (!Buffer.isBuffer(body)) return { data, stream: body satisfies Readable };
  const header = (lowerName: string) => [answer.headers[lowerName] ?? ''].flat().join();
  return { data: { ...data, ...recordedBody(body, header) }, rawBody: body };
}

/** Names in the case they came in; values of one spelling in an array when there are several. */
function headersOf(raw: readonly string[]): Members {
  const headers: Members = {};
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [raw[i], raw[i + 1]];
    if (!Object.hasOwn(headers, name)) setMember(headers, name, value);
    else setMember(headers, name, [headers[name], value].flat());
  }
  return headers;
}

function failureOf(error: unknown, to: string): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code = '' } = error as { code?: string };
  const reason = reasonOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new UpstreamFailure(`Cannot resolve "${to}"`, reason);
  const tls = code === 'EPROTO' || code.startsWith('ERR_SSL_');
  return new UpstreamFailure(`Unable to connect to "${to}"`, reason, tls ? { data: `${code}: ${reason}` } : {});
}

function isHangUp(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** One line for people; OpenSSL's messages carry a thread id, a source file and a line feed. */
function reasonOf(error: unknown): string {
  const message = error instanceof AggregateError ? error.errors.map(String).join('; ') : (error as Error).message;
  const openssl = /^[\dA-F]+:error:[\dA-F]+:([^:]*):[^:]*:([^:]*):/.exec(message);
  return openssl === null ? message : `${openssl[1]}: ${openssl[2]}`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
