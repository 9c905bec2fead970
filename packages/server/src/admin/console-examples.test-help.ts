// The curl lines of a documentation page, run with other ports.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { freePort } from './admin.test-help.js';

/**
 * Runs every line that begins with `$ ` in the console blocks of a page below docs/ and compares what it prints with what
 * stands under it; 2525 in the page is `adminPort`, 4545 a free port. Gives the number of lines.
 */
export async function runConsoleExamples(page: string, adminPort: number): Promise<number> {
  const text = await readFile(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
  const port = await freePort();
  const real = (part: string) => part.replaceAll('2525', String(adminPort)).replaceAll('4545', String(port));
  let commands = 0;
  for (const [, block] of text.matchAll(/```console\n([\s\S]*?)```/g)) {
    for (const part of block!.split(/^\$ /m).filter((each) => each.trim() !== '')) {
      // a command ends where its quotes are closed
      const end = [...part.matchAll(/\n/g)].find(
        ({ index }) => (part.slice(0, index).match(/'/g)?.length ?? 0) % 2 === 0,
      )!;
      const command = part.slice(0, end.index);
      const { stdout } = await promisify(execFile)('bash', ['-c', real(command)]);
      assert.equal(stdout.trimEnd(), real(part.slice(end.index + 1)).trimEnd(), command);
      commands++;
    }
  }
  return commands;
}
