import type { DisclaimerList } from '../../src/contract/disclaimers.js';
import type { GrantList } from '../../src/contract/own-record/grants.js';
import { Flow } from '../support/apps/flow.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import {
  agreementsIn,
  deleteAgreements,
  northPatient,
  startDisclaimersPortal,
  studyApp,
  trustedApp,
  visitApp,
} from '../support/portal/disclaimers-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startDisclaimersPortal();
});

afterAll(() => portal.close());

beforeEach(() => deleteAgreements(portal));

describe('A user of an app with disclaimers', () => {
  it('agrees to those for all users and for the app, and continues', async () => {
    const flow = await Flow.begin(portal, studyApp);
    expect(flow.path).toBe('/user/disclaimer');
    const general = { hasAlreadyAgreed: false, tenantId: null, tenantName: null, clientId: null };
    expect(await flow.disclaimers()).toEqual([
      {
        ...general,
        id: 'portal-use',
        description: 'Use of this portal',
        disclaimerHtml: '<h3>Use</h3><p>Be careful.</p>',
      },
      {
        ...general,
        id: 'records',
        description: 'Records',
        disclaimerHtml: '<p>Your records.</p>',
      },
      { ...general, id: 'study', description: 'The study', disclaimerHtml: '<p>A study.</p>', clientId: 'study-app' },
    ]);
    const before = new Date();
    await flow.agreeToAll();
    expect(flow.path).toBe('app');
    expect(flow.page.searchParams.get('code')).not.toBeNull();
    const stored = await agreementsIn(portal);
    expect(stored.map(({ disclaimer_id, client_id, tenant_id }) => [disclaimer_id, client_id, tenant_id])).toEqual([
      ['portal-use', '', ''],
      ['records', '', ''],
      ['study', 'study-app', ''],
    ]);
    for (const { text_hash, agreed_at } of stored) {
      expect(text_hash).toMatch(/^[\w-]{43}$/);
      expect(agreed_at.getTime()).toBeGreaterThanOrEqual(before.getTime());
    }
  });

  it('is not asked again by any app, except for another app’s own disclaimers', async () => {
    const first = await (await Flow.begin(portal, trustedApp)).agreeToAll();
    const { browser } = first.app;
    expect((await Flow.begin(portal, trustedApp, { browser })).path).toBe('app');
    expect((await Flow.begin(portal, trustedApp)).path).toBe('app');
    const study = await Flow.begin(portal, studyApp, { browser });
    expect((await study.disclaimers()).map(({ id, hasAlreadyAgreed }) => [id, hasAlreadyAgreed])).toEqual([
      ['portal-use', true],
      ['records', true],
      ['study', false],
    ]);
    expect((await study.agree(['study'])).status).toBe(204);
    expect((await study.followToNextPage()).path).toBe('app');
  });

  it('agrees for one app although the same disclaimer is about two', async () => {
    const study = await (await Flow.begin(portal, studyApp)).agreeToAll();
    const other = await Flow.begin(portal, publicApp, { browser: study.app.browser });
    expect(other.path).toBe('/user/disclaimer');
    expect((await other.disclaimers()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed)).toMatchObject([
      { id: 'study', clientId: 'public-app' },
    ]);
  });

  it('sees a tenant’s disclaimers at that tenant, under its name', async () => {
    const parameters = { aud: `${portal.fhirBase}/north` };
    const flow = await Flow.begin(portal, trustedApp, { person: northPatient, parameters });
    expect((await flow.disclaimers()).map(({ id, tenantId, tenantName }) => [id, tenantId, tenantName])).toEqual([
      ['portal-use', null, null],
      ['records', null, null],
      ['north', 'north', 'north hospital'],
    ]);
    expect((await flow.agree(await flow.disclaimerIds(), { tenantId: 'south' })).status).toBe(400);
    expect((await flow.agree(await flow.disclaimerIds(), { tenantId: 'north' })).status).toBe(204);
    expect((await flow.followToNextPage()).path).toBe('app');
    const { browser } = flow.app;
    expect((await Flow.begin(portal, trustedApp, { browser, parameters })).path).toBe('app');
    const { generalDisclaimers } = (await browser.get('/api/grant')).json<GrantList>();
    expect(generalDisclaimers.map(({ disclaimerId, tenantId }) => [disclaimerId, tenantId]).toSorted()).toEqual([
      ['north', 'north'],
      ['portal-use', null],
      ['records', null],
    ]);
  });

  it('L-03 is asked again once a text has changed', async () => {
    const { app } = await (await Flow.begin(portal, trustedApp)).agreeToAll();
    await portal.query("UPDATE disclaimer_agreement SET text_hash = 'older' WHERE disclaimer_id = 'records'");
    const flow = await Flow.begin(portal, trustedApp, { browser: app.browser });
    expect((await flow.disclaimers()).map(({ id, hasAlreadyAgreed }) => [id, hasAlreadyAgreed])).toEqual([
      ['portal-use', true],
      ['records', false],
    ]);
  });

  it('is asked in every sign-in for a disclaimer that requires it, and once in each', async () => {
    const first = await (await Flow.begin(portal, visitApp)).agreeToAll();
    const { browser } = first.app;
    expect((await Flow.begin(portal, visitApp, { browser })).path).toBe('app');

    const again = await Flow.begin(portal, visitApp, { browser, parameters: { prompt: 'login', max_age: '0' } });
    expect(again.path).toBe('/user/disclaimer');
    expect((await again.disclaimers()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed).map(({ id }) => id)).toEqual(
      ['each-visit'],
    );
    expect((await again.agree(['each-visit'])).status).toBe(204);
    expect((await again.followToNextPage()).path).toBe('app');
    expect((await Flow.begin(portal, visitApp)).path).toBe('/user/disclaimer');
  });

  it('agrees on one node to a disclaimer shown by another', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const ids = await flow.disclaimerIds();
    flow.app.browser.port = portal.ports[1] ?? 0;
    expect((await flow.agree(ids)).status).toBe(204);
    expect((await flow.followToNextPage()).path).toBe('app');
  });

  it('continues in a second tab without agreeing again', async () => {
    const browser = new Agent(portal.issuer);
    const first = await Flow.begin(portal, trustedApp, { browser });
    const second = await Flow.begin(portal, trustedApp, { browser });
    await first.agreeToAll();
    expect((await second.disclaimers()).every(({ hasAlreadyAgreed }) => hasAlreadyAgreed)).toBe(true);
  });

  it('A-25 causes interaction_required with prompt=none', async () => {
    const { app } = await Flow.begin(portal, trustedApp);
    const silent = await Flow.begin(portal, trustedApp, { browser: app.browser, parameters: { prompt: 'none' } });
    expect([silent.path, silent.page.searchParams.get('error')]).toEqual(['app', 'interaction_required']);
  });

  it('loses the agreements with the account', async () => {
    const admin = new Agent(portal.issuer);
    const { email: username, password } = people.admin;
    expect((await admin.post('/api/session/login', { username, password })).status).toBe(200);
    await (await Flow.begin(portal, trustedApp, { person: people.otherPatient })).agreeToAll();
    const [row] = await portal.query<{ account_id: string }>('SELECT account_id FROM disclaimer_agreement');
    expect((await admin.send(`/api/admin/user/${row?.account_id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    expect(await agreementsIn(portal)).toEqual([]);
  });
});

describe('L-03 An invalid agreement is refused', () => {
  it.each([
    ['nothing', []],
    ['one that is unknown', ['portal-use', 'records', 'nothing']],
    ['one of another app', ['portal-use', 'records', 'study']],
    ['one of another tenant', ['portal-use', 'records', 'south']],
    ['one twice', ['portal-use', 'records', 'records']],
    ['only some', ['portal-use']],
    ['no list', 'portal-use'],
    ['no texts', [1, null]],
    ['far too many', Array.from({ length: 10_000 }, (_, index) => `id ${index}`)],
  ])('for %s', async (_, ids) => {
    const flow = await Flow.begin(portal, trustedApp);
    await flow.disclaimers();
    expect((await flow.agree(ids)).status).toBe(400);
    expect(await agreementsIn(portal)).toEqual([]);
    expect((await flow.followToNextPage()).path).toBe('/user/disclaimer');
  });

  it('for a disclaimer that was not shown', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    expect((await flow.agree(['portal-use', 'records'])).status).toBe(400);
    expect(await agreementsIn(portal)).toEqual([]);
  });

  it('for a text that was shown with another wording', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const ids = await flow.disclaimerIds();
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{texts,records}', '"older"') WHERE model = 'DisclaimerOffer'`,
    );
    expect((await flow.agree(ids)).status).toBe(400);
  });

  it.each([
    ['another app', { clientId: 'study-app' }],
    ['another tenant', { tenantId: 'south' }],
    ['an unknown member', { all: true }],
  ])('for %s', async (_, more) => {
    const flow = await Flow.begin(portal, trustedApp);
    const ids = await flow.disclaimerIds();
    expect((await flow.agree(ids, more)).status).toBe(400);
    expect((await flow.agree(ids, { clientId: 'trusted-app', tenantId: null })).status).toBe(204);
  });

  it('from another browser or account, and without a sign-in', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const body = { disclaimerIds: await flow.disclaimerIds() };
    const elsewhere = (await Flow.begin(portal, trustedApp)).app.browser;
    expect((await flow.call('/api/disclaimer', {}, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body }, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body }, new Agent(portal.issuer))).status).toBe(401);
    await flow.app.signIn(people.practitioner);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body })).status).toBe(400);
  });

  it.each(['nowhere', '/connect/authorize/callback?ix=unknown-interaction', 'https://evil.example/', ''])(
    'for the body %j',
    async (returnUrl) => {
      const flow = await Flow.begin(portal, trustedApp);
      flow.returnUrl = returnUrl;
      expect((await flow.call('/api/disclaimer')).status).toBe(400);
      expect((await flow.agree(['portal-use'])).status).toBe(400);
      expect((await flow.call('/api/authorization')).status).toBe(400);
      expect((await flow.call('/api/authorization', { method: 'DELETE' })).status).toBe(400);
    },
  );

  it('and continuing without agreeing leads back to the disclaimers', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    for (const _ of [1, 2]) expect((await flow.followToNextPage()).path).toBe('/user/disclaimer');
  });

  it('for an address that names another app, or the returnUrl twice', async () => {
    const { app, returnUrl } = await Flow.begin(portal, trustedApp);
    const query = new URLSearchParams({ returnUrl });
    for (const more of ['clientId=study-app', 'tenantId=south', 'returnUrl=again', 'other=1']) {
      expect([more, (await app.browser.get(`/api/disclaimer?${query}&${more}`)).status]).toEqual([more, 400]);
    }
    expect((await app.browser.get(`/api/disclaimer?${query}&clientId=trusted-app`)).status).toBe(200);
    expect((await app.browser.get(`/api/disclaimer?${query}&tenantId=`)).status).toBe(200);
  });

  it('unless it has no returnUrl and a single request waits', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const { disclaimers: shown } = (await flow.app.browser.get('/api/disclaimer')).json<DisclaimerList>();
    const disclaimerIds = shown.map(({ id }) => id);
    expect((await flow.app.browser.post('/api/disclaimer', { disclaimerIds })).status).toBe(204);
    expect((await flow.followToNextPage()).path).toBe('app');
  });
});
