// Where imposters come from at start: one file, a directory, or several sources merged in order.
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExitError } from '../cli/errors.js';
import { type ConfigDocument, DocumentError, parseDocument } from './document.js';
import { fetchSource } from './remote.js';
import { inlineScripts } from './script-files.js';
import { renderFile, TemplateSyntaxError } from './template.js';

export interface SourceOptions {
  readonly configfile: string | undefined;
  readonly imposters: readonly string[];
  readonly noParse: boolean;
  readonly warn: (message: string) => void;
}

interface Part {
  readonly source: string;
  readonly document: ConfigDocument;
}

/**
 * Reads and merges everything that was asked for; undefined when nothing was.
 * @throws ExitError kind `configuration`
 */
export async function readSources(options: SourceOptions): Promise<ConfigDocument | undefined> {
  const parts: Part[] = [];
  if (options.configfile !== undefined) {
    for (const file of await filesOf(options.configfile)) parts.push(readLocal(file, options));
  } else {
    for (const source of options.imposters) parts.push(await readSource(source, options));
  }
  if (options.configfile === undefined && options.imposters.length === 0) return undefined;
  return merge(parts);
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!statSync(path).isDirectory()) return [path];
  } catch {
    return [path];
  }
  const names = await readdir(path);
  return names
    .filter((name) => /\.(json|ya?ml|ejs)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

function schemeOf(source: string): string | undefined {
  const slashes = source.indexOf('://');
  if (slashes > 0) return source.slice(0, slashes).toLowerCase();
  // one letter is a drive, not a scheme (RFC 3986 section 3.1)
  return /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(source)?.[1].toLowerCase();
}

async function readSource(source: string, options: SourceOptions): Promise<Part> {
  const scheme = schemeOf(source);
  if (scheme === undefined) return readLocal(source, options);
  if (scheme === 'file') return readLocal(source.slice('file:'.length).replace(/^\/\/(?=\/)/, ''), options, source);
  if (scheme === 'http' || scheme === 'https') {
    const document = parsed(source, await fetchSource(source));
    inlineScripts(document.imposters, undefined, source);
    return { source, document };
  }
  throw new ExitError(
    'configuration',
    `no imposter source is registered for the \`${scheme}:\` scheme (from \`${source}\`); known schemes: file, http, https`,
  );
}

function readLocal(path: string, options: SourceOptions, source = path): Part {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ExitError('configuration', `No such file: ${path}\n${(error as Error).message}`);
  }
  const document = parsed(source, options.noParse ? text : rendered(path, text, options.warn));
  inlineScripts(document.imposters, dirname(path), source);
  return { source, document };
}

function rendered(file: string, text: string, warn: (message: string) => void): string {
  try {
    return renderFile(file, text);
  } catch (error) {
    // a recorded body may hold `<%`; such a file is no template
    if (error instanceof TemplateSyntaxError && isJson(text)) {
      warn(`${file} is not a valid template (${(error as Error).message}); loaded as plain JSON`);
      return text;
    }
    const { message } = error as Error;
    throw new ExitError('configuration', message.startsWith(`${file}:`) ? message : `${file}: ${message}`);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parsed(source: string, text: string): ConfigDocument {
  try {
    return parseDocument(text);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    if (!error.syntax) throw new ExitError('configuration', `${source}: ${error.message}`);
    throw new ExitError(
      'configuration',
      `Unable to parse configfile as JSON. Full contents after EJS rendering below:\n${text}\n${source}: ${error.message}`,
    );
  }
}

function merge(parts: readonly Part[]): ConfigDocument {
  const ports = new Map<string, string>();
  const imposters: unknown[] = [];
  const blocks = new Map<'intercept' | 'routes', { source: string; value: unknown }>();
  for (const { source, document } of parts) {
    for (const imposter of document.imposters) {
      const port = (imposter as { port?: unknown } | null)?.port;
      if (port !== undefined && port !== null) {
        const other = ports.get(String(port));
        if (other === source) {
          throw new ExitError('configuration', `${source}: port ${port} is declared twice`);
        }
        if (other !== undefined) {
          throw new ExitError(
            'configuration',
            `imposter sources \`${other}\` and \`${source}\` both declare port ${port}; each port may be declared by exactly one source`,
          );
        }
        ports.set(String(port), source);
      }
      imposters.push(imposter);
    }
    for (const block of ['intercept', 'routes'] as const) {
      if (document[block] === undefined) continue;
      const other = blocks.get(block);
      if (other !== undefined) {
        throw new ExitError(
          'configuration',
          `imposter sources \`${other.source}\` and \`${source}\` both have a block "${block}"; only one may`,
        );
      }
      blocks.set(block, { source, value: document[block] });
    }
  }
  return { imposters, ...Object.fromEntries([...blocks].map(([block, { value }]) => [block, value])) };
}
