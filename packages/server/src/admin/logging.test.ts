// The lines that the admin API writes: scripts and people search for them (Mountebank docs: command line).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from '@rift-ts/engine';
import { freePort, withAdmin } from './admin.test-help.js';

function recorder(): { lines: string[]; loggerFor: (scope: string) => Logger } {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    enabled: () => true,
  };
  return { lines, loggerFor: () => logger };
}

test('each request is a line, those of pages and of custom protocols are not at info', async () => {
  const { lines, loggerFor } = recorder();
  await withAdmin('mountebank', { loggerFor }, async ({ call }) => {
    await call('GET', '/imposters?replayable=true');
    await call('DELETE', '/nowhere');
    await call('GET', '/imposters', undefined, { Accept: 'text/html' });
    await call('GET', '/logs', undefined, { 'X-Requested-With': 'XMLHttpRequest' });
    await call('GET', '/stylesheets/application.css');
    await call('POST', '/imposters/1/_requests', {});
  });
  assert.deepEqual(lines, [
    'info: GET /imposters?replayable=true',
    'info: DELETE /nowhere',
    'debug: POST /imposters/1/_requests',
  ]);
});

test('what was sent is there at debug, what was refused at error', async () => {
  const { lines, loggerFor } = recorder();
  await withAdmin('mountebank', { loggerFor }, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', '{ "protocol": "ftp" }');
    await call('PUT', '/imposters', { imposters: [] });
    await call('POST', '/imposters', '{bad');
    await call('POST', '/imposters', { protocol: 'http', port });
    lines.push('--');
    await call('PUT', `/imposters/${port}/stubs`, { stubs: 7 });
  });
  const plain = lines.map((line) => line.replace(/127\.0\.0\.1:\d+/, 'CLIENT'));
  assert.deepEqual(plain.slice(0, 8), [
    'info: POST /imposters',
    'debug: CLIENT => {"protocol":"ftp"}',
    'error: error creating imposter: [{"code":"bad data","message":"the ftp protocol is not yet supported"}]',
    'info: PUT /imposters',
    'debug: CLIENT => {"imposters":[]}',
    'info: POST /imposters',
    'error: Invalid JSON: {bad',
    'info: POST /imposters',
  ]);
  assert.deepEqual(plain.slice(plain.indexOf('--') + 2), [
    `error: error changing stubs: [{"code":"bad data","message":"'stubs' must be an array"}]`,
  ]);
});

test('a refused key is one error line and no request line, and the key is in no line', async () => {
  const { lines, loggerFor } = recorder();
  await withAdmin('mountebank', { loggerFor, apiKey: 'secret' }, async ({ call }) => {
    await call('GET', '/imposters');
    await call('GET', '/imposters', undefined, { 'x-api-key': 'wrong' });
    await call('GET', '/imposters', undefined, { 'x-api-key': 'secret' });
  });
  assert.deepEqual(lines, [
    'error: The x-api-key header is required but was not provided',
    'error: The x-api-key header value does not match the expected API key',
    'info: GET /imposters',
  ]);
});
