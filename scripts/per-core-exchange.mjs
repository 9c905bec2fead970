// What two data threads must do together, asked of a running server: one turn of responses, one count, changes of stubs
// in force when they are acknowledged, and one owner once a stub needs one. Throws with what was wrong.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';

const CONNECTIONS = 30;
const REQUESTS_EACH = 10;

export async function checkDataThreads(adminPort, port, metricsPort) {
  const admin = async (method, path, body) => {
    const response = await fetch(`http://localhost:${adminPort}${path}`, {
      method,
      body: body && JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const count = async () => JSON.parse((await admin('GET', `/imposters/${port}`)).text).numberOfRequests;
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const ask = (path, agent) =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      }).on('error', reject);
    });
  const stub = (path, ...responses) => ({ predicates: [{ equals: { path } }], responses });

  const samples = async (name) => {
    const text = await (await fetch(`http://localhost:${metricsPort}/metrics`)).text();
    const lines = text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\d+)$`, 'gm'));
    return [...lines].map(([, labels, value]) => [labels, Number(value)]);
  };
  const answered = async () =>
    (await samples('rift_requests_total')).find(([labels]) => labels === 'method="GET",status="200"')?.[1] ?? 0;
  const before = await answered();

  const abc = stub('/abc', ...['A', 'B', 'C'].map((body) => ({ is: { body } })));
  assert.equal((await admin('POST', '/imposters', { protocol: 'http', port, stubs: [abc] })).status, 201);
  const served = { A: 0, B: 0, C: 0 };
  await Promise.all(
    agents.map(async (agent) => {
      for (let i = 0; i < REQUESTS_EACH; i++) served[await ask('/abc', agent)]++;
    }),
  );
  assert.deepEqual(served, { A: 100, B: 100, C: 100 });
  assert.equal((await ask('/abc', agents[0])) + (await ask('/abc', agents[0])) + (await ask('/abc', agents[0])), 'ABC');
  assert.equal(await count(), 303);

  await admin('POST', `/imposters/${port}/stubs`, { index: 0, stub: stub('/new', { is: { body: 'new' } }) });
  const answers = await Promise.all(agents.map((agent) => ask('/new', agent)));
  assert.deepEqual([...new Set(answers)], ['new']);
  assert.equal(await ask('/abc', agents[1]), 'A');

  await admin('DELETE', `/imposters/${port}/savedRequests`);
  assert.equal(await count(), 0);

  const accepted = await samples('rift_accepted_connections_total');
  assert.deepEqual(
    accepted
      .slice(0, 2)
      .map(([labels]) => labels)
      .sort(),
    ['worker="0"', 'worker="1"'],
  );
  assert.ok(accepted.reduce((sum, [, count]) => sum + count, 0) >= CONNECTIONS);
  assert.equal((await answered()) - before, 303 + CONNECTIONS + 1);

  // a stub that runs a script has one owner: the whole imposter goes over to it
  const scripted = stub('/script', { inject: '(config) => ({ body: config.request.path })' });
  assert.equal((await admin('POST', `/imposters/${port}/stubs`, { stub: scripted })).status, 200);
  for (const agent of agents) agent.destroy();
  assert.equal(await ask('/script'), '/script');
  assert.equal(await ask('/abc'), 'B');
  assert.equal(await count(), 2);
  assert.equal((await admin('DELETE', `/imposters/${port}`)).status, 200);
}
