// `shellTransform`: a shell command makes the response. Mountebank reads a response object from its standard output;
// profile `rift` takes output that is no response object as the body.

import { spawn } from 'node:child_process';
import { RiftError } from '../../errors.js';
import type { ResponseData } from '../../model/types.js';
import type { Behavior, BehaviorContext } from './context.js';

/** Command lines of this length or more go without the two arguments, as in Mountebank; the environment has them. */
const longestCommandLine = 2048;

export function compileShellTransform(value: unknown, context: BehaviorContext): Behavior {
  const command = String(value);
  const { profile, strict, logger } = context;
  return async (view, data, markers) => {
    const requestJson = JSON.stringify(view.toJSON());
    const responseJson = JSON.stringify(data);
    try {
      const output = await runCommand(command, requestJson, responseJson, context);
      return profile === 'rift' ? riftResponse(data, output) : parseResponse(output);
    } catch (error) {
      const reason = (error as Error).message;
      if (profile === 'mountebank') {
        throw new RiftError('bad data', reason, {}, { asText: true, markers: ['shelltransform-error'] });
      }
      if (strict) {
        const message = `shellTransform failed (strictBehaviors): ${reason}`;
        throw new RiftError('behavior error', message, {}, { status: 500, markers: ['shelltransform-error'] });
      }
      logger.warn('shellTransform failed, its response is served unchanged: %s', reason);
      if (!markers.includes('shelltransform-error')) markers.push('shelltransform-error');
      return data;
    }
  };
}

function parseResponse(output: string): ResponseData {
  let response: unknown;
  try {
    response = JSON.parse(output);
  } catch {
    throw new Error(`Shell command returned invalid JSON: '${output}'`);
  }
  if (response === null) throw new Error("Shell command returned 'null' instead of a response");
  return typeof response === 'object' && !Array.isArray(response) ? (response as ResponseData) : {};
}

/**
 * Output that can only be meant as Mountebank's response object is one: commands written for Mountebank go on working.
 * Everything else is the body.
 */
function riftResponse(data: ResponseData, output: string): ResponseData {
  try {
    const response: unknown = JSON.parse(output);
    if (isHttpResponse(response)) return response;
  } catch {
    // not JSON: the usual case
  }
  return { ...data, body: output };
}

const RESPONSE_KEYS = new Set(['statusCode', 'headers', 'body', '_mode']);

function isHttpResponse(value: unknown): value is ResponseData {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => RESPONSE_KEYS.has(key));
}

function runCommand(command: string, request: string, response: string, context: BehaviorContext): Promise<string> {
  const full = `${command} ${quoted(request)} ${quoted(response)}`;
  const line = full.length >= longestCommandLine ? command : full;
  const { signal, logger } = context;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Error('the imposter was stopped'));
      return;
    }
    // A process group of its own, so that everything the shell starts can be ended with it
    const detached = process.platform !== 'win32';
    const child = spawn(line, {
      shell: true,
      detached,
      cwd: context.workingDirectory,
      env: { ...process.env, MB_REQUEST: request, MB_RESPONSE: response },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    const stop = () => {
      if (child.pid === undefined) return;
      try {
        if (detached) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It has ended meanwhile
      }
    };
    signal.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) {
        resolve(Buffer.concat(output).toString());
        return;
      }
      const errorText = Buffer.concat(errors).toString();
      logger.error('%s', `shellTransform: ${errorText}`);
      reject(new Error(`Command failed: ${line}\n${errorText}`));
    });
  });
}

/** One shell argument, whatever is in the text. */
function quoted(text: string): string {
  if (process.platform !== 'win32') return `'${text.replaceAll("'", "'\\''")}'`;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
