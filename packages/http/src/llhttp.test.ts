// The codec against llhttp, the parser of this Node: what llhttp refuses is refused, what both accept is read alike.
// Requests are generated from well-formed and malformed parts, then damaged at random; the seed is printed on failure.
// Where the codec is stricter on purpose, the input must show one of the listed reasons.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { type Conversation, converse, type SeenRequest } from './memory-connection.test-help.js';

/** More are run by hand with RIFT_TEST_CASES. */
const CASES = Number(process.env.RIFT_TEST_CASES ?? 2500);

/** Deterministic numbers (mulberry32). */
function generator(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

class RequestMaker {
  constructor(private readonly random: () => number) {}

  /** One to three requests, sometimes damaged. */
  make(): Buffer {
    let text = '';
    const count = 1 + this.below(3);
    for (let i = 0; i < count; i++) text += this.request();
    const bytes = Buffer.from(text, 'latin1');
    return this.random() < 0.5 ? bytes : this.damage(bytes);
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(...choices: T[]): T {
    return choices[this.below(choices.length)];
  }

  /** The usual part four times of five, else an odd one. */
  private usually(usual: string, ...odd: string[]): string {
    return this.random() < 0.85 ? usual : this.pick(...odd);
  }

  private request(): string {
    const method = this.usually(
      this.pick('GET', 'POST', 'PUT', 'HEAD', 'OPTIONS'),
      'PROPFIND',
      'M-SEARCH',
      'get',
      'GE',
      'GETX',
      'BREW',
      '',
    );
    const target = this.usually(
      '/a?b=c',
      '/',
      '*',
      '/é',
      'http://h/x',
      'HTTP://h',
      'ftp://u:p@[::1]:80/?q#f',
      'a',
      '?',
      '//x',
      '/a b',
      'h:80',
      'x://',
      '/\x7f',
    );
    const version = this.usually(
      'HTTP/1.1',
      'HTTP/1.0',
      'HTTP/1.2',
      'HTTP/2.0',
      'HTTP/0.9',
      'http/1.1',
      'HTTP/11',
      'HTTP/1.1 ',
      '',
    );
    const eol = this.usually('\r\n', '\n', '\r', '\r\r\n');
    let head = `${this.usually('', '\r\n', ' ', '\n')}${method}${this.usually(' ', '  ', '\t')}${target} ${version}${eol}`;
    head += this.usually('Host: a\r\n', '', 'host:\r\n', 'Host: a\r\nHost: b\r\n');
    for (let i = this.below(3); i > 0; i--) head += this.header();
    return head + this.framing();
  }

  private header(): string {
    const name = this.usually(
      this.pick('X', 'x-y', 'Accept', "!#$%&'*+-.^_`|~9"),
      '',
      'X ',
      ' X',
      'X\t',
      'é',
      'X(',
      '"X"',
      'X:Y',
    );
    const value = this.usually(this.pick('', 'v', '\t v \t', 'é\xff'), 'a\0', 'a\rb', 'a\nb', 'a\x0bb', '\x7f', ':');
    return `${name}${this.usually(':', ': ', ' : ', '')}${value}${this.usually('\r\n', '\n', '\r\n ', '\r\n\t')}`;
  }

  private framing(): string {
    const end = this.usually('\r\n', '\n', '\r', '\r\n\r\n');
    switch (this.below(5)) {
      case 0:
        return `Content-Length: ${this.usually('3', '+3', '3 ', '03', '3,3', '0x3', '', '-3', '3 3', '1e1', '3\t')}\r\n${end}abc`;
      case 1:
        return `Transfer-Encoding: ${this.coding()}\r\n${this.usually('', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n')}${end}${this.chunks()}`;
      case 2:
        return `Content-Length: 3\r\n${this.usually('', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Content-Length: 4\r\n')}${end}abc`;
      default:
        return end;
    }
  }

  private coding(): string {
    return this.usually(
      'chunked',
      'gzip, chunked',
      'gzip,chunked',
      'chunked, gzip',
      'identity',
      'Chunked',
      'chunked\t',
      ' chunked',
      'chunkedx',
      'xchunked',
      'chunked;q=1',
      'chunked,',
      ',chunked',
      '"chunked"',
      'gzip\tchunked',
      'gzip chunked',
      'chunked,chunked',
      '\x0bchunked',
      '',
    );
  }

  private chunks(): string {
    let body = '';
    for (let i = this.below(3); i > 0; i--) {
      const size = this.usually(
        '3',
        '03',
        '0x3',
        '+3',
        '3 ',
        ' 3',
        '3\t',
        'g',
        '',
        '00000000000000003',
        'fffffffffffffffff',
        '3\0',
      );
      const extension = this.usually(
        '',
        ';a',
        ';a=b',
        ';a="b"',
        ';a="b\\""',
        ';',
        '; a',
        ';a =b',
        ';=b',
        ';a="\n"',
        ';a\rb',
        ';a;b',
        ';a="b"c',
        ';a=;b',
      );
      body += `${size}${extension}${this.usually('\r\n', '\n', '\r')}abc${this.usually('\r\n', '', '\n', 'x\r\n')}`;
    }
    const trailer = this.usually('', 'T: v\r\n', 'T : v\r\n', ' T: v\r\n', 'T\r\n', 'T: v\n', ': v\r\n');
    return `${body}${this.usually('0\r\n', '0;a\r\n', '0\n', '00\r\n')}${trailer}\r\n`;
  }

  private damage(bytes: Buffer): Buffer {
    const at = this.below(bytes.length);
    const byte = Buffer.from([this.pick(0, 9, 10, 11, 13, 32, 34, 44, 58, 59, 92, 127, 128, 255, this.below(256))]);
    const rest = bytes.subarray(at + this.pick(0, 1));
    switch (this.below(4)) {
      case 0:
        return Buffer.concat([bytes.subarray(0, at), rest]);
      case 1:
        return bytes.subarray(0, at);
      default:
        return Buffer.concat([bytes.subarray(0, at), byte, rest]);
    }
  }
}

interface Reading {
  requests: SeenRequest[];
  refused: boolean;
}

/** Node's binding to llhttp, as far as it is used here. */
interface LlhttpParser {
  initialize(type: number, resource: object, maxHeaderSize: number, lenientFlags: number): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  [callback: number]: (...args: never[]) => number | undefined;
}
interface LlhttpBinding {
  new (): LlhttpParser;
  REQUEST: number;
  kOnHeaders: number;
  kOnHeadersComplete: number;
  kOnBody: number;
  kOnMessageComplete: number;
}
const common: { HTTPParser: LlhttpBinding; methods: string[] } = createRequire(import.meta.url)('_http_common');

/** What llhttp makes of the bytes, with the rules that Node's server adds. */
function readByLlhttp(bytes: Buffer): Reading {
  const { HTTPParser, methods } = common;
  const requests: SeenRequest[] = [];
  let refused = false;
  let over = false;
  let current: SeenRequest | undefined;
  let early: string[] = [];
  let earlyTarget = '';
  let keepAlive = true;
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {}, 16_384, 0);
  parser[HTTPParser.kOnHeaders] = (headers: string[], url: string) => {
    early.push(...headers);
    earlyTarget += url;
    return undefined;
  };
  parser[HTTPParser.kOnHeadersComplete] = (
    _major: number,
    minor: number,
    headers: string[] | undefined,
    method: number,
    url: string,
    _status: unknown,
    _message: unknown,
    _upgrade: boolean,
    shouldKeepAlive: boolean,
  ) => {
    const rawHeaders = [...early, ...(headers ?? [])];
    current = { method: methods[method], target: earlyTarget + (url ?? ''), rawHeaders, body: '' };
    early = [];
    earlyTarget = '';
    keepAlive = shouldKeepAlive;
    if (!over && minor === 1 && !rawHeaders.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')) {
      refused = true;
      over = true;
    }
    return 0;
  };
  parser[HTTPParser.kOnBody] = (body: Buffer) => {
    if (current !== undefined) current.body += body.toString('latin1');
    return undefined;
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    early = []; // trailer fields
    earlyTarget = '';
    if (!over && current !== undefined) requests.push(current);
    current = undefined;
    if (!keepAlive) over = true; // the connection is closed, what follows is never read
    return undefined;
  };
  const result = parser.execute(bytes);
  if (result instanceof Error && !over) refused = true;
  return { requests, refused };
}

/** What llhttp lets pass and the codec refuses: an input of which only the codec refuses something shows one of these. */
const STRICTER = [
  /\r(?!\n)/, // an empty line before a request that is only CR
  /HTTP\/[02]/,
  /:\/\/ /, // an absolute target without authority
  /Content-Length: *\r\n$/, // an empty length, which llhttp refuses with the byte after it
  /[A-Z] +[^ \r\n]+[\r\n]/, // no version
  /(Content-Length|Transfer-Encoding):.*\t/i, // refused by the llhttp of Node 20, accepted by that of Node 24
  /;=|=;|=\r/, // a chunk extension without a name or value
  /Transfer-Encoding: *(?!(gzip, ?)?chunked\r)/i, // a list of codings that is none
  /chunked.*chunked/is, // chunked applied twice
];

function comparable(requests: SeenRequest[]): SeenRequest[] {
  return requests.map(({ method, target, rawHeaders, body }) => ({
    method,
    target,
    rawHeaders: [...rawHeaders],
    body,
  }));
}

test(`the codec reads ${CASES} generated requests as llhttp does, or refuses them`, () => {
  const seed = Number(process.env.RIFT_TEST_SEED ?? 9112);
  const maker = new RequestMaker(generator(seed));
  let bothAccept = 0;
  let bothRefuse = 0;
  for (let i = 0; i < CASES; i++) {
    const bytes = maker.make();
    const ours: Conversation = converse([bytes]);
    const theirs = readByLlhttp(bytes);
    const where = `RIFT_TEST_SEED=${seed}, case ${i}: ${JSON.stringify(bytes.toString('latin1'))}`;
    const weRefuse = ours.refusals.length > 0;
    // llhttp refuses a second length at its name, the codec at the end of its line
    const refusedLater = () => converse([bytes, Buffer.from('\r\n')]).refusals.length > 0;
    assert.ok(weRefuse || !theirs.refused || refusedLater(), `llhttp refuses, the codec does not. ${where}`);
    const shared = Math.min(ours.requests.length, theirs.requests.length);
    assert.deepEqual(comparable(ours.requests.slice(0, shared)), comparable(theirs.requests.slice(0, shared)), where);
    assert.ok(ours.requests.length <= theirs.requests.length, `the codec sees more requests than llhttp. ${where}`);
    if (weRefuse && theirs.refused) bothRefuse++;
    else if (!weRefuse && !theirs.refused) bothAccept++;
    else if (weRefuse)
      assert.ok(
        STRICTER.some((reason) => reason.test(bytes.toString('latin1'))),
        `stricter than llhttp. ${where}`,
      );
  }
  assert.ok(
    bothAccept > CASES / 10 && bothRefuse > CASES / 10,
    `lopsided: ${bothAccept} accepted, ${bothRefuse} refused`,
  );
});
