// Replaces tokens in every text of a response: values, keys, at any depth. Numbers and the like stay as they are.

/**
 * @param replace Gives the text with its tokens replaced; the same text when there are none.
 * @returns The value itself when nothing in it changed; otherwise a copy that shares what did not change.
 */
export function substitute<T>(value: T, replace: (text: string) => string): T {
  return substituteAny(value, replace) as T;
}

function substituteAny(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let changed = false;
    const elements = value.map((element) => {
      const result = substituteAny(element, replace);
      changed ||= result !== element;
      return result;
    });
    return changed ? elements : value;
  }
  let changed = false;
  const result: { [key: string]: unknown } = {};
  const renamed: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const newKey = replace(key);
    const newMember = substituteAny(member, replace);
    changed ||= newMember !== member || newKey !== key;
    // As in Mountebank a renamed key moves to the end of its object
    if (newKey === key) define(result, key, newMember);
    else renamed.push([newKey, newMember]);
  }
  if (!changed) return value;
  for (const [key, member] of renamed) define(result, key, member);
  return result;
}

function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
