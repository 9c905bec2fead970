// The releases as an Atom feed (RFC 4287), ten entries a page.
import { Markup, markup } from './markup.js';
import { type Release, releaseText } from './releases-page.js';

const perPage = 10;
const declaration = new Markup("<?xml version='1.0' encoding='utf-8'?>\n");

/** `page` counts from 1; a page that is not there has no entries. */
export function feed(releases: readonly Release[], page: number, base: string): Markup {
  const valid = Number.isInteger(page) && page > 0;
  const entries = valid ? releases.slice((page - 1) * perPage, page * perPage) : [];
  const more = valid && page * perPage < releases.length;
  return markup`${declaration}<feed xmlns='http://www.w3.org/2005/Atom'>
  <title>mountebank releases</title>
  <subtitle>Releases of the interface that this server follows</subtitle>
  <link href='${base}/feed' rel='self' />
${more ? markup`  <link href='${base}/feed?page=${page + 1}' rel='next' />\n` : ''}  <link href='${base}/' />
  <id>${base}/feed</id>
  <updated>${(entries[0] ?? releases[0])?.date ?? '1970-01-01'}T00:00:00Z</updated>
  <author>
    <name>Rift</name>
    <uri>${base}</uri>
  </author>
${entries.map(
  (release) => markup`  <entry>
    <title>mountebank ${release.version} release</title>
    <id>${base}/releases/${release.version}</id>
    <link href='${base}/releases/${release.version}' />
    <updated>${release.date}T00:00:00Z</updated>
    <content type='html'>${releaseText(release).text}</content>
  </entry>
`,
)}</feed>
`;
}
