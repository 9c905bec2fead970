// Protocols of one's own, from the file of `--protofile`: a command that speaks one (Mountebank docs: protocols/custom), or
// a JavaScript module that does, in this process (docs/protocols.md).
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  bindError,
  type Logger,
  type ProcessProtocolConfig,
  type ProcessProtocolOptions,
  type Protocol,
  plainView,
  processProtocol,
  RiftError,
} from '@rift-ts/engine';
import { ExitError } from '../cli/errors.js';
import type { Settings } from '../cli/settings.js';

/** What the function that a module exports is called with. */
export interface ProtocolTools {
  /** The name that the protofile gives the protocol. */
  readonly name: string;
  /** Bind address of imposters that name none; undefined: all interfaces. */
  readonly host: string | undefined;
  /** The request of a JSON object, for `ImposterCore.handle`; `rawBody` where there are bytes. */
  readonly requestView: typeof plainView;
  /** The error to throw when listening on a port failed. */
  readonly bindError: typeof bindError;
  /** For errors with a code of their own. */
  readonly RiftError: typeof RiftError;
}

type ModuleFactory = (tools: ProtocolTools) => Protocol;

export type ProtofileEntry =
  | { readonly name: string; readonly command: ProcessProtocolConfig }
  | { readonly name: string; readonly factory: ModuleFactory };

/**
 * Reads the file and loads the modules it names. A file that is not there has no protocols. Something wrong in it ends
 * the start of name `rift`, @throws ExitError; name `mb` says so in the log and goes on without, as Mountebank does.
 */
export async function readProtofile({ protofile, name }: Settings, log: Logger): Promise<ProtofileEntry[]> {
  const path = resolve(protofile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return [];
  }
  try {
    return await entries(parse(text, protofile), path, protofile);
  } catch (error) {
    const { message } = error as Error;
    if (name === 'rift') throw new ExitError('configuration', message);
    log.error(`${message} -- no custom protocols loaded`);
    return [];
  }
}

function parse(text: string, protofile: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Error(`${protofile} contains invalid JSON`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Error(`${protofile} must be an object of protocols by name`);
  }
  return json;
}

function entries(json: object, path: string, protofile: string): Promise<ProtofileEntry[]> {
  return Promise.all(
    Object.entries(json).map(async ([name, entry]: [string, Partial<ProcessProtocolConfig> & { module?: unknown }]) => {
      if (typeof entry?.module === 'string') {
        const url = pathToFileURL(resolve(dirname(path), entry.module));
        return { name, factory: await factoryOf(url, `${protofile}: the module of "${name}"`) };
      }
      if (typeof entry?.createCommand !== 'string' || entry.createCommand === '') {
        throw new Error(`${protofile}: "${name}" needs a "createCommand" or a "module"`);
      }
      return { name, command: { ...entry, createCommand: entry.createCommand } };
    }),
  );
}

async function factoryOf(url: URL, what: string): Promise<ModuleFactory> {
  let loaded: { default?: unknown };
  try {
    loaded = (await import(url.href)) as { default?: unknown };
  } catch (error) {
    throw new Error(`${what} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof loaded.default !== 'function') {
    throw new Error(`${what} must have a function as its default export that returns a protocol`);
  }
  return loaded.default as ModuleFactory;
}

/** Adds the protocols of the file to the built-in ones; one of the same name takes the place of the built-in. */
export function addProtocols(
  protocols: Map<string, Protocol>,
  custom: readonly ProtofileEntry[],
  options: ProcessProtocolOptions,
  log: Logger,
): void {
  for (const entry of custom) {
    const { name } = entry;
    if (protocols.has(name)) log.warn(`Using custom ${name} implementation instead of the built-in one`);
    else log.info(`Loaded custom protocol ${name}`);
    const protocol: Protocol =
      'command' in entry
        ? processProtocol(name, entry.command, options)
        : {
            ...entry.factory({ name, host: options.host, requestView: plainView, bindError, RiftError }),
            name,
            custom: true,
          };
    protocols.set(name, protocol);
  }
}
