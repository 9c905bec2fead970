// An imposter on a real port with an admin API beside it, for examples that say what a client gets to see.
import assert from 'node:assert/strict';
import type { ImpostersOptions, Profile } from '@rift-ts/engine';
import { engine, freePort, withAdmin } from '../admin/admin.test-help.js';
import { send } from '../admin/routes/send.test-help.js';

type SendOptions = Parameters<typeof send>[2];
type Answer = Awaited<ReturnType<typeof send>>;

export interface ServedImposter {
  readonly port: number;
  /** A request to the imposter. */
  get(path: string, options?: SendOptions): Promise<Answer>;
  /** Bodies of as many requests for one path. */
  bodies(path: string, count: number): Promise<string[]>;
  /** A request to the admin API; `%` in the path stands for `/imposters/<port>`. */
  admin(method: string, path: string, body?: unknown): Promise<{ status: number; headers: object; json: Json }>;
  /** The imposter in its full form. */
  shown(): Promise<Json>;
}

/** What came back as JSON, to be looked into. */
type Json = ReturnType<typeof JSON.parse>;

export interface Setting {
  readonly profile?: Profile;
  readonly options?: Partial<ImpostersOptions>;
}

export const profiles: readonly Profile[] = ['mountebank', 'rift'];

/** Creates the imposter, which must succeed, and hands it to `use`. */
export async function served(
  creation: object,
  use: (imposter: ServedImposter) => Promise<void>,
  { profile = 'rift', options = {} }: Setting = {},
): Promise<void> {
  const imposters = engine(profile, { allowInjection: true, ...options }, '127.0.0.1');
  await withAdmin(profile, { imposters }, async ({ call }) => {
    const port = await freePort();
    const admin: ServedImposter['admin'] = async (method, path, body) => {
      const answer = await call(method, path.replace('%', `/imposters/${port}`), body);
      return { status: answer.status, headers: answer.headers, json: answer.body === '' ? undefined : answer.json() };
    };
    const created = await admin('POST', '/imposters', { protocol: 'http', port, ...creation });
    assert.equal(created.status, 201, JSON.stringify(created.json));
    const get: ServedImposter['get'] = (path, sent) => send(port, path, sent);
    await use({
      port,
      get,
      admin,
      async bodies(path, count) {
        const found = [];
        for (let turn = 0; turn < count; turn += 1) found.push((await get(path)).body);
        return found;
      },
      shown: async () => (await admin('GET', '%')).json,
    });
  });
}

/** What the admin API answers to a creation that may be refused: status and errors. */
export async function creationOf(creation: object, { profile = 'rift', options = {} }: Setting = {}) {
  const imposters = engine(profile, options, '127.0.0.1');
  let result: { status: number; errors: Json } | undefined;
  await withAdmin(profile, { imposters }, async ({ call }) => {
    const answer = await call('POST', '/imposters', { protocol: 'http', port: await freePort(), ...creation });
    result = { status: answer.status, errors: answer.json().errors };
  });
  return result!;
}

/** A stub for one path. */
export function on(path: string, ...responses: object[]): object {
  return { predicates: [{ equals: { path } }], responses };
}

export function is(body: unknown, more: object = {}): object {
  return { is: { body }, ...more };
}
