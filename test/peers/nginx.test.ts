import * as client from 'openid-client';
import type { Page } from 'playwright-core';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { FhirclientApp } from '../support/apps/fhirclient-app.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { useBrowser } from '../support/browser/browser.js';
import { addFirstApp, addPatient } from '../support/browser/client-pages.js';
import { expectConsent, expectLogin, expectNotice, expectPage, expectText } from '../support/browser/pages.js';
import { publicApp, redirectUri } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { hasNginx, type Nginx, startNginx } from '../support/http/nginx.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { freePorts, startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

const base = '/auth';
const { admin, patient } = people;
const newPassword = 'quiet-lantern-5582';
// Skipped where nginx is not available.
const describeBehindNginx = hasNginx ? describe : describe.skip;
if (!hasNginx) console.warn('nginx is not installed: a portal behind a proxy, below a path, is not tested.');

/** A portal behind nginx, which passes the path on unchanged. */
async function startBehindNginx(config: object): Promise<{ portal: TestPortal; nginx: Nginx }> {
  const [port = 0, own = 0] = await freePorts(2);
  const nginx = await startNginx({ port, base, portal: own });
  const trusted = { server: { trustedProxies: ['127.0.0.1'] } };
  const issuer = `http://localhost:${port}${base}`;
  const portal = await startPortal({ issuer, ports: [own], config: { ...trusted, ...config } }).catch(
    async (error: unknown) => {
      await nginx.close();
      throw error;
    },
  );
  return { portal, nginx };
}

describeBehindNginx('A portal at a path of a host, behind nginx', () => {
  const browser = useBrowser();
  let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
  let sink: MailSink;
  let app: FhirclientApp;
  let portal: TestPortal;
  let nginx: Nginx;
  /** Addresses outside of the path that a page requested. */
  const strayed: string[] = [];

  beforeAll(async () => {
    fhirServer = await startFhirServer({ port: 0 });
    sink = await startMailSink();
    app = await FhirclientApp.start();
    ({ portal, nginx } = await startBehindNginx({ fhir: { baseUrl: fhirServer.url }, email: sink.config }));
    await until(async () => (await fetch(`${portal.fhirBase}/metadata`)).ok);
  });

  beforeEach(() => browser.expectFailure(`${base}/api/session`, 401));

  afterEach(() => expect(strayed.splice(0)).toEqual([]));

  afterAll(async () => {
    await portal?.close();
    await nginx?.close();
    await app?.close();
    await sink?.stop();
    await fhirServer?.close();
  });

  async function open(look = {}): Promise<Page> {
    const page = await browser.open(look);
    const { origin } = new URL(portal.issuer);
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin === origin && url.pathname !== base && !url.pathname.startsWith(`${base}/`))
        strayed.push(url.href);
    });
    return page;
  }

  it('is set up, authorizes an app, lists and revokes its grant, and mails working links', async () => {
    const page = await open();
    await page.goto(portal.issuer);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await expectPage(page, '/register', 'Create an Admin Account', base);
    await page.getByLabel('Email', { exact: true }).fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expectPage(page, '/admin/dashboard', 'Dashboard', base);

    await page.getByRole('link', { name: 'Manage users' }).click();
    await expectPage(page, '/admin/user-management', 'Users', base);
    await addPatient(page, patient);

    await page.goto(`${portal.issuer}/admin/client-management`);
    await addFirstApp(page, app.redirectUri);

    for (const [path, title] of [
      ['/admin/openid-configuration', 'OpenID Configuration'],
      ['/admin/smart-configuration', 'SMART Configuration'],
    ] as const) {
      await page.goto(portal.issuer + path);
      await expectPage(page, path, title, base);
      await page.getByText(`${portal.issuer}/connect/authorize`).first().waitFor();
    }
    await page.getByRole('button', { name: /^Account menu of/ }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expectLogin(page, base);

    const person = await open({ width: 390, height: 844 });
    await person.goto(linkInMail(await sink.to(patient.email)).url);
    await expectPage(person, '/account/activate', 'Activate Account', base);
    await person.getByLabel('New password').fill(patient.password);
    await person.getByLabel('Confirm password').fill(patient.password);
    await person.getByRole('button', { name: 'Activate account' }).click();
    await app.launch(person, portal, 'heart-companion', 'openid fhirUser launch/patient patient/Patient.rs');
    await (await expectLogin(person, base)).signIn(patient);
    await (await expectConsent(person, 'Heart Companion', base)).accept.click();
    await app.answer(person);
    const read = await app.inApp<{ id: string }>(person, "return client.request('Patient/1')");
    expect(read.id).toBe('1');

    await person.goto(`${portal.issuer}/user/grants`);
    await expectPage(person, '/user/grants', 'Manage Apps', base);
    await expectText(person, 'Heart Companion');
    await person.goto(`${portal.issuer}/logout`);
    await expectLogin(person, base);
    expect((await person.context().cookies(portal.issuer)).map(({ path }) => path.startsWith(base))).not.toContain(
      false,
    );
  });

  it('resets a forgotten password by a mailed link, and opens the requested page after sign-in', async () => {
    const person = await open();
    await person.goto(`${portal.issuer}/login?returnUrl=${encodeURIComponent(`${base}/user/account-settings`)}`);
    await expectLogin(person, base);
    await person.getByRole('link', { name: 'Forgot Password?' }).click();
    await expectPage(person, '/password/forgot', 'Forgot your password?', base);
    const before = sink.received.length;
    await person.getByLabel('Email').fill(patient.email);
    await person.getByRole('button', { name: 'Send link' }).click();
    await expectText(person, 'Password reset link sent!');
    await until(() => sink.received.length > before);
    await person.goto(linkInMail(await sink.to(patient.email)).url);
    await expectPage(person, '/password/reset', 'Reset your password', base);
    await person.getByLabel('New password').fill(newPassword);
    await person.getByLabel('Confirm password').fill(newPassword);
    // This browser has asked for the link: it is signed in.
    await person.getByRole('button', { name: 'Save and sign in', exact: true }).click();
    await expectNotice(person, 'Your password was changed.');
    await expectPage(person, '/user/grants', 'Manage Apps', base);
    await person.goto(`${portal.issuer}/logout`);
    await expectLogin(person, base);
    await person.goto(`${portal.issuer}/login?returnUrl=${encodeURIComponent(`${base}/user/account-settings`)}`);
    await (await expectLogin(person, base)).signIn({ email: patient.email, password: newPassword });
    await expectPage(person, '/user/account-settings', 'Account settings', base);
  });

  it('shows its own page for an unknown address, which links to the start page', async () => {
    const page = await open();
    await page.goto(`${portal.issuer}/nowhere`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('link', { name: /home/i }).getAttribute('href')).toBe(`${base}/`);
  });

  it('leaves the other paths of the host to other servers', async () => {
    const { origin } = new URL(portal.issuer);
    for (const path of ['/', '/login', '/api/settings', `${base}entication`]) {
      expect(await (await fetch(origin + path)).text()).toBe('another application');
    }
  });
});

describeBehindNginx('openid-client with a portal at a path of a host, behind nginx', () => {
  let portal: TestPortal;
  let nginx: Nginx;

  beforeAll(async () => {
    ({ portal, nginx } = await startBehindNginx({ users: [patient], clients: [publicApp] }));
  });

  afterAll(async () => {
    await portal?.close();
    await nginx?.close();
  });

  it.each(['oidc', 'oauth2'] as const)(
    'finds the portal by %s discovery, signs in, refreshes and signs out',
    async (algorithm) => {
      const config = await client.discovery(new URL(portal.issuer), publicApp.clientId, undefined, client.None(), {
        algorithm,
        execute: [client.allowInsecureRequests],
      });
      expect(config.serverMetadata().issuer).toBe(portal.issuer);
      const person = new SmartApp(portal);
      const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()];
      const request = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid fhirUser launch/patient patient/*.rs offline_access',
        aud: portal.fhirBase,
        state: expectedState,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const landed = await person.complete(patient, undefined, request);
      const tokens = await client.authorizationCodeGrant(config, landed, { pkceCodeVerifier, expectedState });
      const claims = tokens.claims();
      expect(claims).toMatchObject({ iss: portal.issuer, fhirUser: `${portal.fhirBase}/Patient/1` });
      expect(await client.fetchUserInfo(config, tokens.access_token, String(claims?.sub))).toMatchObject({
        fhirUser: `${portal.fhirBase}/Patient/1`,
      });
      expect(await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).toMatchObject({ patient: '1' });
      const leave = client.buildEndSessionUrl(config, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: publicApp.postLogoutRedirectUris[0] ?? '',
      });
      const page = await person.browser.get(leave.href);
      const [action = ''] = /(?<=action=")[^"]+/.exec(page.text) ?? [];
      expect(action).toMatch(new RegExp(`^${portal.issuer}/connect/endsession`));
      const [xsrf = ''] = /(?<=name="xsrf" value=")[^"]*/.exec(page.text) ?? [];
      const answer = await person.browser.postForm(action, { xsrf, logout: 'yes' });
      expect(answer.location).toMatch(publicApp.postLogoutRedirectUris[0] ?? 'nowhere');
      expect((await person.browser.get('/api/session')).status).toBe(401);
      expect((await new Agent(portal.issuer).get('/api/settings')).status).toBe(200);
    },
  );
});
