import type { GrantList } from '../../src/contract/own-record/grants.js';
import { Flow } from '../support/apps/flow.js';
import { clientKinds } from '../support/clients/client-kinds.js';
import { publicApp } from '../support/clients/clients.js';
import type { Agent } from '../support/http/agent.js';
import {
  agreementsIn,
  deleteAgreements,
  eventsIn,
  startDisclaimersPortal,
  studyApp,
  trustedApp,
} from '../support/portal/disclaimers-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { itInTurn } from '../support/runs.js';
import { people } from '../support/users/people.js';

const trustedApps = clientKinds.map((kind) => kind.client('trusted'));
const askingApps = clientKinds.map((kind) => kind.client('asking', { requireConsent: true }));

let portal: TestPortal;

beforeAll(async () => {
  portal = await startDisclaimersPortal([...trustedApps, ...askingApps]);
});

afterAll(() => portal.close());

beforeEach(() => deleteAgreements(portal));

describe('A remembered consent', () => {
  const remember = async (flow: Flow) => {
    const scopes = await flow.app.offeredScopes(flow.returnUrl);
    expect((await flow.app.consent(flow.returnUrl, scopes, true)).status).toBe(204);
    expect((await flow.followToNextPage()).path).toBe('app');
  };

  it('O-10 is asked for again once the disclaimers have changed, and not before', async () => {
    const flow = await (await Flow.begin(portal, publicApp)).agreeToAll();
    expect(flow.path).toBe('/user/consent');
    await remember(flow);
    const { browser } = flow.app;
    expect((await Flow.begin(portal, publicApp, { browser })).path).toBe('app');

    await portal.query("UPDATE disclaimer_agreement SET text_hash = 'older'");
    await portal.query("UPDATE app_consent SET disclaimers = 'older'");
    const again = await (await Flow.begin(portal, publicApp, { browser })).agreeToAll();
    expect(again.path).toBe('/user/consent');
    await remember(again);
    expect((await Flow.begin(portal, publicApp, { browser })).path).toBe('app');
  });
});

const withdraw = (browser: Agent, body: unknown) => browser.send('/api/grant/disclaimer', { method: 'DELETE', body });

const listOf = async (browser: Agent) => (await browser.get('/api/grant')).json<GrantList>();

const general = { tenantId: null, clientId: null, disclaimerId: 'portal-use' };

describe('Revoking an agreement', () => {
  const study = { tenantId: null, clientId: 'study-app', disclaimerId: 'study' };

  it('is possible for each listed one, general or of an app', async () => {
    const { app } = await (await Flow.begin(portal, studyApp)).agreeToAll();
    const { generalDisclaimers, clientsPermissions } = await listOf(app.browser);
    expect(generalDisclaimers.map(({ disclaimerId }) => disclaimerId).toSorted()).toEqual(['portal-use', 'records']);
    const card = clientsPermissions.find(({ clientId }) => clientId === 'study-app');
    expect(card?.disclaimers).toEqual([
      { ...study, disclaimerDetails: { description: 'The study', disclaimerHtml: '<p>A study.</p>' } },
    ]);
    expect((await withdraw(app.browser, { disclaimers: [study, general] })).status).toBe(204);
    const after = await listOf(app.browser);
    expect(after.generalDisclaimers.map(({ disclaimerId }) => disclaimerId)).toEqual(['records']);
    expect(after.clientsPermissions.flatMap(({ disclaimers }) => disclaimers)).toEqual([]);
  });

  it('is still possible for an app whose permissions are revoked, until its agreements are revoked, too', async () => {
    const { app } = await (await Flow.begin(portal, studyApp)).agreeToAll();
    expect((await app.browser.send('/api/grant?clientId=study-app', { method: 'DELETE' })).status).toBe(204);
    const card = async () =>
      (await listOf(app.browser)).clientsPermissions.find(({ clientId }) => clientId === 'study-app');
    expect(await card()).toMatchObject({
      clientName: 'Study',
      created: null,
      expires: null,
      identityGrantNames: [],
      identityScopes: [],
      apiGrantData: [],
      disclaimers: [study],
    });
    expect((await withdraw(app.browser, { disclaimers: [study] })).status).toBe(204);
    expect(await card()).toBeUndefined();
  });

  it('is not possible for an agreement to an earlier wording', async () => {
    const { app } = await (await Flow.begin(portal, studyApp)).agreeToAll();
    await portal.query("UPDATE disclaimer_agreement SET text_hash = 'older' WHERE disclaimer_id = 'portal-use'");
    const { generalDisclaimers } = await listOf(app.browser);
    expect(generalDisclaimers.map(({ disclaimerId }) => disclaimerId)).toEqual(['records']);
  });

  it('P-09 is possible for the user’s own agreements only, and a 404 revokes none', async () => {
    const { app } = await (await Flow.begin(portal, studyApp)).agreeToAll();
    const other = (await Flow.begin(portal, trustedApp, { person: people.practitioner })).app.browser;
    expect((await withdraw(other, { disclaimers: [general] })).status).toBe(404);
    for (const gone of [
      { ...study, clientId: 'public-app' },
      { ...general, tenantId: 'north' },
      { ...general, disclaimerId: 'nothing' },
      { ...general, disclaimerId: '\u0000' },
      general,
    ]) {
      expect((await withdraw(app.browser, { disclaimers: [general, gone] })).status).toBe(404);
    }
    expect(await agreementsIn(portal)).toHaveLength(3);
  });

  it.each([
    ['no list', {}],
    ['an empty list', { disclaimers: [] }],
    ['no objects', { disclaimers: ['portal-use'] }],
    ['no id', { disclaimers: [{ clientId: 'study-app' }] }],
    ['an id that is not a text', { disclaimers: [{ disclaimerId: 1 }] }],
    ['too long', { disclaimers: [{ disclaimerId: 'x'.repeat(101) }] }],
    ['a list by itself', [general]],
    ['too many', { disclaimers: Array.from({ length: 201 }, () => general) }],
  ])('is refused with %s', async (_, body) => {
    const { app } = await Flow.begin(portal, trustedApp);
    expect((await withdraw(app.browser, body)).status).toBe(400);
  });

  it('N-04 is recorded with the wording, as agreeing and refused attempts are', async () => {
    const flow = await Flow.begin(portal, studyApp);
    await flow.disclaimers();
    expect((await flow.agree(['south'])).status).toBe(400);
    expect(await eventsIn(portal, 'disclaimers.agreed')).toMatchObject([
      { outcome: 'failure', client_id: 'study-app' },
      {},
      {},
    ]);
    await flow.agreeToAll();
    const [agreed] = await eventsIn(portal, 'disclaimers.agreed');
    const stored = await agreementsIn(portal);
    expect(agreed).toEqual({
      outcome: 'success',
      client_id: 'study-app',
      detail: {
        launch: expect.any(String),
        disclaimers: ['portal-use', 'records', 'study'].map((id) => ({
          id,
          textHash: stored.find(({ disclaimer_id }) => disclaimer_id === id)?.text_hash,
        })),
      },
    });
    expect((await withdraw(flow.app.browser, { disclaimers: [study] })).status).toBe(204);
    expect((await eventsIn(portal, 'disclaimer.withdrawn'))[0]).toEqual({
      outcome: 'success',
      client_id: 'study-app',
      detail: { tenantId: null, disclaimerId: 'study' },
    });
  });
});

describe.each(clientKinds)('Revoking an agreement ($name)', (kind) => {
  const inTurn = itInTurn(kind.number, 2);

  inTurn('P-03 makes the next authorization ask again, and then issues tokens', async () => {
    const client = kind.client('trusted');
    const { app } = await (await Flow.begin(portal, client, { kind })).agreeToAll();
    expect((await withdraw(app.browser, { disclaimers: [general] })).status).toBe(204);
    const flow = await Flow.begin(portal, client, { kind, browser: app.browser });
    expect(flow.path).toBe('/user/disclaimer');
    expect((await flow.disclaimers()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed).map(({ id }) => id)).toEqual([
      'portal-use',
    ]);
    await flow.agreeToAll();
    expect(flow.path).toBe('app');
    expect((await flow.app.exchange(flow.page.searchParams.get('code') ?? '')).status).toBe(200);
  });

  inTurn('P-03 while the consent page is open leads back to the disclaimers', async () => {
    const flow = await (await Flow.begin(portal, kind.client('asking'), { kind })).agreeToAll();
    expect(flow.path).toBe('/user/consent');
    expect((await withdraw(flow.app.browser, { disclaimers: [general] })).status).toBe(204);
    await flow.app.consent(flow.returnUrl, await flow.app.offeredScopes(flow.returnUrl));
    expect((await flow.followToNextPage()).path).toBe('/user/disclaimer');
  });

  it('P-09 of another user is refused', async () => {
    const { app } = await (await Flow.begin(portal, kind.client('trusted'), { kind })).agreeToAll();
    const other = await Flow.begin(portal, kind.client('trusted'), { kind, person: people.practitioner });
    expect((await withdraw(other.app.browser, { disclaimers: [general] })).status).toBe(404);
    expect((await listOf(app.browser)).generalDisclaimers).toHaveLength(2);
  });
});
