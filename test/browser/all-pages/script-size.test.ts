import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectLogin, expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type MailSink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let sink: MailSink;
let portal: TestPortal;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    config: { users: [people.admin, people.patient], clients: [publicApp], email: sink.config },
  });
});

afterEach(() => browser.closePages());
afterAll(async () => {
  await portal.close();
  await sink.stop();
});

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
    ['/password/forgot', 'Forgot your password?', 184],
    // 217 before users could act for others: banner, sentences with the patient's name, and the lines of new pages.
    ['/user/consent', `${publicApp.clientName} is requesting your permissions`, 223],
    // 9 more than before users could act for others: calls and words about them, which the areas share.
    ['/user/grants', 'Manage Apps', 245],
    ['/user/access-log', 'Who has seen my record', 250],
    ['/admin/dashboard', 'Dashboard', 259],
  ] as const
).filter(([path]) => isLong || path === '/login' || path === '/user/consent');

describe('The scripts of a page', () => {
  it.each(limits)('of %s are no more than is wanted', async (path, heading, limit) => {
    const size = await scriptSize(path, heading);
    expect(size).toBeGreaterThan(100);
    expect(size).toBeLessThanOrEqual(limit);
  });
});

/**
 * Thousands of bytes of what the document and the preload links of a page name, without what the page loads later. A
 * page that begins with more is to load a part of it later, or has a reason for its new number.
 */
const beginnings: Record<string, number> = {
  '/welcome': 170,
  '/user/paused-app': 174,
  '/user/family-news': 177,
  '/user/family/ended/:id': 180,
  '/account/error': 181,
  '/login': 184,
  '/password/forgot': 185,
  '/user/disclaimer': 187,
  '/user/consent': 189,
  '/account/keep': 198,
  '/ask': 198,
  '/user/launch-context': 203,
  '/user/receipts/:id': 203,
  '/invitation': 208,
  '/user/grants': 214,
  '/user/family/request': 216,
  '/user/family/birthdays/:id': 218,
  '/user/family/requests/:id': 218,
  '/account/recovery': 219,
  '/register': 220,
  '/user/family/invite': 221,
  '/admin/stronger-sign-in': 222,
  '/account/activate': 223,
  '/password/reset': 223,
  '/user/family': 230,
  '/user/two-factor-required': 236,
  '/user/access-log': 250,
  '/admin/connect-fhir-server': 251,
  '/admin/api': 252,
  '/admin/age-rules': 254,
  '/admin/try-launch': 256,
  '/admin/openid-configuration': 256,
  '/admin/readiness': 256,
  '/admin/smart-configuration': 259,
  '/admin/dashboard': 260,
  '/admin/activity': 262,
  '/admin/activity/:reference': 263,
  '/admin/requests': 266,
  '/admin/audit': 272,
  '/user/account-settings': 273,
  '/admin/account-settings': 278,
  '/admin/user-management': 293,
  '/admin/client-management': 325,
};

describe('The scripts that a page begins with', () => {
  const client = join(process.cwd(), 'dist/client');
  const links: Record<string, string[]> = JSON.parse(readFileSync(join(client, '.preload-links.json'), 'utf8'));
  const document = readFileSync(join(client, 'index.html'), 'utf8');
  const ofAll = [...document.matchAll(/(\/assets\/[^"]+\.js)"/g)].map(([, file = '']) => file);
  // Some hundred bytes are not compressed.
  const sizeOf = (file: string) =>
    statSync([`${file}.br`, file].map((one) => join(client, one)).find(existsSync) ?? '').size;

  it('are within a limit of each page, which is not far from them', () => {
    const sizes = Object.entries(links).map(([path, files]) => {
      const size = [...new Set([...ofAll, ...files])].reduce((sum, file) => sum + sizeOf(file), 0) / 1000;
      return { path, size, limit: beginnings[path] ?? 0 };
    });
    expect(sizes.map(({ path }) => path).toSorted()).toEqual(Object.keys(beginnings).toSorted());
    expect(sizes.filter(({ size, limit }) => size > limit || size < 0.93 * limit)).toEqual([]);
  });
});
