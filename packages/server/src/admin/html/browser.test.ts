// The pages in a real browser: Debian's chromium, headless. Where there is none the tests are not there either; CI
// installs it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';
import { docGroups } from './docs-page.js';

const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
const hostile = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">`;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;

/** A page whose every error (console, exception, Content-Security-Policy) fails the test. */
async function withPage(
  admin: TestAdmin,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ baseURL: `http://127.0.0.1:${admin.server.port}`, ...options });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => problems.push(`dialog ${dialog.message()}`));
    await use(page);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

async function createImposter({ call }: TestAdmin): Promise<number> {
  const port = await freePort();
  const created = await call('POST', '/imposters', {
    protocol: 'http',
    port,
    name: 'users',
    recordRequests: true,
    recordMatches: true,
    stubs: [
      { predicates: [{ equals: { path: '/users/1' } }], responses: [{ is: { body: { id: 1, name: 'Ada' } } }] },
      { responses: [{ is: { body: hostile } }] },
    ],
  });
  assert.equal(created.status, 201, created.body);
  return port;
}

const tests: Record<string, (admin: TestAdmin) => Promise<void>> = {
  'from the list of imposters a click leads to one, whose stubs and requests can be opened': async (admin) => {
    const port = await createImposter(admin);
    await fetch(`http://127.0.0.1:${port}/users/1?q=${encodeURIComponent(hostile)}`);
    await withPage(admin, {}, async (page) => {
      await page.goto('/imposters');
      await page.getByRole('link', { name: 'users' }).click();
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'users');
      await page.locator('#stub-0 > summary').click();
      assert.match((await page.locator('#stub-0 pre').first().textContent())!, /"name": "Ada"/);
      await page.locator('#stub-1 > summary').click();
      assert.ok((await page.locator('#stub-1 pre').textContent())!.includes(JSON.stringify(hostile)));
      await page.locator('#request-0 > summary').click();
      assert.match((await page.locator('#request-0 pre').textContent())!, /"path": "\/users\/1"/);
      assert.equal(await page.title(), 'mountebank - imposter information');
      assert.equal(await page.locator('main img, main script').count(), 0);
    });
  },

  'a live page shows new requests and leaves open what was open': async (admin) => {
    const port = await createImposter(admin);
    await withPage(admin, {}, async (page) => {
      await page.goto(`/imposters/${port}`);
      await page.locator('#stub-0 > summary').click();
      const live = page.getByRole('button', { name: 'Live' });
      await live.click();
      assert.equal(await live.getAttribute('aria-pressed'), 'true');
      await fetch(`http://127.0.0.1:${port}/users/1`);
      await page.locator('#request-0').waitFor();
      assert.equal(await page.locator('#stub-0').getAttribute('open'), '');
      await page.locator('#stub-0 .tag', { hasText: '1 matched' }).waitFor();
      await live.click();
      assert.equal(await live.getAttribute('aria-pressed'), 'false');
    });
  },

  'a followed log grows': async (admin) => {
    await withPage(admin, {}, async (page) => {
      await page.goto('/logs');
      assert.equal(await page.locator('#logs li').count(), 1);
      await page.getByRole('button', { name: 'Follow' }).click();
      logged.push({ level: 'warn', message: hostile, timestamp: '2026-01-02T03:04:05.678Z' });
      await page.locator('#logs li.level-warn', { hasText: hostile }).waitFor();
      assert.equal(await page.locator('#logs li').count(), 2);
    });
  },

  'without JavaScript everything can be read and nothing is offered that does not work': async (admin) => {
    const port = await createImposter(admin);
    await withPage(admin, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`/imposters/${port}`);
      await page.locator('#stub-0 > summary').click();
      assert.ok(await page.locator('#stub-0 pre').isVisible());
      assert.equal(await page.getByRole('button').count(), 0);
      await page.goto('/logs');
      assert.equal(await page.getByRole('button').count(), 0);
    });
  },

  'the first stop of the tab key skips to the content': async (admin) => {
    await withPage(admin, {}, async (page) => {
      await page.goto('/');
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    });
  },

  'pages fit narrow and wide windows and pass an accessibility check in light and dark': async (admin) => {
    const port = await createImposter(admin);
    await fetch(`http://127.0.0.1:${port}/users/1`);
    await fetch(`http://127.0.0.1:${port}/${'long/'.repeat(60)}`, { method: 'POST', body: hostile.repeat(10) });
    const kinds = ['/', '/imposters', `/imposters/${port}`, '/logs', '/config', '/releases', '/docs/api/predicates'];
    const all = new Set([...kinds, ...docGroups.flatMap(({ pages }) => pages.map(({ path }) => path))]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await withPage(admin, { colorScheme, bypassCSP: true }, async (page) => {
        for (const path of colorScheme === 'light' ? all : kinds) {
          await page.setViewportSize({ width: 1280, height: 900 });
          await page.goto(path);
          await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
          for (const width of [1280, 320]) {
            await page.setViewportSize({ width, height: 900 });
            const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
            assert.ok(wide <= width, `${path} is ${wide} wide in ${width}`);
          }
          await page.evaluate(axe);
          const violations = await page.evaluate(
            "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
          );
          assert.deepEqual(violations, [], `${path} in ${colorScheme}`);
        }
      });
    }
  },
};

const logged: { level: string; message: string; timestamp: string }[] = [];

if (executablePath !== undefined) {
  before(async () => {
    browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  after(() => browser.close());
  for (const [name, run] of Object.entries(tests)) {
    test(name, () => {
      logged.splice(0, logged.length, { level: 'info', message: 'started', timestamp: '2026-01-02T03:04:05.678Z' });
      const startOptions = () => ({ port: 2525, log: { level: 'info', transports: { file: { path: 'mb.log' } } } });
      return withAdmin('mountebank', { logEntries: async () => logged, startOptions }, run);
    });
  }
}
