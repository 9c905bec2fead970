// Test support: runs responses with behaviors against requests, as an http imposter would before it merges defaults.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Marker } from '../../errors.js';
import { type Logger, silentLogger } from '../../logger.js';
import { plainView } from '../../matching/plain-view.js';
import { rewriteStub } from '../../model/old-spellings.js';
import type { JsonObject, Profile, RequestJson, ResponseData, StubJson } from '../../model/types.js';
import { createScriptHost } from '../../scripting/script-host.js';
import type { ScriptHost } from '../../scripting/types.js';
import { compileBehaviors } from './compile-behaviors.js';

/** `GET /p?k=1` with headers and body as the object an http imposter makes of it. */
export function request(line: string, headers: { [name: string]: unknown } = {}, body = ''): RequestJson {
  const [method, target] = line.split(' ');
  const url = new URL(target!, 'http://x');
  const query: { [name: string]: unknown } = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    query[name] = values.length > 1 ? values : values[0];
  }
  const form = Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value === 'application/x-www-form-urlencoded',
  )
    ? { form: Object.fromEntries(new URLSearchParams(body)) }
    : {};
  return { requestFrom: '127.0.0.1:5', method, path: url.pathname, query, headers, body, ip: '127.0.0.1', ...form };
}

interface Served {
  readonly data: ResponseData;
  readonly markers: Marker[];
}

export interface Imposter {
  readonly scripts: ScriptHost;
  readonly logged: string[];
  serve(response: JsonObject, to: RequestJson): Promise<Served>;
  close(): Promise<void>;
}

/** An imposter without a port. Its working directory holds `files`. */
export function imposter(
  options: {
    profile?: Profile;
    strict?: boolean;
    timeoutMs?: number;
    timeoutGiven?: boolean;
    files?: { [name: string]: string };
  } = {},
): Imposter {
  const { profile = 'mountebank', strict = false, timeoutMs = 5000, timeoutGiven = false, files = {} } = options;
  const workingDirectory = mkdtempSync(join(tmpdir(), 'rift-behaviors-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workingDirectory, name), text);
  const logged: string[] = [];
  const logger = recordingLogger(logged);
  const scripts = createScriptHost({ profile, timeoutMs, timeoutGiven, logger, workingDirectory });
  const closing = new AbortController();
  return {
    scripts,
    logged,
    async serve(response, to) {
      const stub = rewriteStub({ responses: [response] }, 'http', profile) as StubJson;
      const { is, inject, behaviors } = stub.responses[0]!;
      const behave = compileBehaviors((behaviors ?? []) as JsonObject[], {
        profile,
        scripts,
        logger,
        workingDirectory,
        signal: closing.signal,
        strict,
      });
      const data = typeof inject === 'string' ? await scripts.response(inject, to) : (is as ResponseData);
      const markers: Marker[] = [];
      const before = JSON.stringify(data);
      const served = behave === undefined ? data : await behave(plainView(to), data, markers);
      if (JSON.stringify(data) !== before) throw new Error('a behavior changed the response that the stub keeps');
      return { data: served, markers };
    },
    async close() {
      closing.abort();
      await scripts.close();
    },
  };
}

function recordingLogger(lines: string[]): Logger {
  const line =
    (level: string) =>
    (message: string, ...args: unknown[]) => {
      let next = 0;
      lines.push(`${level} ${message.replace(/%[sd]/g, () => String(args[next++]))}`);
    };
  return { ...silentLogger, info: line('info'), warn: line('warn'), error: line('error'), enabled: () => true };
}
