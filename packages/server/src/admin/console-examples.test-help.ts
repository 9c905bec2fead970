// The curl lines of a documentation page, run with other ports.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { freePort } from './admin.test-help.js';

/**
 * Runs every line that begins with `$ ` in the console blocks of a page below docs/ and compares what it prints with what
 * stands under it; 2525 in the page is `adminPort`, 4545 a free port, `others` are further ports of pages. Gives the
 * number of lines.
 */
export async function runConsoleExamples(
  page: string,
  adminPort: number,
  others: Readonly<Record<number, number>> = {},
): Promise<number> {
  const text = await readFile(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
  const port = await freePort();
  const ports: Readonly<Record<string, number>> = { ...others, 2525: adminPort, 4545: port };
  const shown = new RegExp(Object.keys(ports).join('|'), 'g');
  const real = (part: string) => part.replace(shown, (found) => String(ports[found]));
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
