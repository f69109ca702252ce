import type { DisclaimerList } from '../../src/contract/disclaimers.js';
import type { GrantList } from '../../src/contract/grants.js';
import { Agent } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import {
  agreementsIn,
  forgetAgreements,
  northerner,
  startDisclaimersPortal,
  studyApp,
  trustedApp,
  visitApp,
} from '../support/disclaimers-portal.js';
import { Flow } from '../support/flow.js';
import { people } from '../support/people.js';
import type { TestPortal } from '../support/portal.js';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startDisclaimersPortal();
});

afterAll(() => portal.close());

beforeEach(() => forgetAgreements(portal));

describe('Whoever comes from an app', () => {
  it('is asked for what everybody and its users have to agree to, and then goes on', async () => {
    const flow = await Flow.begin(portal, studyApp);
    expect(flow.path).toBe('/user/disclaimer');
    const general = { hasAlreadyAgreed: false, tenantId: null, tenantName: null, clientId: null };
    expect(await flow.shown()).toEqual([
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

  it('is not asked again, by this app or another, but for what is about the other one', async () => {
    const first = await (await Flow.begin(portal, trustedApp)).agreeToAll();
    const { browser } = first.app;
    expect((await Flow.begin(portal, trustedApp, { browser })).path).toBe('app');
    expect((await Flow.begin(portal, trustedApp)).path).toBe('app');
    const study = await Flow.begin(portal, studyApp, { browser });
    expect((await study.shown()).map(({ id, hasAlreadyAgreed }) => [id, hasAlreadyAgreed])).toEqual([
      ['portal-use', true],
      ['records', true],
      ['study', false],
    ]);
    expect((await study.agree(['study'])).status).toBe(204);
    expect((await study.goOn()).path).toBe('app');
  });

  it('agrees for one app although the same disclaimer is about two', async () => {
    const study = await (await Flow.begin(portal, studyApp)).agreeToAll();
    const other = await Flow.begin(portal, publicApp, { browser: study.app.browser });
    expect(other.path).toBe('/user/disclaimer');
    expect((await other.shown()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed)).toMatchObject([
      { id: 'study', clientId: 'public-app' },
    ]);
  });

  it('is asked at a tenant for what is about it, under the name it has', async () => {
    const parameters = { aud: `${portal.fhirBase}/north` };
    const flow = await Flow.begin(portal, trustedApp, { person: northerner, parameters });
    expect((await flow.shown()).map(({ id, tenantId, tenantName }) => [id, tenantId, tenantName])).toEqual([
      ['portal-use', null, null],
      ['records', null, null],
      ['north', 'north', 'north hospital'],
    ]);
    expect((await flow.agree(await flow.ids(), { tenantId: 'south' })).status).toBe(400);
    expect((await flow.agree(await flow.ids(), { tenantId: 'north' })).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
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
    expect((await flow.shown()).map(({ id, hasAlreadyAgreed }) => [id, hasAlreadyAgreed])).toEqual([
      ['portal-use', true],
      ['records', false],
    ]);
  });

  it('is asked in every sign-in for what is to be agreed to in every one, and in none twice', async () => {
    const first = await (await Flow.begin(portal, visitApp)).agreeToAll();
    const { browser } = first.app;
    expect((await Flow.begin(portal, visitApp, { browser })).path).toBe('app');

    const again = await Flow.begin(portal, visitApp, { browser, parameters: { prompt: 'login', max_age: '0' } });
    expect(again.path).toBe('/user/disclaimer');
    expect((await again.shown()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed).map(({ id }) => id)).toEqual([
      'each-visit',
    ]);
    expect((await again.agree(['each-visit'])).status).toBe(204);
    expect((await again.goOn()).path).toBe('app');
    expect((await Flow.begin(portal, visitApp)).path).toBe('/user/disclaimer');
  });

  it('agrees on one node to what another one showed', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const ids = await flow.ids();
    flow.app.browser.port = portal.ports[1] ?? 0;
    expect((await flow.agree(ids)).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
  });

  it('goes on in a second tab in which nothing is left to be asked', async () => {
    const browser = new Agent(portal.issuer);
    const first = await Flow.begin(portal, trustedApp, { browser });
    const second = await Flow.begin(portal, trustedApp, { browser });
    await first.agreeToAll();
    expect((await second.shown()).every(({ hasAlreadyAgreed }) => hasAlreadyAgreed)).toBe(true);
  });

  it('A-25 gets interaction_required instead of a page with prompt=none', async () => {
    const { app } = await Flow.begin(portal, trustedApp);
    const silent = await Flow.begin(portal, trustedApp, { browser: app.browser, parameters: { prompt: 'none' } });
    expect([silent.path, silent.page.searchParams.get('error')]).toEqual(['app', 'interaction_required']);
  });

  it('loses what they agreed to with their account', async () => {
    const admin = new Agent(portal.issuer);
    const { email: username, password } = people.admin;
    expect((await admin.post('/api/session/login', { username, password })).status).toBe(200);
    await (await Flow.begin(portal, trustedApp, { person: people.otherPatient })).agreeToAll();
    const [row] = await portal.query<{ account_id: string }>('SELECT account_id FROM disclaimer_agreement');
    expect((await admin.send(`/api/admin/user/${row?.account_id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    expect(await agreementsIn(portal)).toEqual([]);
  });
});

describe('L-03 What is not so is refused, and nothing is agreed to', () => {
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
  ])('%s', async (_, ids) => {
    const flow = await Flow.begin(portal, trustedApp);
    await flow.shown();
    expect((await flow.agree(ids)).status).toBe(400);
    expect(await agreementsIn(portal)).toEqual([]);
    expect((await flow.goOn()).path).toBe('/user/disclaimer');
  });

  it('what was not shown', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    expect((await flow.agree(['portal-use', 'records'])).status).toBe(400);
    expect(await agreementsIn(portal)).toEqual([]);
  });

  it('what was shown with another wording', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const ids = await flow.ids();
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{texts,records}', '"older"') WHERE model = 'DisclaimerOffer'`,
    );
    expect((await flow.agree(ids)).status).toBe(400);
  });

  it.each([
    ['another app', { clientId: 'study-app' }],
    ['another tenant', { tenantId: 'south' }],
    ['a member that nobody knows', { all: true }],
  ])('for %s', async (_, more) => {
    const flow = await Flow.begin(portal, trustedApp);
    const ids = await flow.ids();
    expect((await flow.agree(ids, more)).status).toBe(400);
    expect((await flow.agree(ids, { clientId: 'trusted-app', tenantId: null })).status).toBe(204);
  });

  it('from another browser, another account, or without a sign-in', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const body = { disclaimerIds: await flow.ids() };
    const elsewhere = (await Flow.begin(portal, trustedApp)).app.browser;
    expect((await flow.call('/api/disclaimer', {}, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body }, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body }, new Agent(portal.issuer))).status).toBe(401);
    await flow.app.signIn(people.practitioner);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body })).status).toBe(400);
  });

  it.each(['nowhere', '/connect/authorize/callback?ix=unknown-interaction', 'https://evil.example/', ''])(
    'for %j',
    async (returnUrl) => {
      const flow = await Flow.begin(portal, trustedApp);
      flow.returnUrl = returnUrl;
      expect((await flow.call('/api/disclaimer')).status).toBe(400);
      expect((await flow.agree(['portal-use'])).status).toBe(400);
      expect((await flow.call('/api/authorization')).status).toBe(400);
      expect((await flow.call('/api/authorization', { method: 'DELETE' })).status).toBe(400);
    },
  );

  it('going on without agreeing leads back to the disclaimers', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    for (const _ of [1, 2]) expect((await flow.goOn()).path).toBe('/user/disclaimer');
  });

  it('a query that names another app, or the returnUrl twice', async () => {
    const { app, returnUrl } = await Flow.begin(portal, trustedApp);
    const query = new URLSearchParams({ returnUrl });
    for (const more of ['clientId=study-app', 'tenantId=south', 'returnUrl=again', 'other=1']) {
      expect([more, (await app.browser.get(`/api/disclaimer?${query}&${more}`)).status]).toEqual([more, 400]);
    }
    expect((await app.browser.get(`/api/disclaimer?${query}&clientId=trusted-app`)).status).toBe(200);
    expect((await app.browser.get(`/api/disclaimer?${query}&tenantId=`)).status).toBe(200);
  });

  it('but a call without a returnUrl means the one request that waits', async () => {
    const flow = await Flow.begin(portal, trustedApp);
    const { disclaimers: shown } = (await flow.app.browser.get('/api/disclaimer')).json<DisclaimerList>();
    const disclaimerIds = shown.map(({ id }) => id);
    expect((await flow.app.browser.post('/api/disclaimer', { disclaimerIds })).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
  });
});
