import type { JsonObject } from '@rift-ts/engine';
import { imposterTable } from './imposter-list-page.js';
import { layout, type Site } from './layout.js';
import { type Markup, markup } from './markup.js';

export function homePage(site: Site, imposters: readonly JsonObject[], base: string): Markup {
  const running = imposters.length;
  return layout({
    site,
    title: 'over the wire test doubles',
    section: 'home',
    body: markup`<section class="hero">
<h1>Test doubles over the wire</h1>
<p class="lead">An <em>imposter</em> listens on a port and answers like the service your code depends on. Stubs say which
request gets which answer; what was asked is recorded, so that a test can look at it afterwards.</p>
</section>
<section>
<h2>${running === 0 ? 'No imposter is running' : running === 1 ? 'One imposter is running' : `${running} imposters are running`}</h2>
${running === 0 ? firstImposter(base) : imposterTable(imposters.slice(0, 10))}
${running > 10 ? markup`<p><a href="/imposters">All ${running} imposters</a></p>` : ''}
</section>
<section>
<h2>Where to look next</h2>
<ul class="cards">
<li><a class="card" href="/docs/gettingStarted"><strong>Getting started</strong><span>The first imposter in five minutes</span></a></li>
<li><a class="card" href="/docs/api/overview"><strong>Admin API</strong><span>Every endpoint with its answers</span></a></li>
<li><a class="card" href="/docs/api/predicates"><strong>Predicates</strong><span>Which request a stub answers</span></a></li>
<li><a class="card" href="/docs/api/proxies"><strong>Proxies</strong><span>Record a real service, replay it</span></a></li>
<li><a class="card" href="/docs/api/behaviors"><strong>Behaviors</strong><span>Wait, copy, look up, decorate</span></a></li>
<li><a class="card" href="/docs/commandLine"><strong>Command line</strong><span>Flags, files, save and replay</span></a></li>
</ul>
</section>`,
  });
}

function firstImposter(base: string): Markup {
  const body = JSON.stringify({
    port: 4545,
    protocol: 'http',
    stubs: [
      {
        predicates: [{ equals: { method: 'GET', path: '/hello' } }],
        responses: [{ is: { statusCode: 200, body: 'Hello!' } }],
      },
    ],
  });
  return markup`<p>Create one and ask it something:</p>
<pre tabindex="0"><code>curl -X POST ${base}/imposters -H 'Content-Type: application/json' -d '${body}'
curl http://localhost:4545/hello</code></pre>`;
}
