// What an expression `{{ head args | … }}` can begin with.

import { memoised } from '../../matching/text-reading.js';
import { type Random, randomUuid, wholeBetween } from '../../random.js';
import type { RequestView } from '../../request-view.js';
import { rfc3339 } from './dates.js';
import { TemplateError } from './errors.js';
import { jsonText, selectByPath } from './json-selector.js';
import { strftime } from './strftime.js';
import type { TemplateRequest } from './template-request.js';

export interface TemplateContext {
  readonly random: Random;
  /** JSON text of a key in the request's flow. */
  state(view: RequestView, key: string): string | undefined | Promise<string | undefined>;
}

/** A step of an expression that is ready to run. @throws TemplateError, or rejects with one. */
export type Head = (request: TemplateRequest) => string | Promise<string>;

/** @throws TemplateError When the arguments make no sense for any request. */
export function compileHead(head: string, args: readonly string[], context: TemplateContext): Head {
  if (head.startsWith('request.query.')) return query(head.slice('request.query.'.length));
  if (head.startsWith('state.')) return stateValue(head.slice('state.'.length), context);
  switch (head) {
    case 'request.method':
      return (request) => request.method;
    case 'request.path':
      return (request) => request.path;
    case 'request.header':
      return header(args[0] ?? '');
    case 'request.json':
      return json(args[0] ?? '');
    case 'now':
      return now(args);
    case 'uuid':
      return () => randomUuid(context.random);
    case 'randomInt':
      return randomInt(args, context.random);
    default:
      throw new TemplateError(`unknown template function: '${head}'`);
  }
}

function query(name: string): Head {
  return (request) => {
    const value = request.query(name);
    if (value === undefined) throw new TemplateError(`no such query parameter: '${name}'`);
    return value;
  };
}

function header(name: string): Head {
  return (request) => {
    const value = request.header(name);
    if (value === undefined) throw new TemplateError(`no such header: '${name}'`);
    return value;
  };
}

function json(path: string): Head {
  return ({ view, body }) => {
    const parsed = memoised(view, 'template-json', body, () => parsedBody(body));
    if (parsed instanceof TemplateError) throw parsed;
    return jsonText(selectByPath(parsed.value, path));
  };
}

function parsedBody(body: string): { readonly value: unknown } | TemplateError {
  try {
    return { value: JSON.parse(body) };
  } catch (error) {
    return new TemplateError(`request body is not valid JSON: ${(error as Error).message}`);
  }
}

function stateValue(key: string, context: TemplateContext): Head {
  const textOf = (stored: string | undefined): string => {
    if (stored === undefined) throw new TemplateError(`no such state key: '${key}'`);
    // stored values are compact JSON; only of a text the value differs from its JSON
    return stored.startsWith('"') ? (JSON.parse(stored) as string) : stored;
  };
  return ({ view }) => {
    const stored = context.state(view, key);
    return stored instanceof Promise ? stored.then(textOf) : textOf(stored);
  };
}

const UNITS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function now(args: readonly string[]): Head {
  let offset = 0;
  let write: (date: Date) => string = rfc3339;
  for (const arg of args) {
    if (arg.startsWith('offset=')) offset = offsetMs(arg.slice('offset='.length));
    else if (arg.startsWith('format=')) write = formatOf(arg.slice('format='.length));
    else throw new TemplateError(`now: unknown argument '${arg}' (expected offset='...' or format='...')`);
  }
  return (request) => {
    const date = new Date(request.now.getTime() + offset);
    if (Number.isNaN(date.getTime())) throw new TemplateError(`now: offset out of range`);
    return write(date);
  };
}

function offsetMs(text: string): number {
  const unit = text.slice(-1);
  if (!Object.hasOwn(UNITS, unit)) throw new TemplateError(`invalid offset unit '${unit}' (expected s/m/h/d)`);
  const number = text.slice(0, -1);
  if (!/^[+-]?\d+$/.test(number)) throw new TemplateError(`invalid offset number '${number}' in '${text}'`);
  return Number(number) * UNITS[unit];
}

function formatOf(format: string): (date: Date) => string {
  const write = strftime(format);
  if (write === undefined) throw new TemplateError(`now: invalid strftime format string '${format}'`);
  return write;
}

function randomInt(args: readonly string[], random: Random): Head {
  if (args.length !== 2) throw new TemplateError('randomInt requires two integer arguments: randomInt a b');
  const [low, high] = args.map((text) => {
    if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(Number(text))) {
      throw new TemplateError(`randomInt: invalid integer '${text}'`);
    }
    return Number(text);
  });
  if (low > high) throw new TemplateError(`randomInt: lower bound ${low} is greater than upper bound ${high}`);
  return () => String(wholeBetween(low, high, random));
}
