import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectLogin, expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients: [publicApp] } });
});

afterEach(() => browser.closePages());
afterAll(() => portal.close());

/** A request that leads to the consent page. */
const requestOfApp = () =>
  `${portal.issuer}/connect/authorize?${new SmartApp(portal, { scope: 'patient/Goal.rs' }).query()}`;

/**
 * Kilobytes of all scripts that a new browser loads at an address, compressed as it asks for them where there is TLS.
 */
async function scriptSize(path: string, heading: string): Promise<number> {
  const page = await browser.open({ cold: true });
  const loaded: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') loaded.push(request.url());
  });
  if (path.startsWith('/admin')) await signInByApi(page, portal.issuer, people.admin);
  if (path.startsWith('/user')) await signInByApi(page, portal.issuer, people.patient);
  await page.goto(path === '/user/consent' ? requestOfApp() : portal.issuer + path);
  if (path === '/login') await expectLogin(page);
  else await expectPage(page, path, heading);
  await page.waitForLoadState('networkidle');
  const sizes = loaded.map(async (url) => {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } });
    await answer.body?.cancel();
    return Number(answer.headers.get('content-length'));
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

/** Path, heading and thousands of bytes. The usual run has the two pages that most users see. */
const limits = (
  [
    // 180 before passkeys, which may cost 5; the code of their ceremonies is loaded when one begins.
    // Each page of the portal costs its line in the table of pages.
    ['/login', 'Sign in', 184],
    // What proves a user is loaded by the pages behind the link.
    ['/password/forgot', 'Forgot your password?', 182],
    // 217 before users could act for others: banner, sentences with the patient's name, and four pages more.
    ['/user/consent', `${publicApp.clientName} is requesting your permissions`, 221],
    ['/user/grants', 'Manage Apps', 234],
    ['/user/access-log', 'Who has seen my record', 237],
    ['/admin/dashboard', 'Dashboard', 250],
  ] as const
).filter(([path]) => isLong || path === '/login' || path === '/user/consent');

describe('The scripts of a page', () => {
  it.each(limits)('of %s are no more than is wanted', async (path, heading, limit) => {
    const size = await scriptSize(path, heading);
    expect(size).toBeGreaterThan(100);
    expect(size).toBeLessThanOrEqual(limit);
  });
});
