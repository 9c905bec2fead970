// Processes that are killed while clients change imposters: what was acknowledged is there after the restart, and what
// was under way is there as it was before or as it is after the change.
// RIFT_KILL_CYCLES sets how often (default 3), RIFT_SEED what happens.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { freePort } from '../admin/admin.test-help.js';
import { exchange, folder, type Served, serve } from '../cli/program.test-help.js';

const cycles = Number(process.env.RIFT_KILL_CYCLES ?? 3);
const clients = 4;
const portsOfClient = 3;

/** Bodies of the stubs in order; undefined: no imposter. */
type State = readonly string[] | undefined;

interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly after: State;
}

/** mulberry32 */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const stub = (body: string) => ({ responses: [{ is: { body } }, { is: { body: `${body}!` } }] });

function changeOf(port: number, state: State, name: string, random: (below: number) => number): Change {
  const path = `/imposters/${port}`;
  if (state === undefined) {
    const bodies = Array.from({ length: 1 + random(4) }, (_, i) => `${name}-${i}`);
    const body = { protocol: 'http', port, stubs: bodies.map(stub) };
    return { method: 'POST', path: '/imposters', body, after: bodies };
  }
  switch (random(6)) {
    case 0:
      return { method: 'DELETE', path, after: undefined };
    case 1:
      return { method: 'PUT', path: `${path}/stubs`, body: { stubs: [stub(name)] }, after: [name] };
    case 2: {
      const at = random(state.length);
      const after = state.filter((_, index) => index !== at);
      if (after.length > 0) return { method: 'DELETE', path: `${path}/stubs/${at}`, after };
      return { method: 'PUT', path: `${path}/stubs/0`, body: stub(name), after: [name] };
    }
    default: {
      const index = random(state.length + 1);
      const body = { index, stub: stub(name) };
      return { method: 'POST', path: `${path}/stubs`, body, after: state.toSpliced(index, 0, name) };
    }
  }
}

async function stateOf(server: Served, port: number): Promise<State> {
  const answer = await server.call(`/imposters/${port}`);
  if (answer.status === 404) return undefined;
  assert.equal(answer.status, 200, answer.body);
  const { stubs } = answer.json() as { stubs: { responses: { is: { body: string } }[] }[] };
  return stubs.map(({ responses }) => responses[0]!.is.body);
}

async function killAgainAndAgain(t: TestContext, compat: string): Promise<void> {
  const seed = Number(process.env.RIFT_SEED ?? 1);
  t.diagnostic(`RIFT_SEED=${seed}`);
  const random = randomOf(seed);
  const cwd = folder(t);
  const args = ['--datadir', 'kept', '--compat', compat, '--nologfile'];
  const acknowledged = new Map<number, State>();
  const underWay = new Map<number, State>();
  let changes = 0;
  const owned: number[][] = [];
  for (let i = 0; i < clients; i++) {
    owned.push([]);
    while (owned[i]!.length < portsOfClient) {
      const port = await freePort();
      if (acknowledged.has(port)) continue;
      acknowledged.set(port, undefined);
      owned[i]!.push(port);
    }
  }
  for (let cycle = 0; cycle <= cycles; cycle++) {
    const server = await serve(t, 'mb', args, { cwd });
    for (const [port, expected] of acknowledged) {
      const found = await stateOf(server, port);
      const allowed = underWay.has(port) ? [expected, underWay.get(port)] : [expected];
      assert.ok(
        allowed.some((state) => JSON.stringify(state) === JSON.stringify(found)),
        `cycle ${cycle}, port ${port}: ${JSON.stringify(found)} instead of ${allowed.map((state) => JSON.stringify(state)).join(' or ')}\nseed ${seed}\n${server.stdout()}`,
      );
      acknowledged.set(port, found);
      if (found !== undefined && found.length > 0) {
        assert.match((await exchange({ port }, '/')).body, new RegExp(`^${found[0]}!?$`));
      }
    }
    underWay.clear();
    if (cycle === cycles) {
      await server.stop();
      break;
    }
    let over = false;
    const working = owned.map(async (ports) => {
      while (!over) {
        const port = ports[random(ports.length)]!;
        const change = changeOf(port, acknowledged.get(port), `s${++changes}`, random);
        underWay.set(port, change.after);
        const answer = await server.call(change.path, change).catch(() => undefined);
        if (answer === undefined) return;
        assert.ok(
          answer.status < 300,
          `${change.method} ${change.path}: ${answer.status} ${answer.body}\nseed ${seed}`,
        );
        acknowledged.set(port, change.after);
        underWay.delete(port);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 20 + random(200)));
    server.signal('SIGKILL');
    await server.ended;
    over = true;
    await Promise.all(working);
  }
  t.diagnostic(`${cycles} times killed, ${changes} changes`);
  assert.ok(changes > cycles * clients, 'changes were made');
}

test("killed in Mountebank's layout: every acknowledged change is there", (t) => killAgainAndAgain(t, 'mountebank'));

test('killed in the layout of files: every acknowledged change is there', (t) => killAgainAndAgain(t, 'rift'));
