import { demoEhr } from '../../demo/demo-accounts.js';
import { startEhr } from '../../demo/ehr/server.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let portal: TestPortal;
let ehr: Awaited<ReturnType<typeof startEhr>>;

beforeAll(async () => {
  portal = await startPortal({ config: { ehr: { callers: [demoEhr] } } });
  ehr = await startEhr({ port: 0, portal: portal.issuer, app: 'http://localhost:4802' });
});

afterAll(async () => {
  await ehr.close();
  await portal.close();
});

const launch = (query: Record<string, string>) =>
  fetch(`${ehr.url}/launch?${new URLSearchParams(query)}`, { redirect: 'manual' });

describe('the simulated EHR', () => {
  it('has a page without scripts to choose app and patient', async () => {
    const response = await fetch(ehr.url);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain('<form class="card" action="/launch">');
    expect(page).not.toContain('<script');
    expect(page).toContain('value="http://localhost:4802/launch"');
    expect((await fetch(`${ehr.url}/styles/base.css`)).status).toBe(200);
  });

  it('redirects the browser to the app with the FHIR base and the launch value of the portal', async () => {
    const response = await launch({ app: 'https://app.example/launch?x=1', patient: '1', encounter: '' });
    const address = new URL(response.headers.get('location') ?? '');
    expect([response.status, address.origin + address.pathname]).toEqual([303, 'https://app.example/launch']);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      x: '1',
      iss: portal.fhirBase,
      launch: expect.stringMatching(/^[\w-]{40,}$/),
    });
  });

  it.each([
    ['no app', { patient: '1' }, /launch URL of an app/],
    ['an app that is no address', { app: 'javascript:alert(1)', patient: '1' }, /launch URL of an app/],
    ['an id that is none', { app: 'https://app.example/launch', patient: 'a b' }, /does not take that/],
  ])('shows an error for %s', async (_what, query, text) => {
    const response = await launch(query);
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(text)]);
  });
});
