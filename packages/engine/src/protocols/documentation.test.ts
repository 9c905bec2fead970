// The examples of docs/tcp.md and docs/smtp.md do what the pages say.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Imposters } from '../imposters.js';
import { converse, type Say } from './smtp/mail-client.test-help.js';
import { smtpProtocol } from './smtp/protocol.js';
import { tcpProtocol } from './tcp/protocol.js';
import { type Step, talk } from './tcp/talk.test-help.js';

const imposters = new Imposters({
  profile: 'rift',
  allowInjection: true,
  protocols: new Map([
    ['tcp', tcpProtocol({ graceMs: 0, host: '127.0.0.1' })],
    ['smtp', smtpProtocol({ graceMs: 0, host: '127.0.0.1' })],
  ]),
});
after(() => imposters.deleteAll());

interface Block {
  readonly info: string;
  readonly text: string;
}

/** Each `json imposter` of a page with the blocks that follow it. */
function examples(name: string): { imposter: string; blocks: Block[] }[] {
  const page = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
  const found: { imposter: string; blocks: Block[] }[] = [];
  for (const [, info, text] of page.matchAll(/^```(.+)\n([\s\S]*?)\n```$/gm)) {
    if (info === 'json imposter') found.push({ imposter: text, blocks: [] });
    else found.at(-1)?.blocks.push({ info, text });
  }
  return found;
}

/** On a port of the system's choice. */
function create(json: string) {
  const { port: _, ...creation } = JSON.parse(json);
  return imposters.createFrom(creation);
}

for (const [number, { imposter, blocks }] of examples('tcp.md').entries()) {
  test(`example ${number + 1} of docs/tcp.md`, async () => {
    const { port } = await create(imposter);
    for (const { text } of blocks.filter(({ info }) => info === 'talk')) {
      const steps: Step[] = [];
      let end: string | undefined;
      for (const line of text.split('\n')) {
        const [sign, content] = [line.slice(0, 2), bytes(line.slice(2), imposter)];
        const last = steps.at(-1);
        if (sign === '> ' && last?.receive.length === 0)
          steps[steps.length - 1] = { send: [last.send, content].flat(), receive: last.receive };
        else if (sign === '> ') steps.push({ send: content, receive: Buffer.alloc(0) });
        else if (sign === '< ') steps[steps.length - 1] = { ...last!, receive: content };
        else end = line;
      }
      const said = await talk(port, steps, end !== undefined);
      assert.equal(said.received.toString(), Buffer.concat(steps.map(({ receive }) => receive)).toString());
      assert.equal(said.end, end ?? 'open');
    }
  });
}

/** Texts as in JSON; in binary mode each character is one byte. */
function bytes(text: string, imposter: string): Buffer {
  const escaped = text.replaceAll('"', '\\"');
  return Buffer.from(JSON.parse(`"${escaped}"`), imposter.includes('"binary"') ? 'latin1' : 'utf8');
}

for (const [number, { imposter, blocks }] of examples('smtp.md').entries()) {
  test(`example ${number + 1} of docs/smtp.md`, async () => {
    const { port, journal } = await create(imposter);
    const [mail, recorded] = blocks;
    const lines = mail.text.split('\n').map((line) => [line[0], line.slice(2)]);
    const expected = lines.filter(([sign]) => sign === '<').map(([, reply]) => reply);
    const replies = await converse(port, sayings(lines.filter(([sign]) => sign === '>').map(([, said]) => said)));
    assert.equal(replies.length, expected.length);
    for (const [at, reply] of expected.entries()) assert.ok(replies[at].at(-1)!.startsWith(reply), replies[at].join());
    const [{ request }] = [...journal];
    assert.deepEqual(JSON.parse(JSON.stringify(request)), JSON.parse(recorded.text));
  });
}

/** The lines between DATA and a dot are one message. */
function sayings(lines: readonly string[]): Say[] {
  const data = lines.indexOf('DATA');
  const dot = lines.indexOf('.');
  return [...lines.slice(0, data + 1), { message: lines.slice(data + 1, dot).join('\r\n') }, ...lines.slice(dot + 1)];
}
