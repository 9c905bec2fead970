import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Mountebank, startMountebank } from '@rift-ts/oracle';
import { createTransport } from 'nodemailer';
import { Imposters } from '../../imposters.js';
import type { JsonObject, StubJson } from '../../model/types.js';
import { converse, deliver, type Say } from './mail-client.test-help.js';
import { mailCases } from './messages.fixture.js';
import { smtpProtocol } from './protocol.js';

const protocols = new Map([['smtp', smtpProtocol({ graceMs: 0 })]]);
const imposters = new Imposters({ profile: 'mountebank', allowInjection: true, protocols });
let mountebank: Mountebank;
/** Port of Mountebank's recording imposter. */
let theirs: number;
before(async () => {
  mountebank = await startMountebank('--allowInjection');
  const { text } = await mountebank.admin('POST', '/imposters', { protocol: 'smtp', recordRequests: true });
  theirs = JSON.parse(text).port;
});
after(async () => {
  await mountebank.stop();
  await imposters.deleteAll();
});

const PLAIN = 'From: a@x.test\nTo: b@x.test\nSubject: s\n\nhello';

function codes(replies: string[][]): string[] {
  return replies.map((lines) => lines.at(-1)!.slice(0, 3));
}

async function imposter(json: JsonObject = {}) {
  return imposters.createFrom({ protocol: 'smtp', recordRequests: true, ...json });
}

async function recorded(message: string, from?: string, to?: readonly string[]): Promise<JsonObject> {
  const { port, journal } = await imposter();
  assert.deepEqual(codes(await converse(port, deliver(message, from, to))).slice(-2), ['250', '221']);
  const [{ request }] = [...journal];
  await imposters.delete(String(port));
  return JSON.parse(JSON.stringify(request));
}

for (const { name, message, from, to, differs } of mailCases) {
  if (differs !== undefined) continue;
  test(`Mountebank makes the same request of: ${name}`, async () => {
    await mountebank.admin('DELETE', `/imposters/${theirs}/savedRequests`);
    await converse(theirs, deliver(message, from, to));
    const { text } = await mountebank.admin('GET', `/imposters/${theirs}`);
    const [{ timestamp: _, ...request }] = JSON.parse(text).requests;
    const ours = await recorded(message, from, to);
    assert.deepEqual(ours, request);
    assert.equal(JSON.stringify(ours), JSON.stringify(request), 'order of keys');
  });
}

const address = (text: string, name = '') => ({ address: text, name });

test('all addresses of a header are listed', async () => {
  const { message } = mailCases.find(({ name }) => name === 'several addresses in one line')!;
  const { to, cc } = await recorded(message);
  assert.deepEqual(to, [address('c@x.test'), address('d@x.test', 'D')]);
  assert.deepEqual(cc, [address('e@x.test'), address('f@x.test')]);
});

test('a message without a From header is from the sender of its envelope', async () => {
  const { message } = mailCases.find(({ name }) => name === 'no From header')!;
  assert.deepEqual((await recorded(message)).from, address('a@x.test'));
});

const conversations: [name: string, said: Say[], differs?: string][] = [
  [
    'the commands of a mail',
    ['EHLO c.test', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA', { message: PLAIN }, 'QUIT'],
  ],
  ['HELO', ['HELO c.test', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA', { message: PLAIN }]],
  ['small commands', ['EHLO c.test', 'NOOP', 'RSET', 'VRFY a', 'HELP', 'NONSENSE', 'QUIT']],
  ['recipients before a sender', ['EHLO c.test', 'RCPT TO:<b@x.test>', 'DATA', 'QUIT']],
  ['logging in without TLS', ['EHLO c.test', 'AUTH PLAIN AGEAYg==', 'QUIT']],
  [
    'wrong addresses',
    ['EHLO c.test', 'MAIL FROM:a@x.test', 'MAIL FROM:<a@x.test>', 'MAIL FROM:<b@x.test>', 'RCPT TO:', 'QUIT'],
  ],
  [
    'several messages on one connection',
    [
      'EHLO c.test',
      'MAIL FROM:<a@x.test>',
      'RCPT TO:<b@x.test>',
      'DATA',
      { message: PLAIN },
      'MAIL FROM:<a@x.test>',
      'RCPT TO:<b@x.test>',
      'RCPT TO:<c@x.test>',
      'DATA',
      { message: PLAIN },
      'QUIT',
    ],
  ],
  ['a reset in between', ['EHLO c.test', 'MAIL FROM:<a@x.test>', 'RSET', 'RCPT TO:<b@x.test>', 'QUIT']],
  [
    'TLS',
    [
      'EHLO c.test',
      'STARTTLS',
      'TLS',
      'EHLO c.test',
      'MAIL FROM:<a@x.test>',
      'RCPT TO:<b@x.test>',
      'DATA',
      { message: PLAIN },
      'QUIT',
    ],
  ],
  ['logging in with TLS', ['EHLO c.test', 'STARTTLS', 'TLS', 'EHLO c.test', 'AUTH PLAIN AGEAYg==', 'QUIT']],
];
for (const [name, said] of conversations) {
  test(`Mountebank answers the same codes to: ${name}`, async () => {
    const { port } = await imposter();
    assert.deepEqual(codes(await converse(port, said)), codes(await converse(theirs, said)));
  });
}

test('EHLO offers what Mountebank offers, in its order', async () => {
  const offers = async (port: number): Promise<string[]> => (await converse(port, ['EHLO c.test']))[1].slice(1);
  assert.deepEqual(await offers((await imposter()).port), await offers(theirs));
});

test('stubs decide the reply to a message', async () => {
  const stubs: StubJson[] = [
    { predicates: [{ equals: { subject: 'later' } }], responses: [{ is: { code: 451, message: 'not now' } }] },
    { predicates: [{ equals: { subject: 'never' } }], responses: [{ is: { code: 554 } }] },
    { predicates: [{ contains: { text: 'HELLO' } }], responses: [{ is: { message: 'got it' } }] },
  ];
  const { port } = await imposter({ stubs });
  const reply = async (message: string) => (await converse(port, deliver(message)))[5];
  assert.deepEqual(await reply('From: a@x.test\nSubject: later\n\n'), ['451 not now']);
  assert.deepEqual(await reply('From: a@x.test\nSubject: never\n\n'), ['554 Message refused']);
  assert.deepEqual(await reply(PLAIN), ['250 got it']);
  assert.deepEqual(await reply('From: a@x.test\n\nno'), ['250 OK: message queued']);
});

test('responses take turns, so that a client that tries again gets through', async () => {
  const { port } = await imposter({ stubs: [{ responses: [{ is: { code: 421 } }, { is: {} }] }] });
  const transport = createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } });
  const mail = { from: 'a@x.test', to: 'b@x.test', text: 'hi' };
  await assert.rejects(transport.sendMail(mail), { responseCode: 421 });
  assert.match((await transport.sendMail(mail)).response, /^250 /);
});

test('an error is 451, and the connection goes on', async () => {
  const stubs = [
    { predicates: [{ equals: { subject: 's' } }], responses: [{ inject: "() => { throw new Error('boom'); }" }] },
  ];
  const { port } = await imposter({ stubs });
  const said = deliver(PLAIN).slice(0, -1);
  const replies = codes(await converse(port, [...said, ...said.slice(1), 'NOOP']));
  assert.deepEqual(replies, ['220', '250', '250', '250', '354', '451', '250', '250', '354', '451', '250']);
});

test('a fault changes nothing', async () => {
  const { port } = await imposter({ stubs: [{ responses: [{ fault: 'CONNECTION_RESET_BY_PEER' }] }] });
  assert.equal(codes(await converse(port, deliver(PLAIN)))[5], '250');
});

test('an injected fault ends the connection instead of the reply, and a latency delays it', async () => {
  const stubs = [{ responses: [{ is: {}, _rift: { fault: { latency: { ms: 20 }, tcp: 'reset' } } }] }];
  const { port, journal } = await imposter({ stubs });
  assert.deepEqual(codes(await converse(port, deliver(PLAIN))), ['220', '250', '250', '250', '354']);
  assert.equal([...journal].length, 1);
});

test('a client whose address is not allowed is turned away with 554', async () => {
  const closed = new Imposters({ profile: 'mountebank', protocols, allows: () => false });
  const { port } = await closed.createFrom({ protocol: 'smtp' });
  assert.deepEqual(codes(await converse(port, ['EHLO c.test'])), ['554']);
  await closed.deleteAll();
});

test('an imposter that is switched off answers 421', async () => {
  const switched = await imposter();
  switched.enabled = false;
  assert.deepEqual(codes(await converse(switched.port, ['EHLO c.test'])), ['421']);
  switched.enabled = true;
  assert.equal(codes(await converse(switched.port, deliver(PLAIN)))[5], '250');
});

test('stopping an imposter ends its connections and frees the port', async () => {
  const stopped = await imposter();
  const { port } = stopped;
  const waiting = converse(port, ['EHLO c.test', { message: 'no reply comes to half a command' }]);
  await imposters.delete(String(port));
  await waiting;
  assert.equal(stopped.port, port, 'its last state can be shown');
  assert.equal((await imposter({ port })).port, port);
});

test('a port in use is a resource conflict', async () => {
  const { port } = await imposter();
  const others = new Imposters({ profile: 'mountebank', protocols });
  await assert.rejects(others.createFrom({ protocol: 'smtp', port }), { code: 'resource conflict' });
});

test('nodemailer sends text, HTML and an attachment over TLS', async () => {
  const { port, journal } = await imposter();
  const transport = createTransport({ host: '127.0.0.1', port, requireTLS: true, tls: { rejectUnauthorized: false } });
  await transport.sendMail({
    from: '"Ä" <a@x.test>',
    to: ['b@x.test', 'C <c@x.test>'],
    bcc: 'd@x.test',
    subject: 'Grüße',
    text: 'hello',
    html: '<p>hello</p>',
    attachments: [{ filename: 'é.bin', content: Buffer.from([0, 1, 255]) }],
  });
  const [{ request }] = [...journal];
  const { from, to, bcc, envelopeTo, subject, text, html, attachments } = JSON.parse(JSON.stringify(request));
  assert.deepEqual(from, address('a@x.test', 'Ä'));
  assert.deepEqual(to, [address('b@x.test'), address('c@x.test', 'C')]);
  assert.deepEqual(bcc, []);
  assert.deepEqual(envelopeTo, ['b@x.test', 'c@x.test', 'd@x.test']);
  assert.deepEqual([subject, text, html], ['Grüße', 'hello', '<p>hello</p>']);
  assert.equal(attachments.length, 1);
  assert.equal(attachments[0].filename, 'é.bin');
  assert.deepEqual(attachments[0].content, { type: 'Buffer', data: [0, 1, 255] });
});
