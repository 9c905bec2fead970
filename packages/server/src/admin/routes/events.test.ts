import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';

interface Frame {
  readonly event: string;
  readonly id?: number;
  readonly data: { readonly [key: string]: unknown };
}

interface Reader {
  readonly response: IncomingMessage;
  /** The next frames; waits for them. */
  next(count: number): Promise<Frame[]>;
  leave(): void;
  readonly ended: Promise<void>;
}

function listen({ server }: TestAdmin, path: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const call = get({ host: '127.0.0.1', port: server.port, path, agent: false }, (response) => {
      let text = '';
      let wake = () => {};
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        wake();
      });
      const take = (): Frame | undefined => {
        const end = text.indexOf('\n\n');
        if (end < 0) return undefined;
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const id = field('id');
        const data = JSON.parse(field('data')!) as Frame['data'];
        return { event: field('event')!, ...(id === undefined ? {} : { id: Number(id) }), data };
      };
      const next = async (count: number) => {
        const frames: Frame[] = [];
        while (frames.length < count) {
          const frame = take();
          if (frame !== undefined) frames.push(frame);
          else {
            await new Promise<void>((woken) => {
              wake = woken;
            });
          }
        }
        return frames;
      };
      const ended = new Promise<void>((over) => response.once('end', over));
      resolve({ response, next, leave: () => call.destroy(), ended });
    });
    call.on('error', reject);
  });
}

const touch = async (port: number, path: string, headers: Record<string, string> = {}) =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).arrayBuffer();

test('requests and changes come as they happen, numbered in one sequence', () =>
  withAdmin('rift', {}, async (admin) => {
    const { call } = admin;
    const reader = await listen(admin, '/events');
    const { headers, statusCode } = reader.response;
    assert.deepEqual(
      [statusCode, headers['content-type'], headers['cache-control'], headers['x-accel-buffering']],
      [200, 'text/event-stream', 'no-cache', 'no'],
    );
    const [hello] = await reader.next(1);
    assert.deepEqual(hello, {
      event: 'hello',
      data: { engineVersion: '0.0.0', seq: 0, types: ['requests', 'lifecycle'], port: null },
    });
    const port = await freePort();
    await call('POST', '/imposters', { protocol: 'http', port, recordRequests: true });
    await touch(port, '/one?a=b');
    await call('POST', `/imposters/${port}/stubs`, { stub: { responses: [{ is: {} }] } });
    for (const word of ['disable', 'disable', 'enable']) await call('POST', `/imposters/${port}/${word}`);
    await call('DELETE', `/imposters/${port}`);
    await call('DELETE', '/imposters');
    const frames = await reader.next(7);
    assert.deepEqual(
      frames.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7],
    );
    assert.deepEqual(
      frames.map(({ event, data }) => (event === 'imposter' ? data : event)),
      [
        { action: 'created', port },
        'request',
        { action: 'stubsChanged', port },
        { action: 'enabledChanged', port },
        { action: 'enabledChanged', port },
        { action: 'deleted', port },
        { action: 'allDeleted' },
      ],
    );
    const { request, ...where } = frames[1]!.data as { request: { [key: string]: unknown } };
    assert.deepEqual(where, { port, flowId: String(port), index: 1 });
    assert.deepEqual([request.path, request.query], ['/one', { a: 'b' }]);
    assert.equal(typeof request.timestamp, 'string');
    assert.equal('matchOutcome' in request, false, 'it is told before it is matched');
    reader.leave();
  }));

test('a stream of one imposter has its requests only, chosen by clauses', () =>
  withAdmin('mountebank', {}, async (admin) => {
    const [port, other] = [await freePort(), await freePort()];
    const _rift = { flowState: { flowIdSource: 'header:X-Flow' } };
    for (const each of [port, other]) {
      await admin.call('POST', '/imposters', { protocol: 'http', port: each, recordRequests: true, _rift });
    }
    const clauses = `match=path=/yes&match=flow_id=${port}`;
    const reader = await listen(admin, `/imposters/${port}/savedRequests/stream?types=nonsense&${clauses}`);
    assert.deepEqual((await reader.next(1))[0]!.data, {
      engineVersion: '0.0.0',
      seq: 0,
      types: ['requests'],
      port,
    });
    await touch(other, '/yes');
    await touch(port, '/no');
    await touch(port, '/yes', { 'X-Flow': 'f' });
    await touch(port, '/yes');
    const [frame] = await reader.next(1);
    assert.equal(frame!.id, 4, 'what others did was counted');
    assert.equal(frame!.data.index, 3);
    reader.leave();
  }));

test('a stream of one imposter hears of the deletion of all', () =>
  withAdmin('rift', {}, async (admin) => {
    const port = await freePort();
    await admin.call('POST', '/imposters', { protocol: 'http', port });
    const reader = await listen(admin, `/events?types=lifecycle&port=${port}`);
    await reader.next(1);
    await admin.call('POST', '/imposters', { protocol: 'http', port: await freePort() });
    await admin.call('DELETE', '/imposters');
    assert.deepEqual(
      (await reader.next(1)).map(({ id, data }) => [id, data]),
      [[2, { action: 'allDeleted' }]],
    );
    reader.leave();
  }));

test('replacing the set tells what became of each imposter', () =>
  withAdmin('mountebank', {}, async (admin) => {
    const [gone, stays, comes] = [await freePort(), await freePort(), await freePort()];
    const of = (...ports: number[]) => ({ imposters: ports.map((port) => ({ protocol: 'http', port })) });
    await admin.call('PUT', '/imposters', of(gone, stays));
    const reader = await listen(admin, '/events');
    await reader.next(1);
    await admin.call('PUT', '/imposters', of(stays, comes));
    assert.deepEqual(
      (await reader.next(3)).map(({ data }) => data),
      [
        { action: 'deleted', port: gone },
        { action: 'replaced', port: stays },
        { action: 'created', port: comes },
      ],
    );
    reader.leave();
  }));

test('nothing is numbered while nobody listens, and streams end with the server', () =>
  withAdmin('rift', {}, async (admin) => {
    await admin.call('DELETE', '/imposters');
    const reader = await listen(admin, '/events');
    assert.equal((await reader.next(1))[0]!.data.seq, 0);
    await admin.server.close(10_000);
    await reader.ended;
  }));

test('what cannot be listened to is refused', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const failure = async (path: string) => {
      const answer = await call('GET', path);
      return [answer.status, (answer.json().errors as { message: string }[])[0]!.message];
    };
    assert.deepEqual(await failure('/events?types=requests,all'), [
      400,
      "unknown types value 'all' (expected requests|lifecycle)",
    ]);
    assert.deepEqual(await failure('/events?port=x'), [400, 'invalid port: x']);
    assert.deepEqual(await failure('/events?port=65000'), [404, 'no imposter on port 65000']);
    assert.deepEqual(await failure('/imposters/65000/savedRequests/stream'), [404, 'Imposter not found on port 65000']);
    assert.equal((await failure('/events?match=body=x'))[0], 400);
  }));
