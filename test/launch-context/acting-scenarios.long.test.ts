/** Requests of apps by users of each kind who act for others, from the authorization request to the tokens. */
import { decodeJwt } from 'jose';
import type { LaunchContextRequest } from '../../src/contract/launch-context.js';
import type { GrantList } from '../../src/contract/own-record/grants.js';
import { Flow } from '../support/apps/flow.js';
import { basicAuthorization, type Tokens } from '../support/apps/smart-app.js';
import { Agent } from '../support/http/agent.js';
import { asBearer } from '../support/portal/token-portal.js';
import { jwtApp, opaqueApp, relationshipsPath, withSecret } from '../support/representation/acting.js';
import {
  type Arrival,
  baseOf,
  ehr,
  eva,
  ida,
  mira,
  quietApp,
  rosa,
  startFamiliesPortal,
  studyApp,
  type Way,
  walk,
} from '../support/representation/families.js';
import { type FamilyPortal, family } from '../support/representation/family-portal.js';
import { type Person, people } from '../support/users/people.js';

let portal: FamilyPortal;

beforeAll(async () => {
  portal = await startFamiliesPortal();
});

afterEach(async () => {
  for (const table of ['represented_consent', 'app_consent']) await portal.query(`DELETE FROM ${table}`);
});

afterAll(() => portal.close());

const ofPatient = 'openid fhirUser launch/patient';
const [login_, choice, consent] = ['/login', '/user/launch-context', '/user/consent'];
const scopesOf = ({ tokens }: Arrival) => tokens?.scope.split(' ') ?? [];

describe.each([
  ['a self-contained', {}],
  ['an opaque', withSecret],
])('With %s token', (_, client) => {
  it.each<[string, Person, Way, Partial<Tokens> & { has?: string[]; lacks?: string[] }]>([
    [
      'a child',
      family.ana,
      { scope: `${ofPatient} patient/*.rs`, choose: 'leo' },
      { patient: 'leo', has: ['patient/*.rs'] },
    ],
    [
      'the own record',
      family.ana,
      { scope: `${ofPatient} patient/*.rs`, choose: '1' },
      { patient: '1', has: ['patient/*.rs'] },
    ],
    [
      'a child at a limited level, by scopes of version 1',
      family.ana,
      { scope: `${ofPatient} patient/*.read`, choose: 'mia' },
      {
        patient: 'mia',
        has: ['patient/Observation.read', 'patient/Patient.read'],
        lacks: ['patient/*.read', 'patient/Condition.read'],
      },
    ],
    [
      'a child at a limited level, kind by kind',
      family.ana,
      { scope: `${ofPatient} patient/Observation.read patient/Condition.read patient/Immunization.rs`, choose: 'mia' },
      {
        patient: 'mia',
        has: ['patient/Observation.read', 'patient/Immunization.rs'],
        lacks: ['patient/Condition.read'],
      },
    ],
    [
      'a child, with changes of version 1 that no level permits',
      family.ana,
      { scope: `${ofPatient} patient/Observation.* patient/Condition.write patient/Patient.read`, choose: 'leo' },
      { patient: 'leo', has: ['patient/Patient.read'], lacks: ['patient/Observation.*', 'patient/Condition.write'] },
    ],
    [
      'a child, with changes of version 2 that no level permits',
      family.ana,
      { scope: `${ofPatient} patient/Observation.cruds patient/Condition.c`, choose: 'leo' },
      { patient: 'leo', has: ['patient/Observation.rs'], lacks: ['patient/Observation.cruds', 'patient/Condition.c'] },
    ],
    [
      'launch/patient alone',
      family.ana,
      { scope: 'openid launch/patient', choose: 'leo' },
      { patient: 'leo', scope: 'openid launch/patient' },
    ],
    [
      'user scopes next to it',
      family.ana,
      { scope: `${ofPatient} user/*.rs patient/Observation.rs`, choose: 'leo' },
      { patient: 'leo', has: ['fhirUser', 'patient/Observation.rs'], lacks: ['user/*.rs'] },
    ],
    [
      'two children: one',
      rosa,
      { scope: `${ofPatient} patient/*.rs`, choose: 'leo' },
      { patient: 'leo', lacks: ['fhirUser'] },
    ],
    [
      'two children: the other',
      rosa,
      { scope: `${ofPatient} patient/*.rs`, choose: 'mia' },
      { patient: 'mia', has: ['patient/Immunization.rs'] },
    ],
    [
      'the second account of a practitioner',
      mira,
      { scope: `${ofPatient} patient/*.rs`, choose: 'leo' },
      { patient: 'leo' },
    ],
    [
      'the second account of an administrator',
      ida,
      { scope: `${ofPatient} patient/*.rs`, choose: 'leo' },
      { patient: 'leo' },
    ],
    [
      'a child of the north',
      eva,
      { scope: `${ofPatient} patient/*.rs`, choose: 'leo', tenant: 'north' },
      { patient: 'leo', tenant: 'north', has: ['patient/*.rs'] },
    ],
    [
      'the same id in the south',
      eva,
      { scope: `${ofPatient} patient/*.rs`, choose: 'leo', tenant: 'south' },
      { patient: 'leo', tenant: 'south', lacks: ['patient/*.rs'] },
    ],
  ])('%s', async (_name, person, way, { has = [], lacks = [], ...members }) => {
    const arrival = await walk(portal, person, { ...client, ...way });
    const { tokens } = arrival;
    expect(arrival.pages).toEqual([login_, choice, consent]);
    expect(tokens).toMatchObject(members);
    expect(scopesOf(arrival)).toEqual(expect.arrayContaining(has));
    for (const scope of lacks) expect(scopesOf(arrival)).not.toContain(scope);
    const account = await portal.accountId(person);
    const told = (
      await new Agent(portal.issuer).get('/connect/userinfo', { headers: asBearer(tokens?.access_token ?? '') })
    ).json<{ sub: string }>();
    expect([told.sub, decodeJwt(tokens?.id_token ?? '').sub]).toEqual([account, account]);
    const read = (patient: string, tenant = way.tenant) =>
      fetch(`${baseOf(portal, tenant)}/Patient/${patient}`, { headers: asBearer(tokens?.access_token ?? '') });
    if (scopesOf(arrival).some((scope) => /^patient\/(\*|Patient)\./.test(scope))) {
      expect((await read(way.choose ?? '')).status).toBe(200);
      expect((await read(way.choose === '1' ? 'leo' : '1')).status).not.toBe(200);
    }
    if (way.tenant === 'north') expect((await read('leo', 'south')).status).toBe(401);
  });

  it.each([
    ['openid', family.ana, 'openid'],
    ['openid fhirUser', family.ana, 'openid fhirUser'],
    ['openid fhirUser user/Observation.rs', family.ana, 'openid fhirUser user/Observation.rs'],
    ['openid', rosa, 'openid'],
    ['openid fhirUser', rosa, 'openid'],
    ['openid user/*.rs', rosa, 'openid'],
  ])('%s asks for no patient', async (scope, person, granted) => {
    const arrival = await walk(portal, person, { ...client, scope });
    expect([arrival.pages, arrival.tokens?.scope]).toEqual([[login_, consent], granted]);
    expect(arrival.tokens).not.toHaveProperty('patient');
  });
});

describe('The choice', () => {
  it.each<[string, Person, Way, string[]]>([
    ['the own record and the children', family.ana, {}, ['1', 'leo', 'mia']],
    ['the children of who only acts', rosa, {}, ['leo', 'mia']],
    [
      'whom a level gives nothing cannot be chosen',
      rosa,
      { scope: 'openid launch/patient patient/MedicationRequest.rs' },
      ['leo', '-mia'],
    ],
    ['those of the north alone', eva, { tenant: 'north' }, ['1', 'leo']],
    ['those of the south alone', eva, { tenant: 'south' }, ['1', 'leo', 'mia']],
  ])('offers %s', async (_, person, way, offered) => {
    const arrival = await walk(portal, person, { scope: `${ofPatient} patient/*.rs`, ...way });
    expect([arrival.pages, arrival.offered]).toEqual([[login_, choice], offered]);
  });

  it.each<[string, Person, Way]>([
    ['another one’s child', family.ana, { choose: 'stranger' }],
    ['a child of the other tenant', eva, { choose: 'mia', tenant: 'north' }],
    [
      'a child whom the level gives nothing',
      rosa,
      { choose: 'mia', scope: 'openid launch/patient patient/MedicationRequest.rs' },
    ],
  ])('refuses %s', async (_, person, way) => {
    const { pages } = await walk(portal, person, { scope: `${ofPatient} patient/*.rs`, ...way });
    expect(pages).toEqual([login_, choice]);
  });

  it('is not there for a user of another tenant', async () => {
    expect((await walk(portal, eva, { scope: 'openid launch/patient', choose: 'leo' })).pages.at(-1)).not.toBe(choice);
  });

  it.each(['GET', 'POST', 'PAR'] as const)('is asked for a request that is sent by %s', async (by) => {
    const arrival = await walk(portal, family.ana, {
      ...withSecret,
      scope: `${ofPatient} patient/*.rs`,
      choose: 'leo',
      by,
    });
    expect([arrival.pages, arrival.tokens?.patient]).toEqual([[login_, choice, consent], 'leo']);
    expect(arrival.answer.state).toBe(arrival.app.state);
  });

  it('comes without consent for an app that needs none', async () => {
    const arrival = await walk(portal, rosa, { client: quietApp, scope: `${ofPatient} patient/*.rs`, choose: 'mia' });
    expect([arrival.pages, arrival.tokens?.patient]).toEqual([[login_, choice], 'mia']);
    expect(scopesOf(arrival)).not.toContain('patient/*.rs');
  });
});

describe('Disclaimers', () => {
  it('are agreed to once by the account, for all its patients', async () => {
    const browser = new Agent(portal.issuer);
    const scope = `${ofPatient} patient/*.rs`;
    const pages = async (patient: string) =>
      (await walk(portal, rosa, { client: studyApp, scope, choose: patient, browser })).pages;
    expect(await pages('leo')).toEqual(expect.arrayContaining(['/user/disclaimer', choice, consent]));
    expect(await pages('mia')).toEqual([choice, consent]);
    const { clientsPermissions } = (await browser.get('/api/grant')).json<GrantList>();
    const agreed = clientsPermissions.flatMap((card) => card.disclaimers);
    expect(agreed).toHaveLength(1);
  });
});

describe('A launch by an EHR', () => {
  const scope = 'openid launch launch/patient patient/*.rs';
  async function announced(form: Record<string, string>): Promise<Record<string, string>> {
    const headers = basicAuthorization(ehr.id, ehr.secret);
    const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return { launch: answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier };
  }

  it.each<[string, Person, Record<string, string>, string[] | undefined, string]>([
    ['the child of a patient', family.ana, { patient: 'leo' }, ['leo'], 'leo'],
    ['the child of who only acts', rosa, { patient: 'mia' }, ['mia'], 'mia'],
    ['the own record', family.ana, { patient: '1' }, undefined, '1'],
    ['no patient, of a patient', family.ana, { intent: 'order' }, ['1', 'leo', 'mia'], 'leo'],
    ['no patient, of who only acts', rosa, { intent: 'order' }, ['leo', 'mia'], 'mia'],
  ])('for %s', async (_, person, form, offered, patient) => {
    for (const by of ['GET', 'POST'] as const) {
      const parameters = await announced({ client_id: opaqueApp.clientId, ...form });
      const arrival = await walk(portal, person, { ...withSecret, scope, choose: patient, parameters, by });
      expect([arrival.offered, arrival.tokens?.patient]).toEqual([offered, patient]);
    }
  });

  it.each<[string, Person, Record<string, string>]>([
    ['another one’s child', mira, { patient: 'mia' }],
    ['a record of no child', rosa, { patient: '2' }],
  ])('is refused for %s', async (_, person, form) => {
    const parameters = await announced({ client_id: opaqueApp.clientId, ...form });
    const { answer, pages } = await walk(portal, person, { ...withSecret, scope, parameters });
    expect([pages, answer.error]).toEqual([[login_], 'invalid_request']);
  });

  it('for another user is refused, also where the user acts for the patient', async () => {
    const user = await portal.accountId(rosa);
    const parameters = await announced({ client_id: opaqueApp.clientId, patient: 'leo', user });
    expect((await walk(portal, family.ana, { ...withSecret, scope, parameters })).answer.error).toBe('invalid_request');
  });

  it('of another tenant is unknown', async () => {
    const parameters = await announced({ client_id: opaqueApp.clientId, patient: 'leo', tenant: 'north' });
    const arrival = await walk(portal, eva, { ...withSecret, scope, parameters, tenant: 'south' });
    expect(arrival.answer.error).toBe('invalid_request');
    const north = await announced({ client_id: opaqueApp.clientId, patient: 'leo', tenant: 'north' });
    const there = await walk(portal, eva, { ...withSecret, scope, parameters: north, tenant: 'north', choose: 'leo' });
    expect(there.tokens).toMatchObject({ patient: 'leo', tenant: 'north' });
  });
});

it('Practitioners and administrators do not act with their own accounts', async () => {
  const admin = await portal.as(family.admin);
  for (const person of [people.practitioner, family.admin]) {
    const form = { email: person.email, patient: 'leo', basis: 'parental-responsibility', level: 'full' };
    const refused = await admin.post(relationshipsPath, form);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('second account')]);
  }
  const doctor = await Flow.begin(portal, jwtApp, { person: people.practitioner, scope: 'openid launch/patient' });
  const answer = await doctor.call('/api/launch-context');
  expect(answer.json<LaunchContextRequest>().resourceData[0]?.data.every((row) => !('forWhom' in row))).toBe(true);
});
