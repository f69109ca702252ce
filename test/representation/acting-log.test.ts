import { ActivityLog } from '../../src/activity/application/activity-log.js';
import type {
  AccessLogPage,
  AccessLogSummary,
  RelationshipDecision,
  Visit,
  VisitRequests,
} from '../../src/contract/own-record/access-log.js';
import type { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { actingIn, jwtApp, opaqueApp } from '../support/representation/acting.js';
import { thisYear } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';
import { people } from '../support/users/people.js';

/** A patient of 12 with an account: too young to see what was done in the record. */
const tim = {
  ...people.otherPatient,
  email: 'tim@example.org',
  fullName: 'Tim Reed',
  claims: [{ name: 'fhirUser', value: 'Patient/tim' }],
};
const log = '/api/user/access-log';
let portal: FamilyPortal;
let sink: MailSink;
let noah: Agent;
let ana: Agent;

beforeAll(async () => {
  const users = [...Object.values(family), tim];
  sink = await startMailSink();
  portal = await startFamilyPortal({ config: { clients: [jwtApp, opaqueApp], users, email: sink.config } });
  const age = thisYear() - 12;
  portal.has('tim', { birthDate: `${age}-01-01` });
  await acts('2', { basis: 'power-of-attorney', relation: 'attorney' });
  await acts('tim', { relation: 'mother' });
  noah = await portal.as(family.noah);
  ana = await portal.as(family.ana);
  for (const patient of ['2', 'tim', '1']) {
    const { tokens } = await tokensFor(patient);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${portal.fhirBase}/Patient/${patient}`, { headers })).status).toBe(200);
  }
  await eventually(async () => {
    const rows = await portal.query("SELECT FROM audit_event WHERE type = 'record.accessed'");
    expect(rows.length).toBeGreaterThanOrEqual(3);
  });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const acting = actingIn(() => portal);
const { acts, tokensFor } = acting;

const entriesFor = async (agent: Agent, query = '') =>
  (await agent.get(`${log}?${query}`))
    .json<AccessLogPage>()
    .entries.filter((one): one is Visit => one.type === 'visit');

describe('The log of a patient for whom a user acts', () => {
  it('names the user, the relation and the app', async () => {
    const [visit, ...others] = await entriesFor(noah);
    expect(others).toEqual([]);
    expect(visit).toMatchObject({
      by: 'representative',
      person: { name: 'Ana Duarte' },
      relation: 'attorney',
      app: { id: jwtApp.clientId },
      did: { saw: { Patient: 1 } },
    });
  });

  it('has a group of its own for them', async () => {
    const summary = (await noah.get(`${log}/summary`)).json<AccessLogSummary>();
    expect(summary).toMatchObject({ visits: 1, family: 1, people: [], apps: [] });
    expect(await entriesFor(noah, 'show=family')).toHaveLength(1);
    for (const show of ['apps', 'staff', 'refused']) expect(await entriesFor(noah, `show=${show}`)).toEqual([]);
  });

  it('says why the user could, and why the app could', async () => {
    const [visit] = await entriesFor(noah);
    const { by, person, app, start, end } = visit as Visit;
    const query = new URLSearchParams({ by, personId: person?.id ?? '', clientId: app?.id ?? '', start, end });
    const { reason, requests } = (await noah.get(`${log}/visit?${query}`)).json<VisitRequests>();
    expect(reason).toEqual({
      kind: 'represented',
      name: 'Ana Duarte',
      basis: 'Power of attorney',
      level: 'Full',
      end: null,
      at: expect.any(String),
    });
    expect(requests).toHaveLength(1);
  });

  it('is exported with the user as the agent, who acts for the patient', async () => {
    expect((await noah.get(`${log}/export?format=csv`)).text).toContain('Ana Duarte (attorney)');
    const bundle = (await noah.get(`${log}/export?format=fhir`)).json<{
      entry: { resource: { agent: { requestor: boolean; role?: { coding: object[] }[]; who: object }[] } }[];
    }>();
    const users = bundle.entry.flatMap(({ resource }) => resource.agent.filter(({ requestor }) => requestor));
    expect(users).toMatchObject([
      {
        who: { reference: 'Patient/1', identifier: { value: await portal.accountId(family.ana) } },
        role: [{ coding: [{ code: 'AGNT' }] }],
      },
    ]);
  });

  it('has nothing of them for a patient who is too young', async () => {
    const agent = await portal.as(tim);
    expect(await entriesFor(agent)).toEqual([]);
    expect((await agent.get(`${log}/summary`)).json<AccessLogSummary>()).toMatchObject({ visits: 0 });
    expect((await agent.get(`${log}/export?format=csv`)).text).not.toContain('Ana');
  });
});

describe('The launch of an app by a user who acts for a patient', () => {
  it('explains each kind that is kept private', async () => {
    portal.has('mia', { birthDate: `${thisYear() - 14}-01-01` });
    await acts('mia');
    await tokensFor('mia', {
      scope: 'openid launch/patient patient/*.rs patient/MedicationRequest.rs user/Patient.rs',
    });
    for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
    const rows = await portal.query<{ code: string; detail: Record<string, string> }>(
      `SELECT split_part(key, E'\\n', 1) AS code, value -> 'detail' AS detail FROM launch CROSS JOIN LATERAL jsonb_each(entries)
        WHERE key LIKE 'scope-%' ORDER BY last_at`,
    );
    const found = Object.fromEntries(rows.map(({ code, detail }) => [code, detail]));
    expect(found['scope-level']).toEqual({ scope: 'patient/MedicationRequest.rs' });
    expect(found['scope-acting-user']).toEqual({ scope: 'user/Patient.rs' });
    expect(found['scope-level-narrowed']).toMatchObject({ scope: 'patient/*.rs' });
    const kinds = found['scope-level-narrowed']?.kinds?.split(', ') ?? [];
    expect(kinds[0]).toMatch(/^all but /);
    for (const kind of ['Immunization', 'Observation', 'Patient']) expect(kinds).toContain(kind);
    for (const kind of ['Encounter', 'Condition', 'DocumentReference']) expect(kinds).not.toContain(kind);
  });
});

describe('The mail to a patient', () => {
  it('is sent at the approval, and once when a user connects an app; it names no user, app or kind', async () => {
    const { mail } = await sink.to(family.noah.email, 2);
    expect(mail.subject).toContain('Something changed in Family and carers');
    expect(mail.text).not.toMatch(/Ana|Heart/);
    await tokensFor('2');
    await eventually(async () => expect(await portal.query("SELECT FROM job WHERE kind LIKE '%mail%'")).toEqual([]));
    expect(sink.received.filter(({ to }) => to.includes(family.noah.email))).toHaveLength(2);
    expect(sink.received.filter(({ to }) => to.includes(tim.email))).toEqual([]);
  });
});

describe('The log of a user who acts for a patient', () => {
  it('has the user’s own accesses to the record of the patient, and no others', async () => {
    const [visit, ...others] = await entriesFor(ana, 'patient=Patient/2');
    expect(others).toEqual([]);
    expect(visit).toMatchObject({ by: 'app', app: { id: jwtApp.clientId }, did: { saw: { Patient: 1 } } });
    const { app, start, end } = visit as Visit;
    const query = new URLSearchParams({ by: 'app', clientId: app?.id ?? '', start, end, patient: 'Patient/2' });
    const { reason } = (await ana.get(`${log}/visit?${query}`)).json<VisitRequests>();
    expect(reason).toMatchObject({ kind: 'allowed' });
  });

  it('has nothing of a patient for whom the user does not act', async () => {
    expect(await entriesFor(ana, 'patient=Patient/leo')).toEqual([]);
    expect(await entriesFor(noah, 'patient=Patient/tim')).toEqual([]);
    expect(await entriesFor(noah, 'patient=Patient/1')).toEqual([]);
  });

  it.each([
    ['keeps them after an end', 'administrator', 1],
    ['has none of them after a safeguarding end', 'safeguarding', 0],
    ['has none of them after an approval in error', 'in-error', 0],
  ] as const)('%s', async (_, reason, left) => {
    const patient = `kim-${reason}`;
    portal.has(patient);
    const id = await acts(patient);
    const { tokens } = await tokensFor(patient);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${portal.fhirBase}/Patient/${patient}`, { headers })).status).toBe(200);
    await eventually(async () => expect(await entriesFor(ana, `patient=Patient/${patient}`)).toHaveLength(1));
    await (await acting.admin()).post(`/api/admin/representation/${id}/end`, { reason, note: 'Over' });
    expect(await entriesFor(ana, `patient=Patient/${patient}`)).toHaveLength(left);
    const { visits } = (await ana.get(`${log}/summary?patient=Patient/${patient}`)).json<AccessLogSummary>();
    expect(visits).toBe(left);
    const exported = (await ana.get(`${log}/export?format=csv&patient=Patient/${patient}`)).text;
    expect(exported.trim().split('\n')).toHaveLength(1 + left);
  });

  it('is not mixed with that of the own record', async () => {
    const visits = await entriesFor(ana);
    expect(visits.map(({ by }) => by)).toEqual(['app']);
    expect(visits[0]?.did).toEqual({ saw: { Patient: 1 } });
  });
});

describe('Decisions about who acts', () => {
  const decisions = async (agent: Agent, query = '') =>
    (await agent.get(`${log}?${query}`))
      .json<AccessLogPage>()
      .entries.filter((one): one is RelationshipDecision => one.type === 'decision');

  it('stand in the log of the patient by role, the latest first, and never with the name of who decided', async () => {
    const admin = await acting.admin();
    const id = await acting.idOf('2');
    const later = { ...{ email: family.ana.email, patient: '2', basis: 'voluntary' }, level: 'basics' };
    expect(await decisions(noah)).toMatchObject([
      { what: 'approved', by: 'administrator', representative: 'Ana Duarte', relation: 'attorney', level: 'Full' },
    ]);
    await portal.query(
      "UPDATE representation_relationship SET status = 'suspended', reason = 'deleted' WHERE id = $1",
      [id],
    );
    const relationships = { relationships: [id], note: 'The record is back', reason: 'deleted' };
    await admin.post('/api/admin/representation/confirmations', relationships);
    for (const lower of [{ seen: 'full', level: 'full', kinds: ['Goal', 'AllergyIntolerance'] }, { level: 'basics' }]) {
      const body = { seen: 'full AllergyIntolerance Goal', ...lower };
      expect((await noah.send(`/api/representation/${id}/level`, { method: 'PUT', body })).status).toBe(204);
    }
    await admin.post(`/api/admin/representation/${id}/end`, { reason: 'administrator', note: 'Revoked by a court' });
    const { id: other } = (await admin.post('/api/admin/representation', later)).json<{ id: string }>();
    await admin.post(`/api/admin/representation/${other}/decision`, { decision: 'more-needed', note: 'Who is it?' });
    await admin.post(`/api/admin/representation/${other}/decision`, { decision: 'decline', note: 'Not known' });
    const all = await decisions(noah);
    expect(all.map(({ what, by }) => [what, by])).toEqual([
      ['declined', 'administrator'],
      ['ended', 'administrator'],
      ['level', 'patient'],
      ['level', 'patient'],
      ['confirmed', 'administrator'],
      ['approved', 'administrator'],
    ]);
    expect(all[3]).toMatchObject({ levelKinds: ['AllergyIntolerance', 'Goal'] });
    expect(all[2]).not.toHaveProperty('levelKinds');
    expect(JSON.stringify(all)).not.toMatch(/Ada|court|Not known|The record is back/);
    expect(await decisions(noah, 'show=family')).toEqual(all);
    for (const query of ['show=apps', 'show=staff', 'show=refused', 'kind=Patient']) {
      expect(await decisions(noah, query)).toEqual([]);
    }
    const details = await portal.query<{ note: string }>(
      "SELECT detail ->> 'note' AS note FROM audit_event WHERE subject = ANY ($1) AND detail ->> 'note' IS NOT NULL ORDER BY id",
      [[id, other]],
    );
    expect(details.map(({ note }) => note)).toEqual([
      ...['Seen', 'The record is back', 'Revoked by a court', 'Who is it?', 'Not known'],
    ]);
  });

  it('are in no log of who acts, of other patients, and of a patient who is too young', async () => {
    expect(await decisions(ana, 'patient=Patient/2')).toEqual([]);
    expect(await decisions(ana)).toEqual([]);
    expect(await decisions(await portal.as(tim))).toEqual([]);
  });
});
