import { TestBrowser } from '../support/browser/browser.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { isLong } from '../support/runs.js';

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

/** The usual run tries one. */
const some = (paths: string[]) => (isLong ? paths : paths.slice(0, 1));

describe('The test browser', () => {
  it.each(some(['/favicon.svg', '/favicon.ico', '/manifest.json', '/site.webmanifest', '/assets/index.js.map']))(
    'does not report %s, which browsers request by themselves',
    async (path) => {
      expect(await complaintAbout(path)).toBe('');
    },
  );

  it.each(some(['/api/settings', '/assets/index.js', '/favicons']))(
    'reports %s, which a page requested and did not get',
    async (path) => {
      expect(await complaintAbout(path)).toContain(path);
    },
  );
});
