// The text of one configuration as a set of imposters. The first character decides the format, not the file's name.
import { createRequire } from 'node:module';

/** Loaded when there is YAML: it is a sixth of all files that a start would read. */
const parseYaml = (text: string): unknown =>
  (createRequire(import.meta.url)('yaml') as typeof import('yaml')).parse(text);

export interface ConfigDocument {
  readonly imposters: readonly unknown[];
  readonly intercept?: unknown;
  readonly routes?: unknown;
}

/** Text that is no configuration: what is wrong, without the place. */
export class DocumentError extends Error {
  /** Whether the text could not be parsed at all, as against parsed into something else. */
  readonly syntax: boolean;

  constructor(message: string, syntax: boolean) {
    super(message);
    this.syntax = syntax;
  }
}

/** @throws DocumentError */
export function parseDocument(text: string): ConfigDocument {
  return readDocument(parseText(text.replace(/^\uFEFF/, '')));
}

function parseText(text: string): unknown {
  const first = text.trimStart()[0];
  if (first === undefined) throw new DocumentError('the file is empty', true);
  try {
    return first === '{' || first === '[' ? JSON.parse(text) : tree(parseYaml(text));
  } catch (error) {
    throw new DocumentError(String(error), true);
  }
}

/** An alias of YAML may stand inside of what it names; an imposter cannot. */
function tree(parsed: unknown): unknown {
  try {
    JSON.stringify(parsed);
  } catch {
    throw new Error('an alias stands inside of the value that it names, so that there is no end to it');
  }
  return parsed;
}

/** Takes the accepted shapes: `{"imposters": [...]}`, an array of imposters, one imposter. @throws DocumentError */
function readDocument(parsed: unknown): ConfigDocument {
  if (Array.isArray(parsed)) return { imposters: parsed };
  if (typeof parsed !== 'object' || parsed === null) {
    throw new DocumentError('expected an imposter, an array of imposters, or an object with "imposters"', true);
  }
  const document = parsed as Record<string, unknown>;
  if ('imposters' in document) {
    if (!Array.isArray(document.imposters)) throw new DocumentError('"imposters" must be an array', false);
    const { imposters, intercept, routes } = document;
    return {
      imposters,
      ...(intercept === undefined ? {} : { intercept }),
      ...(routes === undefined ? {} : { routes }),
    };
  }
  for (const block of ['intercept', 'routes']) {
    if (block in document) {
      throw new DocumentError(
        `"${block}" stands in a document without "imposters"; write {"imposters": [...], "${block}": ...}`,
        false,
      );
    }
  }
  if ('listen' in document || 'upstream' in document || 'upstreams' in document) {
    throw new DocumentError('this is a reverse-proxy or sidecar configuration, not a set of imposters', false);
  }
  return { imposters: [document] };
}
