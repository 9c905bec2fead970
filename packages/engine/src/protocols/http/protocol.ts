// The http and https protocols of imposters. Mountebank docs: protocols/http, protocols/https.

import type { TlsOptions } from 'node:tls';
import type { WireLimits } from '@rift-ts/http';
import { RiftError } from '../../errors.js';
import type { AcceptMeter } from '../../metering/accept-meter.js';
import type { AnswerMeter } from '../../metering/answer-meter.js';
import type { ImposterJson, Json, JsonObject } from '../../model/types.js';
import { bindError } from '../bind-error.js';
import { bindHost } from '../bind-host.js';
import type { ImposterCore, Listener, Protocol } from '../types.js';
import { defaultKeyPair, type KeyPair } from './certificate.js';
import { listenHttp } from './listener.js';
import { callHttpUpstream } from './upstream/call.js';

export interface HttpProtocolOptions {
  /** Bind address of imposters that name none; undefined: all interfaces, dual stack. */
  readonly host?: string;
  readonly limits: WireLimits;
  readonly backlog?: number;
  readonly noDelay?: boolean;
  /** Several threads open the ports. */
  readonly reusePort?: boolean;
  /** Where connections are counted. */
  readonly accepts?: AcceptMeter;
  /** Where answers are counted. */
  readonly answers?: AnswerMeter;
  /** Milliseconds that a stopping imposter gives its running requests. */
  readonly graceMs: number;
  /** Of https imposters that bring none; `none`: such an imposter is refused. Default: a self-signed pair for localhost. */
  readonly defaultKeyPair?: KeyPair | 'none';
}

const DRY_RUN_REQUEST = {
  requestFrom: '',
  method: 'GET',
  path: '/',
  query: {},
  headers: {},
  form: {},
  body: '',
};
const DRY_RUN_PROXY_RESPONSE = { statusCode: 200, headers: {}, body: '' };

export function httpProtocol(options: HttpProtocolOptions): Protocol {
  return {
    name: 'http',
    dryRunRequest: DRY_RUN_REQUEST,
    dryRunProxyResponse: DRY_RUN_PROXY_RESPONSE,
    metadata: () => ({}),
    encoding: () => 'utf8',
    listen: (core) => listen(core, options),
    proxy: (request) => callHttpUpstream(request, options.limits.maxBodyBytes),
  };
}

export function httpsProtocol(options: HttpProtocolOptions): Protocol {
  return {
    ...httpProtocol(options),
    name: 'https',
    metadata: (creation) => tlsMetadata(creation, options),
    listen: async (core) => {
      try {
        return await listen(core, options, tlsOptions(core.creation, options));
      } catch (error) {
        throw core.profile === 'rift' ? asTlsError(error) : error;
      }
    },
  };
}

async function listen(core: ImposterCore, options: HttpProtocolOptions, tls?: TlsOptions): Promise<Listener> {
  const port = Number(core.creation.port ?? 0);
  const host = bindHost(core.creation, options.host);
  try {
    return await listenHttp(core, { ...options, port, host, tls });
  } catch (error) {
    throw bindError(error, port);
  }
}

/** The error of a listener in the words of profile `rift`, where TLS is to blame. */
function asTlsError(error: unknown): unknown {
  if (!(error instanceof RiftError) || !/^ERR_(?:OSSL|SSL|TLS|CRYPTO)_/.test(error.code)) return error;
  return new RiftError('bad data', `TLS configuration error: ${error.message}`);
}

/** What the imposter's JSON shows of its TLS, in Mountebank's order. */
function tlsMetadata(creation: ImposterJson, options: HttpProtocolOptions): JsonObject {
  const { key, cert } = keyPairOf(creation, options);
  const shown: JsonObject = {
    key,
    cert,
    mutualAuth: Boolean(creation.mutualAuth),
    rejectUnauthorized: creation.rejectUnauthorized ?? false,
    ca: creation.ca ?? null,
  };
  if (creation.ciphers !== undefined) shown.ciphers = String(creation.ciphers).toUpperCase();
  if (creation.passphrase !== undefined) shown.passphrase = creation.passphrase;
  return shown;
}

function keyPairOf(creation: ImposterJson, options: HttpProtocolOptions): KeyPair {
  const { key, cert } = creation;
  if (Boolean(key) !== Boolean(cert)) {
    throw new RiftError('bad data', 'https imposter must provide both `cert` and `key`, or neither');
  }
  if (key) return { key: String(key), cert: String(cert) };
  if (options.defaultKeyPair === 'none') {
    const text = 'protocol "https" requested but no cert/key provided and self-signed generation is disabled';
    throw new RiftError('bad data', `TLS configuration error: ${text}`);
  }
  return options.defaultKeyPair ?? defaultKeyPair();
}

function tlsOptions(creation: ImposterJson, options: HttpProtocolOptions): TlsOptions {
  const mutual = Boolean(creation.mutualAuth);
  return {
    ...keyPairOf(creation, options),
    passphrase: creation.passphrase === undefined ? undefined : String(creation.passphrase),
    ca: pems(creation.ca),
    ciphers: creation.ciphers === undefined ? undefined : String(creation.ciphers).toUpperCase(),
    requestCert: mutual,
    rejectUnauthorized: mutual && Boolean(creation.rejectUnauthorized),
  };
}

function pems(ca: Json | undefined): string[] | undefined {
  if (ca === undefined || ca === null) return undefined;
  return (Array.isArray(ca) ? ca : [ca]).map(String);
}
