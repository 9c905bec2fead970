import { layout, type Site } from './layout.js';
import { type Markup, markup } from './markup.js';

interface ShownEntry {
  readonly level?: unknown;
  readonly message?: unknown;
  readonly timestamp?: unknown;
}

/** The log; the follow button asks for what comes after `next`. */
export function logsPage(site: Site, entries: readonly ShownEntry[], next: number): Markup {
  return layout({
    site,
    title: 'logs',
    section: 'logs',
    scripts: ['follow.js'],
    body: markup`<div class="headline">
<h1>Logs</h1>
<button type="button" id="follow" hidden aria-pressed="false" data-next="${next}">Follow</button>
</div>
<ol class="log" id="logs" aria-live="off">
${entries.map(
  ({ level, message, timestamp }) =>
    markup`<li class="${levelClass(level)}"><time>${String(timestamp ?? '')}</time> <span class="level">${String(level)}</span>: <span class="message">${String(message)}</span></li>\n`,
)}</ol>`,
  });
}

function levelClass(level: unknown): string {
  return level === 'error' || level === 'warn' || level === 'debug' ? `level-${level}` : 'level-info';
}
