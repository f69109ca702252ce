import type { ConsentRequest } from '../../src/contract/consent.js';
import { type Launch, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { alterClient, publicApp, redirectUri } from '../support/clients/clients.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';
import { decisionsOn } from './decisions.js';

const otherUri = 'https://moved.example/callback';
const fineApp = { ...publicApp, clientId: 'fine-app', showFineGrainedScopes: true, requiredScopes: ['fhirUser'] };
const briefApp = { ...publicApp, clientId: 'brief-app', consentLifetime: '01:00:00' };
const movedApp = { ...publicApp, clientId: 'moved-app', redirectUris: [redirectUri, otherUri] };
const scope = 'openid fhirUser launch/patient patient/Observation.rs patient/Condition.rs offline_access';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient, people.otherPatient],
      clients: [publicApp, fineApp, briefApp, movedApp],
    },
  });
});

beforeEach(async () => {
  await portal.query('DELETE FROM app_consent');
  await portal.query("DELETE FROM oidc_record WHERE model = 'Grant'");
});

afterAll(() => portal.close());

const { visit, again, decide, asksAgain } = decisionsOn(() => portal, scope);

describe('Declining on the consent page', () => {
  it('SMART authorize-denied D-03 redirects to the registered address with access_denied for any address of the page', async () => {
    const app = new SmartApp(portal, { scope });
    const { returnUrl } = await visit(app);
    const tampered = returnUrl.replace(encodeURIComponent(redirectUri), encodeURIComponent('https://evil.example/cb'));
    expect(tampered).not.toBe(returnUrl);
    expect((await app.consent(tampered, [])).status).toBe(204);
    const at = new URL(await app.follow(tampered));
    expect(at.origin + at.pathname).toBe(redirectUri);
    expect(Object.fromEntries(at.searchParams)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      error_uri: `${portal.issuer}/help/errors/access_denied`,
      state: app.state,
      iss: portal.issuer,
    });
    const rows = await portal.query("SELECT FROM oidc_record WHERE model IN ('Grant', 'AuthorizationCode')");
    expect(rows).toHaveLength(0);
    expect((await app.browser.get('/api/session')).status).toBe(200);
  });
});

describe('The choice on the consent page', () => {
  it('O-07 with a scope that was not offered is refused as a whole, and the request stays open', async () => {
    const app = new SmartApp(portal, { client: fineApp, scope });
    const { returnUrl } = await visit(app);
    const offered = await app.offeredScopes(returnUrl);
    for (const scopes of [
      [...offered, 'patient/Patient.rs'],
      [...offered, 'patient/*.cruds'],
      ['openid', 'fhirUser', 'patient/Observation.cruds'],
      ['openid', 'fhirUser', 'patient/Observation.rs?category=made-up'],
      [...offered, 'user/*.rs'],
      [...offered, 'system/*.rs'],
      [...offered, 'openid'],
      [...offered, '\u0000'],
      [...offered, ''],
      offered.filter((one) => one !== 'openid'),
      offered.filter((one) => one !== 'fhirUser'),
      Array.from({ length: 10_000 }, (_, index) => `patient/A${index}.rs`),
      ['patient/Observation.rs'],
    ]) {
      expect((await app.consent(returnUrl, scopes)).status).toBe(400);
    }
    expect((await app.consent(returnUrl, offered)).status).toBe(204);
    expect(new URL(await app.follow(returnUrl)).searchParams.has('code')).toBe(true);
  });

  it('SMART scope-selection O-07 determines the token: the scopes that are requested, allowed and ticked', async () => {
    const app = new SmartApp(portal, { scope });
    const tokens = await app.tokens(people.patient, ['openid', 'patient/Observation.rs']);
    expect(tokens.scope).toBe('openid patient/Observation.rs');
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  it('O-07 of all types of a wildcard grants the wildcard, and of some of them those types only', async () => {
    const wide = new SmartApp(portal, { scope: 'openid patient/MedicationRequest.read patient/*.rs' });
    expect((await wide.tokens(people.patient)).scope).toBe('openid patient/MedicationRequest.read patient/*.rs');
    const app = again(wide, { scope: 'openid patient/*.rs' });
    const { returnUrl } = await visit(app);
    const page = await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`);
    const [row] = page.json<ConsentRequest & Record<string, unknown>>().apiScopes;
    const kinds = row?.fineGrainedScopes.map(({ value }) => value) ?? [];
    expect(kinds).toContain('patient/Medication.rs');
    expect(kinds).not.toContain('patient/StructureDefinition.rs');
    const some = kinds.filter((kind) => kind !== 'patient/MedicationRequest.rs');
    expect((await app.consent(returnUrl, ['openid', ...some])).status).toBe(204);
    const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
    expect((await app.exchange(code)).json<Tokens>().scope.split(' ')).toEqual(['openid', ...some]);
  });

  it.each([
    'patient/*.read',
    'patient/*.write',
    'patient/*.*',
    'user/*.write',
    'patient/*.r',
    'patient/*.cud',
    'patient/*.cruds',
  ])('O-07 lists the types of the wildcard %s, for changes without the types that patients share', async (wildcard) => {
    const app = new SmartApp(portal, { scope: `openid ${wildcard}` });
    const { returnUrl } = await visit(app);
    const page = await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`);
    expect(page.status).toBe(200);
    const [row] = page.json<ConsentRequest & Record<string, unknown>>().apiScopes;
    const kinds = row?.fineGrainedScopes.map(({ value }) => value.replace(/^.*\/|\..*$/g, '')) ?? [];
    expect(kinds).toContain('Condition');
    expect(kinds.includes('Organization')).toBe(!/write|cud$/.test(wildcard));
  });

  it('O-07 may leave out the changes of a kind where the client has fine-grained scopes', async () => {
    const app = new SmartApp(portal, { client: fineApp, scope: 'openid fhirUser patient/Goal.cruds patient/Flag.*' });
    const { returnUrl } = await visit(app);
    const chosen = ['openid', 'fhirUser', 'patient/Goal.rs', 'patient/Flag.read'];
    expect((await app.consent(returnUrl, chosen)).status).toBe(204);
    const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
    expect((await app.exchange(code)).json<Tokens>().scope.split(' ')).toEqual(chosen);
  });

  it('SMART scope-granular-selection 9.28 may be narrower than the request, and is returned in every response', async () => {
    const app = new SmartApp(portal, { client: fineApp, scope });
    const { returnUrl } = await visit(app);
    const { apiScopes } = (await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<{
      apiScopes: { value: string; fineGrainedScopes: { value: string }[] }[];
    }>();
    const of = (value: string) => apiScopes.find((one) => one.value === value)?.fineGrainedScopes ?? [];
    const [lab, condition] = [of('patient/Observation.rs')[0]?.value, of('patient/Condition.rs')[0]?.value];
    expect(lab).toMatch(/^patient\/Observation\.rs\?category=http:\/\/.+\|/);
    const chosen = ['openid', 'fhirUser', 'launch/patient', lab ?? '', condition ?? '', 'offline_access'];
    expect((await app.consent(returnUrl, chosen)).status).toBe(204);
    const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
    const tokens = (await app.exchange(code)).json<Tokens>();
    expect(new Set(tokens.scope.split(' '))).toEqual(new Set(chosen));
    const refreshed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
    expect(refreshed.scope).toBe(tokens.scope);
  });

  it.each([
    ['without a session', 401],
    ['of another person', 400],
  ])('is refused when it comes %s', async (who, status) => {
    const app = new SmartApp(portal, { scope });
    const { returnUrl } = await visit(app);
    if (status === 401) app.browser.cookies.delete('gatehouse_session');
    else await app.signIn(people.otherPatient);
    expect([who, (await app.consent(returnUrl, ['openid'])).status]).toEqual([who, status]);
  });

  it('is refused with a client error for a malformed body', async () => {
    const app = new SmartApp(portal, { scope });
    const { returnUrl } = await visit(app);
    const good = { returnUrl, rememberConsent: false, scopesConsented: ['openid'] };
    for (const body of [
      {},
      [],
      'null',
      '"text"',
      '{',
      { ...good, more: true },
      { ...good, returnUrl: undefined },
      { ...good, returnUrl: 'x'.repeat(20_000) },
      { ...good, rememberConsent: 'yes' },
      { ...good, scopesConsented: 'openid' },
      { ...good, scopesConsented: [1] },
      { ...good, scopesConsented: { length: 1, 0: 'openid' } },
    ]) {
      const answer = await app.browser.post('/api/consent', body);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
    }
  });
});

describe('The information on the consent page', () => {
  const told = async (app: SmartApp) => {
    const { returnUrl } = await visit(app);
    const answer = await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`);
    return answer.json<ConsentRequest & Record<string, unknown>>();
  };

  it.each<[string, object, string, number | null, number | null]>([
    ['for ever, and offline while it is used', publicApp, scope, null, 90],
    ['for ever, and not offline', publicApp, 'openid patient/Observation.rs', null, null],
    ['for the lifetime of a consent', briefApp, scope, 1, 90],
  ])('has its duration: %s', async (_name, client, asked, hours, unused) => {
    const { until, offlineSeconds } = (await told(new SmartApp(portal, { client: client as never, scope: asked })))
      .lasting;
    const left = until === null ? null : Math.round((Date.parse(until) - Date.now()) / 3_600_000);
    expect([left, offlineSeconds]).toEqual([hours, unused === null ? null : unused * 86_400]);
  });

  it('has whether the user has decided about this app before', async () => {
    const app = new SmartApp(portal, { client: publicApp, scope });
    expect((await told(app)).firstTime).toBe(true);
    const decided = await decide({ client: publicApp }, scope.split(' '), false);
    expect((await told(again(decided, { client: publicApp }))).firstTime).toBe(false);
    await decided.browser.send(`/api/grant?clientId=${publicApp.clientId}`, { method: 'DELETE' });
    expect((await told(again(decided, { client: publicApp }))).firstTime).toBe(true);
  });
});

describe('An app that asks for consent again', () => {
  const all = 'openid fhirUser patient/Condition.rs patient/Observation.rs';
  const leftOut = async (app: SmartApp, launch: Launch) => {
    const { returnUrl } = await visit(again(app, { parameters: { prompt: 'consent' }, ...launch }));
    const answer = await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`);
    return answer.json<ConsentRequest>().leftOutBefore;
  };

  it.each([true, false])('shows the last choice, remembered or not (%s)', async (remember) => {
    const launch = { client: publicApp, scope: all };
    const app = await decide(launch, ['openid', 'patient/Observation.rs'], remember);
    expect(await leftOut(app, launch)).toEqual(['fhirUser', 'patient/Condition.rs']);
  });

  it('shows no earlier choice on a first visit, nor for new scopes', async () => {
    const launch = { client: publicApp, scope: all };
    const app = await decide(launch, all.split(' '), true);
    expect(await leftOut(app, { ...launch, scope: `${all} patient/Goal.rs` })).toEqual([]);
    await app.browser.send(`/api/grant?clientId=${publicApp.clientId}`, { method: 'DELETE' });
    expect(await leftOut(app, launch)).toEqual([]);
  });

  it('shows unticked types of a wildcard, and a wider scope with the same types unticked', async () => {
    const wide = { client: publicApp, scope: 'openid patient/MedicationRequest.rs patient/*.rs' };
    const app = await decide(wide, ['openid', 'patient/*.rs'], true);
    expect(await leftOut(app, wide)).toEqual(['patient/MedicationRequest.rs']);
    expect(await leftOut(app, { ...wide, scope: 'openid patient/MedicationRequest.cruds' })).toEqual([
      'patient/MedicationRequest.cruds',
    ]);
  });

  it('shows a scope that the client requires by now as ticked', async () => {
    const launch = { client: publicApp, scope: all };
    const app = await decide(launch, ['openid', 'patient/Observation.rs'], true);
    await alterClient(portal, publicApp.clientId, { settings: { requiredScopes: ['patient/Condition.rs'] } });
    expect(await leftOut(app, launch)).toEqual(['fhirUser']);
    await alterClient(portal, publicApp.clientId, { settings: { requiredScopes: [] } });
  });
});

describe('A later request of the same app', () => {
  const all = scope.split(' ');

  it('O-10 asks again unless the decision is remembered', async () => {
    const client = publicApp;
    expect(await asksAgain(await decide({ client }, all, false), { client })).toBe(true);
    const app = await decide({ client }, all, true);
    expect(await asksAgain(app, { client })).toBe(false);
    expect(await asksAgain(app, { client, scope: 'openid patient/Observation.r' })).toBe(false);
  });

  it('O-10 does not ask after a remembered partial consent, and gets the scopes granted then', async () => {
    const client = publicApp;
    const some = all.filter((one) => one !== 'patient/Condition.rs');
    const app = again(await decide({ client }, some, true), { client });
    const code = new URL((await visit(app)).at).searchParams.get('code') ?? '';
    expect((await app.exchange(code)).json<Tokens>().scope).toBe(some.join(' '));
    expect(await asksAgain(app, { client, scope: `${scope} patient/Condition.cruds` })).toBe(true);
    expect(await asksAgain(app, { client, scope: 'patient/Condition.rs' })).toBe(true);
    await alterClient(portal, client.clientId, { settings: { requiredScopes: ['patient/Condition.rs'] } });
    expect(await asksAgain(app, { client })).toBe(true);
    await alterClient(portal, client.clientId, { settings: { requiredScopes: [] } });
  });

  it('O-10 gets the remembered part of a wildcard', async () => {
    const client = publicApp;
    const wide = { client, scope: 'openid patient/MedicationRequest.rs patient/*.rs' };
    const app = await decide(wide, ['openid', 'patient/*.rs'], true);
    const next = again(app, wide);
    const code = new URL((await visit(next)).at).searchParams.get('code') ?? '';
    const granted = (await next.exchange(code)).json<Tokens>().scope.split(' ');
    expect(granted).toContain('patient/Observation.rs');
    expect(granted).not.toContain('patient/MedicationRequest.rs');
    expect(granted).not.toContain('patient/*.rs');
  });

  it('O-10 asks again when it requests more, or prompt=consent', async () => {
    const client = publicApp;
    const app = await decide({ client }, all, true);
    expect(await asksAgain(app, { client, scope: `${scope} patient/Patient.rs` })).toBe(true);
    expect(await asksAgain(app, { client, scope: scope.replace('Observation.rs', 'Observation.cruds') })).toBe(true);
    expect(await asksAgain(app, { client, parameters: { prompt: 'consent' } })).toBe(true);
  });

  it('O-10 asks again when the app’s redirect URI is on another host', async () => {
    const client = movedApp;
    const app = await decide({ client }, all, true);
    expect(await asksAgain(app, { client, parameters: { redirect_uri: otherUri } })).toBe(true);
  });

  it('O-10 asks again when the consent has expired', async () => {
    const client = briefApp;
    const app = await decide({ client }, all, true);
    expect(await asksAgain(app, { client })).toBe(false);
    await portal.query("UPDATE app_consent SET expires_at = expires_at - interval '1 hour' WHERE client_id = $1", [
      client.clientId,
    ]);
    expect(await asksAgain(app, { client })).toBe(true);
  });

  it('O-10 asks again after the app was revoked', async () => {
    const client = publicApp;
    const app = await decide({ client }, all, true);
    await app.browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    expect(await asksAgain(app, { client })).toBe(true);
  });

  it('does not ask while the client needs no consent, and asks afterwards', async () => {
    const client = briefApp;
    await alterClient(portal, client.clientId, { settings: { requireConsent: false } });
    const app = new SmartApp(portal, { client, scope });
    expect((await visit(app)).at.searchParams.has('code')).toBe(true);
    await alterClient(portal, client.clientId, { settings: { requireConsent: true } });
    await portal.query('DELETE FROM app_consent WHERE client_id = $1', [client.clientId]);
    expect(await asksAgain(app, { client })).toBe(true);
  });

  it('O-11 gets the scopes of the last decision, in new and refreshed tokens', async () => {
    const first = new SmartApp(portal, { scope });
    const broad = await first.tokens(people.patient);
    expect(broad.scope).toBe(scope);
    const second = again(first, { parameters: { prompt: 'consent' } });
    const { returnUrl } = await visit(second);
    await second.consent(returnUrl, ['openid', 'patient/Observation.rs', 'offline_access'], true);
    const code = new URL(await second.follow(returnUrl)).searchParams.get('code') ?? '';
    const narrow = (await second.exchange(code)).json<Tokens>();
    expect(narrow.scope).toBe('openid patient/Observation.rs offline_access');
    expect((await second.refresh(narrow.refresh_token ?? '')).json<Tokens>().scope).toBe(narrow.scope);
    // An earlier refresh token does not keep a scope that the user has just revoked.
    const refreshed = (await first.refresh(broad.refresh_token ?? '')).json<Tokens>();
    expect(refreshed.scope).toBe('openid patient/Observation.rs offline_access');
    const { clientsPermissions } = (await first.browser.get('/api/grant')).json<{
      clientsPermissions: { apiGrantData: { scope: string }[] }[];
    }>();
    expect(clientsPermissions[0]?.apiGrantData.map((one) => one.scope).sort()).toEqual([
      'offline_access',
      'patient/Observation.rs',
    ]);
  });

  it('O-11 loses an earlier wildcard that would permit what is unticked now', async () => {
    const first = new SmartApp(portal, { scope: 'openid user/Goal.rs patient/*.cruds offline_access' });
    const broad = await first.tokens(people.patient);
    const asked = 'openid patient/Observation.rs patient/Condition.rs offline_access';
    const second = again(first, { scope: asked, parameters: { prompt: 'consent' } });
    const { returnUrl } = await visit(second);
    await second.consent(returnUrl, ['openid', 'patient/Condition.rs', 'offline_access']);
    const left = (await first.refresh(broad.refresh_token ?? '')).json<Tokens>().scope;
    expect(left).toBe('openid user/Goal.rs offline_access');
  });

  it('O-11 keeps earlier scopes that the last page did not contain', async () => {
    const first = new SmartApp(portal, { scope });
    const broad = await first.tokens(people.patient);
    const second = again(first, { scope: 'openid patient/Condition.rs', parameters: { prompt: 'consent' } });
    const { returnUrl } = await visit(second);
    await second.consent(returnUrl, ['openid', 'patient/Condition.rs']);
    expect((await first.refresh(broad.refresh_token ?? '')).json<Tokens>().scope).toBe(broad.scope);
  });

  it('O-11 loses offline access when the user unticks it', async () => {
    const first = new SmartApp(portal, { scope });
    const broad = await first.tokens(people.patient);
    const second = again(first, { parameters: { prompt: 'consent' } });
    const { returnUrl } = await visit(second);
    await second.consent(
      returnUrl,
      all.filter((one) => one !== 'offline_access'),
    );
    const answer = await first.refresh(broad.refresh_token ?? '');
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
  });
});
