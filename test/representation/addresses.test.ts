/** A patient and one who acts or acted for the patient never have the same address: it would hand the record over. */
import { randomUUID } from 'node:crypto';
import type { RelationshipView } from '../../src/contract/representation.js';
import type { ImportProgress } from '../../src/contract/users/user-import.js';
import type { Agent, Answer } from '../support/http/agent.js';
import { type MailSink, mailAbout, startMailSink } from '../support/mail-sink.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { until } from '../support/until.js';

const path = '/api/admin/representation';
let sink: MailSink;
let portal: FamilyPortal;
let admin: Agent;
let count = 0;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({ config: { email: sink.config } });
  admin = await portal.as(family.admin);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

interface Pair {
  patient: string;
  email: string;
  account: string;
}

/** A user who acts for a patient of their own. */
async function aPair(
  birthDate = '2020-05-10',
  basis = 'parental-responsibility',
): Promise<Pair & { relationship: string }> {
  count += 1;
  const [patient, email] = [`teen-${count}`, `Mother.${count}@example.org`];
  portal.has(patient, { birthDate });
  const proposal = { email, fullName: `Mother ${count}`, patient, basis, level: 'full' };
  const { id } = (await admin.post(path, proposal)).json<RelationshipView>();
  const approved = await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Certificate' });
  const { accountId } = approved.json<RelationshipView>();
  return { patient, email, account: accountId ?? '', relationship: id };
}

const end = (relationship: string) =>
  admin.post(`${path}/${relationship}/end`, { reason: 'administrator', note: 'Moved' });

/** What became of the one who acts: the address is known only to the relationship then. */
const fates: [string, (pair: Awaited<ReturnType<typeof aPair>>) => Promise<unknown>][] = [
  ['whose account was deleted', ({ account }) => portal.query('DELETE FROM account WHERE id = $1', [account])],
  [
    'who acted until an end, and whose account was deleted',
    async ({ account, relationship }) => {
      await end(relationship);
      await portal.query('DELETE FROM account WHERE id = $1', [account]);
    },
  ],
  [
    'who has another address now',
    ({ account, email }) =>
      portal.query('UPDATE account SET email = $2 WHERE id = $1', [account, email.replace('Mother', 'other')]),
  ],
];

const claims = (patient: string) => [{ name: 'fhirUser', value: `Patient/${patient}` }];
const userForm = (email: string, patient: string) => ({
  ...{ fullName: 'Teen Duarte', email, userType: 'Patient', claims: claims(patient) },
});
const register = (email: string, patient: string) => admin.post('/api/admin/user', userForm(email, patient));
const change = (id: string, patient: string) =>
  admin.send(`/api/admin/user/${id}`, {
    method: 'PUT',
    body: { fullName: 'Teen Duarte', userType: 'Patient', claims: claims(patient) },
  });
const fieldsOf = (answer: Answer) => [answer.status, answer.json<{ codes: { field?: string }[] }>().codes[0]?.field];

async function imported(email: string, patient: string): Promise<Partial<ImportProgress>> {
  const file = `/api/admin/user/import/${randomUUID()}`;
  const csv = `name,email,type,fhir_user\nTeen Duarte,${email},Patient,Patient/${patient}`;
  await admin.send(file, { method: 'PUT', body: { csv } });
  let progress: Partial<ImportProgress> = {};
  await until(async () => {
    progress = (await admin.get(file)).json<ImportProgress>();
    return progress.done === progress.total;
  });
  return progress;
}

/** The ways in which an account of the patient gets the address; each returns whether it did. */
const ways: [string, (pair: Pair) => Promise<boolean>][] = [
  ['a registration', async ({ email, patient }) => (await register(email, patient)).status === 201],
  ['an import', async ({ email, patient }) => (await imported(email, patient)).created === 1],
  [
    'a change of the record',
    async ({ email, patient }) => {
      portal.has(`${patient}-b`);
      const { id } = (await register(email, `${patient}-b`)).json<{ id: string }>();
      return (await change(id, patient)).status === 200;
    },
  ],
  [
    'a record that is linked',
    async ({ email, patient }) => {
      portal.has(`${patient}-c`);
      const proposal = { email, fullName: 'Teen', patient: `${patient}-c`, basis: 'carer', level: 'full' };
      const { accountId } = (await admin.post(path, proposal)).json<RelationshipView>();
      const answer = await admin.post(`${path}/account/${accountId}/record`, { patient, note: 'Came' });
      return answer.status === 204;
    },
  ],
];

describe.each(ways)('By %s', (_, gets) => {
  it.each(fates)('a patient does not get the address of one %s', async (__, becomes) => {
    const pair = await aPair();
    await becomes(pair);
    expect(await gets({ ...pair, email: pair.email.toUpperCase() })).toBe(false);
  });

  it('a patient gets the address of one who acts for another patient', async () => {
    const [pair, other] = [await aPair(), await aPair()];
    await portal.query('DELETE FROM account WHERE id = $1', [pair.account]);
    expect(await gets({ ...pair, patient: other.patient })).toBe(true);
  });
});

it('The account of one who acts or acted for a patient does not become that of the patient', async () => {
  const { relationship, patient } = await aPair();
  const { accountId } = (await admin.get(`${path}/${relationship}`)).json<RelationshipView>();
  const link = () => admin.post(`${path}/account/${accountId}/record`, { patient, note: 'Mistake' });
  expect(fieldsOf(await link())).toEqual([400, 'patient']);
  await end(relationship);
  expect(fieldsOf(await link())).toEqual([400, 'patient']);
  portal.has(`${patient}-own`);
  expect(
    (await admin.post(`${path}/account/${accountId}/record`, { patient: `${patient}-own`, note: 'Came' })).status,
  ).toBe(204);
  expect(fieldsOf(await change(accountId ?? '', patient))).toEqual([400, 'claims']);
});

it('No relationship is approved with the address of the patient', async () => {
  portal.has('twin');
  const { id } = (await register('teen.twin@example.org', 'twin')).json<{ id: string }>();
  // Two users of other providers may have one address.
  const proposal = { email: family.noah.email, patient: 'twin', basis: 'carer', level: 'full' };
  const proposed = (await admin.post(path, proposal)).json<RelationshipView>();
  await portal.query(
    "UPDATE account SET is_external = true, issuer = 'x', subject = id::text, email = $2 WHERE id = $1",
    [id, family.noah.email.toUpperCase()],
  );
  const answer = await admin.post(`${path}/${proposed.id}/decision`, { decision: 'approve', note: 'Seen' });
  expect([answer.status, answer.json()]).toMatchObject([
    409,
    { codes: [{ code: 'representation-address-of-patient' }] },
  ]);
});

describe('A mail about an approval', () => {
  const subject = 'Something changed in Family and carers at Gatehouse';
  const approve = async (patient: string, email: string) => {
    const proposal = { email, patient, basis: 'carer', level: 'full' };
    const { id } = (await admin.post(path, proposal)).json<RelationshipView>();
    expect((await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' })).status).toBe(200);
  };

  it('goes to the patient, and names no user, kind or level', async () => {
    portal.has('adult', { birthDate: '1960-01-01' });
    await register('adult@example.org', 'adult');
    await approve('adult', family.ana.email);
    const { mail } = await mailAbout(sink, 'adult@example.org', subject);
    expect(mail.text).not.toMatch(/\bAna\b|\bcarer\b|\bfull\b/i);
  });

  it('never goes to an address that one who acted for the patient had', async () => {
    const { patient, email, account } = await aPair('1960-01-01', 'carer');
    await portal.query('DELETE FROM account WHERE id = $1', [account]);
    const { id } = (await register(`own.${patient}@example.org`, patient)).json<{ id: string }>();
    await portal.query('UPDATE account SET email = $2 WHERE id = $1', [id, email.toLowerCase()]);
    await approve(patient, family.ana.email);
    await portal.query("SELECT pg_notify('gatehouse_jobs', 'mail')");
    portal.has('last', { birthDate: '1960-01-01' });
    await register('last@example.org', 'last');
    await approve('last', family.ana.email);
    await mailAbout(sink, 'last@example.org', subject);
    const told = sink.received.filter(({ mail }) => mail.subject === subject).flatMap(({ to }) => to);
    expect(told).not.toContain(email.toLowerCase());
  });
});
