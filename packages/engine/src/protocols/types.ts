import type { Readable } from 'node:stream';
import type { Logger } from '../logger.js';
import type { ImposterJson, JsonObject, Profile, RequestJson, ResponseData } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { Outcome } from '../responding/types.js';
import type { ScriptHost } from '../scripting/types.js';

/** What a protocol needs from the imposter it serves. */
export interface ImposterCore {
  readonly creation: ImposterJson;
  readonly profile: Profile;
  readonly logger: Logger;
  readonly scripts: ScriptHost;
  /** Profile `rift`: behaviors that fail end the request with an error (`strictBehaviors`). */
  readonly strict: boolean;
  /** False while the imposter is switched off: its port stays bound, but nobody is served. */
  readonly enabled: boolean;
  /** Whether a client address may use the imposter (`--localOnly`, `--ipWhitelist`); a refusal is counted and logged. */
  allows(address: string): boolean;
  /** Writes the line of a request to the log, if its level is on. */
  logRequest(line: () => string): void;
  /** Counts a request that the protocol answers by itself. Throws the error to answer with when the imposter is off. */
  count(): void;
  /** Counts, records, matches and answers one request. Synchronous unless this very request needs to wait. */
  handle(view: RequestView): Outcome | Promise<Outcome>;
}

/** An imposter that accepts connections. */
export interface Listener {
  /** The port really bound. */
  readonly port: number;
  /** What is known of the imposter only now that it listens: shown like `Protocol.metadata`, and instead of it. */
  readonly metadata?: JsonObject;
  /** Wins over `Protocol.encoding`. */
  readonly encoding?: 'utf8' | 'base64';
  /** Stops listening, ends the imposter's connections, resolves when the port is free. */
  close(): Promise<void>;
}

/** One call of an upstream for a `proxy` response or for `defaultForward`. */
export interface UpstreamRequest {
  /** Whose response it is. */
  readonly imposter: ImposterCore;
  /** As configured, e.g. `http://orders.test:8080`. */
  readonly to: string;
  /** The request as received. */
  readonly view: RequestView;
  /** The `proxy` object of the response: `injectHeaders`, `cert`, `key`, `keepalive`, ... */
  readonly options: JsonObject;
  /** Nothing but the client needs the body of the answer: it may be handed on while it arrives. */
  readonly mayStream: boolean;
  /** Aborted when the imposter stops: ends the call. */
  readonly signal: AbortSignal;
}

/** What an upstream answered: the whole body in `rawBody`, or one that is still arriving in `stream`. */
export interface UpstreamAnswer {
  /** Mountebank's response object of the protocol, without `body` when it is streamed. */
  readonly data: ResponseData;
  /** The body as received, where the protocol can send it as it is. */
  readonly rawBody?: Buffer;
  readonly stream?: Readable;
}

/** Calls the upstream; rejects with an UpstreamFailure. */
export type ProxyCall = (request: UpstreamRequest) => Promise<UpstreamAnswer>;

/** One protocol that imposters can speak. Adding one touches one folder (docs/protocols.md). */
export interface Protocol {
  readonly name: string;
  /** The request that an imposter's predicates are tried against when it is created. */
  readonly dryRunRequest: RequestJson;
  /** An upstream's answer in that trial; absent: proxies are not tried. */
  readonly dryRunProxyResponse?: ResponseData;
  /** Keys shown in the imposter's JSON in their order, e.g. https: key, cert, mutualAuth … */
  metadata(creation: ImposterJson): JsonObject;
  /** How texts of a request are encoded: base64 for tcp in binary mode. */
  encoding(creation: ImposterJson): 'utf8' | 'base64';
  /** Binds the port; rejects with a RiftError of the catalogue (`resource conflict`, `insufficient access`, …). */
  listen(imposter: ImposterCore): Promise<Listener>;
  /**
   * Absent: the process that speaks the protocol calls upstreams itself and hands back what they answered
   * (the outcome `delegated`).
   */
  readonly proxy?: ProxyCall;
  /** Added by a user: no check applies that belongs to a built-in name, and unknown creation fields are its own. */
  readonly custom?: true;
  /** A process of its own speaks the protocol and posts requests to the admin API, which wraps what it answers. */
  readonly outOfProcess?: true;
}
