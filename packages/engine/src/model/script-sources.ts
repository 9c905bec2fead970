// Scripts of `_rift.script` (docs/scripting.md): exactly one of inline code, a file, or the name of an entry of the
// imposter's `_rift.scripts`. When a stub is written its script is resolved to code and engine, and parsed, not run.

import { Script } from 'node:vm';
import type { ScriptSources } from './read-options.js';
import { has, isObject } from './shapes.js';
import type { JsonObject, ResponseJson, StubJson } from './types.js';

const sources = ['code', 'file', 'ref'] as const;
const engineOfExtension: { readonly [extension: string]: string } = { rhai: 'rhai', js: 'javascript', lua: 'lua' };

/** The engine of a script: named, told by the file's extension, the imposter's default, else Rhai. */
export function scriptEngine(script: JsonObject, imposter: JsonObject): string {
  if (typeof script.engine === 'string') return script.engine;
  if (typeof script.file === 'string') {
    const extension = script.file.slice(script.file.lastIndexOf('.') + 1);
    if (has(engineOfExtension, extension)) return engineOfExtension[extension]!;
  }
  const rift = isObject(imposter._rift) ? imposter._rift : {};
  const settings = isObject(rift.scriptEngine) ? rift.scriptEngine : {};
  return typeof settings.defaultEngine === 'string' ? settings.defaultEngine : 'rhai';
}

function chained(name: string): string {
  return `_rift.scripts entry '${name}' may not itself use \`ref\` — ref chains are not allowed`;
}

type Resolved = { readonly engine: string; readonly code: string } | { readonly problem: string };

function onlySource(script: JsonObject): string | undefined {
  const found = sources.filter((key) => has(script, key) && script[key] !== null).length;
  return found === 1
    ? undefined
    : `script config must specify exactly one of \`code\`, \`file\`, or \`ref\` (found ${found})`;
}

function resolve(script: JsonObject, imposter: JsonObject, files: ScriptSources | undefined): Resolved {
  const problem = onlySource(script);
  if (problem !== undefined) return { problem };
  if (typeof script.code === 'string') return { engine: scriptEngine(script, imposter), code: script.code };
  if (typeof script.file === 'string') {
    const read = files?.readFile?.(script.file) ?? {
      problem: `script file '${script.file}' cannot be resolved: no --scripts-dir is configured for the admin API`,
    };
    return 'problem' in read ? read : { engine: scriptEngine(script, imposter), code: read.code };
  }
  if (typeof script.ref === 'string') {
    const rift = isObject(imposter._rift) ? imposter._rift : {};
    const named = isObject(rift.scripts) && has(rift.scripts, script.ref) ? rift.scripts[script.ref] : undefined;
    if (isObject(named) && has(named, 'ref')) return { problem: chained(script.ref) };
    if (isObject(named)) return resolve(named, imposter, files);
    return { problem: `unknown script ref '${script.ref}': no entry named '${script.ref}' in \`_rift.scripts\`` };
  }
  return { problem: 'the source of a script must be text' };
}

/** Why the imposter's named scripts cannot be used; undefined when they can. */
export function namedScriptsProblem(scripts: JsonObject): string | undefined {
  for (const [name, script] of Object.entries(scripts)) {
    if (!isObject(script)) return `_rift.scripts entry '${name}' must be an object`;
    if (has(script, 'ref')) {
      return chained(name);
    }
    const problem = onlySource(script);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function javascriptProblem(code: string): string | undefined {
  try {
    new Script(code);
    return undefined;
  } catch (error) {
    return `Evaluation error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function scriptProblem(engine: string, code: string, files: ScriptSources | undefined): string | undefined {
  switch (engine) {
    case 'javascript':
    case 'js':
      return (files?.parse ? files.parse('javascript', code) : javascriptProblem(code)) || undefined;
    case 'rhai':
      return files?.parse?.('rhai', code);
    case 'lua':
      return 'the Lua scripting engine was removed; use engine "rhai" or "javascript"';
    default:
      return `Unknown script engine type: '${engine}'`;
  }
}

/** A stub with its scripts resolved. */
export interface ResolvedStub {
  readonly stub: StubJson;
  /** Why a script could not be found; the text after `Script resolution failed: `. */
  readonly unresolved?: string;
  /** Scripts that do not parse; the texts after `Script validation failed: `. */
  readonly invalid: readonly string[];
}

/** `where` names the stub in messages: its id, else `stub[INDEX]`. The same stub when it has no script to resolve. */
export function resolveScripts(
  stub: StubJson,
  where: string,
  imposter: JsonObject,
  files: ScriptSources | undefined,
): ResolvedStub {
  const invalid: string[] = [];
  let changed: ResponseJson[] | undefined;
  const responses = stub.responses ?? [];
  for (const [index, response] of responses.entries()) {
    const rift = response._rift;
    if (!isObject(rift) || !isObject(rift.script)) continue;
    const resolved = resolve(rift.script, imposter, files);
    if ('problem' in resolved) return { stub, unresolved: resolved.problem, invalid };
    const problem = scriptProblem(resolved.engine, resolved.code, files);
    if (problem !== undefined) {
      invalid.push(`Invalid ${resolved.engine} script in stub '${where}' response ${index}: ${problem}`);
    } else if (!has(rift.script, 'code')) {
      changed ??= responses.slice();
      const { file: _file, ref: _ref, engine: _engine, ...others } = rift.script;
      changed[index] = {
        ...response,
        _rift: { ...rift, script: { engine: resolved.engine, code: resolved.code, ...others } },
      };
    }
  }
  return { stub: changed === undefined ? stub : { ...stub, responses: changed }, invalid };
}
