// `routePattern` of a stub: names for segments of the path. It never decides whether the stub matches.

export class PathPattern {
  readonly #segments: readonly string[];

  /** @param pattern E.g. `/orders/:id`. */
  constructor(pattern: string) {
    this.#segments = pattern.split('/');
  }

  /** The segment as it came, undecoded; undefined when the path has another shape or the pattern no such name. */
  capture(path: string, name: string): string | undefined {
    return this.captures(path)?.get(name);
  }

  /** All named segments; undefined when the path has another shape. */
  captures(path: string): ReadonlyMap<string, string> | undefined {
    const segments = path.split('/');
    if (segments.length !== this.#segments.length) return undefined;
    const found = new Map<string, string>();
    for (const [i, wanted] of this.#segments.entries()) {
      if (wanted.startsWith(':')) found.set(wanted.slice(1), segments[i]);
      else if (wanted !== segments[i]) return undefined;
    }
    return found;
  }
}
