// One expression `{{ head args | filter args | … }}`: read once, run for each request.

import { TemplateError } from './errors.js';
import { compileFilter } from './filters.js';
import { compileHead, type Head, type TemplateContext } from './heads.js';
import type { TemplateRequest } from './template-request.js';

type Step<Input> = (input: Input) => string | Promise<string>;

/** A token and what stands between its braces, without the blanks around it. */
export const EXPRESSION_TOKEN = /\{\{\s*([^{}]+?)\s*\}\}/g;

/**
 * Reads what stands between the braces. What can be known to fail fails when it runs, step by step: an earlier step that
 * fails for the request at hand tells its own reason.
 */
export function compileExpression(text: string, context: TemplateContext): Head {
  const [first, ...others] = stages(text);
  if (first.length === 0) return failing(new TemplateError('empty template expression'));
  const head = attempt<TemplateRequest>(() => compileHead(first[0], first.slice(1), context));
  const filters = others.map((words) =>
    words.length === 0
      ? failing(new TemplateError('empty filter after `|`'))
      : attempt<string>(() => compileFilter(words[0], words.slice(1))),
  );
  if (filters.length === 0) return head;
  return (request) => {
    let value = head(request);
    for (const filter of filters) value = value instanceof Promise ? value.then(filter) : filter(value);
    return value;
  };
}

/** What `make` makes, or a step that fails with the reason why it cannot be made. */
function attempt<Input>(make: () => Step<Input>): Step<Input> {
  try {
    return make();
  } catch (error) {
    if (error instanceof TemplateError) return failing(error);
    throw error;
  }
}

function failing(error: TemplateError): () => string {
  return () => {
    throw error;
  };
}

/** Words of each stage. A single-quoted run belongs to its word with blanks and `|`; there are no escapes. */
function stages(text: string): string[][] {
  const all: string[][] = [[]];
  let word: string | undefined;
  let quoted = false;
  const endWord = (): void => {
    if (word !== undefined) all[all.length - 1].push(word);
    word = undefined;
  };
  for (const char of text) {
    if (char === "'") {
      quoted = !quoted;
      word ??= '';
    } else if (!quoted && /\s/.test(char)) endWord();
    else if (!quoted && char === '|') {
      endWord();
      all.push([]);
    } else word = (word ?? '') + char;
  }
  endWord();
  return all;
}
