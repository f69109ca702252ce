import { decodeJwt } from 'jose';
import type { ConsentRequest } from '../../src/contract/consent.js';
import type { LaunchContextRequest } from '../../src/contract/launch-context.js';
import type { GrantList } from '../../src/contract/own-record/grants.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';
import type { Credentials } from '../support/users/people.js';

const jwtApp = { ...publicApp, accessTokenType: 'Jwt' };
const opaqueApp = { ...confidentialApp, requireConsent: true, allowIntrospection: true };
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const path = '/api/admin/representation';
const scope = 'openid fhirUser launch/patient patient/*.rs user/Patient.rs offline_access';
let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2, config: { clients: [jwtApp, opaqueApp], ehr: { callers: [ehr] } } });
  admin = await portal.as(family.admin);
  portal.has('mia', { birthDate: '2012-01-01' });
  await acts('leo');
  await acts('mia');
});

afterAll(() => portal.close());

async function acts(patient: string, more: object = {}): Promise<string> {
  const form = { email: family.ana.email, patient, basis: 'parental-responsibility', level: 'full', ...more };
  const { id } = (await admin.post(path, form)).json<RelationshipView>();
  const decided = await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
  expect([decided.status, decided.text]).toEqual([200, expect.any(String)]);
  return id;
}

const idOf = async (patient: string) => {
  const list = await admin.get(`${path}?patient=${patient}`);
  return list.json<{ relationships: RelationshipView[] }>().relationships[0]?.id ?? '';
};

/** Signs in, and continues to the page that comes then. */
async function begin(person: Credentials, launch: object = {}) {
  const app = new SmartApp(portal, { scope, ...launch });
  const returnUrl = await app.begin();
  await app.signIn(person, returnUrl);
  const at = new URL(await app.follow(returnUrl));
  return { app, page: at.pathname, returnUrl: at.searchParams.get('returnUrl') ?? '' };
}

const question = async ({ app, returnUrl }: Awaited<ReturnType<typeof begin>>) =>
  (
    await app.browser.get(`/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`)
  ).json<LaunchContextRequest>();

/** Chooses a patient; then the app's request is at the consent page. */
async function beginFor(patient: string, launch: object = {}) {
  const begun = await begin(family.ana, launch);
  expect(begun.page).toBe('/user/launch-context');
  await question(begun);
  const address = `/api/launch-context?returnUrl=${encodeURIComponent(begun.returnUrl)}`;
  const chosen = await begun.app.browser.post(address, [`Patient/${patient}`]);
  expect([chosen.status, chosen.text]).toEqual([200, expect.any(String)]);
  const at = new URL(await begun.app.follow(begun.returnUrl));
  return { app: begun.app, at, returnUrl: at.searchParams.get('returnUrl') ?? '' };
}

const pageOf = async ({ app, returnUrl }: Awaited<ReturnType<typeof beginFor>>) =>
  (await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<ConsentRequest>();

async function tokensFor(patient: string, launch: object = {}, remember = false) {
  const { app, at, returnUrl } = await beginFor(patient, launch);
  let landed = at;
  if (at.pathname === '/user/consent') {
    const consented = await app.consent(returnUrl, await app.offeredScopes(returnUrl), remember);
    expect([consented.status, consented.text]).toEqual([204, expect.any(String)]);
    landed = new URL(await app.follow(returnUrl));
  }
  const answer = await app.exchange(landed.searchParams.get('code') ?? '');
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return { app, tokens: answer.json<Tokens>(), asked: at.pathname === '/user/consent' };
}

const withSecret = { client: opaqueApp, secret: sharedSecret };
const introspect = async (token: string) =>
  (
    await new Agent(portal.issuer).postForm(
      '/connect/introspect',
      { token },
      { headers: basicAuthorization(opaqueApp.clientId, sharedSecret) },
    )
  ).json<{ active: boolean; patient?: string; representation?: string }>();

describe('Who is this for?', () => {
  it('is asked of who acts for others: the own record first, then the others by name', async () => {
    const { resourceData } = await question(await begin(family.ana));
    expect(resourceData).toHaveLength(1);
    expect(resourceData[0]).toMatchObject({
      name: 'Patient',
      data: [
        { id: 'Patient/1', forWhom: { name: 'Ana Duarte', relation: null, levels: [], selectable: true } },
        { id: 'Patient/leo', forWhom: { name: 'Leo Duarte', relation: 'child', levels: [{ id: 'full' }] } },
        { id: 'Patient/mia', forWhom: { levels: [{ id: 'full' }, { id: 'basics' }], birthDate: '2012-01-01' } },
      ],
    });
  });

  it('is not asked of who acts for no other patient, nor by an app that asks for none', async () => {
    expect((await begin(family.noah)).page).toBe('/user/consent');
    expect((await begin(family.ana, { scope: 'openid fhirUser user/Patient.rs' })).page).toBe('/user/consent');
  });

  it('offers a patient whose level gives nothing of what the app asks for, without a choice', async () => {
    const begun = await begin(family.ana, { scope: 'openid launch/patient patient/MedicationRequest.rs' });
    const { resourceData } = await question(begun);
    expect(resourceData[0]?.data.map(({ forWhom }) => forWhom?.selectable)).toEqual([true, true, false]);
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(begun.returnUrl)}`;
    for (const id of ['Patient/mia', 'Patient/2', 'Patient/stranger']) {
      expect((await begun.app.browser.post(address, [id])).status).toBe(400);
    }
  });

  it('gives the app the chosen patient, the relationship, and nothing of the user’s own record', async () => {
    const { app, tokens } = await tokensFor('leo');
    expect(tokens.patient).toBe('leo');
    expect((await app.refresh(tokens.refresh_token ?? '', { scope })).json<Tokens>().scope).toBe(tokens.scope);
    expect(tokens.scope.split(' ')).not.toContain('user/Patient.rs');
    expect(decodeJwt(tokens.access_token)).toMatchObject({ patient: 'leo', representation: await idOf('leo') });
    expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ fhirUser: `${portal.fhirBase}/Patient/1` });
  });

  it('grants a wildcard as the types that the level permits on that day', async () => {
    const { tokens } = await tokensFor('mia');
    const types = tokens.scope.split(' ').flatMap((text) => /^patient\/(.+)\.rs$/.exec(text)?.[1] ?? []);
    expect(types).toEqual(expect.arrayContaining(['Immunization', 'Observation', 'Patient']));
    for (const type of ['*', 'MedicationRequest', 'Encounter', 'AuditEvent', 'DocumentReference']) {
      expect(types).not.toContain(type);
    }
  });

  it('gives the app the own record where the user chose it', async () => {
    const { tokens } = await tokensFor('1');
    expect(tokens.patient).toBe('1');
    expect(tokens.scope.split(' ')).toContain('user/Patient.rs');
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty('representation');
  });

  it('names until when, what then, and the kinds of a limited level', async () => {
    const { resourceData } = await question(await begin(family.ana));
    const [own, leo, mia] = (resourceData[0]?.data ?? []).map(({ forWhom }) => forWhom);
    expect(own).toMatchObject({ kinds: null, end: null, next: null });
    expect(leo).toMatchObject({ kinds: null, next: { on: '2033-05-10', ends: false } });
    expect(mia?.kinds).toEqual(['Patient', 'AllergyIntolerance', 'Immunization', 'Observation']);
    expect(mia?.next).toEqual({ on: '2028-01-01', ends: false });
  });

  it('is never answered by leaving it out', async () => {
    const begun = await begin(family.ana);
    await question(begun);
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(begun.returnUrl)}`;
    expect((await begun.app.browser.post(address, [])).status).toBe(400);
  });

  it('lists no visits of which the level keeps some private', async () => {
    const begun = await begin(family.ana, { scope: 'openid launch/patient launch/encounter patient/*.rs' });
    await question(begun);
    for (const [patient, asked] of [
      ['leo', 1],
      ['mia', 0],
    ] as const) {
      const before = portal.upstream.requests.length;
      const query = new URLSearchParams({
        returnUrl: begun.returnUrl,
        kind: 'Encounter',
        patient: `Patient/${patient}`,
      });
      expect((await begun.app.browser.get(`/api/launch-context?${query}`)).status).toBe(200);
      const visits = portal.upstream.requests.slice(before).filter(({ url }) => url.includes('/Encounter'));
      expect(Math.min(1, visits.length)).toBe(asked);
    }
  });

  it('is remembered for the patient of the decision alone', async () => {
    await tokensFor('leo', withSecret, true);
    expect((await tokensFor('leo', withSecret)).asked).toBe(false);
    expect((await tokensFor('mia', withSecret)).asked).toBe(true);
    expect((await tokensFor('1', withSecret)).asked).toBe(true);
  });
});

describe('An EHR that launches an app for a patient for whom the user acts', () => {
  async function launch(patient: string) {
    const body = new URLSearchParams({ client_id: opaqueApp.clientId, patient }).toString();
    const headers = { ...basicAuthorization(ehr.id, ehr.secret), 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await new Agent(portal.issuer).send('/connect/launchContext', { method: 'POST', headers, body });
    const { launchContextIdentifier } = answer.json<{ launchContextIdentifier: string }>();
    const parameters = { launch: launchContextIdentifier };
    return begin(family.ana, { ...withSecret, scope: 'openid launch patient/*.rs', parameters });
  }

  it('is shown on the page, where nothing else can be chosen', async () => {
    const begun = await launch('leo');
    expect(begun.page).toBe('/user/launch-context');
    const asked = await question(begun);
    expect(asked.chosen).toEqual(['Patient/leo']);
    expect(asked.resourceData).toMatchObject([{ isFixed: true, data: [{ id: 'Patient/leo' }] }]);
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(begun.returnUrl)}`;
    for (const choice of [[], ['Patient/1'], ['Patient/mia']]) {
      expect((await begun.app.browser.post(address, choice)).status).toBe(400);
    }
    expect((await begun.app.browser.post(address, ['Patient/leo'])).status).toBe(200);
    const at = new URL(await begun.app.follow(begun.returnUrl));
    expect(at.pathname).toBe('/user/consent');
    const page = await pageOf({ app: begun.app, at, returnUrl: at.searchParams.get('returnUrl') ?? '' });
    expect(page.patient).toMatchObject({ name: 'Leo Duarte', canChange: false, acting: { relation: 'child' } });
  });

  it('is shown although the decision is remembered, and not where the record is the user’s own', async () => {
    await tokensFor('leo', { ...withSecret, scope: 'openid launch patient/*.rs' }, true);
    expect((await launch('leo')).page).toBe('/user/launch-context');
    expect((await launch('1')).page).toBe('/user/consent');
  });
});

describe('The consent page of who acts for a patient', () => {
  it('names the patient, and by the rule of the level what is kept private', async () => {
    const scope = 'openid patient/Observation.rs patient/Condition.rs patient/Immunization.rs user/Patient.rs';
    const mia = await pageOf(await beginFor('mia', { scope }));
    expect(mia.patient).toMatchObject({
      name: 'Mia Duarte',
      acting: { relation: 'child', basis: 'Parental responsibility', levels: ['Limited: the basics'] },
    });
    expect(mia.ownRecord).toBe(false);
    expect(mia.apiScopes.map(({ value }) => value)).toEqual(['patient/Observation.rs', 'patient/Immunization.rs']);
    expect(mia.acting).toMatchObject({
      isPermitted: true,
      keptPrivate: ['patient/Condition.rs'],
      partlyPrivate: expect.arrayContaining(['patient/Observation.rs']),
    });
    const leo = await pageOf(await beginFor('leo', { scope }));
    expect(leo.acting).toEqual({ isPermitted: true, keptPrivate: [], partlyPrivate: [] });
    const own = await pageOf(await beginFor('1', { scope }));
    expect(own).not.toHaveProperty('acting');
    expect(own).toMatchObject({ ownRecord: true, patient: null });
  });

  it('names each kind of a wildcard that is kept private', async () => {
    const { acting } = await pageOf(await beginFor('mia'));
    expect(acting?.keptPrivate).toEqual(['patient/Condition.rs', 'patient/MedicationRequest.rs']);
  });

  it('offers what is left when the level falls while it is open, and grants nothing of the page before', async () => {
    portal.has('ida');
    const id = await acts('ida');
    const begun = await beginFor('ida', { scope: 'openid patient/MedicationRequest.rs patient/Immunization.rs' });
    const page = await pageOf(begun);
    const fallTo = (level: string) =>
      portal.query('UPDATE representation_relationship SET level = $2 WHERE id = $1', [id, level]);
    await fallTo('basics');
    const submission = { returnUrl: begun.returnUrl, rememberConsent: false };
    const scopesConsented = ['openid', 'patient/MedicationRequest.rs', 'patient/Immunization.rs'];
    const { contextVersion } = page;
    for (const body of [{ contextVersion, scopesConsented }, { scopesConsented }]) {
      const refused = await begun.app.browser.post('/api/consent', { ...submission, ...body });
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('What you may see has changed')]);
    }
    const after = await pageOf(begun);
    expect(after.apiScopes.map(({ value }) => value)).toEqual(['patient/Immunization.rs']);
    expect(after.acting?.keptPrivate).toEqual(['patient/MedicationRequest.rs']);
    const accepted = { contextVersion: after.contextVersion, scopesConsented: ['openid', 'patient/Immunization.rs'] };
    expect((await begun.app.browser.post('/api/consent', { ...submission, ...accepted })).status).toBe(204);
  });

  it.each([
    ['nothing is left of what the app asks for', 'level', ['patient/MedicationRequest.rs']],
    ['the relationship has ended', 'end', []],
  ])('grants nothing, and lets the request be left, when %s', async (_, what, keptPrivate) => {
    const patient = `nothing-${what}`;
    portal.has(patient);
    const id = await acts(patient);
    const begun = await beginFor(patient, { scope: 'openid patient/MedicationRequest.rs' });
    const { contextVersion } = await pageOf(begun);
    if (what === 'end') await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' });
    else await portal.query("UPDATE representation_relationship SET level = 'basics' WHERE id = $1", [id]);
    expect((await pageOf(begun)).acting).toEqual({ isPermitted: false, keptPrivate, partlyPrivate: [] });
    const submission = { returnUrl: begun.returnUrl, rememberConsent: false, scopesConsented: ['openid'] };
    for (const version of [contextVersion, (await pageOf(begun)).contextVersion, undefined]) {
      const refused = await begun.app.browser.post('/api/consent', { ...submission, contextVersion: version });
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('What you may see has changed')]);
    }
    const again = new URL(await begun.app.follow(begun.returnUrl));
    expect([again.pathname, what]).toEqual(['/user/consent', what]);
    const left = `/api/authorization?returnUrl=${encodeURIComponent(begun.returnUrl)}`;
    expect((await begun.app.browser.send(left, { method: 'DELETE' })).status).toBe(204);
    expect(await begun.app.follow(begun.returnUrl)).toContain('error=access_denied');
  });
});

describe('The access of an app for a patient', () => {
  it.each([
    ['opaque', withSecret],
    ['self-contained', {}],
  ])('rests while the relationship is suspended, and continues with the same %s tokens', async (_, launch) => {
    const id = await acts('2', { basis: 'power-of-attorney', relation: 'attorney', level: 'full' });
    const { app, tokens } = await tokensFor('2', launch);
    const noah = await portal.as(family.noah, 1);
    expect(await introspect(tokens.access_token)).toMatchObject({ active: true, patient: '2', representation: id });
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    await eventually(async () => expect((await introspect(tokens.access_token)).active).toBe(false));
    const refused = await app.refresh(tokens.refresh_token ?? '');
    expect([refused.status, refused.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    await admin.post(`${path}/${id}/confirmation`, { note: 'Called back' });
    expect((await introspect(tokens.access_token)).active).toBe(true);
    const renewed = await app.refresh(tokens.refresh_token ?? '');
    expect([renewed.status, renewed.json<Tokens>().patient]).toEqual([200, '2']);
    await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' });
    expect((await app.refresh(renewed.json<Tokens>().refresh_token ?? '')).status).toBe(400);
  });

  it('ends with the relationship, with a receipt; that of the user’s own record continues', async () => {
    portal.has('tom');
    const id = await acts('tom');
    const own = await tokensFor('1');
    const { app, tokens } = await tokensFor('tom');
    const ana = await portal.as(family.ana);
    expect((await ana.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(400);
    expect((await own.app.refresh(own.tokens.refresh_token ?? '')).status).toBe(200);
    await eventually(async () => {
      const rows = await portal.query("SELECT FROM receipt WHERE facts ->> 'by' = 'representation'");
      expect(rows.length).toBeGreaterThan(0);
    });
  });

  it('is not granted on a page that was open when the level fell, or the relationship ended', async () => {
    portal.has('kim');
    const id = await acts('kim');
    const { app, returnUrl } = await beginFor('kim');
    const offered = await app.offeredScopes(returnUrl);
    await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' });
    expect((await app.consent(returnUrl, offered)).status).toBe(409);
  });

  it('has a card for each patient, and is taken back for one', async () => {
    const own = await tokensFor('1', {}, true);
    const leo = await tokensFor('leo', {}, true);
    const ana = await portal.as(family.ana);
    const cards = async (query = '') =>
      (await ana.get(`/api/grant${query}`))
        .json<GrantList>()
        .clientsPermissions.filter(({ clientId }) => clientId === jwtApp.clientId);
    expect((await cards()).map(({ patient }) => patient?.reference)).toEqual(
      expect.arrayContaining([undefined, 'Patient/leo']),
    );
    expect(await cards('?patient=Patient/leo')).toMatchObject([{ patient: { name: 'Leo Duarte', tenant: null } }]);
    const takeBack = (query: string) =>
      ana.send(`/api/grant?clientId=${jwtApp.clientId}${query}`, { method: 'DELETE' });
    expect((await takeBack('&patient=Patient/stranger')).status).toBe(404);
    expect((await takeBack('&patient=Patient/leo')).status).toBe(204);
    expect((await leo.app.refresh(leo.tokens.refresh_token ?? '')).status).toBe(400);
    expect((await own.app.refresh(own.tokens.refresh_token ?? '')).status).toBe(200);
    const again = await tokensFor('leo');
    expect((await takeBack('')).status).toBe(204);
    expect((await takeBack('')).status).toBe(409);
    expect((await again.app.refresh(again.tokens.refresh_token ?? '')).status).toBe(200);
  });

  it('never outlives an end at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      portal.has(`round-${round}`);
      const id = await acts(`round-${round}`);
      const { app, returnUrl } = await beginFor(`round-${round}`);
      const offered = await app.offeredScopes(returnUrl);
      const [consented] = await Promise.all([
        app.consent(returnUrl, offered),
        admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' }),
      ]);
      expect([204, 409]).toContain(consented.status);
      const grants = await portal.query("SELECT FROM oidc_record WHERE payload -> 'representation' ->> 'id' = $1", [
        id,
      ]);
      expect(grants).toEqual([]);
    }
  });
});
