// What reading an imposter needs from outside, bound once by whoever accepts imposters.

import { type RiftError, RiftErrors } from '../errors.js';
import type { JsonObject, Profile, RequestJson } from './types.js';

/** What reading needs to know of a protocol: the dry run's request and, for proxies, an upstream's answer. */
export interface ReadableProtocol {
  readonly dryRunRequest: RequestJson;
  /** Undefined when the protocol cannot proxy in a dry run: then `proxy.to` is not checked. */
  readonly dryRunProxyResponse?: unknown;
  /** A protocol of `--protofile`, also where it replaces a built-in name: no check that belongs to the built-in. */
  readonly custom?: boolean;
  /** `base64` for tcp in binary mode. */
  encoding(creation: JsonObject): 'utf8' | 'base64';
}

/** Where scripts that are named by file come from, and who parses them. */
export interface ScriptSources {
  /** The text of a script file, or why there is none (the text after `Script resolution failed: `). */
  readFile?(path: string): { readonly code: string } | { readonly problem: string };
  /** Why a text is no program of this engine (`Syntax error: …`); undefined when it is one. */
  parse?(engine: 'rhai' | 'javascript', code: string): string | undefined;
}

export interface ReadOptions {
  readonly profile: Profile;
  /** `--allowInjection`. */
  readonly allowInjection: boolean;
  /** Known protocols by name. */
  readonly protocols: ReadonlyMap<string, ReadableProtocol>;
  /** Evaluates predicates against the dry run's request; the first error, its path below the stub. */
  checkPredicates(
    predicates: readonly unknown[],
    request: RequestJson,
    encoding: 'utf8' | 'base64',
  ): RiftError | undefined;
  /** Runs `predicateGenerators[].inject`; rejects with the RiftError to be shown. Absent: generators are not run. */
  runGenerator?(source: string, request: RequestJson): Promise<unknown>;
  readonly scripts?: ScriptSources;
}

/** Something worth telling, shown in `_rift.warnings`. Keys in this order. */
export interface Warning {
  readonly warningType: string;
  readonly message: string;
  readonly stubIndex?: number;
  readonly stubId?: string;
  readonly shadowedByIndex?: number;
}

/** What `_rift.warnings` shows: the first hundred, the same list for as long as nothing in it changes, and the one that counts the others. */
export interface Warnings {
  readonly kept: readonly Warning[];
  readonly others?: Warning;
}

/** What reading gives: the value in today's spelling, or every reason why it is refused. */
export type Read<T> =
  | {
      readonly value: T;
      /** Unknown keys below `_rift`, for the log; what `_rift.warnings` shows is computed from the imposter. */
      readonly warnings: readonly Warning[];
    }
  | { readonly errors: RiftError[] };

/** What was read, or the reasons why it was refused, thrown. */
export function accepted<T>(read: Read<T>): T {
  if ('errors' in read) throw new RiftErrors(read.errors);
  return read.value;
}
