import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectNotice, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const openid = ['/admin/openid-configuration', 'OpenID Configuration'] as const;
const smart = ['/admin/smart-configuration', 'SMART Configuration'] as const;
/** Roles and names of controls. */
const documentation = ['link', /^Documentation/] as const;
const view = ['radio', 'View processed'] as const;

async function open(portal: TestPortal, [path, heading]: readonly [string, string], page?: Page): Promise<Page> {
  const shown = page ?? (await browser.open());
  await signInByApi(shown, portal.issuer, people.admin);
  await shown.goto(portal.issuer + path);
  await expectPage(shown, path, heading);
  return shown;
}

async function expectFocus(page: Page, [role, name]: typeof documentation | typeof view): Promise<void> {
  const control = page.getByRole('main').getByRole(role, { name });
  // A radio button itself has no size; its label shows that it has the focus.
  await control.and(page.locator(':focus')).waitFor({ state: 'attached' });
}

/** The values of the section by label. */
async function factsOf(page: Page, section: string): Promise<Record<string, string[]>> {
  const region = page.getByRole('region', { name: section, exact: true });
  await region.waitFor();
  const rows = await region.locator('dl > div').all();
  const entries = await Promise.all(
    rows.map(async (row) => {
      const value = (await row.locator('dd').innerText()).replace(/\s*\(opens in a new tab\)/, '');
      return [await row.locator('dt').innerText(), value.split('\n').map((line) => line.trim())];
    }),
  );
  return Object.fromEntries(entries);
}

const titlesOf = (page: Page, section: string) =>
  page.getByRole('region', { name: section, exact: true }).locator('summary').allInnerTexts();

const ticksOf = async (page: Page, section: string) => {
  const items = page.getByRole('region', { name: section, exact: true }).getByRole('listitem');
  return (await items.allInnerTexts()).map((text) => text.replace(/\s*:\s*/, ': '));
};

describe('The pages of the discovery documents', () => {
  let portal: AdminPortal;

  beforeAll(async () => {
    portal = await startAdminPortal();
  });
  afterAll(() => portal.close());

  /** The page shows the document at this address on request, and copies it and its parts. */
  async function expectJson(page: Page, address: string): Promise<void> {
    const whole = await (await page.context().request.get(portal.issuer + address)).json();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy address: Token' }).click();
    await expectNotice(page, 'Copied.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${portal.issuer}/connect/token`);

    await page.getByText('View raw').click();
    expect(JSON.parse(await page.locator('pre').innerText())).toEqual(whole);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    expect(JSON.parse(await page.evaluate('navigator.clipboard.readText()'))).toEqual(whole);
    await page.getByText('View processed').click();
    await expectText(page, 'Endpoints');
  }

  itInLongRun('are reached from the menu in the bar', async () => {
    const page = await open(portal, ['/admin/dashboard', 'Dashboard']);
    const menu = page.getByRole('button', { name: 'OAuth 2.0 configuration' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'OpenID configuration' }).click();
    await expectPage(page, ...openid);
    await menu.click();
    await page.getByRole('menuitem', { name: 'SMART configuration' }).click();
    await expectPage(page, ...smart);
  });

  itInLongRun('are reached by keyboard, with the focus on the new page', async () => {
    const page = await open(portal, ['/admin/dashboard', 'Dashboard']);
    const menu = page.getByRole('button', { name: 'OAuth 2.0 configuration' });
    const openMenu = async () => {
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'OpenID configuration' }).and(page.locator(':focus')).waitFor();
    };
    await openMenu();
    await page.keyboard.press('Enter');
    await expectPage(page, ...openid);
    await openMenu();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('link', { name: 'SMART configuration' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await expectPage(page, ...smart);
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, documentation);
    await page.keyboard.press('Tab');
    await expectFocus(page, view);
  });

  itInLongRun.each([
    [openid, '**/.well-known/openid-configuration', [view]],
    [smart, '**/fs-smart-configuration', [documentation, view]],
  ] as const)(
    'let Tab reach the choice of the view before the document is loaded: %j',
    async (place, pattern, stops) => {
      const page = await browser.open();
      let load: () => void = () => undefined;
      const loading = new Promise<void>((resolve) => {
        load = resolve;
      });
      await page.route(pattern, (route) => loading.then(() => route.continue()));
      await open(portal, place, page);
      await page.getByRole('heading', { level: 1 }).focus();
      for (const stop of stops) {
        await page.keyboard.press('Tab');
        await expectFocus(page, stop);
      }
      load();
      await expectText(page, 'Endpoints');
      await expectFocus(page, view);
    },
  );

  it('show the OpenID configuration in a readable form with folds, and as JSON on request', async () => {
    const page = await open(portal, openid);
    const { issuer } = portal;
    expect(await factsOf(page, 'Identity')).toEqual({
      Issuer: [issuer],
      'JWKS URI': [`${issuer}/.well-known/openid-configuration/jwks`],
    });
    for (const link of await page.getByRole('region', { name: 'Identity' }).getByRole('link').all()) {
      expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
        '_blank',
        'noopener noreferrer',
      ]);
    }
    expect(await factsOf(page, 'Endpoints')).toEqual({
      Authorization: [`${issuer}/connect/authorize`],
      Token: [`${issuer}/connect/token`],
      'User info': [`${issuer}/connect/userinfo`],
      'End session': [`${issuer}/connect/endsession`],
      'Check session': ['Not supported'],
      Revocation: [`${issuer}/connect/revocation`],
      Introspect: [`${issuer}/connect/introspect`],
    });
    expect(await factsOf(page, 'Sign-in and tokens')).toEqual({
      'Grant types': ['authorization_code', 'refresh_token', 'client_credentials'],
      'Response types': ['code'],
      'Response modes': ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
      'Code challenge methods': ['S256'],
      'Token endpoint auth methods': ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      'Request object signing algorithms': ['RS256', 'RS384', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
      'DPoP signing algorithms': ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256', 'RS384'],
      'Prompt values': ['none', 'login', 'consent', 'select_account'],
      'Subject types': ['public'],
    });
    expect(await ticksOf(page, 'Logouts supported')).toEqual([
      'Front channel: Not supported',
      'Front channel session: Not supported',
      'Back channel: supported',
      'Back channel session: supported',
    ]);
    expect(await ticksOf(page, 'Other features')).toEqual([
      'Request parameter supported: supported',
      'Issuer parameter in authorization response: supported',
    ]);

    // Scopes are grouped by the text before the slash.
    const titles = (await titlesOf(page, 'Scopes and claims')).map((title) => title.split('\n')[0]);
    expect(titles).toEqual(['General', 'launch/', 'patient/', 'user/', 'system/', 'Claims']);
    const patient = page.locator('details', { has: page.locator('summary', { hasText: 'patient/' }) });
    await expectText(patient, 'All resource types', 'cruds', 'read', 'write', '*');
    await patient.locator('summary').click();
    await patient.getByText('All resource types').waitFor({ state: 'hidden' });
    const claims = page.locator('details', { has: page.locator('summary', { hasText: 'Claims' }) });
    await claims.locator('summary').focus();
    await page.keyboard.press('Enter');
    await expectText(claims, 'sub', 'fhirUser');

    const views = page.getByRole('radiogroup', { name: 'View' });
    await views.getByRole('radio', { name: 'View processed' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('pre').waitFor();
    await page.keyboard.press('ArrowLeft');
    await expectText(page, 'Endpoints');
    await expectJson(page, '/.well-known/openid-configuration');
  });

  itInLongRun('show the SMART configuration in a readable form, and as JSON on request', async () => {
    const page = await open(portal, smart);
    const { issuer } = portal;
    expect(await factsOf(page, 'Identity')).toEqual({
      Issuer: [issuer],
      'JWKS URI': [`${issuer}/.well-known/openid-configuration/jwks`],
    });
    expect(await factsOf(page, 'Endpoints')).toEqual({
      Authorization: [`${issuer}/connect/authorize`],
      Token: [`${issuer}/connect/token`],
      Revocation: [`${issuer}/connect/revocation`],
      Introspect: [`${issuer}/connect/introspect`],
    });
    expect(await factsOf(page, 'Sign-in and tokens')).toEqual({
      'Grant types': ['authorization_code', 'refresh_token', 'client_credentials'],
      'Response types': ['code'],
      'Code challenge methods': ['S256'],
      'Token endpoint auth methods': ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      'Signing algorithms': ['RS256', 'RS384', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
    });
    const groups = (await titlesOf(page, 'Capabilities')).map((title) => title.split('\n')[0]);
    expect(groups).toEqual(['launch', 'authorize', 'client', 'sso', 'context', 'permission']);
    const client = page.locator('details', { has: page.locator('summary', { hasText: /^client/ }) });
    await expectText(client, 'client-public', 'client-confidential-symmetric', 'client-confidential-asymmetric');
    const scopes = (await titlesOf(page, 'Scopes')).map((title) => title.split('\n')[0]);
    expect(scopes).toEqual(['General', 'launch/', 'patient/', 'user/', 'system/']);
    await expectJson(page, '/api/admin/configuration/fs-smart-configuration');
  });

  itInLongRun.each([
    [openid, '**/.well-known/openid-configuration', '/.well-known/openid-configuration'],
    [smart, '**/fs-smart-configuration', '/api/admin/configuration/fs-smart-configuration'],
  ] as const)('can be loaded again after an error: %j', async (place, pattern, path) => {
    browser.expectFailure(path, 502);
    const page = await browser.open();
    await page.route(pattern, (route) => route.fulfill({ status: 502 }), { times: 1 });
    await open(portal, place, page);
    await page.locator('.notices').getByText('Something went wrong.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectText(page, 'Endpoints');
  });

  itInLongRun('are accessible in both views', () => {
    const processed = (place: typeof openid | typeof smart) => async (page: Page) => {
      await open(portal, place, page);
      await expectText(page, 'Endpoints');
      await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
    };
    const raw = async (page: Page) => {
      await page.getByText('View raw').click();
      await page.locator('pre').waitFor();
    };
    return expectFitInEveryLook(browser, {
      'OpenID, processed': processed(openid),
      'OpenID, raw': raw,
      'SMART, processed': processed(smart),
      'SMART, raw': raw,
    });
  });
});

describe('The page of a SMART configuration from another FHIR server', () => {
  const own = {
    issuer: 'javascript:alert(1)',
    token_endpoint: 'https://fhir.example/token',
    grant_types_supported: 'authorization_code',
    capabilities: ['launch-ehr', 7, { a: 'b' }],
    scopes_supported: ['patient/Observation.rs', 'patient/Observation.rs?category=laboratory', 'patient/Patient.read'],
  };
  let isUp: boolean;
  let hasConfiguration: boolean;
  let upstream: Upstream;
  let portal: AdminPortal;

  async function start(baseUrl = true): Promise<void> {
    upstream = await startUpstream((request, response) => {
      response.setHeader('content-type', 'application/fhir+json');
      if (!isUp) response.writeHead(503).end();
      else if (request.url === '/r4/metadata')
        response.end(
          JSON.stringify({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server' }] }),
        );
      else if (hasConfiguration) response.end(JSON.stringify(own));
      else response.writeHead(404).end();
    });
    const fhir = baseUrl ? { baseUrl: upstream.url, timeoutMs: 1000 } : {};
    portal = await startAdminPortal({ fhirServer: false, config: { fhir, gateway: { enabled: false } } });
  }

  beforeEach(() => {
    isUp = true;
    hasConfiguration = true;
    browser.expectFailure('/api/admin/configuration/fs-smart-configuration', 503);
  });
  afterEach(async () => {
    await browser.closePages();
    await portal.close();
    upstream.close();
  });

  const disconnected = (page: Page) => page.getByRole('heading', { name: 'FHIR server is disconnected' });

  itInLongRun(
    'shows an error while the server is unavailable, and all readable parts of the document when it is back',
    async () => {
      isUp = false;
      await start();
      const page = await open(portal, smart);
      await expectNotice(page, 'Something went wrong.');
      await disconnected(page).waitFor();
      const help = page.getByRole('link', { name: 'Read how to set it up' });
      expect(await help.getAttribute('href')).toBe(`${portal.issuer}/admin/connect-fhir-server`);
      isUp = true;
      await page.getByText('Endpoints', { exact: true }).waitFor();
      expect(await disconnected(page).count()).toBe(0);

      expect(await factsOf(page, 'Identity')).toEqual({
        Issuer: ['javascript:alert(1)'],
        'JWKS URI': ['Not supported'],
      });
      expect(await page.getByRole('region', { name: 'Identity' }).getByRole('link').count()).toBe(0);
      expect(await factsOf(page, 'Endpoints')).toMatchObject({
        Authorization: ['Not supported'],
        Token: ['https://fhir.example/token'],
      });
      expect((await factsOf(page, 'Sign-in and tokens'))['Grant types']).toEqual(['Not supported']);
      expect(await titlesOf(page, 'Capabilities')).toEqual([expect.stringMatching(/^launch\s+1$/)]);
      const resources = page.getByRole('region', { name: 'Scopes', exact: true }).locator('details li');
      expect((await resources.allInnerTexts()).map((text) => text.split(/\s+/))).toEqual([
        ['Observation', 'rs', 'rs?category=laboratory'],
        ['Patient', 'read'],
      ]);
    },
  );

  itInLongRun('says that there is no server', async () => {
    await start(false);
    await expectFitInEveryLook(browser, async (page) => {
      await open(portal, smart, page);
      await disconnected(page).waitFor();
    });
  });

  it('says that the server has no document, until it has one', async () => {
    hasConfiguration = false;
    await start();
    const page = await open(portal, smart);
    await page.getByRole('heading', { name: 'Something Went Wrong' }).waitFor();
    await page.getByText(/Check the configuration and the logs of the server.*contact support/).waitFor();
    hasConfiguration = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectText(page, 'Endpoints');
  });
});
