import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong, itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { clients: [publicApp], users: [people.patient] } });
});

afterAll(() => portal.close());

/** Path, heading and text. The usual run has one of the address and one of the server. */
const errorPages = (
  [
    ['/error/400', 'Oh no!', 'The request cannot be processed. Please try again.'],
    ['/error/404', 'Page not found', "It seems the page you are looking for has been moved, renamed or doesn't exist."],
    [
      '/no/such/page',
      'Page not found',
      "It seems the page you are looking for has been moved, renamed or doesn't exist.",
    ],
    [
      '/error/429',
      'One moment, please',
      'Very many people in your network are using this portal at the moment. Please wait a minute, then load this page again.',
    ],
    ['/error/500', 'Server error', 'It seems a server error occurred. Luckily your data security is all good.'],
  ] as const
).filter(([path]) => isLong || path === '/no/such/page' || path === '/error/500');

describe('The error pages', () => {
  it.each(errorPages)('show %s', async (path, heading, text) => {
    const page = await browser.open();
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    await page.goto(portal.issuer + path);
    await expectPage(page, path, heading);
    await expectText(page, text);
    // They request neither session nor settings, because the server may have failed.
    expect(calls.filter((call) => call.startsWith('/api/'))).toEqual([]);
  });

  itInLongRun('lead to the start page', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/error/500`);
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await expectPage(page, '/welcome', 'Welcome to Gatehouse');
  });

  it.each([
    ['an unknown client', { client_id: 'unknown' }],
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/callback' }],
  ])('answer %s, and the browser is not redirected', async (_what, parameters) => {
    browser.expectFailure('/connect/authorize', 400);
    const page = await browser.open();
    const visited: string[] = [];
    page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname));
    const app = new SmartApp(portal, { parameters });
    const answer = await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    expect(answer?.status()).toBe(400);
    await expectPage(page, '/connect/authorize', 'Oh no!');
    await expectText(page, 'The request cannot be processed. Please try again.');
    expect(visited).toEqual(['/connect/authorize']);
  });

  it('appear when an API call fails in the server', async () => {
    browser.expectFailure('/api/session/login', 500);
    const page = await browser.open();
    await page.route('**/api/session/login*', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`${portal.issuer}/login`);
    await expectPage(page, '/error/500', 'Server error');
  });

  itInLongRun('appear for a consent page without an authorization request', async () => {
    browser.expectFailure('/api/consent', 400);
    browser.expectFailure('/api/authorization', 400);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const unknown = `/connect/authorize/callback?${new URLSearchParams({ ix: 'a'.repeat(43) })}`;
    for (const query of ['', `?${new URLSearchParams({ returnUrl: unknown })}`]) {
      await page.goto(`${portal.issuer}/user/consent${query}`);
      await expectPage(page, '/error/400', 'Oh no!');
    }
  });
});
