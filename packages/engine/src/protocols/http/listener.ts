// An http or https imposter on the wire: requests in, outcomes out.

import type { TlsOptions } from 'node:tls';
import {
  createWireServer,
  type Exchange,
  PreparedResponse,
  type Refusal,
  type WireLimits,
  type WireRequest,
  type WireServer,
} from '@rift-ts/http';
import { markerHeader, RiftError } from '../../errors.js';
import { AcceptLoop, type AcceptMeter } from '../../metering/accept-meter.js';
import type { AnswerMeter } from '../../metering/answer-meter.js';
import type { Profile } from '../../model/types.js';
import type { Outcome, ResponseOutcome } from '../../responding/types.js';
import type { ImposterCore, Listener } from '../types.js';
import { decodeBody } from './content-encoding.js';
import { addCorsHeaders, openToAllOrigins } from './cors.js';
import { type ErrorAnswer, errorAnswer } from './errors.js';
import { sendFault, unknownFaultAnswer } from './faults.js';
import { filledBytes, filledStatus } from './filled-response.js';
import { HttpRequestView } from './request-view.js';
import { keepsLength, type ResponseParts, responseParts } from './response.js';

export interface HttpListenOptions {
  readonly host: string | undefined;
  readonly port: number;
  /** Given: https. */
  readonly tls?: TlsOptions;
  readonly limits: WireLimits;
  readonly backlog?: number;
  readonly noDelay?: boolean;
  /** Several threads open the port. */
  readonly reusePort?: boolean;
  readonly accepts?: AcceptMeter;
  readonly answers?: AnswerMeter;
  /** How long a stopping imposter waits for running requests, in milliseconds. */
  readonly graceMs: number;
}

export async function listenHttp(core: ImposterCore, options: HttpListenOptions): Promise<Listener> {
  return new HttpListener(core, options).listen();
}

/** What profile `rift` answers to every OPTIONS request where `allowCORS` is on, but for the headers about CORS. */
const PREFLIGHT: ResponseOutcome = { kind: 'response', origin: 'is', data: {} };

class HttpListener implements Listener {
  readonly #core: ImposterCore;
  readonly #options: HttpListenOptions;
  readonly #server: WireServer;
  readonly #profile: Profile;
  readonly #allowCors: boolean;
  readonly #accepts: AcceptLoop | undefined;
  readonly #answers: AnswerMeter | undefined;
  #port = 0;

  constructor(core: ImposterCore, options: HttpListenOptions) {
    this.#core = core;
    this.#options = options;
    this.#profile = core.profile;
    this.#allowCors = Boolean(core.creation.allowCORS);
    const accepts = options.accepts && new AcceptLoop(options.accepts, () => core.logger);
    this.#accepts = accepts;
    this.#answers = options.answers;
    this.#server = createWireServer({
      limits: options.limits,
      tls: options.tls,
      noDelay: options.noDelay,
      backlog: options.backlog,
      reusePort: options.reusePort,
      onConnection: () => {
        accepts?.accepted();
        return undefined;
      },
      onConnect: 'own-port',
      refuse: (refusal, { request }) => this.#refusal(refusal, request),
      onRequest: (exchange) => this.#receive(exchange),
      onError: (error) => core.logger.debug(error.message),
      onAcceptError: accepts && ((error) => accepts.failed(error)),
    });
  }

  get port(): number {
    return this.#port;
  }

  async listen(): Promise<this> {
    const { port } = await this.#server.listen({ port: this.#options.port, host: this.#options.host });
    this.#port = port;
    return this;
  }

  close(): Promise<void> {
    this.#accepts?.closed();
    return this.#server.close({ graceMs: this.#options.graceMs });
  }

  #receive(exchange: Exchange): void {
    const decoded = decodeBody(exchange.request);
    if (decoded instanceof Promise) decoded.then((body) => this.#handle(exchange, body));
    else this.#handle(exchange, decoded);
  }

  #handle(exchange: Exchange, body: Buffer | undefined): void {
    const view = new HttpRequestView(exchange.request, body, this.#profile === 'rift');
    this.#core.logRequest(() => `${view.requestFrom} => ${view.method} ${view.wire.target}`);
    if (!this.#core.allows(view.ip)) {
      exchange.destroy();
      return;
    }
    try {
      if (this.#allowCors && this.#profile === 'rift' && view.method === 'OPTIONS') {
        this.#core.count();
        this.#reply(exchange, this.#prepare(view, PREFLIGHT));
        return;
      }
      const outcome = this.#core.handle(view);
      if (outcome instanceof Promise) {
        outcome
          .then((made) => this.#answer(exchange, view, made))
          .catch((error: unknown) => this.#answerError(exchange, view, error));
      } else this.#answer(exchange, view, outcome);
    } catch (error) {
      this.#answerError(exchange, view, error);
    }
  }

  #answer(exchange: Exchange, view: HttpRequestView, outcome: Outcome): void {
    if (outcome.kind === 'response') {
      this.#send(exchange, view, outcome);
    } else if (outcome.kind !== 'fault') {
      exchange.destroy();
    } else if (!sendFault(exchange, outcome.fault, this.#profile, outcome.injected === true)) {
      this.#core.logger.error(
        `Unexpected fault type [${outcome.fault}], expected either CONNECTION_RESET_BY_PEER or RANDOM_DATA_THEN_CLOSE`,
      );
      const answer =
        this.#profile === 'rift'
          ? this.#serialize(unknownFaultAnswer(outcome.fault))
          : this.#prepared(view, { kind: 'response', origin: 'is', data: outcome.data ?? {} });
      this.#reply(exchange, answer);
    }
  }

  #reply(exchange: Exchange, response: PreparedResponse): void {
    this.#answers?.count(exchange.request.method, response.statusCode);
    exchange.send(response);
  }

  #send(exchange: Exchange, view: HttpRequestView, outcome: ResponseOutcome): void {
    const { stream, filling } = outcome;
    const { request } = exchange;
    if (filling !== undefined && request.keepAlive && request.httpMinor === 1 && request.method !== 'HEAD') {
      const bytes = filledBytes(filling, this.#core);
      if (bytes !== undefined) {
        this.#answers?.count(request.method, filledStatus(filling));
        exchange.sendRaw(bytes, false);
        return;
      }
    }
    try {
      const response = this.#prepared(view, outcome);
      if (stream === undefined) this.#reply(exchange, response);
      else {
        this.#answers?.count(request.method, response.statusCode);
        exchange.sendStream(response, stream);
      }
    } catch (error) {
      stream?.destroy();
      throw error;
    }
  }

  /** The bytes of an outcome; kept with it when it is the same for every request. */
  #prepared(view: HttpRequestView, outcome: ResponseOutcome): PreparedResponse {
    // CORS headers, and the length that a recorded answer to HEAD keeps, depend on the request
    if (outcome.slot === undefined || this.#allowCors || keepsLength(outcome, view.method))
      return this.#prepare(view, outcome);
    const kept = outcome.slot.serialized as PreparedResponse | undefined;
    if (kept !== undefined) return kept;
    const made = this.#prepare(view, outcome);
    outcome.slot.serialized = made;
    return made;
  }

  #prepare(view: HttpRequestView, outcome: ResponseOutcome): PreparedResponse {
    const parts = responseParts(outcome, this.#core, view.method);
    if (this.#allowCors) addCorsHeaders(parts, view, this.#profile);
    return this.#serialize(parts);
  }

  #serialize(parts: ResponseParts): PreparedResponse {
    const mountebank = this.#profile === 'mountebank';
    return new PreparedResponse({
      statusCode: parts.statusCode,
      headers: parts.headers,
      body: parts.body,
      framing: mountebank || parts.ownLength === 'keep' ? 'chunked' : 'content-length',
      ownLength: parts.ownLength,
      connection: mountebank ? 'close' : 'keep',
    });
  }

  /** The answer to a request that never became one; undefined: what Mountebank sends. */
  #refusal(refusal: Refusal, request: WireRequest | undefined): PreparedResponse | Buffer | undefined {
    const error = this.#refusalError(refusal);
    if (error === undefined || request === undefined) return undefined;
    if (!this.#core.allows(request.connection.remoteAddress)) return NOTHING;
    let answer: unknown = error;
    try {
      // Mountebank, which has no limit, never counts what it refuses
      if (this.#profile === 'rift') this.#core.count();
    } catch (off) {
      answer = off;
    }
    const response = this.#errorResponse(errorAnswer(answer, this.#profile), [['Connection', 'close']]);
    this.#answers?.count(request.method, response.statusCode);
    return response;
  }

  #refusalError(refusal: Refusal): RiftError | undefined {
    if (refusal === 'body-too-large') {
      const { maxBodyBytes } = this.#options.limits;
      return refused(413, 'request too large', `Request body exceeds maximum size of ${maxBodyBytes} bytes`);
    }
    return refusal === 'body-incomplete' && this.#profile === 'rift'
      ? refused(400, 'bad data', 'Failed to read request body')
      : undefined;
  }

  #answerError(exchange: Exchange, view: HttpRequestView, error: unknown): void {
    const answer = errorAnswer(error, this.#profile);
    if (this.#core.logger.enabled('error')) this.#core.logger.error(`${view.requestFrom} X=> ${answer.body}`);
    const kept = this.#profile === 'mountebank' && exchange.request.keepAlive;
    this.#reply(exchange, this.#errorResponse(answer, kept ? KEPT : []));
  }

  #errorResponse(answer: ErrorAnswer, connection: [string, string][]): PreparedResponse {
    const { statusCode, body, markers, disabled } = answer;
    const parts: ResponseParts = {
      statusCode,
      headers: [['content-type', 'application/json']],
      body: Buffer.from(body),
    };
    const { headers } = parts;
    if (this.#profile === 'mountebank') headers.push(['Date', new Date().toUTCString()]);
    else if (!disabled) headers.push(['x-rift-imposter', 'true']);
    headers.push(...connection);
    for (const marker of markers) headers.push(markerHeader(marker));
    if (this.#allowCors && this.#profile === 'rift') openToAllOrigins(parts);
    return this.#serialize(parts);
  }
}

const NOTHING = Buffer.alloc(0);

/** Mountebank's errors come from Node's own handling of the connection. */
const KEPT: [string, string][] = [
  ['Connection', 'keep-alive'],
  ['Keep-Alive', 'timeout=5'],
];

function refused(status: number, type: string, message: string): RiftError {
  return new RiftError(type, message, {}, { status, riftOnly: true });
}
