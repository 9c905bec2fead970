// JSON for people: pretty-printed and lightly coloured, every piece of it escaped.
import { type Markup, markup } from './markup.js';

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Longer texts are shown plain: colouring them would cost more than it tells. */
const longestColoured = 20_000;

export function jsonView(value: unknown): Markup {
  const source = JSON.stringify(value, null, 2) ?? 'undefined';
  if (source.length > longestColoured) return markup`<pre class="json" tabindex="0"><code>${source}</code></pre>`;
  const pieces: (Markup | string)[] = [];
  let last = 0;
  for (const match of source.matchAll(token)) {
    pieces.push(source.slice(last, match.index));
    last = match.index + match[0].length;
    const [whole, string, colon, word] = match;
    if (string !== undefined && colon !== undefined) pieces.push(markup`<span class="k">${string}</span>${colon}`);
    else if (string !== undefined) pieces.push(markup`<span class="s">${string}</span>`);
    else pieces.push(markup`<span class="${word === undefined ? 'n' : 'w'}">${whole}</span>`);
  }
  pieces.push(source.slice(last));
  return markup`<pre class="json" tabindex="0"><code>${pieces}</code></pre>`;
}
