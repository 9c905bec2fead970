// What reading needs, as the built-in protocols give it, for tests that have no engine.

import { RiftError } from '../errors.js';
import { checkPredicates } from '../matching/check.js';
import type { ReadableProtocol, ReadOptions } from './read-options.js';
import type { JsonObject, RequestJson } from './types.js';

const encoding = (creation: JsonObject) =>
  creation.protocol === 'tcp' && creation.mode === 'binary' ? 'base64' : 'utf8';

const http: ReadableProtocol = {
  dryRunRequest: { requestFrom: '', method: 'GET', path: '/', query: {}, headers: {}, form: {}, body: '' },
  dryRunProxyResponse: { statusCode: 200, headers: {}, body: '' },
  encoding,
};

const smtpRequest: RequestJson = { from: 'test@test.com', to: ['test@test.com'], subject: 'Test', text: 'Test' };

export function readOptions(over: Partial<ReadOptions> = {}): ReadOptions {
  return {
    profile: 'mountebank',
    allowInjection: true,
    protocols: new Map<string, ReadableProtocol>([
      ['http', http],
      ['https', http],
      ['tcp', { dryRunRequest: { data: 'test' }, dryRunProxyResponse: { data: '' }, encoding }],
      ['smtp', { dryRunRequest: smtpRequest, dryRunProxyResponse: {}, encoding }],
    ]),
    checkPredicates,
    runGenerator: (source) =>
      Promise.reject(
        new RiftError('invalid injection', 'invalid predicateGenerator injection', {
          source: `(${source})(config);`,
          data: `${source} is not defined`,
        }),
      ),
    ...over,
  };
}
