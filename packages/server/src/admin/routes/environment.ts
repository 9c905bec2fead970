// What the routes share, bound once when the server starts.
import { type Imposter, type Logger, type Profile, RiftError } from '@rift-ts/engine';
import type { Control } from '../control.js';
import { notFound } from '../failures.js';
import type { Site } from '../html/layout.js';
import { jsonContent, jsonType, type Reply } from '../reply.js';

export interface Environment {
  readonly profile: Profile;
  readonly control: Control;
  readonly logger: Logger;
  readonly site: Site;
}

export function jsonReply(
  { profile }: Pick<Environment, 'profile'>,
  status: number,
  value: unknown,
  headers: Reply['headers'] = [],
): Reply {
  return { status, headers: [...headers, ['Content-Type', jsonType(profile)]], ...jsonContent(value) };
}

/** A path segment as a port number in plain decimal; profile rift refuses what cannot be one. */
export function portId(profile: Profile, id: string): string {
  if (profile === 'mountebank') return id;
  const port = /^\d{1,9}$/.test(id) ? Number(id) : 0;
  if (port < 1 || port > 65535) {
    throw new RiftError('bad data', 'Invalid port number', {}, { status: 400, riftOnly: true });
  }
  return String(port);
}

/** The imposter of a route that Mountebank has, or 404 in the words of the profile. */
export function imposterOf({ control, profile }: Environment, id: string): Imposter {
  const imposter = control.imposters.get(portId(profile, id));
  if (imposter !== undefined) return imposter;
  if (profile === 'rift') throw notFound(`Imposter not found on port ${Number(id)}`);
  throw new RiftError('no such resource', 'Try POSTing to /imposters first?');
}

/** The imposter of a route that Mountebank does not have: the words are the same in both profiles. */
export function riftImposterOf({ control }: Environment, id: string): Imposter {
  const imposter = control.imposters.get(portId('rift', id));
  if (imposter === undefined) throw notFound(`Imposter not found on port ${Number(id)}`);
  return imposter;
}
