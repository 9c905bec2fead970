// A response body that a stub gives as an object, as `decorate` sees it. Three kinds of scripts exist in the field: those
// that edit the object, those that call string methods on its JSON text, those that parse that text. All three work.

const textMethods = [
  'replace',
  'replaceAll',
  'match',
  'matchAll',
  'split',
  'substring',
  'substr',
  'startsWith',
  'endsWith',
  'trim',
  'toUpperCase',
  'toLowerCase',
  'charAt',
  'search',
] as const;

/** Arrays have methods of these names of their own. */
const textMethodsOfObjects = ['includes', 'indexOf', 'slice', 'concat'] as const;

function textPrototype(parent: object, names: readonly string[]): object {
  const prototype = Object.create(parent) as object;
  for (const name of [...names, 'toString']) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      enumerable: false,
      value(this: object, ...args: unknown[]) {
        const text = JSON.stringify(this);
        const method = text[name as keyof string] as unknown as (...args: unknown[]) => unknown;
        return method.apply(text, args);
      },
    });
  }
  return prototype;
}

const objectPrototype = textPrototype(Object.prototype, [...textMethods, ...textMethodsOfObjects]);
const arrayPrototype = textPrototype(Array.prototype, textMethods);

/** Gives an object or array the inherited, non-enumerable string methods of its compact JSON text. */
export function withTextMethods(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.setPrototypeOf(body, Array.isArray(body) ? arrayPrototype : objectPrototype);
}
