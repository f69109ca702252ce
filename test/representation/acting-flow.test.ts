import { decodeJwt } from 'jose';
import { ActivityLog } from '../../src/activity/application/activity-log.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { Agent } from '../support/http/agent.js';
import {
  actingIn,
  jwtApp,
  opaqueApp,
  relationshipsPath as path,
  scopeOfActing as scope,
  withSecret,
} from '../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';

const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal({ config: { clients: [jwtApp, opaqueApp], ehr: { callers: [ehr] } } });
  admin = await acting.admin();
  portal.has('mia', { birthDate: '2012-01-01' });
  await acts('leo');
  await acts('mia');
});

afterAll(() => portal.close());

const acting = actingIn(() => portal);
const { acts, idOf, begin, question, beginFor, pageOf, tokensFor } = acting;

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
    expect(leo).toMatchObject({ kinds: null, next: { on: '2033-05-10', ends: false, needsAgreement: false } });
    expect(mia?.kinds).toEqual([
      ...['Patient', 'AllergyIntolerance', 'Immunization'],
      'Observation?category=vital-signs',
    ]);
    expect(mia?.next).toEqual({ on: '2028-01-01', ends: false, needsAgreement: true });
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
  async function announced(patient: string, more: Record<string, string> = {}) {
    const form = { client_id: opaqueApp.clientId, patient, ...more };
    const headers = basicAuthorization(ehr.id, ehr.secret);
    const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const { launchContextIdentifier } = answer.json<{ launchContextIdentifier: string }>();
    return { ...withSecret, scope: 'openid launch patient/*.rs', parameters: { launch: launchContextIdentifier } };
  }

  const launch = async (patient: string, more: Record<string, string> = {}) =>
    begin(family.ana, await announced(patient, more));

  /** Where the browser comes after the sign-in. */
  async function launchAnswer(patient: string): Promise<string> {
    const app = new SmartApp(portal, await announced(patient));
    const returnUrl = await app.begin();
    await app.signIn(family.ana, returnUrl);
    return app.follow(returnUrl);
  }

  it('is shown on the page, where nothing else can be chosen', async () => {
    const begun = await launch('leo');
    expect(begun.page).toBe('/user/launch-context');
    const asked = await question(begun);
    expect(asked.chosen).toEqual(['Patient/leo']);
    expect(asked.resourceData).toMatchObject([{ isFixed: true, data: [{ id: 'Patient/leo' }] }]);
    expect(asked.patient).toMatchObject({ name: 'Leo Duarte', canChange: false, acting: { relation: 'child' } });
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

  it.each([
    ['leo', 'visit-of-leo'],
    ['mia', undefined],
  ])('has the visit of the EHR only where the level permits all visits: %s', async (patient, encounter) => {
    const id = `visit-of-${patient}`;
    portal.records.set(id, { resourceType: 'Encounter', id, subject: { reference: `Patient/${patient}` } });
    const { app, returnUrl } = await launch(patient, { encounter: id });
    await question({ app, page: '', returnUrl });
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;
    expect((await app.browser.post(address, [`Patient/${patient}`])).status).toBe(200);
    let at = new URL(await app.follow(returnUrl));
    if (at.pathname === '/user/consent') {
      const asked = at.searchParams.get('returnUrl') ?? '';
      expect((await app.consent(asked, await app.offeredScopes(asked))).status).toBe(204);
      at = new URL(await app.follow(asked));
    }
    const tokens = (await app.exchange(at.searchParams.get('code') ?? '')).json<Tokens>();
    expect([tokens.patient, tokens.encounter]).toEqual([patient, encounter]);
    expect(tokens.scope.split(' ')).toContain('launch');
  });

  it.each([
    ['the relationship has ended', 'gone', 'announced-patient-not-represented', 'the relationship has ended'],
    ['the patient is too young', 'young', 'announced-patient-not-represented', 'younger than the table of ages begins'],
    ['no relationship is known', 'unknown', 'announced-other-patient', undefined],
  ])('is refused where %s, and administrators are told why', async (_, patient, code, reason) => {
    portal.has(patient);
    const id = patient === 'unknown' ? undefined : await acts(patient);
    if (patient === 'gone') await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' });
    if (patient === 'young') {
      await portal.query("UPDATE representation_relationship SET basis = 'voluntary' WHERE id = $1", [id]);
      await portal.query("SELECT pg_notify('gatehouse_relationships', '')");
    }
    const refused = await launchAnswer(patient);
    expect(refused).toContain('error=invalid_request');
    await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
    const [last] = await portal.query<{ entries: Record<string, { count: number; detail?: { reason?: string } }> }>(
      'SELECT entries FROM launch ORDER BY last_at DESC LIMIT 1',
    );
    expect(Object.keys(last?.entries ?? {}).join()).toContain(code);
    const entry = Object.entries(last?.entries ?? {}).find(([key]) => key.startsWith(code))?.[1];
    // The sign-in asks about the launch as well, and refuses nothing.
    expect(entry?.count).toBe(1);
    const told = entry?.detail?.reason;
    if (reason === undefined) expect(told).toBeUndefined();
    else expect(told).toContain(reason);
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
