// The certificate of https imposters that bring none, as the flags say.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { HttpProtocolOptions } from '@rift-ts/engine';
import { ExitError } from '../cli/errors.js';
import type { Settings } from '../cli/settings.js';

/** undefined: one is generated. @throws ExitError for half a pair, files that cannot be read, PEM that is none */
export function defaultKeyPair({
  defaultTlsCert,
  defaultTlsKey,
  noSelfSignedTls,
}: Settings): HttpProtocolOptions['defaultKeyPair'] {
  if (defaultTlsCert === undefined && defaultTlsKey === undefined) return noSelfSignedTls ? 'none' : undefined;
  if (defaultTlsCert === undefined || defaultTlsKey === undefined) {
    throw new ExitError('configuration', 'server default TLS must provide both cert and key, or neither');
  }
  const pair = { cert: pem('default-tls-cert', defaultTlsCert), key: pem('default-tls-key', defaultTlsKey) };
  try {
    createSecureContext(pair);
  } catch (error) {
    const { message } = error as Error;
    throw new ExitError(
      'configuration',
      `--default-tls-cert and --default-tls-key are no pair in PEM form: ${message}`,
    );
  }
  return pair;
}

function pem(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ExitError(
      'configuration',
      `--${flag}: '${file}' cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}
