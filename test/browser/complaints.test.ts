import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser/browser.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let portal: TestPortal;
const browser = new TestBrowser();

beforeAll(async () => {
  portal = await startPortal();
  await browser.start();
});
afterAll(async () => {
  await browser.stop();
  await portal.close();
});

/** The error of the test browser when this address could not be fetched. */
async function complaintAbout(path: string): Promise<string> {
  const page = await browser.open();
  await page.goto(`${portal.issuer}/error/404`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.context().setOffline(true);
  const heard = page.waitForEvent('console', (message) => message.location().url.endsWith(path));
  await page.evaluate(`fetch('${path}', { cache: 'reload' }).catch(() => undefined)`);
  await heard;
  return browser.settle().then(
    () => '',
    (error: Error) => error.message,
  );
}

describe('The test browser', () => {
  it.each(['/favicon.svg', '/favicon.ico', '/manifest.json', '/site.webmanifest', '/assets/index.js.map'])(
    'does not report %s, which browsers request by themselves',
    async (path) => {
      expect(await complaintAbout(path)).toBe('');
    },
  );

  it.each(['/api/settings', '/assets/index.js', '/favicons'])(
    'reports %s, which a page requested and did not get',
    async (path) => {
      expect(await complaintAbout(path)).toContain(path);
    },
  );

  describe('for a further test', () => {
    const open = async () => {
      const page = await browser.open();
      await page.goto(`${portal.issuer}/error/404`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    };
    const stateOf = async (page: Page) => ({
      cookies: (await page.context().cookies()).map(({ name }) => name),
      stored: await page.evaluate("[localStorage.getItem('left'), sessionStorage.getItem('left')]"),
      online: await page.evaluate('navigator.onLine'),
      mayRead: await page.evaluate(
        "navigator.permissions.query({ name: 'clipboard-read' }).then(({ state }) => state)",
      ),
    });

    it('has the cache of the test before, and neither its cookies, storage and permissions nor its network', async () => {
      const page = await open();
      const context = page.context();
      const before = await stateOf(page);
      await context.addCookies([{ name: 'left', value: 'x', url: portal.issuer }]);
      await context.grantPermissions(['clipboard-read']);
      await page.evaluate("localStorage.setItem('left', 'x'); sessionStorage.setItem('left', 'x')");
      await context.setOffline(true);
      expect(await stateOf(page)).toEqual({ cookies: ['left'], stored: ['x', 'x'], online: false, mayRead: 'granted' });
      await browser.settle();
      const next = await open();
      expect(next.context()).toBe(context);
      expect(await stateOf(next)).toEqual(before);
      expect(before).toMatchObject({ cookies: [], stored: [null, null], online: true });
      await browser.settle();
    });

    it('is a new one after another clock, and where its cache must be empty', async () => {
      const page = await open();
      await page.clock.install();
      await browser.settle();
      const next = await open();
      expect(next.context()).not.toBe(page.context());
      await browser.settle();
      expect((await browser.open({ emptyCache: true })).context()).not.toBe(next.context());
      await browser.settle();
    });
  });
});
