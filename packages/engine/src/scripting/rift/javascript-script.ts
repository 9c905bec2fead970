// A script of `_rift.script` in JavaScript: a fresh context for every run, with the built-in objects of the language, `ctx` and the
// constructors of results in it, and nothing of Node. Everything a script can touch is made inside its context; what
// crosses the border are texts.

import vm from 'node:vm';
import { type LogLine, misnamed, type ScriptResult, wrongResult } from './decision.js';
import type { ScriptContext } from './script-context.js';
import type { StoreAccess, StoreCall } from './store-call.js';

export interface JavascriptRun {
  readonly context: ScriptContext;
  readonly access: StoreAccess;
  log(line: LogLine): void;
  readonly timeoutMs: number;
}

const filename = 'script.js';

/** Why a text is no script; undefined when it is one. */
export function javascriptProblem(code: string): string | undefined {
  try {
    new vm.Script(code, { filename });
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

const compiled = new Map<string, vm.Script>();

function compile(code: string): vm.Script {
  let script = compiled.get(code);
  if (script === undefined) {
    if (compiled.size >= 1000) compiled.clear();
    script = new vm.Script(code, { filename });
    compiled.set(code, script);
  }
  return script;
}

export function runJavascript(code: string, { context, access, log, timeoutMs }: JavascriptRun): ScriptResult {
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.max(1, Math.ceil(deadline - performance.now()));
  try {
    const scope = vm.createContext({}, { codeGeneration: { wasm: false }, microtaskMode: 'afterEvaluate' });
    const install = prelude.runInContext(scope) as (...args: unknown[]) => Tools;
    const ask = (operation: string, flow: string, ...args: string[]): string =>
      storeCall(access, operation, flow, args);
    const tools = install(
      ask,
      (level: LogLine['level'], text: string) => log({ level, text }),
      JSON.stringify(context),
    );
    const own = new Set(Object.keys(scope));
    const bare: unknown = compile(code).runInContext(scope, { timeout: left() });
    const named = respondCall.runInContext(scope, { timeout: left() }) as { readonly value?: unknown } | undefined;
    const result = named === undefined ? bare : named.value;
    if (named === undefined && bare === undefined) {
      const defines = Object.keys(scope).some((name) => !own.has(name) && typeof scope[name] === 'function');
      if (defines) return { kind: 'error', message: misnamed };
    }
    if (result === undefined || result === null) return { kind: 'decision', decision: { kind: 'pass' } };
    const decision = tools.read(result);
    if (decision === undefined) return { kind: 'error', message: wrongResult };
    return { kind: 'decision', decision: JSON.parse(decision) };
  } catch (error) {
    const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' && performance.now() >= deadline - 1) return { kind: 'timeout' };
    return { kind: 'error', message: describe(error) };
  }
}

function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (typeof message !== 'string') return JSON.stringify(error) ?? 'unknown error';
  return typeof name === 'string' ? `${name}: ${message}` : message;
}

/** `=` and a text, `-` for nothing, `!` and a failure. */
function storeCall(access: StoreAccess, operation: string, flow: string, [key = '', ...args]: string[]): string {
  const reply = access(storeRequest(operation, flow, key, args));
  if ('failure' in reply) return `!${reply.failure}`;
  const { value } = reply;
  if (operation === 'cas') {
    const { applied, current } = value as { applied: boolean; current?: string };
    return applied ? '=applied' : current === undefined ? '-' : `=${current}`;
  }
  return value === undefined ? '-' : `=${String(value)}`;
}

function storeRequest(operation: string, flow: string, key: string, args: readonly string[]): StoreCall {
  switch (operation) {
    case 'set':
      return { operation, flow, key, value: args[0]! };
    case 'incrBy':
      return { operation, flow, key, by: BigInt(args[0]!) };
    case 'cas':
      return { operation, flow, key, expected: args[0] === '' ? undefined : args[0], value: args[1]! };
    case 'expireFlow':
      return { operation, flow, seconds: Number(key) };
    case 'expire':
      return { operation, flow, key, seconds: Number(args[0]) };
    case 'clear':
      return { operation, flow };
    default:
      return { operation: operation as 'get' | 'exists' | 'delete', flow, key };
  }
}

interface Tools {
  /** JSON of a decision; undefined when the value is none. */
  read(value: unknown): string | undefined;
}

const respondCall = new vm.Script("typeof respond === 'function' ? { value: respond(ctx) } : undefined", { filename });

/** Runs first in every context. Keeps to itself what the script must not be able to replace. */
const prelude = new vm.Script(
  `'use strict';
(function () {
  const { parse, stringify } = JSON;
  const { trunc, min, max } = Math;
  const { isFinite, isInteger } = Number;
  const { isArray } = Array;
  const { keys, entries } = Object;
  const asText = String, asInt = BigInt;
  const { apply } = Reflect;
  const sliceOf = String.prototype.slice;
  const slice = (text, from) => apply(sliceOf, text, [from]);

  const sorted = (value, depth) => {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > 200) throw new RangeError('the value is nested too deeply');
    if (isArray(value)) { const copy = []; for (let i = 0; i < value.length; i++) copy[i] = sorted(value[i], depth + 1); return copy; }
    const copy = { __proto__: null };
    const names = keys(value).sort();
    for (let i = 0; i < names.length; i++) copy[names[i]] = sorted(value[names[i]], depth + 1);
    return copy;
  };
  const jsonText = (value) => {
    const text = stringify(value);
    return text === undefined ? 'null' : stringify(sorted(parse(text), 0));
  };

  class Result {
    #decision;
    constructor(decision) { this.#decision = decision; }
    header(name, value) {
      if (typeof name !== 'string') throw new TypeError('header(name, value): name must be a string');
      if (typeof value !== 'string') throw new TypeError('header(name, value): value must be a string');
      if (this.#decision.kind !== 'http') return this;
      const kept = [];
      const lower = name.toLowerCase();
      for (const header of this.#decision.headers) if (header[0].toLowerCase() !== lower) kept[kept.length] = header;
      kept[kept.length] = [name, value];
      this.#decision.headers = kept;
      return this;
    }
    static decisionOf(value) {
      return typeof value === 'object' && value !== null && #decision in value ? stringify(value.#decision) : undefined;
    }
  }
  const { decisionOf } = Result;

  return function install(ask, write, contextText) {
    const call = (...args) => {
      const reply = ask(...args);
      if (reply[0] === '!') throw new Error(slice(reply, 1));
      return reply[0] === '-' ? undefined : slice(reply, 1);
    };
    const keyOf = (key) => { if (typeof key !== 'string') throw new TypeError('key must be a string'); return key; };
    const numberOf = (n, what) => { if (typeof n !== 'number' || !isFinite(n)) throw new TypeError(what); return n; };
    const flow = (id) => ({
      get(key) { const text = call('get', id, keyOf(key)); return text === undefined ? null : parse(text); },
      getOr(key, fallback) { const text = call('get', id, keyOf(key)); return text === undefined ? fallback : parse(text); },
      set(key, value) { call('set', id, keyOf(key), jsonText(value)); return true; },
      exists(key) { return call('exists', id, keyOf(key)) === 'true'; },
      delete(key) { call('delete', id, keyOf(key)); return true; },
      incr(key) { return +call('incrBy', id, keyOf(key), '1'); },
      incrBy(key, n) {
        return +call('incrBy', id, keyOf(key), asText(asInt(trunc(numberOf(n, 'n must be a number')))));
      },
      cas(key, expected, value) {
        const wanted = expected === undefined || expected === null ? '' : jsonText(expected);
        const reply = call('cas', id, keyOf(key), wanted, jsonText(value));
        if (reply === 'applied') return { applied: true, current: null };
        return { applied: false, current: reply === undefined ? null : parse(reply) };
      },
      ttl(key, seconds) {
        if (typeof key === 'string') {
          const time = numberOf(seconds, 'ttl(key, seconds): seconds must be a number');
          return call('expire', id, key, asText(time)) === 'true';
        }
        const what = 'expected ttl(seconds) or ttl(key, seconds): a number, or a string key and a number';
        if (seconds !== undefined) throw new TypeError(what);
        call('expireFlow', id, asText(numberOf(key, what)));
        return true;
      },
      clear() { call('clear', id); return true; },
    });

    const { request, flowId, stub } = parse(contextText);
    const found = request.headers;
    request.json = null;
    try { if (!request.isBinary) request.json = parse(request.body); } catch {}
    request.header = (name) => {
      const lower = asText(name).toLowerCase();
      return lower in found && typeof found[lower] === 'string' ? found[lower] : null;
    };
    const line = (level) => (text) => { write(level, asText(text)); };
    const orNull = (value) => (value === undefined ? null : value);
    globalThis.ctx = {
      request,
      flowId,
      stub: { id: orNull(stub.id), scenarioName: orNull(stub.scenarioName), scenarioState: orNull(stub.scenarioState) },
      state: flow(flowId),
      store: { flow: (id) => flow(asText(id)) },
      logger: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    };
    globalThis.http = (status, body) => {
      const code = typeof status === 'number' && isFinite(status) ? min(65535, max(0, trunc(status))) : 200;
      const json = body !== undefined && body !== null && typeof body !== 'string';
      const text = json ? stringify(body) : body === null ? undefined : body;
      return new Result({ kind: 'http', status: code, headers: [], body: text, json: json && text !== undefined });
    };
    globalThis.delay = (ms) =>
      new Result({ kind: 'delay', ms: typeof ms === 'number' && isFinite(ms) ? max(0, trunc(ms)) : 0 });
    globalThis.reset = () => new Result({ kind: 'reset' });
    globalThis.pass = () => new Result({ kind: 'pass' });
    return { read: decisionOf };
  };
})();`,
  { filename: 'prelude.js' },
);
