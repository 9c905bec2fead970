// JSONPath selectors, by jsonpath-plus with its restricted evaluator: filters cannot run code.

import { JSONPath } from 'jsonpath-plus';
import { isObject } from './members.js';

/** What the selector finds in parsed JSON, in order; empty when it finds nothing, is malformed or a filter fails. */
export function selectJson(selector: string, json: unknown): readonly unknown[] {
  if (!json) return [];
  try {
    const found: unknown = JSONPath({ path: selector, json: json as object, wrap: true, eval: 'safe' });
    return Array.isArray(found) ? found : isObject(found) ? [found] : [];
  } catch {
    return [];
  }
}
