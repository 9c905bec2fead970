// The frame of every page: readable without JavaScript, light and dark by the browser's preference, one style sheet.
import { Markup, markup } from './markup.js';

/** Which product the pages speak for; clients of Mountebank look for its titles. */
export interface Site {
  readonly title: (page: string) => string;
  readonly product: string;
}

export const sites: Readonly<Record<'mountebank' | 'rift', Site>> = {
  mountebank: { product: 'Rift', title: (page) => `mountebank - ${page}` },
  rift: { product: 'Rift', title: (page) => `Rift - ${page}` },
};

type Section = 'home' | 'imposters' | 'logs' | 'config' | 'docs' | 'none';

export interface PageParts {
  readonly site: Site;
  readonly title: string;
  readonly section: Section;
  readonly body: Markup;
  /** Scripts of `/scripts/`; pages work without them. */
  readonly scripts?: readonly string[];
}

const navigation: readonly { section: Section; href: string; label: string }[] = [
  { section: 'home', href: '/', label: 'Home' },
  { section: 'imposters', href: '/imposters', label: 'Imposters' },
  { section: 'logs', href: '/logs', label: 'Logs' },
  { section: 'config', href: '/config', label: 'Config' },
  { section: 'docs', href: '/docs/gettingStarted', label: 'Docs' },
];

const doctype = new Markup('<!DOCTYPE html>\n');

export function layout({ site, title, section, body, scripts = [] }: PageParts): Markup {
  return markup`${doctype}<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${site.title(title)}</title>
<link rel="icon" href="/images/favicon.ico" sizes="32x32">
<link rel="icon" href="/images/rift.svg" type="image/svg+xml">
<link rel="stylesheet" href="/stylesheets/application.css">
<link rel="alternate" type="application/atom+xml" title="Releases" href="/feed">
${scripts.map((name) => markup`<script src="/scripts/${name}" defer></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/"><img src="/images/rift.svg" alt="" width="28" height="28"><span>${site.product}</span></a>
<nav aria-label="Main">
<ul>${navigation.map(
    (item) =>
      markup`<li><a href="${item.href}"${item.section === section ? new Markup(' aria-current="page"') : ''}>${item.label}</a></li>`,
  )}</ul>
</nav>
</header>
<main id="main" tabindex="-1">
${body}
</main>
<footer>
<p><a href="/metrics">Metrics</a> · <a href="/releases">Releases</a> · <a href="/feed">Feed</a> · <a href="/faqs">FAQ</a> · <a href="/support">Support</a> · <a href="/license">License</a></p>
</footer>
</body>
</html>
`;
}
