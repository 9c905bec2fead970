// Configuration documents over http and https. They never run code: of the template language only the insertion of an
// environment variable is honoured.
import { ExitError } from '../cli/errors.js';

const maxBytes = 10 * 1024 * 1024;
const timeoutMs = 30_000;
const maxRedirects = 10;

/**
 * The document's text, environment variables put in.
 * @throws ExitError kind `configuration`
 */
export async function fetchSource(address: string): Promise<string> {
  const fail = (reason: string): never => {
    throw new ExitError('configuration', `imposter source ${address}${reason}`);
  };
  const signal = AbortSignal.timeout(timeoutMs);
  let url = new URL(address);
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { redirect: 'manual', signal }).catch((error: Error) =>
      fail(signal.aborted ? ` did not answer within ${timeoutMs / 1000} s` : ` cannot be read: ${reasonOf(error)}`),
    );
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      if (redirects === maxRedirects) fail(` redirects more than ${maxRedirects} times`);
      url = new URL(location, url);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') fail(` redirects to ${url.protocol}`);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      fail(` returned HTTP ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) fail(` is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch {
      return fail(' is not UTF-8');
    }
    return insertEnvironment(text, (tag) => fail(` contains template code, which remote documents must not: ${tag}`));
  }
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

const form = /^<%([-=])\s*process\.env\.([A-Za-z_]\w*)\s*(?:\|\|\s*(?:'([^']*)'|"([^"]*)")\s*)?%>$/;
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

/** `<%= process.env.NAME || 'default' %>` and `<%- … %>`; any other tag goes to `refuse`. */
function insertEnvironment(text: string, refuse: (tag: string) => never, env = process.env): string {
  return text.replace(/<%[\s\S]*?(?:%>|$)/g, (tag) => {
    const match = form.exec(tag);
    if (!match) return refuse(tag);
    const [, kind, name, single, double] = match;
    const value = env[name] || (single ?? double ?? '');
    return kind === '=' ? value.replace(/[&<>"']/g, (letter) => escapes[letter]) : value;
  });
}
