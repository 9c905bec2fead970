// The route table: method and path to handler, with Express's rules, because clients know them: paths without case,
// one trailing slash tolerated, HEAD wherever GET is, OPTIONS lists what a path can do.
import type { Markup } from './html/markup.js';
import type { Reply } from './reply.js';
import type { AdminRequest } from './request.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a handler gets to see. */
export interface Call {
  readonly request: AdminRequest;
  /** Path parameters by name, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The parsed body; an empty text when there is none, undefined when the route reads its body itself. */
  readonly json: unknown;
  /** `http://` + Host: what links begin with. */
  readonly base: string;
}

/** An answer that exists as JSON and as a page: the client's Accept decides which is made. */
export interface Negotiable {
  json(): unknown;
  page(): Markup;
}

export interface Route {
  readonly method: Method;
  /** `/imposters/:id/stubs/:index`. */
  readonly path: string;
  /**
   * `rift`: the route is not Mountebank's, its errors have the form of profile rift in both profiles, and it reads
   * `request.body` itself.
   */
  readonly family: 'mountebank' | 'rift';
  handle(call: Call): Reply | Negotiable | Promise<Reply | Negotiable>;
}

interface Compiled {
  readonly route: Route;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

export interface Found {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** Thrown for a path parameter that is no valid percent-encoding. */
export class BadPath extends Error {}

function compile(route: Route): Compiled {
  const names: string[] = [];
  const source = route.path
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(segment.slice(1));
      return '([^/]+?)';
    })
    .join('/');
  return { route, names, pattern: new RegExp(`^${source === '/' ? '' : source}/?$`, 'i') };
}

export class Router {
  private readonly routes: readonly Compiled[];

  constructor(routes: readonly Route[]) {
    this.routes = routes.map(compile);
  }

  find(method: string, path: string): Found | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    for (const { route, pattern, names } of this.routes) {
      if (route.method !== wanted) continue;
      const match = pattern.exec(path);
      if (match === null) continue;
      const params: Record<string, string> = {};
      for (let i = 0; i < names.length; i++) {
        try {
          params[names[i]!] = decodeURIComponent(match[i + 1]!);
        } catch {
          throw new BadPath(path);
        }
      }
      return { route, params };
    }
    return undefined;
  }

  /** Methods of a path in the order of the table, as the Allow header lists them; empty for an unknown path. */
  methods(path: string): string[] {
    const methods = this.routes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
    return [...new Set(methods)];
  }
}
