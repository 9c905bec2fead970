// What exists for people only: documentation, releases, feed, sitemap. Documentation pages are files of this project
// below `assets/pages`; only the paths of the navigation are ever opened.
import { readFile } from 'node:fs/promises';
import { assetsFolder } from '../assets.js';
import { docGroups, docsPage } from '../html/docs-page.js';
import { feed } from '../html/feed.js';
import { Markup } from '../html/markup.js';
import { type Release, releasePage, releasesPage } from '../html/releases-page.js';
import { pageReply, text } from '../reply.js';
import { lastValue } from '../request.js';
import type { Route } from '../router.js';
import type { Environment } from './environment.js';

export function pageRoutes({ site }: Pick<Environment, 'site'>): Route[] {
  let loading: Promise<readonly Release[]> | undefined;
  const releases = () => {
    loading ??= readFile(new URL('mountebank-releases.json', assetsFolder), 'utf8').then(JSON.parse);
    return loading;
  };
  const docs = docGroups.flatMap(({ pages }) => pages);

  return [
    ...docs.map(
      (page): Route => ({
        method: 'GET',
        path: page.path,
        family: 'mountebank',
        handle: async () => {
          const content = await readFile(new URL(`pages${page.path}.html`, assetsFolder), 'utf8');
          return pageReply(docsPage(site, page, new Markup(reachable(content))).text);
        },
      }),
    ),
    {
      method: 'GET',
      path: '/releases',
      family: 'mountebank',
      handle: async () => pageReply(releasesPage(site, await releases()).text),
    },
    {
      method: 'GET',
      path: '/releases/:version',
      family: 'mountebank',
      async handle({ params }) {
        const release = (await releases()).find(({ version }) => version === params.version);
        if (release === undefined) return text('No such release', 'text/html; charset=utf-8', 404);
        return pageReply(releasePage(site, release).text);
      },
    },
    {
      method: 'GET',
      path: '/feed',
      family: 'mountebank',
      async handle({ request, base }) {
        const asked = lastValue(request.query, 'page');
        const page = asked === undefined || asked === '' ? 1 : Number(asked);
        return text(feed(await releases(), page, base).text, 'application/atom+xml; charset=utf-8');
      },
    },
    {
      method: 'GET',
      path: '/sitemap',
      family: 'mountebank',
      async handle({ base }) {
        const versions = (await releases()).map(({ version }) => `/releases/${version}`);
        const paths = [
          '/',
          '/imposters',
          '/logs',
          '/config',
          '/feed',
          ...docs.map(({ path }) => path),
          '/metrics',
          '/releases',
        ];
        return text([...paths, ...versions].map((path) => base + path).join('\n'));
      },
    },
  ];
}

/** What scrolls on a narrow screen must be reachable with the keyboard. */
function reachable(content: string): string {
  return content.replace(/<(pre|div class="scroll")>/g, '<$1 tabindex="0">');
}
