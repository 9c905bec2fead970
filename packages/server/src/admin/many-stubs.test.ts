// The bytes of many stubs are kept from one answer to the next: they must be those of the stubs as they are now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine, freePort, withAdmin } from './admin.test-help.js';

const stub = (path: string) => ({ predicates: [{ equals: { path } }], responses: [{ is: { body: path } }] });

test('an imposter with many stubs shows them as they are after each kind of change', () => {
  const imposters = engine('rift', {}, '127.0.0.1');
  return withAdmin('rift', { imposters }, async ({ call }) => {
    const port = await freePort();
    const stubs = Array.from({ length: 40 }, (_, index) => stub(`/${index % 38}`));
    await call('POST', '/imposters', { protocol: 'http', port, recordMatches: true, stubs });
    const imposter = imposters.get(String(port))!;
    const seen = new Set<string>();
    const changed = async (change: () => unknown) => {
      await change();
      const { body } = await call('GET', `/imposters/${port}`);
      const base = JSON.parse(body)._links.self.href.replace(`/imposters/${port}`, '');
      assert.equal(body, JSON.stringify(imposter.toJson('full', { linkBase: base }), null, 2));
      assert.ok(!seen.has(body), 'the change shows');
      seen.add(body);
    };
    const path = `/imposters/${port}/stubs`;
    await changed(() => undefined);
    await changed(() => call('POST', path, { stub: stub('/new') }));
    await changed(() => call('POST', path, { stub: stub('/1') }));
    await changed(() => call('POST', path, { index: 3, stub: stub('/at 3') }));
    await changed(() => call('POST', path, { stub: stub('/last') }));
    await changed(() => imposter.stubs[2]!.addResponse({ is: { body: 'recorded' } }));
    await changed(() => call('POST', path, { stub: stub('/after a record') }));
    await changed(() => call('DELETE', `${path}/5`));
    await changed(() => call('PUT', `${path}/0`, stub('/other')));
    await changed(() => fetch(`http://127.0.0.1:${port}/new`));
    await changed(() => call('POST', path, { stub: stub('/after a match') }));
    await changed(() => {
      for (const each of imposter.stubs) each.matches = [];
    });
    await changed(() => call('POST', path, { stub: stub('/after matches have gone') }));
    await changed(() => call('PUT', path, { stubs: stubs.toReversed() }));
    await changed(() => call('POST', path, { stub: stub('/1') }));
  });
});
