import { layout, type Site } from './layout.js';
import { Markup, markup } from './markup.js';

interface DocPage {
  readonly path: string;
  readonly label: string;
}

/** Every documentation page by its place in the side navigation; each is a file below `assets/pages`. */
export const docGroups: readonly { readonly heading: string; readonly pages: readonly DocPage[] }[] = [
  {
    heading: 'Start',
    pages: [
      { path: '/docs/gettingStarted', label: 'Getting started' },
      { path: '/docs/mentalModel', label: 'Mental model' },
      { path: '/docs/commandLine', label: 'Command line' },
      { path: '/docs/security', label: 'Security' },
      { path: '/docs/communityExtensions', label: 'Extensions' },
    ],
  },
  {
    heading: 'API',
    pages: [
      { path: '/docs/api/overview', label: 'Overview' },
      { path: '/docs/api/contracts', label: 'Contracts' },
      { path: '/docs/api/stubs', label: 'Stub responses' },
      { path: '/docs/api/predicates', label: 'Predicates' },
      { path: '/docs/api/json', label: 'JSON bodies' },
      { path: '/docs/api/jsonpath', label: 'JSONPath' },
      { path: '/docs/api/xpath', label: 'XPath' },
      { path: '/docs/api/mocks', label: 'Mock verification' },
      { path: '/docs/api/proxies', label: 'Proxies' },
      { path: '/docs/api/behaviors', label: 'Behaviors' },
      { path: '/docs/api/injection', label: 'Injection' },
      { path: '/docs/api/faults', label: 'Faults' },
      { path: '/docs/api/errors', label: 'Errors' },
    ],
  },
  {
    heading: 'Protocols',
    pages: [
      { path: '/docs/protocols/http', label: 'http' },
      { path: '/docs/protocols/https', label: 'https' },
      { path: '/docs/protocols/tcp', label: 'tcp' },
      { path: '/docs/protocols/smtp', label: 'smtp' },
      { path: '/docs/protocols/custom', label: 'Custom' },
    ],
  },
  {
    heading: 'Project',
    pages: [
      { path: '/faqs', label: 'FAQ' },
      { path: '/support', label: 'Support' },
      { path: '/license', label: 'License' },
    ],
  },
];

/** `content`: this project's own markup, from its file. */
export function docsPage(site: Site, page: DocPage, content: Markup): Markup {
  return layout({
    site,
    title: page.label.toLowerCase(),
    section: 'docs',
    body: markup`<div class="docs">
<nav aria-label="Documentation">
${docGroups.map(
  ({ heading, pages }) => markup`<h2>${heading}</h2>
<ul>${pages.map(
    ({ path, label }) =>
      markup`<li><a href="${path}"${path === page.path ? new Markup(' aria-current="page"') : ''}>${label}</a></li>`,
  )}</ul>
`,
)}</nav>
<article>
${content}
</article>
</div>`,
  });
}
