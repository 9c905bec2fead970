// The process: home, logs, config, metrics, probes.

import { configPage } from '../html/config-page.js';
import { homePage } from '../html/home-page.js';
import { logsPage } from '../html/logs-page.js';
import { text } from '../reply.js';
import { lastValue } from '../request.js';
import type { Route } from '../router.js';
import { type Environment, jsonReply } from './environment.js';

/** One entry of the log as `GET /logs` shows it; keys in the order of the file. */
export type LogEntry = { readonly level?: unknown; readonly message?: unknown; readonly timestamp?: unknown };

export interface ProcessEnvironment extends Environment {
  /** All entries of the current log, oldest first. */
  readonly logEntries: () => Promise<readonly LogEntry[]>;
  /** Version that clients compare (`GET /config` `version`), version of the product, commit it was built from. */
  readonly version: { readonly reported: string; readonly product: string; readonly commit: string | null };
  /** Effective start options; the key already masked. */
  readonly startOptions: () => Readonly<Record<string, unknown>>;
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  readonly readiness: () => { readonly status: number; readonly body: Readonly<Record<string, unknown>> };
}

export function processRoutes(environment: ProcessEnvironment): Route[] {
  const { version, control, site } = environment;

  const config = () => {
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    return {
      version: version.reported,
      commit: version.commit,
      options: {
        ...environment.startOptions(),
        version: version.product,
        commit: version.commit,
        builtAt: null,
        compat: environment.profile,
      },
      process: {
        nodeVersion: process.version,
        architecture: process.arch,
        platform: process.platform,
        rss,
        heapTotal,
        heapUsed,
        uptime: process.uptime(),
        cwd: process.cwd(),
      },
      serveOptions: Object.keys(environment.startOptions()).sort(),
    };
  };

  return [
    {
      method: 'GET',
      path: '/',
      family: 'mountebank',
      handle: ({ base }) => ({
        json: () => ({
          _links: {
            imposters: { href: `${base}/imposters` },
            config: { href: `${base}/config` },
            logs: { href: `${base}/logs` },
          },
        }),
        page: () =>
          homePage(
            site,
            control.imposters.all().map((imposter) => imposter.toJson('list')),
            base,
          ),
      }),
    },
    {
      method: 'GET',
      path: '/logs',
      family: 'mountebank',
      async handle({ request }) {
        const entries = await environment.logEntries();
        const logs = page(entries, lastValue(request.query, 'startIndex'), lastValue(request.query, 'endIndex'));
        return { json: () => ({ logs }), page: () => logsPage(site, logs, entries.length) };
      },
    },
    {
      method: 'GET',
      path: '/config',
      family: 'mountebank',
      handle: () => {
        const json = config();
        return { json: () => json, page: () => configPage(site, json) };
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      family: 'mountebank',
      handle: async () => text(await environment.metrics(), 'text/plain; version=0.0.4; charset=utf-8'),
    },
    {
      method: 'GET',
      path: '/health',
      family: 'rift',
      handle: () => jsonReply(environment, 200, { status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/ready',
      family: 'rift',
      handle: () => {
        const { status, body } = environment.readiness();
        return jsonReply(environment, status, body);
      },
    },
    {
      method: 'GET',
      path: '/version',
      family: 'rift',
      handle: () =>
        jsonReply(environment, 200, {
          version: version.product,
          commit: version.commit,
          builtAt: null,
          node: process.version,
          features: [...control.imposters.options.protocols.keys()],
        }),
    },
  ];
}

/** Entries from `startIndex` to `endIndex`, both inclusive, read as leading integers as JavaScript's slice takes them. */
function page(entries: readonly LogEntry[], start: string | undefined, end: string | undefined): readonly LogEntry[] {
  const from = Number.parseInt(start ?? '', 10);
  if (end === undefined || end === '') return entries.slice(Number.isNaN(from) ? 0 : from);
  const to = Number.parseInt(end, 10);
  if (Number.isNaN(to)) return [];
  return entries.slice(Number.isNaN(from) ? 0 : from, to + 1);
}
