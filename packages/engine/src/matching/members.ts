// Objects that request data fills: any name is an ordinary name, `__proto__` included. Members are read and written as
// own properties only, so nothing that a client sends can reach a prototype.

export type Members = { [name: string]: unknown };

/** The own member of that name, of objects, arrays (`length`, positions) and texts (likewise); undefined otherwise. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null) {
    return Object.hasOwn(value, name) ? (value as Members)[name] : undefined;
  }
  if (typeof value === 'string') {
    if (name === 'length') return value.length;
    return /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
  }
  return undefined;
}

/** Sets an own member, whatever its name. */
export function setMember(target: Members, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

export function isObject(value: unknown): value is Members | unknown[] {
  return typeof value === 'object' && value !== null;
}

/** `String(x)` for JSON data, but not fooled by members named `toString`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.map((item) => (item === null || item === undefined ? '' : textOf(item))).join();
  if (typeof value === 'object' && value !== null) return '[object Object]';
  return String(value);
}
