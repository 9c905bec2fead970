// A request that somebody only asks about: described in JSON, seen by predicates like one that came over the wire.

import { RiftError } from '../errors.js';
import { plainView } from '../matching/plain-view.js';
import { has, isObject } from '../model/shapes.js';
import type { JsonObject, RequestJson } from '../model/types.js';
import { parsePairs } from '../protocols/http/target.js';
import type { RequestView } from '../request-view.js';

/** What the protocol of an imposter says about the form of its requests. */
export interface CandidateForm {
  /** Name of the protocol; of a custom one anything but the built-in names. */
  readonly protocol: string;
  /** Of tcp imposters. */
  readonly encoding: 'utf8' | 'base64';
}

/** @throws RiftError 400 `unknown request field …`, `request.… must be …` */
export function candidateView(request: JsonObject, { protocol, encoding }: CandidateForm): RequestView {
  switch (protocol) {
    case 'http':
    case 'https':
      return httpView(request);
    case 'tcp':
      return tcpView(request, encoding);
    case 'smtp':
      return smtpView(request);
    default:
      return plainView(request);
  }
}

const httpFields = ['method', 'path', 'query', 'headers', 'body', 'bodyBase64', 'form', 'ip', 'requestFrom'];

function httpView(given: JsonObject): RequestView {
  checkFields(given, httpFields);
  const target = text(given, 'path', '/');
  const mark = has(given, 'query') ? -1 : target.indexOf('?');
  const headers = texts(given, 'headers');
  const bytes = has(given, 'bodyBase64') ? Buffer.from(text(given, 'bodyBase64', ''), 'base64') : undefined;
  const body = bytes === undefined ? bodyText(given.body) : bytes.toString('utf8');
  const request: RequestJson = {
    requestFrom: text(given, 'requestFrom', '127.0.0.1:0'),
    method: text(given, 'method', 'GET'),
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? query(given) : { ...parsePairs(target.slice(mark + 1)) },
    headers,
    body,
    ip: text(given, 'ip', '127.0.0.1'),
  };
  const form = has(given, 'form') ? texts(given, 'form') : formOf(headers, body);
  if (form !== undefined) request.form = form;
  return plainView(request, bytes ?? Buffer.from(body));
}

function query(given: JsonObject): object {
  return typeof given.query === 'string'
    ? { ...parsePairs(given.query.replace(/^\?/, '')) }
    : texts(given, 'query', 'an object or a string');
}

function bodyText(body: unknown): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function formOf(headers: { readonly [name: string]: unknown }, body: string): object | undefined {
  const name = Object.keys(headers).findLast((each) => each.toLowerCase() === 'content-type');
  const value = name === undefined ? undefined : headers[name];
  const type = String(Array.isArray(value) ? value[0] : value);
  if (body === '' || type.split(';', 1)[0]!.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return;
  return { ...parsePairs(body) };
}

function tcpView(given: JsonObject, encoding: 'utf8' | 'base64'): RequestView {
  checkFields(given, ['data', 'ip', 'requestFrom']);
  const data = text(given, 'data', '');
  const request = {
    requestFrom: text(given, 'requestFrom', '127.0.0.1:0'),
    ip: text(given, 'ip', '127.0.0.1'),
    data,
  };
  return plainView(request, Buffer.from(data, encoding));
}

const mailDefaults: JsonObject = {
  requestFrom: '127.0.0.1',
  ip: '127.0.0.1',
  envelopeFrom: '',
  envelopeTo: [],
  from: { address: '', name: '' },
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  priority: 'normal',
  references: [],
  inReplyTo: [],
  text: '',
  html: '',
  attachments: [],
};

function smtpView(given: JsonObject): RequestView {
  checkFields(given, Object.keys(mailDefaults));
  for (const key of Object.keys(mailDefaults)) if (typeof mailDefaults[key] === 'string') text(given, key, '');
  return plainView({ ...mailDefaults, ...given });
}

function checkFields(given: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw refused(`unknown request field '${unknown}'`);
}

function text(given: JsonObject, field: string, fallback: string): string {
  if (!has(given, field)) return fallback;
  const value = given[field];
  if (typeof value !== 'string') throw refused(`request.${field} must be a string`);
  return value;
}

/** An object of texts, or of arrays of texts where a name is repeated. */
function texts(given: JsonObject, field: string, kind = 'an object'): { [name: string]: string | string[] } {
  if (!has(given, field)) return {};
  const value = given[field];
  if (!isObject(value)) throw refused(`request.${field} must be ${kind}`);
  for (const [name, each] of Object.entries(value)) {
    const isText = typeof each === 'string' || (Array.isArray(each) && each.every((one) => typeof one === 'string'));
    if (!isText) throw refused(`request.${field}.${name} must be a string or an array of strings`);
  }
  return value as { [name: string]: string | string[] };
}

function refused(message: string): RiftError {
  return new RiftError('bad data', message, {}, { status: 400, riftOnly: true });
}
