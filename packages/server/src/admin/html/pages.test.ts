import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort, withAdmin } from '../admin.test-help.js';
import { docGroups } from './docs-page.js';
import { escapeHtml, markup } from './markup.js';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const hostile = `</script><script>alert(1)</script><img src=x onerror="alert('x')">&"'`;

test('markup escapes what is put into it, but not other markup', () => {
  assert.equal(
    markup`<p title="${hostile}">${markup`<b>${1}</b>`}${[null, undefined, false, '<']}</p>`.text,
    `<p title="${escapeHtml(hostile)}"><b>1</b>&lt;</p>`,
  );
});

test('what an imposter holds appears on its pages as text only', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    const imposter = {
      protocol: 'http',
      port,
      name: hostile,
      defaultResponse: { body: hostile },
      stubs: [
        {
          [hostile]: hostile,
          predicates: [{ equals: { path: hostile } }, { not: { exists: { [hostile]: true } } }],
          responses: [{ is: { body: hostile, headers: { [hostile]: hostile } } }],
        },
      ],
    };
    assert.equal((await call('POST', '/imposters', imposter)).status, 201);
    for (const path of ['/', '/imposters', `/imposters/${port}`, `/imposters/${port}?replayable=true`]) {
      const page = await call('GET', path, undefined, browser);
      assert.equal(page.status, 200, path);
      assert.match(page.headers['content-type']!, /^text\/html/);
      assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
      assert.ok(!page.body.includes('<script>'), path);
      assert.ok(!/<img[^>]+onerror/.test(page.body), path);
      assert.match(page.body, /&lt;img src=x onerror=/);
    }
  }));

test('pages have the titles that scripts look for', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', { protocol: 'http', port });
    for (const [path, title] of [
      ['/', 'mountebank - over the wire test doubles'],
      ['/imposters', 'mountebank - running imposters'],
      [`/imposters/${port}`, 'mountebank - imposter information'],
      ['/logs', 'mountebank - logs'],
      ['/config', 'mountebank - configuration'],
    ] as const) {
      const page = await call('GET', path, undefined, browser);
      assert.equal(page.headers.vary, 'Accept');
      assert.ok(page.body.includes(`<title>${title}</title>`), path);
    }
  }));

test('every documentation page is there and every link of every page leads somewhere', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const pages = ['/', '/imposters', '/logs', '/config', '/releases', '/releases/v2.9.1'];
    for (const { pages: group } of docGroups) pages.push(...group.map(({ path }) => path));
    const seen = new Set<string>();
    for (const path of pages) {
      const page = await call('GET', path, undefined, browser);
      assert.equal(page.status, 200, path);
      assert.match(page.headers['content-type']!, /^text\/html/, path);
      for (const [, target] of page.body.matchAll(/(?:href|src)="(\/[^"]*)"/g)) seen.add(target!);
      for (const text of page.body.matchAll(/<h1>/g)) assert.equal(text.length, 1);
      assert.equal(page.body.match(/<h1>/g)?.length, 1, path);
    }
    for (const target of seen) assert.equal((await call('GET', target)).status, 200, target);
  }));

test('the feed has ten releases a page and says whether there are more', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const first = await call('GET', '/feed', undefined, { Host: 'h' });
    assert.equal(first.headers['content-type'], 'application/atom+xml; charset=utf-8');
    assert.equal(first.body.match(/<entry>/g)?.length, 10);
    assert.match(first.body, /href='http:\/\/h\/feed\?page=2' rel='next'/);
    for (const page of ['0', '99', 'x', '-1', '1.5']) {
      const empty = await call('GET', `/feed?page=${page}`);
      assert.equal(empty.status, 200, page);
      assert.ok(!empty.body.includes('<entry>'), page);
      assert.ok(!empty.body.includes("rel='next'"), page);
    }
    const unknown = await call('GET', '/releases/v0.0.0');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.body, 'No such release');
  }));

test('static files have a validator and answer 304 to it', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const file = await call('GET', '/stylesheets/application.css');
    assert.equal(file.status, 200);
    assert.equal(file.headers['cache-control'], 'public, max-age=0');
    assert.equal(file.headers['accept-ranges'], 'bytes');
    const again = await call('GET', '/stylesheets/application.css', undefined, { 'If-None-Match': file.headers.etag! });
    assert.equal(again.status, 304);
    assert.equal(again.body, '');
    const folder = await call('GET', '/images', undefined, { Host: 'h' });
    assert.equal(folder.status, 301);
    assert.equal(folder.headers.location, 'http://h/images/');
    for (const path of ['/images/', '/images/../server.js', '/images/%2e%2e/x', '/favicon.ico', '/scripts/nope.js']) {
      assert.equal((await call('GET', path)).status, 404, path);
    }
  }));
