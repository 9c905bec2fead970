// The same admin exchanges with a real Mountebank 2.9.1 and with this server: status, headers and body bytes are equal
// once ports and times are normalised. What differs on purpose must differ, and its reason must be documented.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { silentLogger } from '@rift-ts/engine';
import { type Mountebank, startMountebank } from '@rift-ts/oracle';
import { engine, freePort } from './admin.test-help.js';
import { type AdminExchange, stories } from './exchanges.fixture.js';
import { ipGate } from './ip-gate.js';
import { type AdminServer, startAdminServer } from './server.js';

interface Side {
  readonly admin: number;
  readonly ports: Readonly<Record<'A' | 'B' | 'C', number>>;
}

interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
}

function exchange(side: Side, { method, path, body, headers = {}, to }: AdminExchange): Promise<Answer> {
  const fill = (text: string) =>
    text
      .replace(/"?\{(A|B|C)\}"?/g, (_, name: 'A' | 'B' | 'C') => String(side.ports[name]))
      .replace(/"\{admin\}"/g, String(side.admin));
  const payload = body === undefined ? undefined : fill(typeof body === 'string' ? body : JSON.stringify(body));
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) };
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port: to === undefined ? side.admin : side.ports[to],
        method,
        path: fill(path),
        headers: { ...length, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const lines: string[] = [];
          for (let i = 0; i < response.rawHeaders.length; i += 2) {
            lines.push(`${response.rawHeaders[i]}: ${response.rawHeaders[i + 1]}`);
          }
          const bytes = Buffer.concat(chunks);
          const body = normalised(bytes.toString('utf8'), side);
          // the length is compared as that of the normalised body, where it was true of the real one
          const length = method !== 'HEAD' && response.headers['content-length'] === String(bytes.length);
          resolve({
            status: response.statusCode!,
            headers: lines
              .filter((line) => !line.startsWith('Date: '))
              .map((line) => (length && line.startsWith('Content-Length: ') ? `Content-Length: ${body.length}` : line))
              .map((line) => normalised(line, side))
              .sort(),
            body,
          });
        });
      },
    );
    call.on('error', reject);
    call.end(payload);
  });
}

/** What two servers cannot have in common: ports and times. Ports have five digits, so that lengths without a body compare. */
function normalised(text: string, { admin, ports }: Side): string {
  let result = text.replaceAll(String(admin), '<admin>');
  for (const [name, port] of Object.entries(ports)) result = result.replaceAll(String(port), `<${name}>`);
  return result
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/"processingTime": \d+/g, '"processingTime": <ms>');
}

type Kind = 'plain' | 'guarded' | 'injecting';
const pairs = new Map<Kind, { mountebank: Mountebank; ours: AdminServer; stop(): Promise<void> }>();

before(async () => {
  const kinds: Record<Kind, string[]> = {
    plain: [],
    guarded: ['--apikey', 's3', '--origin', 'http://a.test'],
    injecting: ['--allowInjection', '--debug'],
  };
  await Promise.all(
    Object.entries(kinds).map(async ([kind, args]) => {
      const mountebank = await startMountebank(...args);
      const injecting = kind === 'injecting';
      const imposters = engine('mountebank', { allowInjection: injecting, debug: injecting });
      const ours = await startAdminServer({
        profile: 'mountebank',
        port: 0,
        allows: ipGate({ localOnly: false, ipWhitelist: ['*'] }),
        imposters,
        ...(kind === 'guarded' ? { apiKey: 's3', origin: 'http://a.test' } : {}),
        loggerFor: () => silentLogger,
        logEntries: async () => [{ level: 'error', message: 'No logfile' }],
        version: { reported: '2.9.1', product: '0.0.0', commit: null },
        startOptions: () => ({}),
        metrics: async () => '',
      });
      pairs.set(kind as Kind, {
        mountebank,
        ours,
        async stop() {
          await mountebank.stop();
          await imposters.deleteAll();
          await ours.close();
        },
      });
    }),
  );
});

after(async () => {
  await Promise.all([...pairs.values()].map((pair) => pair.stop()));
});

for (const { name, servers, exchanges } of stories) {
  test(`as Mountebank: ${name}`, async (context) => {
    const { mountebank, ours } = pairs.get(servers)!;
    const ports = async () => {
      const [A, B, C] = [await freePort(), await freePort(), await freePort()].sort((a, b) => a - b);
      return { A: A!, B: B!, C: C! };
    };
    const theirSide = { admin: mountebank.port, ports: await ports() };
    const ourSide = { admin: ours.port, ports: await ports() };
    const emptied = { method: 'DELETE', path: '/imposters', headers: { 'x-api-key': 's3' } };
    await Promise.all([exchange(theirSide, emptied), exchange(ourSide, emptied)]);
    for (const [index, step] of exchanges.entries()) {
      const label = `${index}: ${step.method} ${step.path} ${step.body === undefined ? '' : JSON.stringify(step.body)}`;
      const [theirs, own] = await Promise.all([exchange(theirSide, step), exchange(ourSide, step)]);
      const seen = ({ status, headers, body }: Answer) => {
        if (step.compare === 'status') return { status };
        if (step.compare === 'status-and-headers') return { status, headers };
        return { status, headers, body };
      };
      await context.test(label, () => {
        if (step.differs === undefined) assert.deepEqual(seen(own), seen(theirs));
        else assert.notDeepEqual(seen(own), seen(theirs), `differs no more: ${step.differs}`);
      });
    }
  });
}

test('every intended difference is documented', async () => {
  const page = await readFile(new URL('../../../../docs/differences.md', import.meta.url), 'utf8');
  const named = new Set(stories.flatMap(({ exchanges }) => exchanges.flatMap(({ differs }) => differs ?? [])));
  for (const id of named) assert.ok(page.includes(`\`${id}\``), id);
});

test('there are at least 150 exchanges', () => {
  assert.ok(stories.reduce((sum, { exchanges }) => sum + exchanges.length, 0) >= 150);
});
