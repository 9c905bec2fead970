// A script of `_rift.script` in Rhai: what `ctx` and the constructors of results are there, and how a run ends.

import type { CasResult } from '../../state/types.js';
import type { Program } from '../rhai/ast.js';
import { RhaiError, RhaiInterrupted } from '../rhai/errors.js';
import { Interpreter } from '../rhai/interpreter.js';
import { fromJson, HostValue, jsonOf, NoSuchForm, textOf, type Value } from '../rhai/values.js';
import {
  clampStatus,
  type Decision,
  type LogLine,
  misnamed,
  type ScriptResult,
  withHeader,
  wrongResult,
} from './decision.js';
import type { ScriptContext } from './script-context.js';
import type { StoreAccess, StoreCall } from './store-call.js';

export interface RhaiRun {
  readonly context: ScriptContext;
  readonly access: StoreAccess;
  log(line: LogLine): void;
  /** Called every 1000 operations; throws RhaiInterrupted to end the run. */
  tick(): void;
}

/** Throws RhaiInterrupted when `tick` or `access` did; everything else is a result. */
export function runRhai(program: Program, run: RhaiRun): ScriptResult {
  const { context, access } = run;
  const ctx = contextValue(context, access, run.log);
  const interpreter = new Interpreter(
    program,
    { ctx },
    {
      functions: { ...constructors, timestamp_header: timestampHeader(access) },
      log: (text) => run.log({ level: 'info', text }),
      tick: run.tick,
    },
  );
  let result: Value;
  let prefix = 'Script execution error: ';
  try {
    result = interpreter.run();
    if (program.functions.has('respond/1')) {
      prefix = 'Failed to call respond(ctx): ';
      result = interpreter.callFunction('respond', [ctx]);
    } else if (program.functions.size > 0 && result === undefined) return { kind: 'error', message: misnamed };
  } catch (error) {
    if (error instanceof RhaiInterrupted) throw error;
    return { kind: 'error', message: `${prefix}${error instanceof RhaiError ? error.describe() : String(error)}` };
  }
  if (result === undefined) return { kind: 'decision', decision: { kind: 'pass' } };
  const decision = result instanceof HostValue && result.data instanceof Decided ? result.data.decision : undefined;
  return decision === undefined ? { kind: 'error', message: wrongResult } : { kind: 'decision', decision };
}

class Decided {
  constructor(readonly decision: Decision) {}
}

function decided(decision: Decision): HostValue {
  const header = ([name, value, ...more]: readonly Value[]): Value => {
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0) throw new NoSuchForm();
    if (decision.kind !== 'http') return decided(decision);
    return decided({ ...decision, headers: withHeader(decision.headers, name, value) });
  };
  return new HostValue(decision.kind, { header }, new Decided(decision));
}

const constructors: { readonly [name: string]: (args: readonly Value[]) => Value } = {
  http: (args) => {
    const [status, body] = args;
    if (typeof status !== 'bigint' || args.length > 2) throw new NoSuchForm();
    const json = args.length === 2 && typeof body !== 'string';
    const text = args.length === 1 ? undefined : typeof body === 'string' ? body : jsonOf(body);
    return decided({ kind: 'http', status: clampStatus(Number(status)), headers: [], body: text, json });
  },
  delay: ([ms, ...more]) => {
    if (typeof ms !== 'bigint' || more.length > 0) throw new NoSuchForm();
    return decided({ kind: 'delay', ms: Math.max(0, Number(ms)) });
  },
  reset: (args) => {
    if (args.length > 0) throw new NoSuchForm();
    return decided({ kind: 'reset' });
  },
  pass: (args) => {
    if (args.length > 0) throw new NoSuchForm();
    return decided({ kind: 'pass' });
  },
};

/** RFC 1123 form: `Tue, 13 Aug 2024 21:51:22 GMT`. */
function timestampHeader(access: StoreAccess) {
  return (args: readonly Value[]): Value => {
    if (args.length > 0) throw new NoSuchForm();
    return new Date(asked(access, { operation: 'now' }) as number).toUTCString();
  };
}

function asked(access: StoreAccess, call: StoreCall): unknown {
  const reply = access(call);
  if ('failure' in reply) throw new RhaiError('ErrorRuntime', reply.failure, { value: reply.failure });
  return reply.value;
}

function textMap(object: { readonly [name: string]: string }): Map<string, Value> {
  return new Map(Object.entries(object));
}

function contextValue(context: ScriptContext, access: StoreAccess, log: (line: LogLine) => void): Value {
  const { request, flowId, stub } = context;
  return new Map<string, Value>([
    [
      'request',
      new Map<string, Value>([
        ['method', request.method],
        ['path', request.path],
        ['query', textMap(request.query)],
        ['headers', textMap(request.headers)],
        ['pathParams', textMap(request.pathParams)],
        ['body', request.body],
        ['json', parsed(request.body)],
        ['isBinary', request.isBinary],
      ]),
    ],
    ['flowId', flowId],
    [
      'stub',
      new Map<string, Value>([
        ['id', stub.id],
        ['scenarioName', stub.scenarioName],
        ['scenarioState', stub.scenarioState],
      ]),
    ],
    ['state', flowHandle(flowId, access)],
    [
      'store',
      new HostValue('store', {
        flow: ([id, ...more]) => {
          if (typeof id !== 'string' || more.length > 0) throw new NoSuchForm();
          return flowHandle(id, access);
        },
      }),
    ],
    ['logger', loggerValue(log)],
  ]);
}

function parsed(body: string): Value {
  try {
    return fromJson(body);
  } catch {
    return undefined;
  }
}

function loggerValue(log: (line: LogLine) => void): HostValue {
  const method =
    (level: LogLine['level']) =>
    (args: readonly Value[]): Value => {
      if (args.length !== 1) throw new NoSuchForm();
      log({ level, text: textOf(args[0]) });
      return undefined;
    };
  return new HostValue('logger', {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
  });
}

function textArgument(value: Value): string {
  if (typeof value !== 'string') throw new NoSuchForm();
  return value;
}

function intArgument(value: Value): bigint {
  if (typeof value !== 'bigint') throw new NoSuchForm();
  return value;
}

function exactly(count: number, args: readonly Value[]): void {
  if (args.length !== count) throw new NoSuchForm();
}

function storedValue(text: unknown): Value {
  return text === undefined ? undefined : fromJson(text as string);
}

/** `ctx.state`, bound to a flow. */
function flowHandle(flow: string, access: StoreAccess): HostValue {
  const ask = (call: StoreCall): unknown => asked(access, call);
  const get = (key: string): Value => storedValue(ask({ operation: 'get', flow, key }));
  const increment = (key: string, by: bigint): Value => ask({ operation: 'incrBy', flow, key, by }) as bigint;
  return new HostValue('state', {
    get: (args) => {
      exactly(1, args);
      return get(textArgument(args[0]));
    },
    get_or: (args) => {
      exactly(2, args);
      const text = ask({ operation: 'get', flow, key: textArgument(args[0]) });
      return text === undefined ? args[1] : storedValue(text);
    },
    set: (args) => {
      exactly(2, args);
      ask({ operation: 'set', flow, key: textArgument(args[0]), value: jsonOf(args[1]) });
      return true;
    },
    exists: (args) => {
      exactly(1, args);
      return ask({ operation: 'exists', flow, key: textArgument(args[0]) }) as boolean;
    },
    delete: (args) => {
      exactly(1, args);
      ask({ operation: 'delete', flow, key: textArgument(args[0]) });
      return true;
    },
    incr: (args) => {
      exactly(1, args);
      return increment(textArgument(args[0]), 1n);
    },
    incr_by: (args) => {
      exactly(2, args);
      return increment(textArgument(args[0]), intArgument(args[1]));
    },
    cas: (args) => {
      exactly(3, args);
      const [key, expected, value] = args;
      const call = {
        operation: 'cas',
        flow,
        key: textArgument(key),
        expected: expected === undefined ? undefined : jsonOf(expected),
        value: jsonOf(value),
      } as const;
      const { applied, current } = ask(call) as CasResult & { readonly current?: string };
      return new Map<string, Value>([
        ['applied', applied],
        ['current', storedValue(current)],
      ]);
    },
    ttl: (args) => {
      if (args.length === 1) {
        ask({ operation: 'expireFlow', flow, seconds: Number(intArgument(args[0])) });
        return true;
      }
      exactly(2, args);
      const call = {
        operation: 'expire',
        flow,
        key: textArgument(args[0]),
        seconds: Number(intArgument(args[1])),
      } as const;
      return ask(call) as boolean;
    },
    clear: (args) => {
      exactly(0, args);
      ask({ operation: 'clear', flow });
      return true;
    },
  });
}
