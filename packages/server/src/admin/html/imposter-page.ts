import type { Json, JsonObject } from '@rift-ts/engine';
import { label } from './imposter-list-page.js';
import { jsonView } from './json-view.js';
import { layout, type Site } from './layout.js';
import { type Markup, markup } from './markup.js';
import { describeRequest, describeResponses, describeStub } from './words.js';

/** One imposter: its facts, stubs with their matches, recorded requests. */
export function imposterPage(site: Site, imposter: JsonObject): Markup {
  const { protocol, port, name } = imposter;
  const stubs = objects(imposter.stubs);
  const requests = objects(imposter.requests);
  const title = label(name, protocol, port);
  return layout({
    site,
    title: 'imposter information',
    section: 'imposters',
    scripts: ['live.js'],
    body: markup`<p class="crumbs"><a href="/imposters">Imposters</a></p>
<div class="headline">
<h1>${title}</h1>
<button type="button" id="live" hidden aria-pressed="false">Live</button>
</div>
<div data-live>
<dl class="facts">
<div><dt>Protocol</dt><dd>${text(protocol)}</dd></div>
<div><dt>Port</dt><dd>${text(port)}</dd></div>
<div><dt>Requests</dt><dd>${text(imposter.numberOfRequests ?? 0)}</dd></div>
<div><dt>Records requests</dt><dd>${imposter.recordRequests === true ? 'yes' : 'no'}</dd></div>
<div><dt>Stubs</dt><dd>${stubs.length}</dd></div>
${imposter.enabled === false ? markup`<div><dt>State</dt><dd>disabled</dd></div>` : ''}
</dl>
${settings(imposter)}
<section>
<h2 id="stubs">Stubs</h2>
${stubs.length === 0 ? markup`<p class="empty">None: every request gets the default response.</p>` : ''}
<ol class="stack" start="0">
${stubs.map(stubItem)}
</ol>
</section>
<section>
<h2 id="requests">Recorded requests</h2>
${
  requests.length === 0
    ? markup`<p class="empty">${
        imposter.recordRequests === true
          ? 'None yet.'
          : 'None: this imposter does not record. Create it with "recordRequests": true, or start the server with --mock.'
      }</p>`
    : ''
}
<ol class="stack">
${requests.map(requestItem)}
</ol>
</section>
</div>`,
  });
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value)
    ? value.filter((each): each is JsonObject => typeof each === 'object' && each !== null && !Array.isArray(each))
    : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const shownElsewhere = new Set([
  'protocol',
  'port',
  'name',
  'numberOfRequests',
  'recordRequests',
  'requests',
  'stubs',
  '_links',
  'enabled',
]);

function settings(imposter: JsonObject): Markup | string {
  const rest = Object.entries(imposter).filter(([key]) => !shownElsewhere.has(key));
  if (rest.length === 0) return '';
  return markup`<details class="item" id="settings"><summary><span class="what">Settings</span> <span class="how">${rest
    .map(([key]) => key)
    .join(', ')}</span></summary>${jsonView(Object.fromEntries(rest))}</details>`;
}

function stubItem(stub: JsonObject, index: number): Markup {
  const { _links, matches, ...own } = stub;
  const matched = objects(matches);
  return markup`<li><details class="item" id="stub-${index}">
<summary><span class="position">${index}</span> <span class="what">${describeStub(own)}</span>${
    matched.length > 0 ? markup` <span class="tag">${matched.length} matched</span>` : ''
  } <span class="then"><span aria-hidden="true">→ </span>${describeResponses(own)}</span></summary>
${jsonView(own)}
${
  matched.length === 0
    ? ''
    : markup`<h3>Matches</h3>
<ol class="stack">${matched.map(
        (match, at) =>
          markup`<li><details class="item" id="stub-${index}-match-${at}"><summary><span class="what">${describeRequest(
            (match.request ?? {}) as JsonObject,
          )}</span> <time>${String(match.timestamp ?? '')}</time></summary>${jsonView(match)}</details></li>`,
      )}</ol>`
}
</details></li>`;
}

function requestItem(request: JsonObject, index: number): Markup {
  return markup`<li><details class="item" id="request-${index}">
<summary><span class="what">${describeRequest(request)}</span> <span class="how">${String(request.requestFrom ?? '')}</span> <time>${String(
    request.timestamp ?? '',
  )}</time></summary>
${jsonView(request)}
</details></li>`;
}
