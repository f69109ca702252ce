/** After an end for safeguarding no way in brings the pair back, and none tells the user that there is a block. */
import type { RelationshipImport } from '../../../src/contract/representation/import.js';
import type { OwnRelationships, RelationshipView } from '../../../src/contract/representation.js';
import { InvitedRelationships } from '../../../src/representation/application/invited-relationships.js';
import { Representatives } from '../../../src/representation/application/representatives.js';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { Agent } from '../../support/http/agent.js';
import { type MailSink, startMailSink } from '../../support/mail-sink.js';
import { decide as answer, ask, review } from '../../support/representation/asked.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const path = '/api/admin/representation';
const password = 'copper-lantern-5521';
/** Users who want to act for the patient: one is blocked, the other one only waits. */
const [blocked, waiting] = ['rui', 'eva'].map((name) => ({
  ...people.patient,
  ...{ email: `${name}@example.org`, fullName: `${name === 'rui' ? 'Rui' : 'Eva'} Costa`, password },
  claims: [{ name: 'fhirUser', value: `Patient/own-${name}` }],
})) as [typeof people.patient, typeof people.patient];

let sink: MailSink;
let portal: FamilyPortal;
let admin: Agent;
let second: Agent;
let minutes = 0;
let children = 0;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({
    config: {
      email: sink.config,
      users: [...Object.values(family), blocked, waiting],
      representation: {
        source: 'server',
        relationshipCodes: [{ code: 'http://role|MTH', basis: 'parental-responsibility', level: 'full' }],
      },
    },
  });
  for (const name of ['rui', 'eva']) portal.has(`own-${name}`, { birthDate: '1980-01-01' });
  [admin, second] = await Promise.all([portal.as(family.admin), portal.as(family.secondAdmin)]);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const service = <T>(type: abstract new (...parts: never[]) => T) => portal.apps[0]?.get(type, { strict: false }) as T;
const idOf = (email: string) => portal.accountId({ ...blocked, email });
const reference = (patient: string) => `RelatedPerson/of-${patient}`;
const nameReference = async (email: string, references: string[]) =>
  admin.send(`${path}/account/${await idOf(email)}/references`, { method: 'PUT', body: { references } });

interface Case {
  patient: string;
  number: string;
  /** Id of the relationship that ended. */
  ended: string;
}

/** A child whose relationship with a user ended for safeguarding; the user had an address and a RelatedPerson. */
async function anEnd(): Promise<Case> {
  children += 1;
  const [patient, number] = [`barred-${children}`, `NB${5000 + children}`];
  portal.has(patient, { identifier: [{ value: number }], name: [{ text: 'Leo Duarte' }] });
  portal.records.set(`of-${patient}`, {
    ...{
      resourceType: 'RelatedPerson',
      id: `of-${patient}`,
      active: true,
      patient: { reference: `Patient/${patient}` },
    },
    relationship: [{ coding: [{ system: 'http://role', code: 'MTH' }] }],
  });
  await nameReference(blocked.email, [reference(patient)]);
  const { id } = await service(Relationships).add(aNewRelationship(await idOf(blocked.email), { patient }));
  const end = await admin.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Police' });
  expect(end.status).toBe(200);
  await nameReference(blocked.email, []);
  return { patient, number, ended: id };
}

/** What the block knows the user by. Each returns the address of the account that comes back. */
const identities: [string, (one: Case) => Promise<string>][] = [
  ['the account', async () => blocked.email],
  [
    'the mail address, with a new account',
    async () => {
      await portal.query('DELETE FROM account WHERE email = $1', [blocked.email]);
      const form = { fullName: blocked.fullName, email: blocked.email, userType: 'Patient', claims: blocked.claims };
      await admin.post('/api/admin/user', form);
      const hash = await portal.query<{ hash: string }>('SELECT password_hash AS hash FROM account WHERE email = $1', [
        waiting.email,
      ]);
      await portal.query('UPDATE account SET password_hash = $2, email_confirmed = true WHERE email = $1', [
        blocked.email,
        hash[0]?.hash,
      ]);
      return blocked.email;
    },
  ],
  [
    'the RelatedPerson, with another account',
    async ({ patient }) => {
      await nameReference(waiting.email, [reference(patient)]);
      return waiting.email;
    },
  ],
];

const active = async (email: string, patient: string) => {
  minutes += 6;
  const at = new Date(Date.now() + minutes * 60_000);
  return (await service(RepresentedAccess).forRequest({ account: await idOf(email), tenant: undefined, patient, at }))
    .permitted;
};
const propose = (email: string, patient: string) =>
  admin.post(path, { email, patient, basis: 'parental-responsibility', level: 'full' });

/** The four ways in. Each returns what the user is told. */
const ways: [string, (email: string, one: Case) => Promise<unknown>][] = [
  [
    'an invitation by the patient',
    async (email, { patient }) => {
      const inviterId = await portal.accountId(family.noah);
      const offer = {
        tenant: undefined,
        patient,
        basis: 'parental-responsibility',
        level: 'full',
        relation: 'mother',
        end: null,
      };
      const account = { id: await idOf(email), email, fullName: 'Rui Costa' };
      return service(InvitedRelationships).accept({ ...offer, inviterId }, account);
    },
  ],
  [
    'a request by form',
    async (email, { number }) => {
      const agent = new Agent(portal.issuer);
      await login(agent, { email, password });
      const request = await ask(agent, number, {}, []);
      const decided = await answer(admin, request.id);
      expect([decided.status, decided.text]).toEqual([409, expect.stringContaining('representation-blocked')]);
      expect((await review(admin, request.id)).status).toBe('waiting');
      return { status: request.status, note: request.note, kind: request.kind };
    },
  ],
  [
    'administrators and the API',
    async (email, { patient }) => {
      const proposed = (await propose(email, patient)).json<RelationshipView>();
      const decided = await admin.post(`${path}/${proposed.id}/decision`, { decision: 'approve', note: 'Seen' });
      expect([decided.status, decided.text]).toEqual([409, expect.stringContaining('representation-blocked')]);
      return { status: proposed.status, reason: proposed.reason };
    },
  ],
  [
    'a file',
    async (email, { patient }) => {
      const csv = `email,patient,basis,level\n${email},${patient},parental-responsibility,full`;
      const { lines } = (await admin.post(`${path}/import`, { csv, dryRun: false })).json<RelationshipImport>();
      expect(lines).toEqual([{ line: 2, becomes: 'proposed', reason: 'blocked' }]);
      return 'proposed';
    },
  ],
  [
    'the FHIR server',
    async (email, { patient }) => {
      await portal.query('DELETE FROM representative_reference WHERE reference = $1', [reference(patient)]);
      await nameReference(email, [reference(patient)]);
      minutes += 6;
      const at = new Date(Date.now() + minutes * 60_000);
      const { patients } = await service(RepresentedAccess).allOf(await idOf(email), undefined, at);
      expect(patients).toEqual([]);
      return 'nothing';
    },
  ],
];
const said: Record<string, unknown> = {
  'an invitation by the patient': 'waiting',
  'a request by form': { status: 'waiting', note: null, kind: 'act-for' },
  'administrators and the API': { status: 'proposed', reason: null },
  'a file': 'proposed',
  'the FHIR server': 'nothing',
};

describe.each(identities)('A user whom the block knows by %s', (_, comesBack) => {
  it.each(ways)('does not come back by %s, and reads the words of a wait', async (way, tries) => {
    const one = await anEnd();
    const email = await comesBack(one);
    expect(await tries(email, one)).toEqual(said[way]);
    expect(await active(email, one.patient)).toBe(false);
    await portal.query('DELETE FROM representative_reference');
    await portal.query('DELETE FROM rate_limit');
    await portal.query("UPDATE request SET status = 'cancelled', decided_at = now() WHERE status = 'waiting'");
  });
});

describe('An end for safeguarding', () => {
  it('leaves the user no card, receipt, mail, log or entry of the own data, and the same answers as a pair that never was', async () => {
    const { patient, ended } = await anEnd();
    const agent = await portal.as(blocked);
    const { address } = (await agent.post('/api/user/data', {})).json<{ address: string }>();
    const log = `/api/user/access-log?patient=Patient/${patient}`;
    const pages = ['/api/representation', '/api/requests', '/api/grant', `/api${address}`, log];
    for (const page of pages) {
      const { status, text } = await agent.get(page);
      expect([page, status, text.includes(ended), text.includes(patient)]).toEqual([page, 200, false, false]);
    }
    const told = sink.received.filter(({ to }) => to.includes(blocked.email)).map(({ mail }) => mail.subject);
    expect(told.filter((subject) => !subject?.startsWith('Activate'))).toEqual([]);
    expect(await portal.query('SELECT FROM receipt')).toEqual([]);
    const calls: ((id: string) => Promise<{ status: number; text: string }>)[] = [
      (id) => agent.post(`/api/representation/${id}/end`, {}),
      (id) => agent.post(`/api/representation/${id}/confirmation`, {}),
      (id) => agent.post('/api/requests/change', { relationship: id, statement: 'More' }),
    ];
    const never = '7b0d3d1c-0000-4000-8000-000000000009';
    for (const call of calls) {
      const [hidden, missing] = [await call(ended), await call(never)];
      expect([hidden.status, hidden.text]).toEqual([missing.status, missing.text]);
    }
    const whole = (id: string) => agent.post('/api/requests/accounting', { patient: id });
    expect((await whole(patient)).text).toBe((await whole('never-was')).text);
  });

  it.each([
    ['the account', blocked, false],
    ['its RelatedPerson, with another account', waiting, true],
  ])(
    'ends what else is live of %s with the patient, also if the first one has ended before',
    async (_, person, isNamed) => {
      children += 1;
      const patient = `twice-${children}`;
      portal.has(patient);
      const relatedPerson = isNamed ? reference(patient) : null;
      const add = async (email: string) =>
        (await service(Relationships).add(aNewRelationship(await idOf(email), { patient, relatedPerson }))).id;
      const first = await add(blocked.email);
      expect((await admin.post(`${path}/${first}/end`, { reason: 'administrator', note: 'Over' })).status).toBe(200);
      const later = await add(person.email);
      expect(await active(person.email, patient)).toBe(true);
      expect((await admin.post(`${path}/${first}/end`, { reason: 'safeguarding', note: 'Police' })).status).toBe(200);
      expect(await active(person.email, patient)).toBe(false);
      expect(await service(Relationships).findById(later)).toMatchObject({ status: 'ended', reason: 'safeguarding' });
      // Its card stays with the user, who has seen the end.
      await portal.query('DELETE FROM representation_relationship WHERE id = $1', [first]);
    },
  );

  it('stays blocked by what another end knows as well, when one of both is lifted', async () => {
    children += 1;
    const patient = `both-${children}`;
    portal.has(patient);
    const ended: string[] = [];
    for (const { email } of [blocked, waiting]) {
      const members = { patient, relatedPerson: reference(patient) };
      const { id } = await service(Relationships).add(aNewRelationship(await idOf(email), members));
      ended.push(id);
      expect((await admin.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Police' })).status).toBe(200);
    }
    for (const by of [admin, second]) await by.post(`${path}/${ended[0]}/block/lift`, {});
    const isBlocked = (relatedPerson: string | null, email: string) =>
      service(Representatives).isBlocked({ tenant: undefined, patient }, { accountId: null, relatedPerson, email });
    expect(await isBlocked(null, blocked.email)).toBe(false);
    expect(await isBlocked(null, waiting.email)).toBe(true);
    expect(await isBlocked(reference(patient), 'new@example.org')).toBe(true);
  });

  it('is lifted by two administrators, after which the pair can be approved', async () => {
    const { patient, ended } = await anEnd();
    const lift = async (by: Agent) =>
      (await by.post(`${path}/${ended}/block/lift`, {})).json<{ state: string }>().state;
    expect([await lift(admin), await lift(admin), await lift(second)]).toEqual(['asked', 'asked', 'lifted']);
    const { id } = (await propose(blocked.email, patient)).json<RelationshipView>();
    expect((await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Court' })).status).toBe(200);
    const { lookedAfter } = (await (await portal.as(blocked)).get('/api/representation')).json<OwnRelationships>();
    expect(lookedAfter).toMatchObject([{ status: 'active' }]);
  });
});
