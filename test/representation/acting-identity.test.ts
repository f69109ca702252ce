/** What an app is told of the user: by the token response, id_token, access token, introspection, refresh, userinfo. */
import { decodeJwt } from 'jose';
import { ActivityLog } from '../../src/activity/application/activity-log.js';
import { basicAuthorization, type SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { asBearer } from '../support/portal/token-portal.js';
import { actingIn, jwtApp, opaqueApp, relationshipsPath, withSecret } from '../support/representation/acting.js';
import {
  type FamilyPortal,
  family,
  makeRepresentative,
  startFamilyPortal,
} from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';
import { type Person, people } from '../support/users/people.js';

const rosa: Person = { ...people.patient, email: 'rosa@example.org', fullName: 'Rosa Lind' };
const introspector = { ...opaqueApp, clientId: 'introspector' };
const scope = 'openid fhirUser profile launch/patient patient/*.rs user/Patient.rs offline_access';
let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  const users = [...Object.values(family), rosa];
  portal = await startFamilyPortal({
    types: ['RelatedPerson', 'Person'],
    config: { clients: [jwtApp, opaqueApp, introspector], users },
  });
  await makeRepresentative(portal, rosa);
  admin = await ana.admin();
  await ana.acts('leo');
});

afterAll(() => portal.close());

const ana = actingIn(() => portal);
const only = actingIn(() => portal, rosa);

/** Has a RelatedPerson of this patient. */
function relate(id: string, patient: string, more: object = {}): string {
  portal.records.set(id, {
    ...{ resourceType: 'RelatedPerson', id, active: true, patient: { reference: `Patient/${patient}` } },
    ...more,
  });
  return `RelatedPerson/${id}`;
}

function aPerson(id: string): string {
  portal.records.set(id, { resourceType: 'Person', id });
  return `Person/${id}`;
}

const nameReferences = async (person: Person, references: string[]) => {
  const account = await portal.accountId(person);
  const body = { references };
  const { status } = await admin.send(`${relationshipsPath}/account/${account}/references`, { method: 'PUT', body });
  expect(status).toBe(204);
};

/** All places in which an app is told of the user and the patient, in the order of their use. */
async function toldBy({ app, tokens }: { app: SmartApp; tokens: Tokens }) {
  const places = async ({ access_token: token, id_token, patient, scope: granted }: Tokens) => {
    const asked = { headers: basicAuthorization(introspector.clientId, sharedSecret) };
    const introspected = await new Agent(portal.issuer).postForm('/connect/introspect', { token }, asked);
    const userInfo = await new Agent(portal.issuer).get('/connect/userinfo', { headers: asBearer(token) });
    const ofToken = token.includes('.') ? [decodeJwt(token)] : [];
    const identities = [introspected.json(), userInfo.json(), decodeJwt(id_token ?? ''), ...ofToken];
    const contexts = [introspected.json(), { patient }, ...ofToken] as { patient?: string }[];
    return {
      fhirUser: [...new Set(identities.map((one) => (one as { fhirUser?: string }).fhirUser ?? 'none'))],
      patient: [...new Set(contexts.map((one) => one.patient))],
      isGranted: granted.split(' ').includes('fhirUser'),
    };
  };
  const first = await places(tokens);
  const renewed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
  expect(await places(renewed)).toEqual(first);
  return first;
}

async function causesOf(): Promise<Record<string, unknown>> {
  for (const node of portal.apps) await node.get(ActivityLog, { strict: false }).flush();
  const rows = await portal.query<{ code: string; detail: unknown }>(
    `SELECT split_part(key, E'\\n', 1) AS code, value -> 'detail' AS detail
       FROM (SELECT entries FROM launch ORDER BY last_at DESC LIMIT 1) AS last CROSS JOIN LATERAL jsonb_each(entries)
      WHERE key LIKE 'scope-%'`,
  );
  return Object.fromEntries(rows.map(({ code, detail }) => [code, detail]));
}

describe.each([
  ['a self-contained', {}],
  ['an opaque', withSecret],
])('With %s access token', (format, launch) => {
  const child = (name: string) => {
    const id = `${name}-${format.split(' ').at(-1)}`;
    portal.has(id);
    return id;
  };

  it.each(['the own record', 'a child'])('a patient who acts stays the own record, for %s', async (which) => {
    const id = child('of-patient');
    if (which === 'a child') await ana.acts(id, { relatedPerson: relate(`r-${id}`, id) });
    const patient = which === 'a child' ? id : '1';
    expect(await toldBy(await ana.tokensFor(patient, { ...launch, scope }))).toEqual({
      fhirUser: [`${portal.fhirBase}/Patient/1`],
      patient: [patient],
      isGranted: true,
    });
  });

  it('a user who only acts is the RelatedPerson of the patient, and of no other', async () => {
    const [one, other] = [child('one'), child('other')];
    await only.acts(one, { relatedPerson: relate(`r-${one}`, one) });
    await only.acts(other, { relatedPerson: relate(`r-${other}`, other) });
    for (const id of [one, other]) {
      expect(await toldBy(await only.tokensFor(id, { ...launch, scope }))).toEqual({
        fhirUser: [`${portal.fhirBase}/RelatedPerson/r-${id}`],
        patient: [id],
        isGranted: true,
      });
    }
  });

  it('a user who only acts reads the own RelatedPerson, is the agent of it, and reads no other', async () => {
    const [id, other] = [child('read'), child('read-too')];
    await only.acts(id, { relatedPerson: relate(`r-${id}`, id) });
    relate(`s-${id}`, id);
    relate(`r-${other}`, other);
    const { tokens } = await only.tokensFor(id, { ...launch, scope });
    const read = async (reference: string) =>
      (await fetch(`${portal.fhirBase}/${reference}`, { headers: asBearer(tokens.access_token) })).status;
    expect(await read(`RelatedPerson/r-${id}`)).toBe(200);
    for (const reference of [`RelatedPerson/s-${id}`, `RelatedPerson/r-${other}`, 'Person/any']) {
      expect([reference, (await read(reference)) === 200]).toEqual([reference, false]);
    }
    await eventually(async () => {
      const rows = await portal.query<{ fhir_user: string }>(
        "SELECT detail ->> 'fhirUser' AS fhir_user FROM audit_event WHERE type = 'record.accessed' AND detail ->> 'resource' = $1",
        [`RelatedPerson/r-${id}`],
      );
      expect(rows.map((row) => row.fhir_user)).toEqual([`${portal.fhirBase}/RelatedPerson/r-${id}`]);
    });
  });

  it('a user who only acts is the RelatedPerson among the references of the account', async () => {
    const [id, other] = [child('named'), child('named-too')];
    await only.acts(id);
    await nameReferences(rosa, [relate(`r-${other}`, other), relate(`r-${id}`, id), aPerson(`p-${id}`)]);
    const { fhirUser } = await toldBy(await only.tokensFor(id, { ...launch, scope }));
    expect(fhirUser).toEqual([`${portal.fhirBase}/RelatedPerson/r-${id}`]);
  });

  it('a user who only acts is the Person where no RelatedPerson is of the patient', async () => {
    const [id, other] = [child('person'), child('person-too')];
    await only.acts(id);
    await nameReferences(rosa, [relate(`q-${other}`, other), aPerson(`p-${id}`)]);
    const { fhirUser } = await toldBy(await only.tokensFor(id, { ...launch, scope }));
    expect(fhirUser).toEqual([`${portal.fhirBase}/Person/p-${id}`]);
  });

  it.each([
    ['the server has none', (): string[] => []],
    ['that of another patient is named', () => [relate('r-of-mia', 'mia')]],
    ['it is not active', (id: string) => [relate(`r-${id}`, id, { active: false })]],
    ['the server has it no more', () => ['RelatedPerson/gone', 'Person/gone']],
  ])('a user who only acts has no fhirUser where %s, and the cause is told', async (why, references) => {
    const id = child(why.replaceAll(' ', '-'));
    await only.acts(id);
    await nameReferences(rosa, references(id));
    const answer = await only.tokensFor(id, { ...launch, scope });
    expect(await causesOf()).toMatchObject({
      'scope-no-related-person': { scope: 'fhirUser' },
      'scope-acting-user': { scope: 'user/Patient.rs' },
    });
    expect(await toldBy(answer)).toEqual({ fhirUser: ['none'], patient: [id], isGranted: false });
  });
});

it.each([
  ['a self-contained', {}],
  ['an opaque', withSecret],
])(
  'An app that asks for the user alone is not asked for whom, and gets no fhirUser of a user who only acts by %s token',
  async (_format, launch) => {
    const id = `alone${Object.keys(launch).length}`;
    portal.has(id);
    await only.acts(id);
    await nameReferences(rosa, [relate(`r-${id}`, id), aPerson(`p-${id}`)]);
    const begun = await only.begin(rosa, { ...launch, scope: 'openid fhirUser profile offline_access' });
    expect(begun.page).toBe('/user/consent');
    const { app, returnUrl } = begun;
    const offered = await app.offeredScopes(returnUrl);
    expect(offered).not.toContain('fhirUser');
    expect((await app.consent(returnUrl, offered, false)).status).toBe(204);
    const landed = new URL(await app.follow(returnUrl));
    const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    expect(await causesOf()).toMatchObject({ 'scope-no-record': { scope: 'fhirUser' } });
    expect(await toldBy({ app, tokens })).toEqual({ fhirUser: ['none'], patient: [undefined], isGranted: false });
  },
);
