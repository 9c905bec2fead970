// Configuration files are EJS templates (Mountebank docs: commandLine, `--configfile`). The `ejs` library renders them;
// what is added here is the include directive of EJS 2, `<% include path %>`, which later versions dropped and
// configurations of Mountebank use, and the function `stringify`.
import { readFileSync } from 'node:fs';
import { dirname, extname, isAbsolute, join } from 'node:path';
import ejs from 'ejs';

const directive = /<%(?![%#])([-_=]?)\s*include\s+([^\s(][^\s]*?)\s*([-_]?%>)/g;

/** A template that is none: its tags do not close, or what stands in them is no JavaScript. */
export class TemplateSyntaxError extends Error {}

/**
 * Renders a configuration file. `root` is its path as the user wrote it; `stringify` resolves paths against its
 * directory. Templates run code: that is their purpose, so only local files that the user named come here.
 * @throws TemplateSyntaxError, or whatever the code in the template throws, with the place in the message
 */
export function renderFile(root: string, text = readFileSync(root, 'utf8')): string {
  const stringify = (first: string, second?: unknown, third?: unknown): string => {
    // stringify(path), stringify(path, data), and the historic stringify(filename, path, data)
    const [path, data] = typeof second === 'string' ? [second, third] : [first, second];
    const file = isAbsolute(path) ? path : join(dirname(root), path);
    let rendered: string;
    try {
      rendered = render(readFileSync(file, 'utf8'), file, { ...helpers, data });
    } catch (error) {
      // not the root's syntax: that one is fine
      throw error instanceof TemplateSyntaxError ? new Error(`${file}: ${error.message}`) : error;
    }
    return JSON.stringify(rendered.trim()).slice(1, -1);
  };
  const helpers = { filename: root, stringify, inject: stringify };
  return render(text, root, helpers);
}

function render(text: string, file: string, variables: Record<string, unknown>): string {
  const expanded = withoutMark(expandDirectives(text, file, [file]));
  let template: ejs.TemplateFunction;
  try {
    template = ejs.compile(expanded, { filename: file });
  } catch (error) {
    throw new TemplateSyntaxError((error as Error).message);
  }
  return template(variables);
}

/**
 * Puts the text of `<% include path %>` in its place, inside a function, so that it sees the variables around it and
 * its own stay its own: what EJS 2 did.
 */
function expandDirectives(text: string, file: string, chain: readonly string[]): string {
  return text.replace(directive, (_, opener: string, path: string, closer: string) => {
    const included = includePath(path, file);
    if (chain.includes(included)) throw new Error(`${file}: the include of "${path}" includes itself`);
    let content: string;
    try {
      content = readFileSync(included, 'utf8');
    } catch {
      throw new Error(`Could not find the include file "${path}"`);
    }
    const inner = withoutMark(expandDirectives(content, included, [...chain, included]));
    return `<%${opener === '_' ? '_' : ''} ;(function () { %>${inner}<% })() ${closer}`;
  });
}

function includePath(path: string, from: string): string {
  const full = isAbsolute(path) ? path : join(dirname(from), path);
  return extname(full) === '' ? `${full}.ejs` : full;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
