/** The files of both sides of a relationship: each has what is their own, and nothing of the other one. */
import type { AccessLogPage, Visit } from '../../src/contract/own-record/access-log.js';
import type { OwnData } from '../../src/contract/own-record/own-data.js';
import { RelationshipSweeps } from '../../src/representation/application/upkeep/relationship-sweeps.js';
import type { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { actingIn, jwtApp, opaqueApp, relationshipsPath } from '../support/representation/acting.js';
import {
  type FamilyPortal,
  family,
  makeRepresentative,
  startFamilyPortal,
} from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';
import { people } from '../support/users/people.js';

const { ana, noah } = family;
const rosa = { ...people.patient, email: 'rosa@example.org', fullName: 'Rosa Lind' };
const power = { basis: 'power-of-attorney', relation: 'attorney' };
/** The note of the approval. */
const approval = 'Seen';
const secretNote = 'Told by the ward';
let portal: FamilyPortal;
let sink: MailSink;
let admin: Agent;
const relationships = new Map<string, string>();

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({
    config: { clients: [jwtApp, opaqueApp], users: [...Object.values(family), rosa], email: sink.config },
  });
  await makeRepresentative(portal, rosa);
  admin = await portal.as(family.admin);
  for (const person of [ana, rosa]) {
    const { acts, tokensFor } = actingIn(() => portal, person);
    relationships.set(person.fullName, await acts('2', power));
    const { tokens } = await tokensFor('2', { scope: 'openid launch/patient patient/*.rs offline_access' }, true);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${portal.fhirBase}/Patient/2`, { headers })).status).toBe(200);
  }
  await eventually(async () => {
    const rows = await portal.query("SELECT FROM audit_event WHERE type = 'record.accessed'");
    expect(rows).toHaveLength(2);
  });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

async function fileOf(person: typeof ana): Promise<{ text: string; data: OwnData }> {
  const agent = await portal.as(person);
  const { address } = (await agent.post('/api/user/data', {})).json<{ address: string }>();
  const answer = await agent.get(`/api${address}`);
  expect(answer.status).toBe(200);
  return { text: answer.text, data: answer.json<OwnData>() };
}

const idOf = (person: typeof ana) => relationships.get(person.fullName) ?? '';
const representatives = [
  ['who has a record as well', ana, rosa],
  ['who only acts for others', rosa, ana],
] as const;

describe.each(representatives)('The file of a representative %s', (_which, person, other) => {
  it('names the patient, and the apps and decisions that are for the patient', async () => {
    const { data } = await fileOf(person);
    expect(data.representation?.lookedAfter).toMatchObject([{ id: idOf(person), name: 'Noah Reed', patient: '2' }]);
    expect(data.apps.map(({ patient }) => patient)).toEqual(['Patient/2']);
    expect(data.consents.map(({ patient }) => patient)).toEqual(['Patient/2']);
    const accesses = data.auditEvents.filter(({ type }) => type === 'record.accessed');
    expect(accesses.map(({ detail }) => detail)).toEqual([
      { method: 'GET', status: 200, interaction: 'read', kind: 'Patient' },
    ]);
  });

  it('has no address of the patient, no other representative, and no reason of staff', async () => {
    const { text } = await fileOf(person);
    for (const hidden of [noah.email, other.email, other.fullName, idOf(other), family.admin.email, approval]) {
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    }
  });
});

it('The file of the patient names who acts and on which basis, and has neither their addresses nor their decisions', async () => {
  const { data, text } = await fileOf(noah);
  const helpers = [ana, rosa].map(({ fullName }) => ({ name: fullName, relation: 'attorney', patient: null }));
  expect(data.representation?.helpers).toMatchObject(helpers);
  expect([data.apps, data.consents, data.receipts, data.launches]).toEqual([[], [], [], []]);
  for (const hidden of [ana.email, rosa.email, family.admin.email, approval]) {
    expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
  }
});

it('After a safeguarding end the file of the representative has nothing of it, and that of the patient no reason', async () => {
  const id = idOf(rosa);
  const end = { reason: 'safeguarding', note: secretNote };
  expect((await admin.post(`${relationshipsPath}/${id}/end`, end)).status).toBe(200);
  const { data, text } = await fileOf(rosa);
  expect(data.representation).toEqual({ lookedAfter: [], helpers: [] });
  expect([data.apps, data.consents, data.receipts]).toEqual([[], [], []]);
  for (const type of ['consent.given', 'record.accessed'] as const) {
    expect([type, data.auditEvents.some((event) => event.type === type)]).toEqual([type, false]);
  }
  for (const hidden of [id, 'Noah', 'Patient/2', 'safeguarding', secretNote]) {
    expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
  }
  const patient = await fileOf(noah);
  expect(patient.data.representation?.helpers.find((one) => one.id === id)).toMatchObject({
    ...{ name: 'Rosa', status: 'ended', reason: 'administrator' },
  });
  for (const hidden of ['safeguarding', secretNote, rosa.email]) {
    expect([hidden, patient.text.includes(hidden)]).toEqual([hidden, false]);
  }
});

it('The log of the patient keeps name and relation of a representative whose account is deleted', async () => {
  const visitsOf = async () => {
    const agent = await portal.as(noah);
    const { entries } = (await agent.get('/api/user/access-log')).json<AccessLogPage>();
    return entries.filter((one): one is Visit => one.type === 'visit');
  };
  const namesAna = ({ by, person, relation }: Visit) =>
    by === 'representative' && person?.name === 'Ana Duarte' && relation === 'attorney';
  expect((await visitsOf()).some(namesAna)).toBe(true);
  const account = await portal.accountId(ana);
  expect((await admin.send(`/api/admin/user/${account}`, { method: 'DELETE' })).status).toBe(204);
  await portal.apps[0]?.get(RelationshipSweeps, { strict: false }).sweep(new Date());
  const { data, text } = await fileOf(noah);
  const card = data.representation?.helpers.find((one) => one.id === idOf(ana));
  expect(card).toMatchObject({ name: 'Ana', status: 'ended', reason: 'representative-gone' });
  expect(text).not.toContain(ana.email);
  expect((await visitsOf()).some(namesAna)).toBe(true);
});
