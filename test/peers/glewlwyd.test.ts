import { decodeJwt } from 'jose';
import type { CurrentUser } from '../../src/contract/session.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { freePorts, startPortal, type TestPortal } from '../support/portal/portal.js';
import { beginExternalSignIn } from '../support/providers/external-sign-in.js';
import { type Glewlwyd, hasGlewlwyd, startGlewlwyd } from '../support/providers/glewlwyd.js';
import { providerEntry } from '../support/providers/identity-provider.js';

const password = 'quiet-harbour-6612';
// Skipped where Debian's packages are not available.
const describeWithGlewlwyd = hasGlewlwyd ? describe : describe.skip;

describeWithGlewlwyd('Glewlwyd as the identity provider', () => {
  let glewlwyd: Glewlwyd;
  let portal: TestPortal;

  beforeAll(async () => {
    const [port] = await freePorts(1);
    const issuer = `http://localhost:${port}`;
    glewlwyd = await startGlewlwyd(`${issuer}/federation/glewlwyd/signin`);
    portal = await startPortal({
      issuer,
      ports: [port ?? 0],
      config: {
        clients: [publicApp],
        identityProviders: [
          providerEntry({
            scheme: 'glewlwyd',
            displayName: 'Glewlwyd',
            authority: glewlwyd.authority,
            scope: 'openid',
          }),
        ],
      },
    });
    const user = { name: 'Greta Foreign', email: 'greta@foreign.example', password };
    await glewlwyd.addUser({ username: 'greta', ...user, fhirUser: 'Patient/1' });
    await glewlwyd.addUser({ username: 'ivo', name: 'Ivo Incomplete', email: 'ivo@foreign.example', password });
  });

  afterAll(async () => {
    await portal?.close();
    await glewlwyd?.close();
  });

  const come = async (username: string, browser = new Agent(portal.issuer), returnUrl?: string) => {
    const { location = '' } = await beginExternalSignIn(browser, 'glewlwyd', returnUrl);
    return { browser, callback: await glewlwyd.signIn(location, username, password) };
  };

  it('signs users in, without `iss` in its response', async () => {
    const { browser, callback } = await come('greta');
    expect(new URL(callback).searchParams.has('code')).toBe(true);
    expect(new URL(callback).searchParams.has('iss')).toBe(false);
    expect((await browser.get(callback)).location).toBe(`${portal.issuer}/`);
    expect((await browser.get('/api/session')).json<CurrentUser & Record<string, unknown>>()).toMatchObject({
      fullName: 'Greta Foreign',
      email: 'greta@foreign.example',
      userType: 'Patient',
      isExternal: true,
    });
    const [account] = await portal.query<{ issuer: string }>('SELECT issuer FROM account');
    expect(account?.issuer).toBe(glewlwyd.authority);
  });

  it('signs users in to an app', async () => {
    const app = new SmartApp(portal);
    const { browser, callback } = await come('greta', app.browser, await app.begin());
    const consent = new URL(await app.follow((await browser.get(callback)).location ?? ''));
    expect(consent.pathname).toBe('/user/consent');
    const returnUrl = consent.searchParams.get('returnUrl') ?? '';
    await app.consent(returnUrl, await app.offeredScopes(returnUrl));
    const landed = new URL(await app.follow(returnUrl));
    const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Record<string, string>>();
    expect(tokens.patient).toBe('1');
    // Glewlwyd's auth_time is 0; the portal uses the time of the user's return.
    expect(decodeJwt(tokens.id_token ?? '').auth_time).toBeGreaterThan(1_700_000_000);
  });

  it('is accepted for a new sign-in that an app requires, although it returns no auth_time', async () => {
    const app = new SmartApp(portal, { parameters: { prompt: 'login' } });
    const { browser, callback } = await come('greta', app.browser, await app.begin());
    const { location = '' } = await browser.get(callback);
    expect(new URL(await app.follow(location)).pathname).toBe('/user/consent');
  });

  it('sends users without a FHIR record, too, whose account stays incomplete', async () => {
    const { browser, callback } = await come('ivo');
    expect((await browser.get(callback)).location).toBe(`${portal.issuer}/account/error`);
  });

  it('K-01 accepts a code once, and so does the portal', async () => {
    const { browser, callback } = await come('greta');
    expect((await browser.get(callback)).status).toBe(303);
    expect((await browser.get(callback)).status).toBe(400);
  });
});
