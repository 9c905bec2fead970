import { layout, type Site } from './layout.js';
import { type Markup, markup } from './markup.js';

export interface ShownConfig {
  readonly version: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly process: Readonly<Record<string, unknown>>;
}

export function configPage(site: Site, config: ShownConfig): Markup {
  return layout({
    site,
    title: 'configuration',
    section: 'config',
    body: markup`<h1>Configuration</h1>
<dl class="facts"><div><dt>Version</dt><dd>${config.version}</dd></div></dl>
<h2>Options</h2>
${table('Option', config.options)}
<h2>Process</h2>
${table('Fact', config.process)}`,
  });
}

function table(heading: string, values: Readonly<Record<string, unknown>>): Markup {
  return markup`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">${heading}</th><th scope="col">Value</th></tr></thead>
<tbody>
${Object.entries(values).map(
  ([key, value]) =>
    markup`<tr><th scope="row">${key}</th><td><code>${typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')}</code></td></tr>\n`,
)}</tbody>
</table></div>`;
}
