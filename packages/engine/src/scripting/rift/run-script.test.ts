// Scripts on stores that take their time: what a script does happens once, whatever it takes to run it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../state/memory-store.js';
import { type FlowStore, StoreFailure } from '../../state/types.js';
import { compileScript } from './run-script.js';
import type { ScriptContext } from './script-context.js';

/** A store that answers later, as one on another machine does; counts what it was asked to write. */
function remoteStore(): { readonly store: FlowStore; readonly counts: { increments: number } } {
  const memory = new MemoryStore(300);
  const counts = { increments: 0 };
  const later = async <T>(value: T): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return value;
  };
  const store = {
    backend: 'redis',
    get: (flow: string, key: string) => later(memory.get(flow, key)),
    set: (flow: string, key: string, value: string) => later(memory.set(flow, key, value)),
    incrBy: (flow: string, key: string, by: bigint) => {
      counts.increments++;
      return later(memory.incrBy(flow, key, by));
    },
    delete: () => Promise.reject(new StoreFailure('delete', 'the store is away')),
  } as unknown as FlowStore;
  return { store, counts };
}

const context: ScriptContext = {
  request: {
    method: 'GET',
    path: '/',
    query: {},
    headers: {},
    pathParams: {},
    body: '',
    isBinary: false,
  },
  flowId: 'f',
  stub: { id: undefined, scenarioName: undefined, scenarioState: undefined },
};

async function run(engine: 'rhai' | 'javascript', code: string, store: FlowStore) {
  const lines: string[] = [];
  const log = ({ text }: { text: string }) => lines.push(text);
  const result = await compileScript(engine, code)({ context, store, log, timeoutMs: 5000 });
  const body = result.kind === 'decision' && result.decision.kind === 'http' ? result.decision.body : result;
  return { body, lines };
}

for (const engine of ['rhai', 'javascript'] as const) {
  test(`${engine}: calls of a store that answers later`, async () => {
    const { store, counts } = remoteStore();
    const { body } = await run(engine, 'http(200, [ctx.state.incr("a") + ctx.state.incr("a")])', store);
    assert.equal(body, '[3]');
    assert.equal(counts.increments, 2);
  });

  test(`${engine}: the log of a script that waits for its store has each line once`, async () => {
    const { store } = remoteStore();
    const code =
      'ctx.logger.info("one"); ctx.state.set("k", [1]); ctx.logger.info("two"); http(200, ctx.state.get("k"))';
    assert.deepEqual(await run(engine, code, store), { body: '[1]', lines: ['one', 'two'] });
  });

  test(`${engine}: a store that fails is an error of the script, which may catch it`, async () => {
    const { store } = remoteStore();
    const { body } = await run(engine, 'ctx.state.delete("k")', store);
    assert.match((body as { message: string }).message, /delete: the store is away/);
    const caught = engine === 'rhai' ? 'catch (e) { e }' : 'catch (e) { e.message }';
    const code = `${engine === 'rhai' ? 'let' : 'var'} r = "none"; try { ctx.state.delete("k"); } ${caught.replace('{ ', '{ r = ')} http(200, r)`;
    assert.equal((await run(engine, code, store)).body, 'delete: the store is away');
  });
}

test('rhai: many calls and many operations on a store that answers later', async () => {
  const { store, counts } = remoteStore();
  const code =
    'let n = 0; for i in 0..40 { for j in 0..500 { n += 1; } ctx.state.incr("a"); } http(200, [n, ctx.state.get("a")])';
  assert.equal((await run('rhai', code, store)).body, '[20000,40]');
  assert.equal(counts.increments, 40);
});
