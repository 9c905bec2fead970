// Script files that imposters name: where they may lie depends on where the imposter came from. The text takes the place
// of the file's name once, when the imposter is read; what happens to the file later does not matter.
import { readFileSync, realpathSync } from 'node:fs';
import { extname, isAbsolute, relative, resolve } from 'node:path';
import type { JsonObject, ReadOptions, ScriptSources } from '@rift-ts/engine';
import { ExitError } from '../cli/errors.js';

type ReadFile = NonNullable<ScriptSources['readFile']>;

/** Files inside `root` only, symbolic links resolved; a path that leads out of it is refused without being opened. */
export function confinedScripts(root: string): ReadFile {
  return (path) => {
    const target = resolve(root, path);
    const outside = { problem: `script file path '${path}' escapes the scripts root` };
    if (isOutside(resolve(root), target)) return outside;
    try {
      const real = realpathSync(target);
      return isOutside(realpathSync(root), real) ? outside : read(path, real);
    } catch (error) {
      return unreadable(path, error);
    }
  };
}

/** How imposters are read whose script files lie in a data directory. */
export function withScriptsOf(folder: string, options: ReadOptions): ReadOptions {
  return { ...options, scripts: { ...options.scripts, readFile: confinedScripts(folder) } };
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '..' || way.startsWith('../') || way.startsWith('..\\') || isAbsolute(way);
}

function read(path: string, file: string): ReturnType<ReadFile> {
  try {
    return { code: readFileSync(file, 'utf8') };
  } catch (error) {
    return unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): { readonly problem: string } {
  return { problem: `failed to read script file '${path}': ${(error as Error).message}` };
}

const engines: { readonly [extension: string]: string } = { '.rhai': 'rhai', '.js': 'javascript', '.lua': 'lua' };

/**
 * Puts the texts of script files into the imposters of a document, in place.
 * @param folder Where the document lies; undefined when it came over the network: then it may not name files.
 * @throws ExitError kind `configuration`
 */
export function inlineScripts(imposters: readonly unknown[], folder: string | undefined, source: string): void {
  for (const script of imposters.flatMap(scriptsOf)) {
    const { file } = script;
    if (typeof file !== 'string' || Object.hasOwn(script, 'code') || Object.hasOwn(script, 'ref')) continue;
    const found: ReturnType<ReadFile> =
      folder === undefined
        ? { problem: `script file '${file}' cannot be resolved: the configuration was fetched over the network` }
        : read(file, resolve(folder, file));
    if ('problem' in found)
      throw new ExitError('configuration', `${source}: Script resolution failed: ${found.problem}`);
    script.engine ??= engines[extname(file)] ?? script.engine!;
    if (script.engine === undefined) delete script.engine;
    script.code = found.code;
    delete script.file;
  }
}

function scriptsOf(imposter: unknown): JsonObject[] {
  if (!isObject(imposter)) return [];
  const named = isObject(imposter._rift) && isObject(imposter._rift.scripts) ? imposter._rift.scripts : {};
  const stubs = Array.isArray(imposter.stubs) ? imposter.stubs.filter(isObject) : [];
  const responses = stubs.flatMap(({ responses: list }) => (Array.isArray(list) ? list.filter(isObject) : []));
  const own = responses.map(({ _rift: rift }) => (isObject(rift) ? rift.script : undefined));
  return [...Object.values(named), ...own].filter(isObject);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
