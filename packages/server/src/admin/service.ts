// One admin request from gate to answer, in Mountebank's observable order: key, log line, body, static files, CORS, route.
import { type Logger, type Profile, RiftError, RiftErrors } from '@rift-ts/engine';
import { isPreflight, type KeyCheck } from './api-key.js';
import { corsHeaders, corsPreflight, mergeVary, type OriginOption } from './cors.js';
import { failureOf, inRiftForm, notFound } from './failures.js';
import { baseUrl } from './links.js';
import { negotiate } from './negotiation.js';
import { errorPage, html, jsonContent, jsonType, pageReply, type Reply } from './reply.js';
import type { AdminRequest } from './request.js';
import { BadPath, type Found, type Negotiable, type Route, Router } from './router.js';

export interface ServiceOptions {
  readonly profile: Profile;
  readonly logger: Logger;
  readonly checkKey: KeyCheck;
  readonly origin: OriginOption;
  readonly routes: readonly Route[];
  /** Static files; undefined when the path is none of theirs. */
  readonly assets: (request: AdminRequest) => Promise<Reply | undefined>;
  /** Called before a route is; what it throws is the answer. */
  readonly refresh?: (method: string, path: string, id: string | undefined) => Promise<void>;
  /** For links when the client names no host. */
  readonly port: number;
}

/** Requests of pages for their own files are not worth a line. */
const quiet = /\.(js|css|gif|png|ico|svg)/;
/** Path families that are not Mountebank's: what is unknown below them is answered in JSON in both profiles. */
const ownFamilies =
  /^\/(intercept|front-door|admin|events|version|health|ready|__rift)(\/|$)|^\/imposters\/[^/]+\/(scenarios|spaces|verify|test|enable|disable|stubs\/by-id|savedrequests\/stream)(\/|$)/i;

export class AdminService {
  private readonly router: Router;

  constructor(private readonly options: ServiceOptions) {
    this.router = new Router(options.routes);
  }

  /** Never rejects: what a handler throws becomes an error answer. */
  async handle(request: AdminRequest): Promise<Reply> {
    const { checkKey, profile, logger, origin, assets } = this.options;
    const refused = isPreflight(request) || isProbe(request) ? undefined : checkKey(request);
    if (refused !== undefined) return this.failure(refused);
    this.log(request);

    let found: Found | undefined;
    let badPath = false;
    try {
      found = this.router.find(request.method, request.path);
    } catch (error) {
      if (!(error instanceof BadPath)) throw error;
      badPath = true;
    }
    let json: unknown;
    const readsItself = found?.route.family === 'rift' || (profile === 'rift' && !takesBody(request.method));
    if (!readsItself) {
      try {
        json = request.body === '' ? '' : JSON.parse(request.body);
      } catch (error) {
        logger.error(`Invalid JSON: ${request.body}`);
        return this.failure(this.invalidJson(request, error));
      }
    }
    const file = await assets(request);
    if (file !== undefined) return file;

    if (origin !== false && request.method === 'OPTIONS') return corsPreflight(origin, request);
    const reply = badPath ? this.badRequest() : await this.route(request, found, json);
    const cors = corsHeaders(origin, request);
    return cors.length === 0 ? reply : { ...reply, headers: mergeVary([...cors, ...reply.headers]) };
  }

  private async route(request: AdminRequest, found: Found | undefined, json: unknown): Promise<Reply> {
    if (found === undefined) return this.unrouted(request);
    try {
      const base = baseUrl(this.hostOf(request), this.options.port);
      await this.options.refresh?.(request.method, found.route.path, found.params.id);
      const answer = await found.route.handle({ request, params: found.params, json, base });
      return 'status' in answer ? answer : this.negotiated(request, answer);
    } catch (error) {
      if (!(error instanceof RiftError) && !(error instanceof RiftErrors)) {
        this.options.logger.error(`${request.method} ${request.target}: ${String(error)}`);
      }
      return this.failure(found.route.family === 'rift' ? inRiftForm(error) : error);
    }
  }

  private hostOf(request: AdminRequest): string | undefined {
    const host = request.header('host');
    return this.options.profile === 'rift' && host?.includes('/') === true ? 'localhost:2525' : host;
  }

  private negotiated(request: AdminRequest, answer: Negotiable): Reply {
    const vary = ['Vary', 'Accept'] as const;
    const representation = negotiate(request.header('accept'), request.header('user-agent'));
    if (representation === undefined) {
      const refusal = errorPage(406, 'Not Acceptable');
      return { ...refusal, headers: [vary, ...refusal.headers] };
    }
    if (representation === 'html') return pageReply(answer.page().text, [vary]);
    return this.json(200, answer.json(), [vary]);
  }

  private unrouted(request: AdminRequest): Reply {
    const methods = this.router.methods(request.path);
    if (request.method === 'OPTIONS' && methods.length > 0) {
      const list = methods.join(',');
      return html(list, 200, [['Allow', list]]);
    }
    if (this.options.profile === 'rift' || ownFamilies.test(request.path)) {
      return this.failure(notFound('Not Found'));
    }
    return errorPage(404, `Cannot ${request.method} ${encodedPath(request.path)}`);
  }

  private badRequest(): Reply {
    if (this.options.profile === 'rift')
      return this.failure(new RiftError('bad data', 'Bad Request', {}, { status: 400, riftOnly: true }));
    return errorPage(400, 'Bad Request');
  }

  private invalidJson(request: AdminRequest, reason: unknown): RiftError {
    if (this.options.profile === 'mountebank') {
      return new RiftError('invalid JSON', 'Unable to parse body as JSON', { source: request.body });
    }
    const path = request.path.toLowerCase();
    let what = 'JSON';
    if (/^\/imposters\/?$/.test(path)) what = request.method === 'PUT' ? 'batch JSON' : 'imposter JSON';
    else if (/\/stubs\/?$/.test(path)) what = request.method === 'PUT' ? 'stubs JSON' : 'stub JSON';
    else if (/\/stubs\//.test(path)) what = 'stub JSON';
    return new RiftError('bad data', `Invalid ${what}: ${reason instanceof Error ? reason.message : String(reason)}`);
  }

  private json(status: number, value: unknown, headers: Reply['headers'] = []): Reply {
    return { status, headers: [...headers, ['Content-Type', jsonType(this.options.profile)]], ...jsonContent(value) };
  }

  private failure(thrown: unknown): Reply {
    const { status, body } = failureOf(thrown, this.options.profile);
    return this.json(status, body);
  }

  private log(request: AdminRequest): void {
    const { logger } = this.options;
    const { method, target } = request;
    const fromPage =
      quiet.test(target) ||
      request.header('accept')?.includes('html') === true ||
      request.header('x-requested-with') === 'XMLHttpRequest';
    if (!fromPage) {
      if (target.includes('_requests')) logger.debug(`${method} ${target}`);
      else logger.info(`${method} ${target}`);
    }
  }
}

/** The path as it may stand in a URL (RFC 3986): escapes stay, what must be escaped is. */
function encodedPath(path: string): string {
  return path.replace(/[^!#-;=?-_a-z|~]/g, (character, at: number) =>
    character === '%' && /^[0-9a-f]{2}/i.test(path.slice(at + 1)) ? '%' : encodeURIComponent(character),
  );
}

function takesBody(method: string): boolean {
  return method === 'POST' || method === 'PUT';
}

/** Probes of the machine itself need no key. */
function isProbe(request: AdminRequest): boolean {
  return /^\/(health|ready)\/?$/i.test(request.path) && /^(127\.|::1$|::ffff:127\.)/i.test(request.peer.address);
}
