// Whether other machines could use the admin port without a key.
import { ExitError } from './errors.js';
import type { Settings } from './settings.js';

const loopback = /^(127(\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(\.\d{1,3}){3}|localhost)$/i;

/**
 * The warning to log, or nothing when the port is on this machine only or asks for a key.
 * @throws ExitError kind `configuration` with `--require-admin-auth`
 */
export function exposureWarning(settings: Settings): string | undefined {
  const host = settings.host ?? '0.0.0.0';
  if (settings.localOnly || settings.apikey !== undefined || loopback.test(host)) return undefined;
  const message = `The admin API on ${host}:${settings.port} can be used by other machines without a key`;
  if (settings.requireAdminAuth) {
    throw new ExitError('configuration', `${message}: give it an --api-key, or use --local-only or --host 127.0.0.1`);
  }
  return `${message}; remedies: --api-key, --local-only, --host 127.0.0.1, --require-admin-auth`;
}
