// The users' functions of one worker: compiled once for each text, called as often as asked.

import { join } from 'node:path';
import vm from 'node:vm';
import { type Hook, hookArguments } from './hooks.js';
import { userRequire } from './user-require.js';

type Compiled = (...args: unknown[]) => unknown;

/** What Mountebank's functions find in scope besides their arguments and Node's globals. */
const moduleNames = ['require', 'module', 'exports', '__filename', '__dirname'];

export class ScriptFunctions {
  readonly #compiled = new Map<number, Compiled>();
  readonly #moduleValues: unknown[];
  readonly #filename: string;

  constructor(workingDirectory: string) {
    this.#filename = join(workingDirectory, 'script.js');
    hideLoaderWarning();
    const module = { exports: {}, filename: this.#filename, id: '.', loaded: true, children: [], paths: [] };
    this.#moduleValues = [userRequire(workingDirectory), module, module.exports, this.#filename, workingDirectory];
  }

  /**
   * Evaluates `(<text>)(<arguments of the hook>)` in strict mode; throws what the text throws, SyntaxError included.
   * @param text Needed the first time a number is used.
   */
  call(script: number, hook: Hook, text: string | undefined, args: readonly unknown[]): unknown {
    let compiled = this.#compiled.get(script);
    if (compiled === undefined) {
      compiled = this.#compile(hook, text ?? '');
      this.#compiled.set(script, compiled);
    }
    return compiled(...args, ...this.#moduleValues);
  }

  /** Modules that the functions have loaded with `require`, by file name. */
  loadedModules(): object {
    return (this.#moduleValues[0] as NodeJS.Require).cache;
  }

  // The function expression is made anew by every run, as Mountebank's eval does; only the parsing is done once
  #compile(hook: Hook, text: string): Compiled {
    const names = hookArguments[hook];
    const body = `'use strict'; return (${text})(${names.join(', ')});`;
    const parameters = [...names, ...moduleNames];
    if (process.versions.bun !== undefined) return new Function(...parameters, body) as Compiled;
    return vm.compileFunction(body, parameters, {
      filename: this.#filename,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }) as Compiled;
  }
}

/** `import()` that resolves from the working directory is an option of vm about which Node still warns its users. */
function hideLoaderWarning(): void {
  const { emitWarning } = process as { emitWarning: (...args: unknown[]) => void };
  process.emitWarning = (...args: unknown[]) => {
    if (!String(args[0]).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER')) emitWarning.apply(process, args);
  };
}
