import { layout, type Site } from './layout.js';
import { type Markup, markup } from './markup.js';

/** One release of Mountebank, whose interface this server follows. */
export interface Release {
  /** `v2.9.1`. */
  readonly version: string;
  /** ISO 8601, the day. */
  readonly date: string;
}

export function releasesPage(site: Site, releases: readonly Release[]): Markup {
  return layout({
    site,
    title: 'releases',
    section: 'none',
    body: markup`<h1>Releases</h1>
<p class="lead">The releases of Mountebank, whose interface this server follows, newest first. The version that runs here is on the
<a href="/config">configuration</a> page.</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Version</th><th scope="col">Date</th></tr></thead>
<tbody>
${releases.map(
  ({ version, date }) =>
    markup`<tr><th scope="row"><a href="/releases/${version}">${version}</a></th><td><time>${date}</time></td></tr>\n`,
)}</tbody>
</table></div>`,
  });
}

export function releasePage(site: Site, release: Release): Markup {
  return layout({
    site,
    title: release.version,
    section: 'none',
    body: markup`<p class="crumbs"><a href="/releases">Releases</a></p>
<h1>Mountebank ${release.version}</h1>
${releaseText(release)}`,
  });
}

export function releaseText({ version, date }: Release): Markup {
  return markup`<p>Released on <time>${date}</time>. Its own notes: <a href="https://www.mbtest.org/releases/${version}">mbtest.org/releases/${version}</a>.</p>`;
}
