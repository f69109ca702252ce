import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectConsent, expectLogin, expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const app = {
  ...publicApp,
  contactUsUrl: 'https://app.example/contact',
  privacyPolicyUrl: 'https://app.example/privacy',
  termsOfServiceUrl: 'https://app.example/terms',
};
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients: [app] } });
});
afterAll(() => portal.close());

it('T-07 the pages send requests to no host but the portal', async () => {
  const asked = new Set<string>();
  const open = async () => {
    const page = await browser.open();
    page.context().on('request', (request) => asked.add(new URL(request.url()).origin));
    return page;
  };
  const person = await open();
  await person.goto(`${portal.issuer}/login`);
  await expectLogin(person);
  await signInByApi(person, portal.issuer, people.patient);
  await person.goto(`${portal.issuer}/connect/authorize?${new SmartApp(portal).query()}`);
  await expectConsent(person, app.clientName);
  await person.goto(`${portal.issuer}/user/grants`);
  await expectPage(person, '/user/grants', 'Manage Apps');
  const admin = await open();
  await signInByApi(admin, portal.issuer, people.admin);
  const [client] = await portal.query<{ id: string }>('SELECT id FROM client');
  for (const path of [
    '/admin/dashboard',
    '/admin/user-management',
    '/admin/client-management',
    `/admin/try-launch?client=${client?.id}`,
    '/admin/activity',
    '/admin/audit',
    '/admin/readiness',
    '/admin/connect-fhir-server',
    '/admin/openid-configuration',
    '/admin/api',
  ]) {
    await admin.goto(portal.issuer + path);
    await admin.getByRole('heading', { level: 1 }).waitFor();
    await admin.waitForLoadState('networkidle');
  }
  // A data: URL causes no request.
  expect([...asked].filter((origin) => origin !== 'null')).toEqual([portal.issuer]);
});
