// `proxy` responses: the upstream answers, and unless the mode is transparent its answer becomes a stub.
// Protocol-neutral: how to call an upstream is the protocol's own (`Protocol.proxy`), or another process's.

import { type GeneratorTrouble, type Marker, RiftError } from '../../errors.js';
import { canonicalText } from '../../matching/canonical.js';
import type { JsonObject, PredicateJson, ResponseData, ResponseJson } from '../../model/types.js';
import type { ProxyCall, UpstreamAnswer } from '../../protocols/types.js';
import { UpstreamFailure } from '../../protocols/upstream-failure.js';
import type { RequestView } from '../../request-view.js';
import { GeneratorOutputError, ScriptTimeout } from '../../scripting/script-errors.js';
import type { Stub } from '../../selection/stub.js';
import { type Behave, behaviorsOf } from '../behaved.js';
import type { ResponseContext } from '../compile.js';
import type { CompiledResponse, Outcome, ResponseOutcome } from '../types.js';
import { generatePredicates } from './generate-predicates.js';
import { modeOf, type ProxyMode, Recorder, recordedResponse } from './recorder.js';

/** Predicates for a recording, or why there are none. */
interface Generated {
  readonly predicates: PredicateJson[];
  /** Canonical text of the predicates. */
  readonly key: string;
  readonly trouble?: { readonly token: GeneratorTrouble; readonly error: RiftError };
}

const NOTHING: Generated = { predicates: [], key: '[]' };

export function compileProxy(response: ResponseJson, stub: Stub, context: ResponseContext): CompiledResponse {
  return new ProxyResponse(response, stub, context);
}

class ProxyResponse implements CompiledResponse {
  /** Mountebank shows the mode that counts, given or not. */
  readonly shown: ResponseJson;
  readonly #context: ResponseContext;
  readonly #proxy: JsonObject;
  readonly #to: string;
  readonly #mode: ProxyMode;
  readonly #generators: readonly JsonObject[];
  readonly #behave: Behave | undefined;
  readonly #recorder: Recorder;
  /** Undefined: another process calls the upstream. */
  readonly #upstream: ProxyCall | undefined;
  /** proxyOnce: calls whose answer is going to be recorded, by key of their predicates. */
  readonly #recording = new Map<string, Promise<void>>();

  constructor(response: ResponseJson, stub: Stub, context: ResponseContext) {
    this.#context = context;
    this.#proxy = response.proxy as JsonObject;
    this.#to = String(this.#proxy.to);
    this.#mode = modeOf(this.#proxy);
    this.shown = { ...response, proxy: { ...this.#proxy, mode: this.#mode } };
    const { proxy } = context.imposter.protocol;
    this.#upstream = proxy && context.upstreamMeters.measured(proxy);
    const { predicateGenerators } = this.#proxy;
    this.#generators = Array.isArray(predicateGenerators) ? (predicateGenerators as JsonObject[]) : [];
    this.#behave = behaviorsOf(response, context);
    this.#recorder = new Recorder(context.imposter, stub, context.profile === 'rift' ? this.#to : undefined);
  }

  async respond(view: RequestView): Promise<Outcome> {
    const generated = await this.#generate(view);
    if (this.#upstream === undefined) return this.#delegate(view, generated);
    if (this.#mode !== 'proxyOnce' || generated.trouble !== undefined) return this.#live(view, generated);
    return this.#once(view, generated);
  }

  /** At most one recording for one list of predicates: requests that want the same one wait for the first answer. */
  async #once(view: RequestView, generated: Generated): Promise<Outcome> {
    const { key } = generated;
    const underWay = this.#recording.get(key);
    if (underWay !== undefined) {
      await underWay;
      const recorded = this.#recorder.recorded(key)?.ring.next();
      // without a recording the first call failed: this one is on its own
      return recorded === undefined ? this.#live(view, generated) : recorded.compiled.respond(view);
    }
    const call = this.#live(view, generated);
    const settled = call.then(
      () => {},
      () => {},
    );
    this.#recording.set(key, settled);
    try {
      return await call;
    } finally {
      this.#recording.delete(key);
    }
  }

  async #live(view: RequestView, generated: Generated): Promise<Outcome> {
    const { logger, imposter } = this.#context;
    const started = performance.now();
    if (logger.enabled('debug')) {
      logger.debug(`Proxy ${view.field('requestFrom')} => ${JSON.stringify(view.toJSON())} => ${this.#to}`);
    }
    // what behaviors read of the request is made before the client can be gone
    if (this.#behave !== undefined) view.toJSON();
    imposter.meter.proxied++;
    const answer = await this.#call(view);
    const time = performance.now() - started;
    imposter.meter.proxying.observe(time / 1000);
    if (logger.enabled('debug')) {
      logger.debug(`Proxy ${view.field('requestFrom')} <= ${JSON.stringify(answer.data)} <= ${this.#to}`);
    }
    answer.data._proxyResponseTime = Math.round(time);
    return this.#finish(view, answer, generated, imposter.profile === 'rift' && Boolean(this.#proxy.addWaitBehavior));
  }

  async #call(view: RequestView): Promise<UpstreamAnswer> {
    const { imposter, logger, signal } = this.#context;
    const mayStream = this.#mode === 'proxyTransparent' && this.#behave === undefined && imposter.bodiesMayStream;
    try {
      return await this.#upstream!({ imposter, to: this.#to, view, options: this.#proxy, mayStream, signal });
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      logger.warn(`proxy to ${this.#to} failed: ${error.reason}`);
      if (this.#context.profile === 'mountebank') throw new RiftError('invalid proxy', error.message, error.extras);
      throw new RiftError('upstream failure', `Proxy error: ${error.message}: ${error.reason}`, {}, FAILURE);
    }
  }

  /** The process that speaks the protocol calls the upstream and posts the answer under the key. */
  #delegate(view: RequestView, generated: Generated): Outcome {
    const started = performance.now();
    view.toJSON();
    const key = this.#context.imposter.pendingProxies.add(async (posted) => {
      const data = { ...posted, _proxyResponseTime: Math.round(performance.now() - started) };
      return this.#finish(view, { data }, generated, false);
    });
    return { kind: 'delegated', proxy: this.shown.proxy as JsonObject, key };
  }

  /** Runs the response's own behaviors on the answer, records the result, and makes the outcome of both. */
  async #finish(
    view: RequestView,
    answer: UpstreamAnswer,
    generated: Generated,
    tellLatency: boolean,
  ): Promise<ResponseOutcome> {
    const { trouble } = generated;
    const time = answer.data._proxyResponseTime as number;
    const behaved = await this.#behave?.(view, 'proxy', answer.data);
    const data = behaved?.data ?? answer.data;
    const markers: Marker[] = [...(behaved?.markers ?? [])];
    if (trouble !== undefined) {
      const marker: Marker = `generator-error:${trouble.token}`;
      if (this.#context.profile === 'mountebank' && trouble.token !== 'timeout') throw marked(trouble.error, marker);
      markers.push(marker);
    } else if (markers.length === 0) {
      // a behavior that failed leaves a marker: such an answer is served, not remembered
      this.#record(generated, data);
    }
    if (tellLatency) markers.push(`proxy-latency:${time}`);
    return {
      kind: 'response',
      origin: 'proxy',
      data,
      rawBody: sameBody(answer.data, data) ? answer.rawBody : undefined,
      stream: answer.stream,
      markers,
    };
  }

  #record({ key, predicates }: Generated, data: ResponseData): void {
    if (this.#mode === 'proxyTransparent') return;
    const response = recordedResponse(this.#proxy, data);
    if (this.#mode === 'proxyOnce') this.#recorder.recordOnce(key, predicates, response);
    else this.#recorder.recordAlways(key, predicates, response);
  }

  async #generate(view: RequestView): Promise<Generated> {
    if (this.#mode === 'proxyTransparent' || this.#generators.length === 0) return NOTHING;
    const { scripts, logger } = this.#context;
    try {
      const predicates = await generatePredicates(
        this.#generators,
        view.toJSON(),
        (source, request) => scripts.generator(source, request),
        logger,
      );
      return { predicates, key: canonicalText(predicates) };
    } catch (error) {
      if (!(error instanceof RiftError)) throw error;
      logger.error(`predicate generator of the proxy to ${this.#to} failed: ${error.message}`);
      return { ...NOTHING, trouble: { token: troubleOf(error), error } };
    }
  }
}

const FAILURE = { status: 502, markers: ['proxy-error'] } as const;

function troubleOf(error: RiftError): GeneratorTrouble {
  if (error instanceof ScriptTimeout) return 'timeout';
  return error instanceof GeneratorOutputError ? 'invalid-output' : 'script-error';
}

function marked(error: RiftError, marker: Marker): RiftError {
  return new RiftError(error.code, error.message, error.extras, { ...error.answer, markers: [marker] });
}

/** Whether behaviors left the body as it came, so that the upstream's own bytes can be sent. */
function sameBody(before: ResponseData, after: ResponseData): boolean {
  if (before === after) return true;
  if (before._mode !== after._mode) return false;
  if (typeof before.body === 'object') return JSON.stringify(before.body) === JSON.stringify(after.body);
  return before.body === after.body;
}
