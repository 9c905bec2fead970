// The pages as a whole: links lead somewhere, every page can be found from the README, every flag is described.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { flags, kebab } from './cli/flags.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return ['node_modules', 'dist'].includes(entry.name) || entry.name.startsWith('.') ? [] : pagesBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = pagesBelow(root);
const withoutBlocks = (text: string) => text.replace(/^(```+)[\s\S]*?^\1$/gm, '');
const withoutCode = (text: string) => withoutBlocks(text).replace(/(`+)[^\n]*?\1/g, '');

/** The anchors that GitHub gives the headings of a page: lower case, punctuation gone, blanks as dashes, repeats numbered. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  const text = withoutBlocks(readFileSync(path, 'utf8'));
  for (const [, heading] of text.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const plain = (heading ?? '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Links of a page to files, as absolute path and anchor. */
function linksOf(page: string): { link: string; path: string; anchor: string | undefined }[] {
  const text = withoutCode(readFileSync(page, 'utf8').replace(/`([^`\n]*)`(?=[^[\n]*\]\()/g, '$1'));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    return [{ link, path: file === '' ? page : join(dirname(page), file), anchor }];
  });
}

test('relative links lead to files and headings that exist', () => {
  const broken: string[] = [];
  let seen = 0;
  for (const page of pages) {
    for (const { link, path, anchor } of linksOf(page)) {
      seen++;
      const good =
        existsSync(path) && (anchor === undefined || (statSync(path).isFile() && anchorsOf(path).has(anchor)));
      if (!good) broken.push(`${relative(root, page)}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(seen > 50, `only ${seen} links were recognized`);
});

test('the README leads to every page of docs/', () => {
  const linked = new Set(linksOf(join(root, 'README.md')).map(({ path }) => path));
  const missing = pages.filter((page) => dirname(page) === join(root, 'docs') && !linked.has(page));
  assert.deepEqual(
    missing.map((page) => relative(root, page)),
    [],
  );
});

test('every flag and every variable of the help has its place on a page about the command line', () => {
  const text = ['command-line', 'configuration', 'logging', 'persistence']
    .map((name) => readFileSync(join(root, 'docs', `${name}.md`), 'utf8'))
    .join('\n');
  const says = (word: string) => new RegExp(`${word}(?![\\w-])`).test(text);
  const missing = flags.flatMap(({ name, env }) => [
    ...(says(`--${name}`) || says(`--${kebab(name)}`) ? [] : [`--${name}`]),
    ...(env === undefined || says(env) ? [] : [env]),
  ]);
  assert.deepEqual(missing, []);
});
