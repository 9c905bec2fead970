// `_rift.script`: a script decides about the request before anything else of its response happens. It answers, delays,
// resets the connection, or leaves the request to what stands beside it.

import { type Marker, RiftError } from '../errors.js';
import { setMember } from '../matching/members.js';
import { typesOf } from '../model/response-types.js';
import { scriptEngine } from '../model/script-sources.js';
import { isObject } from '../model/shapes.js';
import type { ResponseJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { Decision, LogLine, ScriptResult } from '../scripting/rift/decision.js';
import { compileScript, type Script } from '../scripting/rift/run-script.js';
import type { ScriptContext } from '../scripting/rift/script-context.js';
import { traceHeader } from '../scripting/rift/trace.js';
import type { Stub } from '../selection/stub.js';
import { scenarioState } from '../state/scenarios.js';
import type { ResponseContext } from './compile.js';
import { sleep } from './sleep.js';
import { PathPattern } from './templates/path-pattern.js';
import type { CompiledResponse, Outcome } from './types.js';

/** `response` as it is when nothing is scripted; over other protocols than HTTP scripts do not run. */
export function withScript(
  inner: CompiledResponse,
  response: ResponseJson,
  stub: Stub,
  context: ResponseContext,
): CompiledResponse {
  const script = isObject(response._rift) ? response._rift.script : undefined;
  const { protocol, creation, flow } = context.imposter;
  if (!isObject(script) || protocol.custom || (protocol.name !== 'http' && protocol.name !== 'https')) return inner;
  if (typeof script.code !== 'string') return { ...inner, respond: unresolved };
  const engine = scriptEngine(script, creation);
  const run = runnable(engine, script.code);
  const alone = isAlone(response);
  const { logger, scriptTimeoutMs: timeoutMs, signal, debug, faultMeters, scriptMeters, imposter } = context;
  const { id, scenarioName, routePattern = stub.json.route_pattern } = stub.json;
  const pattern = typeof routePattern === 'string' ? new PathPattern(routePattern) : undefined;
  const stubId = typeof id === 'string' ? id : undefined;
  const scenario = typeof scenarioName === 'string' ? scenarioName : undefined;

  const answer = (result: ScriptResult, extra: readonly Marker[]): Outcome => {
    const markers: Marker[] = [`script:${engine}`, ...extra];
    if (result.kind !== 'decision') throw failed(result, timeoutMs, extra);
    return answerOf(result.decision, markers);
  };

  return {
    ...inner,
    async respond(view: RequestView): Promise<Outcome> {
      const flowId = flow.flowOf(view);
      const state = scenario === undefined ? undefined : await scenarioState(flow, flowId, scenario);
      const lines: LogLine[] = [];
      const log = ({ level, text }: LogLine): void => {
        if (debug) lines.push({ level, text });
        logger[level]('%s', `rift::script${stubId === undefined ? '' : ` [${stubId}]`} ${text}`);
      };
      const started = performance.now();
      const stubContext = { id: stubId, scenarioName: scenario, scenarioState: state };
      const result = await run({
        context: { request: requestOf(view, pattern), flowId, stub: stubContext },
        store: flow.store,
        log,
        timeoutMs,
      });
      const tookMs = performance.now() - started;
      scriptMeters.ran(result, tookMs, imposter.ruleId(stub));
      const extra: Marker[] = debug ? [`script-trace:${traceHeader(result, tookMs, lines)}`] : [];
      if (result.kind === 'error') logger.error('%s', `rift::script X=> ${result.message}`);
      if (result.kind !== 'decision') return answer(result, extra);
      const { decision } = result;
      if (decision.kind === 'reset') faultMeters.broken(imposter.ruleId(stub), 'script');
      if (decision.kind === 'delay') {
        faultMeters.delayed(decision.ms, imposter.ruleId(stub), 'script');
        await sleep(decision.ms, signal);
        if (alone) return answer(result, [`latency-ms:${decision.ms}`, ...extra]);
      }
      return !alone && (decision.kind === 'pass' || decision.kind === 'delay')
        ? inner.respond(view)
        : answer(result, extra);
    },
  };
}

/** Scripts are checked when they are written; what was kept without a check fails when it is asked for. */
function runnable(engine: string, code: string): Script {
  try {
    if (engine === 'rhai') return compileScript('rhai', code);
    if (engine === 'javascript' || engine === 'js') return compileScript('javascript', code);
    throw new Error(`Unknown script engine type: '${engine}'`);
  } catch (error) {
    const { message } = error as Error;
    return () => ({ kind: 'error', message });
  }
}

/** Whether the script is all there is. The response has been brought into Mountebank's spelling: an empty `is` is none. */
function isAlone(response: ResponseJson): boolean {
  const types = typesOf(response);
  return types.length === 0 || (types[0] === 'is' && isObject(response.is) && Object.keys(response.is).length === 0);
}

function unresolved(): never {
  const message = 'script not resolved: `file:`/`ref:` sources must be resolved before serving';
  throw new RiftError('internal error', message, {}, { status: 500, riftOnly: true, markers: ['script-error'] });
}

function failed(
  result: ScriptResult & { kind: 'error' | 'timeout' },
  timeoutMs: number,
  extra: readonly Marker[],
): RiftError {
  if (result.kind === 'timeout') {
    const markers: Marker[] = ['script-error', 'script-timeout', ...extra];
    const message = `Script timeout: _rift.script timed out after ${timeoutMs}ms`;
    return new RiftError('script timeout', message, {}, { status: 504, riftOnly: true, markers });
  }
  const markers: Marker[] = ['script-error', ...extra];
  return new RiftError('script error', `Script error: ${result.message}`, {}, { status: 500, riftOnly: true, markers });
}

function answerOf(decision: Decision, markers: readonly Marker[]): Outcome {
  if (decision.kind === 'reset') return { kind: 'fault', fault: 'CONNECTION_RESET_BY_PEER', injected: true };
  if (decision.kind !== 'http') {
    return { kind: 'response', origin: 'script', data: { statusCode: 200, headers: {}, body: '' }, markers };
  }
  const { status, body = '', json } = decision;
  if (status < 100 || status > 999) {
    throw new RiftError('internal error', 'Response build error', {}, { status: 500, riftOnly: true });
  }
  const headers: { [name: string]: string } = {};
  for (const [name, value] of decision.headers) setMember(headers, name, value);
  if (json && !decision.headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    headers['Content-Type'] = 'application/json';
  }
  return { kind: 'response', origin: 'script', data: { statusCode: status, headers, body }, markers };
}

function requestOf(view: RequestView, pattern: PathPattern | undefined): ScriptContext['request'] {
  const given = view.field('body');
  const text = typeof given === 'string' ? given : '';
  const isBinary = 'isBinary' in view && view.isBinary === true;
  const path = String(view.field('path') ?? '');
  const pathParams: { [name: string]: string } = {};
  for (const [name, value] of pattern?.captures(path) ?? []) setMember(pathParams, name, value);
  return {
    method: String(view.field('method') ?? ''),
    path,
    query: joined(view.field('query'), ',', false),
    headers: joined(view.field('headers'), ', ', true),
    pathParams,
    // By profile the text is base64 already, or has replacement characters for what the bytes are
    body: isBinary && text.includes('\ufffd') ? view.rawBody.toString('base64') : text,
    isBinary,
  };
}

function joined(value: unknown, separator: string, lowerCase: boolean): { readonly [name: string]: string } {
  const texts: { [name: string]: string } = {};
  if (typeof value !== 'object' || value === null) return texts;
  for (const [name, given] of Object.entries(value)) {
    setMember(
      texts,
      lowerCase ? name.toLowerCase() : name,
      Array.isArray(given) ? given.join(separator) : String(given),
    );
  }
  return texts;
}
