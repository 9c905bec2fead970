import type { JsonObject } from '@rift-ts/engine';
import { layout, type Site } from './layout.js';
import { type Markup, markup } from './markup.js';

export function imposterListPage(site: Site, imposters: readonly JsonObject[]): Markup {
  return layout({
    site,
    title: 'running imposters',
    section: 'imposters',
    scripts: ['live.js'],
    body: markup`<div class="headline">
<h1>Running imposters</h1>
<button type="button" id="live" hidden aria-pressed="false">Live</button>
</div>
<div data-live>
${
  imposters.length === 0
    ? markup`<p class="empty">None yet. <code>POST /imposters</code> creates one: <a href="/docs/gettingStarted">getting started</a>.</p>`
    : imposterTable(imposters)
}
</div>`,
  });
}

/** Name as a heading of the row, or protocol and port where there is none. */
export function imposterTable(imposters: readonly JsonObject[]): Markup {
  return markup`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Protocol</th><th scope="col" class="number">Port</th><th scope="col" class="number">Requests</th></tr></thead>
<tbody>
${imposters.map(
  ({ name, protocol, port, numberOfRequests }) => markup`<tr>
<th scope="row"><a href="/imposters/${String(port)}">${label(name, protocol, port)}</a></th>
<td><span class="tag">${String(protocol)}</span></td>
<td class="number">${String(port)}</td>
<td class="number">${String(numberOfRequests ?? 0)}</td>
</tr>`,
)}
</tbody>
</table></div>`;
}

export function label(name: unknown, protocol: unknown, port: unknown): string {
  if (name === undefined || name === null || name === '') return `${String(protocol)}:${String(port)}`;
  return typeof name === 'object' ? JSON.stringify(name) : String(name);
}
