import type { Page, Route } from 'playwright-core';
import { useBrowser } from '../../support/browser/browser.js';
import { expectText } from '../../support/browser/pages.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn, isLong, itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const call = '/api/settings';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], branding: { organizationTitle: 'Harbour Hospital' } },
  });
});
afterAll(() => portal.close());

const failures = [400, 429, 502, 503, 'offline'] as const;
type Failure = (typeof failures)[number];
/** In the usual run. */
const usual: Failure[] = [503, 'offline'];
const places = [
  { path: '/login', heading: 'Sign in' },
  { path: '/welcome', heading: 'Welcome to Gatehouse' },
];
const cases = failures
  .filter((failure) => isLong || usual.includes(failure))
  .flatMap((failure, number) => inTurn(places, number).map((place) => ({ failure, ...place })));

/** Opens the page while its settings fail; `answer` ends the failure. Times are of the page's own clock. */
async function openWithout(
  path: string,
  failure: Failure,
): Promise<{ page: Page; asked(): Promise<number[]>; answer(): void }> {
  browser.expectFailure(call, failure);
  const page = await browser.open();
  await page.clock.install();
  await page.addInitScript(`
    window.asked = [];
    const { fetch } = window;
    window.fetch = (request, ...more) => {
      if (request.url?.endsWith('${call}')) asked.push(Date.now());
      return fetch(request, ...more);
    };`);
  let fails = true;
  await page.route(`**${call}`, (route: Route) => {
    if (!fails) return route.continue();
    return failure === 'offline' ? route.abort('internetdisconnected') : route.fulfill({ status: failure, body: '' });
  });
  await page.goto(portal.issuer + path);
  return {
    page,
    asked: () => page.evaluate<number[]>('asked'),
    answer() {
      fails = false;
    },
  };
}

describe('Without settings', () => {
  it.each(cases)(
    '$path is shown when the settings fail with $failure, says so, and repeats the request seldom',
    async ({ path, heading, failure }) => {
      const { page, asked } = await openWithout(path, failure);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await expectText(page, 'Something went wrong.');
      const before = (await asked()).length;
      for (let second = 0; second < 10; second += 1) await page.clock.runFor(1_000);
      expect((await asked()).length - before).toBeLessThanOrEqual(3);
      expect(await page.getByRole('heading', { level: 1, name: heading }).isVisible()).toBe(true);
    },
  );
});

itInLongRun(
  'settings that failed are requested again after growing pauses, without a message, until they load',
  async () => {
    const { page, asked, answer } = await openWithout('/login', 503);
    const user = page.getByLabel('Email', { exact: true });
    await user.fill('amelia');
    const goOnUntil = async (happened: () => Promise<boolean>) => {
      while (!(await happened())) await page.clock.runFor(500);
    };
    await goOnUntil(async () => (await asked()).length === 4);
    const times = await asked();
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
    expect(pauses[0]).toBeGreaterThanOrEqual(2_000);
    expect(await page.getByText('Something went wrong.').count()).toBe(0);
    answer();
    await goOnUntil(async () => (await page.title()) === 'Harbour Hospital');
    await page.clock.runFor(120_000);
    expect(await asked()).toHaveLength(5);
    expect(await user.inputValue()).toBe('amelia');
  },
);
