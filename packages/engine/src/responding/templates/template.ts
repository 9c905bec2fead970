// A text of a response with its tokens, read once. Only text of the configuration is ever searched for tokens: what a
// token puts in is never looked at again.

import { RiftError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { DATE_TOKEN, dateText } from './dates.js';
import { TemplateError } from './errors.js';
import { compileExpression, EXPRESSION_TOKEN } from './expression.js';
import type { TemplateContext } from './heads.js';
import { REQUEST_TOKEN, requestValue } from './interpolation.js';
import type { TemplateRequest } from './template-request.js';

export interface TemplateOptions extends TemplateContext {
  /** Whether expressions are expanded, and date tokens with them. */
  readonly expressions: boolean;
  /** Whether date tokens are expanded here. */
  readonly dates: boolean;
  /** Tokens that a behavior fills. */
  readonly reserved: ReadonlySet<string>;
  /** Whether a failing expression fails the request; otherwise it becomes nothing and a line in the log. */
  readonly strict: boolean;
  readonly logger: Logger;
}

/** Gives the value of a token. */
type Fill = (request: TemplateRequest) => string | Promise<string>;

/** Literal text and tokens, alternating: one literal more than tokens. */
export interface Template {
  readonly literals: readonly string[];
  readonly fills: readonly Fill[];
}

/** What a text with tokens is: from a header's value, control characters that an expression makes are left out. */
export type TextKind = 'plain' | 'json' | 'header';

/** @param kind `json`: the text is JSON, and tokens were written in its strings. */
export function compileTemplate(text: string, options: TemplateOptions, kind: TextKind = 'plain'): Template {
  const literals = [''];
  const fills: Fill[] = [];
  const addText = (literal: string): void => {
    literals[literals.length - 1] += literal;
  };
  const addFill = (token: string, fill: Fill | undefined): void => {
    if (fill === undefined || options.reserved.has(token)) {
      addText(token);
      return;
    }
    fills.push(fill);
    literals.push('');
  };
  const addRequestTokens = (part: string): void => {
    eachToken(part, REQUEST_TOKEN, addText, ([token, inner]) => addFill(token, requestValue(inner)));
  };
  const addExpression = (written: string, inner: string): void => {
    const token = kind === 'json' ? unescaped(written) : written;
    const fill = options.reserved.has(token)
      ? undefined
      : expression(token, kind === 'json' ? unescaped(inner) : inner, options, kind === 'header');
    addFill(written, fill);
  };
  const addExpressions = options.expressions
    ? (part: string): void =>
        eachToken(part, EXPRESSION_TOKEN, addRequestTokens, ([token, inner]) => addExpression(token, inner))
    : addRequestTokens;
  if (options.dates) {
    eachToken(text, DATE_TOKEN, addExpressions, ([token, unit, sign, digits]) =>
      addFill(token, (request) => dateText(request.now, unit, sign, digits) ?? token),
    );
  } else addExpressions(text);
  return { literals, fills };
}

/** A piece of a JSON string as it was before it became JSON. */
function unescaped(piece: string): string {
  try {
    return piece.includes('\\') ? (JSON.parse(`"${piece}"`) as string) : piece;
  } catch {
    return piece;
  }
}

/** Hands on what stands between the matches, and the matches, in their order. */
function eachToken(
  text: string,
  token: RegExp,
  between: (part: string) => void,
  found: (match: RegExpExecArray) => void,
): void {
  let at = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > at) between(text.slice(at, match.index));
    found(match);
    at = match.index + match[0].length;
  }
  if (at < text.length) between(text.slice(at));
}

const CONTROL = /[\0-\x1f\x7f-\x9f]/g;

function expression(token: string, inner: string, options: TemplateOptions, header: boolean): Fill {
  const { strict, logger } = options;
  const run = compileExpression(inner, options);
  const failed = (error: unknown): string => {
    if (!(error instanceof TemplateError)) throw error;
    const message = `template error in \`${token}\`: ${error.message}`;
    if (strict) {
      const answer = { status: 500, riftOnly: true, markers: ['template-error'] } as const;
      throw new RiftError('internal error', `template rendering failed: ${message}`, {}, answer);
    }
    logger.warn('rift::template: %s', message);
    return '';
  };
  const sendable = (value: string): string => {
    if (!header) return value;
    const clean = value.replace(CONTROL, '');
    if (clean !== value) logger.warn('rift::template: control characters left out of a header value: `%s`', token);
    return clean;
  };
  return (request) => {
    try {
      const value = run(request);
      return value instanceof Promise ? value.then(sendable).catch(failed) : sendable(value);
    } catch (error) {
      return failed(error);
    }
  };
}
