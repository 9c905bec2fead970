// Bodies of the routes that read them themselves.
import { RiftError } from '@rift-ts/engine';

export function badData(message: string): RiftError {
  return new RiftError('bad data', message, {}, { status: 400, riftOnly: true });
}

/** The body as JSON. @throws RiftError 400, its message beginning with `door` */
export function jsonOf(body: string, door: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badData(`${door}${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The members of a JSON object; none of anything else. */
export function membersOf(json: unknown): { readonly [key: string]: unknown } {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as { [key: string]: unknown }) : {};
}

/** An optional text member. @throws RiftError 400 when it is something else */
export function optionalText(members: { readonly [key: string]: unknown }, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw badData(`${name} must be a string`);
}
