// One run of one user function in the worker: its arguments in the new and the old form, and what its result means
// (Mountebank docs: injection, behaviors).

import type { CallMessage } from './messages.js';
import type { ScriptFunctions } from './script-functions.js';
import type { ScriptState, StateObject } from './state.js';
import { withTextMethods } from './string-body.js';

interface ScriptLogger {
  debug(...args: unknown[]): void;
  info(...args: unknown[]): void;
  warn(...args: unknown[]): void;
  error(...args: unknown[]): void;
}

interface HookContext {
  readonly functions: ScriptFunctions;
  readonly state: ScriptState;
  readonly logger: ScriptLogger;
}

/** The result of the call as data that can be sent to another thread, or a promise for it. */
export function runHook(call: CallMessage, { functions, state: both, logger }: HookContext): unknown {
  const { state, injectState } = both;
  const invoke = (...args: unknown[]): unknown => functions.call(call.script, call.hook, call.text, args);
  const request = call.request === undefined ? {} : (JSON.parse(call.request) as StateObject);
  switch (call.hook) {
    case 'predicate':
      return awaited(invoke(withRequestFields({ request, state, logger }, request), logger, state), Boolean);

    case 'response':
      return new Answer((callback) =>
        invoke(withRequestFields({ request, state, logger, callback }, request), injectState, logger, callback, state),
      ).result();

    case 'decorate': {
      const response = call.input as StateObject;
      const spareHeaders = giveHeaders(response);
      withTextMethods(response.body);
      const returned = invoke(withRequestFields({ request, response, logger, state }, request), response, logger);
      return awaited(returned, (value) => {
        if (spareHeaders !== undefined) keepHeaders(response, spareHeaders);
        return plainResponse(value || response);
      });
    }

    case 'wait':
      return awaited(invoke(), (value) => (value === null || typeof value === 'object' ? 0 : Number(value)));

    case 'generator':
      return awaited(invoke(withRequestFields({ request, logger }, request)), plainValue);

    case 'endOfRequest': {
      const data = call.input instanceof Uint8Array ? Buffer.from(call.input) : call.input;
      return awaited(invoke(data, logger), Boolean);
    }
  }
}

/**
 * `decorate` may write to the headers of a response that has none. Until it does, they are hidden: they must neither
 * appear in what it prints of the response nor replace the imposter's default headers.
 */
function giveHeaders(response: StateObject): StateObject | undefined {
  if (response.headers !== undefined && response.headers !== null) return undefined;
  const headers: StateObject = {};
  Object.defineProperty(response, 'headers', { value: headers, writable: true, enumerable: false, configurable: true });
  return headers;
}

function keepHeaders(response: StateObject, given: StateObject): void {
  if (response.headers === given && Object.keys(given).length === 0) delete response.headers;
  else set(response, 'headers', response.headers);
}

/** Scripts of the old form take the request itself as their first argument. */
function withRequestFields(config: StateObject, request: StateObject): StateObject {
  if (request.method === undefined && request.data === undefined) return config;
  for (const name of Object.keys(request)) {
    Object.defineProperty(config, name, { value: request[name], writable: true, enumerable: true, configurable: true });
  }
  return config;
}

function awaited(value: unknown, convert: (value: unknown) => unknown): unknown {
  const thenable = typeof value === 'object' && value !== null && typeof (value as StateObject).then === 'function';
  return thenable ? Promise.resolve(value).then(convert) : convert(value);
}

/** What a response function returns or calls back with: the first of the two counts. */
class Answer {
  #settled = false;
  #value: unknown;
  #resolve: ((value: unknown) => void) | undefined;

  constructor(run: (callback: (value: unknown) => void) => unknown) {
    const returned = run((value) => this.#settle(value));
    if (returned !== undefined) this.#settle(returned);
  }

  #settle(value: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#value = value;
    this.#resolve?.(value);
  }

  result(): unknown {
    if (this.#settled) return awaited(this.#value, injected);
    return new Promise((resolve) => {
      this.#resolve = resolve;
    }).then(injected);
  }
}

function injected(value: unknown): StateObject {
  if (value === undefined || value === null) throw new Error(`the function gave ${value} instead of a response`);
  return plainResponse(value);
}

/**
 * A response as data without functions, prototypes and cycles. Texts, numbers and the like give a response without keys.
 * A body keeps what JSON keeps of it, since it is sent as JSON; a header value is sent as its text.
 */
function plainResponse(value: unknown): StateObject {
  const response: StateObject = {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return response;
  const source = value as StateObject;
  // Members of a class count as well: `in` and the names that getters may have
  const keys = new Set<string>(responseKeys.filter((key) => key in source));
  for (const key in source) keys.add(key);
  const ordered = [...Object.keys(source), ...[...keys].filter((key) => !Object.hasOwn(source, key))];
  for (const key of ordered) {
    const member = source[key];
    if (key === 'headers' && typeof member === 'object' && member !== null) response[key] = plainHeaders(member);
    else set(response, key, key === 'body' ? plainBody(member) : plainValue(member));
  }
  return response;
}

const responseKeys = ['statusCode', 'headers', 'body', '_mode', 'data', 'fault', 'blocked'];

/** An object is sent as its JSON, even if that is a mere text (a Date); functions and symbols as their text. */
function plainBody(body: unknown): unknown {
  if (typeof body === 'function' || typeof body === 'symbol') return String(body);
  const plain = plainValue(body);
  return typeof body === 'object' && body !== null && typeof plain !== 'object' ? JSON.stringify(plain) : plain;
}

function plainHeaders(headers: object): StateObject {
  const plain: StateObject = {};
  const text = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? String(value) : typeof value === 'function' ? String(value) : value;
  for (const [name, value] of Object.entries(headers)) {
    set(plain, name, Array.isArray(value) ? value.map(text) : text(value));
  }
  return plain;
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

// `__proto__` is a name like any other
function set(target: StateObject, key: string, value: unknown): void {
  if (value === undefined) return;
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
