// The selectors of `request.json`: `$`, `.key` and `[index]`, nothing else of JSONPath.

import { TemplateError } from './errors.js';

type Step = string | number;

/**
 * The value that a selector such as `$.items[0].name` finds.
 * @throws TemplateError When the selector is malformed, or there is no such value.
 */
export function selectByPath(json: unknown, path: string): unknown {
  let current = json;
  for (const step of steps(path)) {
    if (typeof step === 'number') {
      if (!Array.isArray(current) || step >= current.length) {
        throw new TemplateError(`jsonpath: index ${step} out of bounds in '${path}'`);
      }
      current = current[step];
    } else {
      if (typeof current !== 'object' || current === null || Array.isArray(current) || !Object.hasOwn(current, step)) {
        throw new TemplateError(`jsonpath: no such key '${step}' in '${path}'`);
      }
      current = (current as { readonly [key: string]: unknown })[step];
    }
  }
  return current;
}

function* steps(path: string): Generator<Step> {
  if (!path.startsWith('$')) throw new TemplateError(`jsonpath must start with '$': '${path}'`);
  for (let at = 1; at < path.length; ) {
    if (path[at] === '[') {
      const end = path.indexOf(']', at);
      if (end === -1) throw new TemplateError(`unterminated '[' in jsonpath: '${path}'`);
      const index = path.slice(at + 1, end);
      if (!/^\d+$/.test(index)) throw new TemplateError(`invalid array index '${index}' in jsonpath: '${path}'`);
      yield Number(index);
      at = end + 1;
    } else {
      const start = path[at] === '.' ? at + 1 : at;
      at = start;
      while (at < path.length && path[at] !== '.' && path[at] !== '[') at++;
      yield path.slice(start, at);
    }
  }
}

/** A selected value as text: JSON for what is no scalar. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
