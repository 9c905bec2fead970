// `require` as user functions see it: modules of the working directory first (what a user expects who starts the server in
// a project), then globally installed packages.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export function userRequire(workingDirectory: string): NodeJS.Require {
  const local = createRequire(join(workingDirectory, 'script.js'));
  const prefix =
    process.platform === 'win32' ? dirname(process.execPath) : join(dirname(process.execPath), '..', 'lib');
  const global = createRequire(join(prefix, 'node_modules', 'script.js'));
  const find = (name: string): unknown => {
    try {
      return local(name);
    } catch (error) {
      if (!isMissing(error, name) || /^[./\\]/.test(name)) throw error;
      try {
        return global(name);
      } catch (globalError) {
        // The message about the working directory is the one that helps
        throw isMissing(globalError, name) ? error : globalError;
      }
    }
  };
  return Object.assign(find, {
    resolve: local.resolve,
    cache: local.cache,
    main: undefined,
    extensions: local.extensions,
  });
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' &&
    error.message.includes(`'${name}'`)
  );
}
