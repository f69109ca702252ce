import type { DisclaimerList } from '../../src/contract/disclaimers.js';
import type { GrantList } from '../../src/contract/grants.js';
import { Agent, type Answer } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { type Credentials, people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';

const trustedApp = { ...publicApp, clientId: 'trusted-app', clientName: 'Trusted', requireConsent: false };
const studyApp = { ...trustedApp, clientId: 'study-app', clientName: 'Study' };
const visitApp = { ...trustedApp, clientId: 'visit-app', clientName: 'Visits' };
const apps = [publicApp, trustedApp, studyApp, visitApp];

const disclaimers = [
  { id: 'portal-use', description: 'Use of this portal', html: '<h1>Use</h1><p>Be careful.<script>1</script></p>' },
  { id: 'records', description: 'Records', html: '<p>Your records.</p>' },
  { id: 'north', description: 'North', html: '<p>North only.</p>', tenant: 'north' },
  { id: 'south', description: 'South', html: '<p>South only.</p>', tenant: 'south' },
  { id: 'study', description: 'The study', html: '<p>A study.</p>', clients: ['study-app', 'public-app'] },
  { id: 'each-visit', description: 'Each visit', html: '<p>Every time.</p>', clients: ['visit-app'], everyLogin: true },
].map((one) => ({ clients: [], everyLogin: false, ...one }));

const tenants = ['north', 'south'].map((id) => ({
  id,
  name: `${id} hospital`,
  baseUrl: `http://127.0.0.1:1/${id}`,
  credentials: { type: 'none' },
}));
const northerner = {
  ...people.patient,
  email: 'nora.north@example.org',
  claims: [...people.patient.claims, { name: 'tenant', value: 'north' }],
};

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: [...Object.values(people), northerner], clients: apps, disclaimers, fhir: { tenants } },
  });
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('DELETE FROM disclaimer_agreement');
  await portal.query('DELETE FROM app_consent');
});

/** A request of an app, in a browser, at the page it has come to. */
class Flow {
  returnUrl = '';

  private constructor(
    readonly app: SmartApp,
    public page: URL,
  ) {
    this.arriveAt(page);
  }

  /** Signs in if asked to. */
  static async begin(
    client: { clientId: string } = trustedApp,
    { browser = new Agent(portal.issuer), person = people.patient as Credentials, parameters = {} } = {},
  ): Promise<Flow> {
    const app = new SmartApp(portal, { client, parameters }, browser);
    const flow = new Flow(app, new URL((await app.authorize()).location ?? ''));
    if (flow.page.pathname !== '/login') return flow;
    expect((await app.signIn(person, flow.returnUrl)).status).toBe(200);
    return flow.goOn();
  }

  async goOn(): Promise<this> {
    this.arriveAt(new URL(await this.app.follow(this.returnUrl)));
    return this;
  }

  private arriveAt(page: URL): void {
    this.page = page;
    this.returnUrl = page.searchParams.get('returnUrl') ?? '';
  }

  get path(): string {
    return this.page.origin === portal.issuer ? this.page.pathname : 'app';
  }

  call(path: string, send: { method?: string; body?: unknown } = {}, browser = this.app.browser): Promise<Answer> {
    return browser.send(`${path}?${new URLSearchParams({ returnUrl: this.returnUrl })}`, send);
  }

  async shown() {
    const answer = await this.call('/api/disclaimer');
    expect(answer.status).toBe(200);
    return answer.json<DisclaimerList>().disclaimers;
  }

  async ids(): Promise<string[]> {
    return (await this.shown()).map(({ id }) => id);
  }

  agree(disclaimerIds: unknown, more: object = {}): Promise<Answer> {
    return this.call('/api/disclaimer', { method: 'POST', body: { disclaimerIds, ...more } });
  }

  async agreeToAll(): Promise<this> {
    expect((await this.agree(await this.ids())).status).toBe(204);
    return this.goOn();
  }

  async place() {
    return (await this.call('/api/authorization')).json<{ clientName: string; step: number; total: number }>();
  }
}

const agreements = () =>
  portal.query<{ disclaimer_id: string; client_id: string; tenant_id: string; text_hash: string; agreed_at: Date }>(
    'SELECT * FROM disclaimer_agreement ORDER BY disclaimer_id',
  );

const eventsOf = (type: string) =>
  portal.query(`SELECT outcome, client_id, detail FROM audit_event WHERE type = $1 ORDER BY id DESC LIMIT 3`, [type]);

describe('Whoever comes from an app', () => {
  it('is asked for what everybody and its users have to agree to, and then goes on', async () => {
    const flow = await Flow.begin(studyApp);
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
    const stored = await agreements();
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
    const first = await (await Flow.begin(trustedApp)).agreeToAll();
    const { browser } = first.app;
    expect((await Flow.begin(trustedApp, { browser })).path).toBe('app');
    expect((await Flow.begin(trustedApp)).path).toBe('app');
    const study = await Flow.begin(studyApp, { browser });
    expect((await study.shown()).map(({ id, hasAlreadyAgreed }) => [id, hasAlreadyAgreed])).toEqual([
      ['portal-use', true],
      ['records', true],
      ['study', false],
    ]);
    expect((await study.agree(['study'])).status).toBe(204);
    expect((await study.goOn()).path).toBe('app');
  });

  it('agrees for one app although the same disclaimer is about two', async () => {
    const study = await (await Flow.begin(studyApp)).agreeToAll();
    const other = await Flow.begin(publicApp, { browser: study.app.browser });
    expect(other.path).toBe('/user/disclaimer');
    expect((await other.shown()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed)).toMatchObject([
      { id: 'study', clientId: 'public-app' },
    ]);
  });

  it('is asked at a tenant for what is about it, under the name it has', async () => {
    const parameters = { aud: `${portal.fhirBase}/north` };
    const flow = await Flow.begin(trustedApp, { person: northerner, parameters });
    expect((await flow.shown()).map(({ id, tenantId, tenantName }) => [id, tenantId, tenantName])).toEqual([
      ['portal-use', null, null],
      ['records', null, null],
      ['north', 'north', 'north hospital'],
    ]);
    expect((await flow.agree(await flow.ids(), { tenantId: 'south' })).status).toBe(400);
    expect((await flow.agree(await flow.ids(), { tenantId: 'north' })).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
    const { browser } = flow.app;
    expect((await Flow.begin(trustedApp, { browser, parameters })).path).toBe('app');
    const { generalDisclaimers } = (await browser.get('/api/grant')).json<GrantList>();
    expect(generalDisclaimers.map(({ disclaimerId, tenantId }) => [disclaimerId, tenantId]).toSorted()).toEqual([
      ['north', 'north'],
      ['portal-use', null],
      ['records', null],
    ]);
  });

  it('L-03 is asked again once a text has changed', async () => {
    const { app } = await (await Flow.begin(trustedApp)).agreeToAll();
    await portal.query("UPDATE disclaimer_agreement SET text_hash = 'older' WHERE disclaimer_id = 'records'");
    const flow = await Flow.begin(trustedApp, { browser: app.browser });
    expect((await flow.shown()).map(({ id, hasAlreadyAgreed }) => [id, hasAlreadyAgreed])).toEqual([
      ['portal-use', true],
      ['records', false],
    ]);
  });

  it('is asked in every sign-in for what is to be agreed to in every one, and in none twice', async () => {
    const first = await (await Flow.begin(visitApp)).agreeToAll();
    const { browser } = first.app;
    expect((await Flow.begin(visitApp, { browser })).path).toBe('app');

    const again = await Flow.begin(visitApp, { browser, parameters: { prompt: 'login', max_age: '0' } });
    expect(again.path).toBe('/user/disclaimer');
    expect((await again.shown()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed).map(({ id }) => id)).toEqual([
      'each-visit',
    ]);
    expect((await again.agree(['each-visit'])).status).toBe(204);
    expect((await again.goOn()).path).toBe('app');
    expect((await Flow.begin(visitApp)).path).toBe('/user/disclaimer');
  });

  it('agrees on one node to what another one showed', async () => {
    const flow = await Flow.begin(trustedApp);
    const ids = await flow.ids();
    flow.app.browser.port = portal.ports[1] ?? 0;
    expect((await flow.agree(ids)).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
  });

  it('goes on in a second tab in which nothing is left to be asked', async () => {
    const browser = new Agent(portal.issuer);
    const first = await Flow.begin(trustedApp, { browser });
    const second = await Flow.begin(trustedApp, { browser });
    await first.agreeToAll();
    expect((await second.shown()).every(({ hasAlreadyAgreed }) => hasAlreadyAgreed)).toBe(true);
  });

  it('A-25 gets interaction_required instead of a page with prompt=none', async () => {
    const { app } = await Flow.begin(trustedApp);
    const silent = await Flow.begin(trustedApp, { browser: app.browser, parameters: { prompt: 'none' } });
    expect([silent.path, silent.page.searchParams.get('error')]).toEqual(['app', 'interaction_required']);
  });

  it('loses what they agreed to with their account', async () => {
    const admin = new Agent(portal.issuer);
    const { email: username, password } = people.admin;
    expect((await admin.post('/api/session/login', { username, password })).status).toBe(200);
    await (await Flow.begin(trustedApp, { person: people.otherPatient })).agreeToAll();
    const [row] = await portal.query<{ account_id: string }>('SELECT account_id FROM disclaimer_agreement');
    expect((await admin.send(`/api/admin/user/${row?.account_id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    expect(await agreements()).toEqual([]);
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
    const flow = await Flow.begin(trustedApp);
    await flow.shown();
    expect((await flow.agree(ids)).status).toBe(400);
    expect(await agreements()).toEqual([]);
    expect((await flow.goOn()).path).toBe('/user/disclaimer');
  });

  it('what was not shown', async () => {
    const flow = await Flow.begin(trustedApp);
    expect((await flow.agree(['portal-use', 'records'])).status).toBe(400);
    expect(await agreements()).toEqual([]);
  });

  it('what was shown with another wording', async () => {
    const flow = await Flow.begin(trustedApp);
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
    const flow = await Flow.begin(trustedApp);
    const ids = await flow.ids();
    expect((await flow.agree(ids, more)).status).toBe(400);
    expect((await flow.agree(ids, { clientId: 'trusted-app', tenantId: null })).status).toBe(204);
  });

  it('from another browser, another account, or without a sign-in', async () => {
    const flow = await Flow.begin(trustedApp);
    const body = { disclaimerIds: await flow.ids() };
    const elsewhere = (await Flow.begin(trustedApp)).app.browser;
    expect((await flow.call('/api/disclaimer', {}, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body }, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body }, new Agent(portal.issuer))).status).toBe(401);
    await flow.app.signIn(people.practitioner);
    expect((await flow.call('/api/disclaimer', { method: 'POST', body })).status).toBe(400);
  });

  it.each(['nowhere', '/connect/authorize/callback?ix=unknown-interaction', 'https://evil.example/', ''])(
    'for %j',
    async (returnUrl) => {
      const flow = await Flow.begin(trustedApp);
      flow.returnUrl = returnUrl;
      expect((await flow.call('/api/disclaimer')).status).toBe(400);
      expect((await flow.agree(['portal-use'])).status).toBe(400);
      expect((await flow.call('/api/authorization')).status).toBe(400);
      expect((await flow.call('/api/authorization', { method: 'DELETE' })).status).toBe(400);
    },
  );

  it('going on without agreeing leads back to the disclaimers', async () => {
    const flow = await Flow.begin(trustedApp);
    for (const _ of [1, 2]) expect((await flow.goOn()).path).toBe('/user/disclaimer');
  });

  it('a query that names another app, or the returnUrl twice', async () => {
    const { app, returnUrl } = await Flow.begin(trustedApp);
    const query = new URLSearchParams({ returnUrl });
    for (const more of ['clientId=study-app', 'tenantId=south', 'returnUrl=again', 'other=1']) {
      expect([more, (await app.browser.get(`/api/disclaimer?${query}&${more}`)).status]).toEqual([more, 400]);
    }
    expect((await app.browser.get(`/api/disclaimer?${query}&clientId=trusted-app`)).status).toBe(200);
  });

  it('but a call without a returnUrl means the one request that waits', async () => {
    const flow = await Flow.begin(trustedApp);
    const { disclaimers: shown } = (await flow.app.browser.get('/api/disclaimer')).json<DisclaimerList>();
    const disclaimerIds = shown.map(({ id }) => id);
    expect((await flow.app.browser.post('/api/disclaimer', { disclaimerIds })).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
  });
});

describe('Remembered consent', () => {
  const remember = async (flow: Flow) => {
    const scopes = await flow.app.offered(flow.returnUrl);
    expect((await flow.app.consent(flow.returnUrl, scopes, true)).status).toBe(204);
    expect((await flow.goOn()).path).toBe('app');
  };

  it('O-10 is asked again once the disclaimers have changed, and not before', async () => {
    const flow = await (await Flow.begin(publicApp)).agreeToAll();
    expect(flow.path).toBe('/user/consent');
    await remember(flow);
    const { browser } = flow.app;
    expect((await Flow.begin(publicApp, { browser })).path).toBe('app');

    await portal.query("UPDATE disclaimer_agreement SET text_hash = 'older'");
    await portal.query("UPDATE app_consent SET disclaimers = 'older'");
    const again = await (await Flow.begin(publicApp, { browser })).agreeToAll();
    expect(again.path).toBe('/user/consent');
    await remember(again);
    expect((await Flow.begin(publicApp, { browser })).path).toBe('app');
  });
});

describe('Where one is on the way', () => {
  it('counts the pages that are due, and says of which app', async () => {
    const flow = await Flow.begin(publicApp);
    expect(await flow.place()).toEqual({ clientName: 'Heart Companion', step: 1, total: 2 });
    await flow.agreeToAll();
    expect(await flow.place()).toEqual({ clientName: 'Heart Companion', step: 2, total: 2 });

    const alone = await Flow.begin(trustedApp, { person: people.practitioner, parameters: { scope: 'openid' } });
    expect(await alone.place()).toEqual({ clientName: 'Trusted', step: 1, total: 1 });
  });

  it('is nobody else’s business', async () => {
    const flow = await Flow.begin(trustedApp);
    const elsewhere = (await Flow.begin(trustedApp)).app.browser;
    expect((await flow.call('/api/authorization', {}, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/authorization', { method: 'DELETE' }, elsewhere)).status).toBe(400);
    expect((await flow.goOn()).path).toBe('/user/disclaimer');
  });

  it('leaves the way out open: the app gets access_denied and nothing is agreed to', async () => {
    const flow = await Flow.begin(trustedApp);
    expect((await flow.call('/api/authorization', { method: 'DELETE' })).status).toBe(204);
    await flow.goOn();
    expect([flow.path, flow.page.searchParams.get('error')]).toEqual(['app', 'access_denied']);
    expect(flow.page.searchParams.get('state')).toBe(flow.app.state);
    expect(await agreements()).toEqual([]);
    expect(await eventsOf('authorization.left')).toMatchObject([
      { outcome: 'success', client_id: 'trusted-app', detail: { step: 'disclaimers' } },
    ]);
  });
});

describe('Taking an agreement back', () => {
  const withdraw = (browser: Agent, body: unknown) => browser.send('/api/grant/disclaimer', { method: 'DELETE', body });

  const listOf = async (browser: Agent) => (await browser.get('/api/grant')).json<GrantList>();

  const general = { tenantId: null, clientId: null, disclaimerId: 'portal-use' };
  const study = { tenantId: null, clientId: 'study-app', disclaimerId: 'study' };

  it('is possible for all that is listed: general ones, and those of an app beside what it may do', async () => {
    const { app } = await (await Flow.begin(studyApp)).agreeToAll();
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

  it('leaves the card of an app whose permissions are revoked, without dates, until its disclaimers are too', async () => {
    const { app } = await (await Flow.begin(studyApp)).agreeToAll();
    expect((await app.browser.send('/api/grant?clientId=study-app', { method: 'DELETE' })).status).toBe(204);
    const card = async () =>
      (await listOf(app.browser)).clientsPermissions.find(({ clientId }) => clientId === 'study-app');
    expect(await card()).toMatchObject({
      clientName: 'Study',
      created: null,
      expires: null,
      identityGrantNames: [],
      apiGrantData: [],
      disclaimers: [study],
    });
    expect((await withdraw(app.browser, { disclaimers: [study] })).status).toBe(204);
    expect(await card()).toBeUndefined();
  });

  it('does not list what was agreed to with another wording', async () => {
    const { app } = await (await Flow.begin(studyApp)).agreeToAll();
    await portal.query("UPDATE disclaimer_agreement SET text_hash = 'older' WHERE disclaimer_id = 'portal-use'");
    const { generalDisclaimers } = await listOf(app.browser);
    expect(generalDisclaimers.map(({ disclaimerId }) => disclaimerId)).toEqual(['records']);
  });

  it('P-03 makes the next authorization ask again', async () => {
    const { app } = await (await Flow.begin(trustedApp)).agreeToAll();
    expect((await withdraw(app.browser, { disclaimers: [general] })).status).toBe(204);
    const flow = await Flow.begin(trustedApp, { browser: app.browser });
    expect(flow.path).toBe('/user/disclaimer');
    expect((await flow.shown()).filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed).map(({ id }) => id)).toEqual([
      'portal-use',
    ]);
  });

  it('P-03 while the consent page is open leads back to the disclaimers', async () => {
    const flow = await (await Flow.begin(publicApp)).agreeToAll();
    expect((await withdraw(flow.app.browser, { disclaimers: [general] })).status).toBe(204);
    await flow.app.consent(flow.returnUrl, await flow.app.offered(flow.returnUrl));
    expect((await flow.goOn()).path).toBe('/user/disclaimer');
  });

  it('P-09 is nobody else’s, and 404 takes nothing back', async () => {
    const { app } = await (await Flow.begin(studyApp)).agreeToAll();
    const other = (await Flow.begin(trustedApp, { person: people.practitioner })).app.browser;
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
    expect(await agreements()).toHaveLength(3);
  });

  it.each([
    ['no list', {}],
    ['an empty list', { disclaimers: [] }],
    ['no objects', { disclaimers: ['portal-use'] }],
    ['no id', { disclaimers: [{ clientId: 'study-app' }] }],
    ['an id that is no text', { disclaimers: [{ disclaimerId: 1 }] }],
    ['too long', { disclaimers: [{ disclaimerId: 'x'.repeat(101) }] }],
    ['a list by itself', [general]],
    ['too many', { disclaimers: Array.from({ length: 201 }, () => general) }],
  ])('refuses %s', async (_, body) => {
    const { app } = await Flow.begin(trustedApp);
    expect((await withdraw(app.browser, body)).status).toBe(400);
  });

  it('N-04 is recorded like agreeing and trying to cheat, with the wording', async () => {
    const flow = await Flow.begin(studyApp);
    await flow.shown();
    expect((await flow.agree(['south'])).status).toBe(400);
    expect(await eventsOf('disclaimers.agreed')).toMatchObject([
      { outcome: 'failure', client_id: 'study-app' },
      {},
      {},
    ]);
    await flow.agreeToAll();
    const [agreed] = await eventsOf('disclaimers.agreed');
    const stored = await agreements();
    expect(agreed).toEqual({
      outcome: 'success',
      client_id: 'study-app',
      detail: {
        disclaimers: ['portal-use', 'records', 'study'].map((id) => ({
          id,
          textHash: stored.find(({ disclaimer_id }) => disclaimer_id === id)?.text_hash,
        })),
      },
    });
    expect((await withdraw(flow.app.browser, { disclaimers: [study] })).status).toBe(204);
    expect((await eventsOf('disclaimer.withdrawn'))[0]).toEqual({
      outcome: 'success',
      client_id: 'study-app',
      detail: { tenantId: null, disclaimerId: 'study' },
    });
  });
});
