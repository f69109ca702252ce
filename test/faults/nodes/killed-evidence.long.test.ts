/** Nodes that are killed (SIGKILL) while files of requests come and go, or an account with all of it is deleted. */
import type { InvitationWithCode } from '../../../src/contract/invitations.js';
import type { OwnRequest, RequestFileView } from '../../../src/contract/requests.js';
import type { Agent } from '../../support/http/agent.js';
import { relationshipsPath as path } from '../../support/representation/acting.js';
import { aPdf, sendFile } from '../../support/representation/asked.js';
import { family } from '../../support/representation/family-portal.js';
import type { FamilyProcesses } from '../../support/representation/family-processes.js';
import { type KilledAttempt, KilledFamily } from '../../support/representation/killed-family.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** Makes what the first node does every hour happen every fifth of a second. */
const hurried =
  'const later = setTimeout; globalThis.setTimeout = Object.assign((work, ms, ...all) => later(work, ms === 3600000 ? 200 : ms, ...all), later);';
const spares = Array.from({ length: 120 }, (_, index) => ({
  ...people.patient,
  email: `spare-${index}@example.org`,
  fullName: `Spare ${index}`,
  claims: [{ name: 'fhirUser', value: `Patient/spare-${index}` }],
}));
const killed = new KilledFamily();
let portal: FamilyProcesses;
let used = 0;
let children = 0;

beforeAll(async () => {
  await killed.start(spares, ['--import', `data:text/javascript,${encodeURIComponent(hurried)}`]);
  portal = killed.portal;
});

afterAll(() => killed.close());

const count: KilledFamily['count'] = (...all) => killed.count(...all);
const events = (type: string, subject: string) =>
  count('SELECT FROM audit_event WHERE type = $1 AND subject = $2', type, subject);
async function forget(): Promise<void> {
  await portal.query('TRUNCATE representation_relationship, representation_invitation, request, request_file CASCADE');
  await portal.query('DELETE FROM rate_limit');
}

/** A user of this attempt alone, who has a record of their own and is signed in at the other node. */
async function spare() {
  const person = spares[used] as (typeof spares)[number];
  portal.has(`spare-${used}`, { birthDate: '1980-01-01', name: [{ text: person.fullName }] });
  used += 1;
  return {
    ...person,
    id: await portal.accountId(person),
    agent: await portal.as(person),
    patient: `spare-${used - 1}`,
  };
}

async function asked(agent: Agent, files: number): Promise<string> {
  children += 1;
  const sent: string[] = [];
  for (let number = 0; number < files; number += 1)
    sent.push((await sendFile(agent, aPdf(`Page ${children} ${number}`))).json<RequestFileView>().id);
  const answer = await agent.post('/api/requests', {
    ...{ basis: 'parental-responsibility', relation: 'mother', patientName: 'Leo Duarte', birthDate: '2020-05-10' },
    ...{ recordNumber: `KE${children}`, isTrue: true, files: sent },
  });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<OwnRequest>().id;
}

async function acts(email: string, patient: string, basis = 'voluntary', relation = 'helper'): Promise<string> {
  const form = { email, basis, relation, level: 'full', patient };
  const { agents } = portal;
  const proposed = await agents.admin.post(path, form);
  expect([proposed.status, proposed.text]).toEqual([201, expect.any(String)]);
  const { id } = proposed.json<{ id: string }>();
  const decided = await agents.admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
  expect([decided.status, decided.text]).toEqual([200, expect.any(String)]);
  return id;
}

async function upload(): Promise<KilledAttempt> {
  await forget();
  const content = aPdf('x'.repeat(300_000));
  return {
    send: (user) => sendFile(user(portal.agents.ana), content),
    async check(again, was) {
      expect(again.status).toBe(201);
      const files = await portal.query<{ id: string; bytes: number }>('SELECT id, bytes FROM request_file');
      // Sent again it is not stored twice.
      expect(files).toEqual([{ id: again.json<RequestFileView>().id, bytes: content.length }]);
      if (was?.status === 201) expect(was.json<RequestFileView>().id).toBe(files[0]?.id);
    },
  };
}

/** One who acts, has asked with files, and has left a file that was not sent. */
async function ofRepresentative(isOwn: boolean): Promise<KilledAttempt> {
  await forget();
  const { id: account, email, agent } = await spare();
  const relationship = await acts(email, '2');
  await asked(agent, 2);
  await sendFile(agent, aPdf('Not sent'));
  return deletion(account, isOwn ? agent : undefined, async () => {
    expect(await count('SELECT FROM representation_relationship WHERE account_id = $1', account)).toBe(0);
    expect(await count('SELECT FROM request_file')).toBe(0);
    expect(await count('SELECT FROM request WHERE account_id = $1', account)).toBe(0);
    expect((await portal.agents.admin.get(`${path}/${relationship}`)).status).toBe(200);
  });
}

/** One for whom another user acts, and who has invited a third one. */
async function ofPatient(isOwn: boolean): Promise<KilledAttempt> {
  await forget();
  const { id: account, patient, agent, password } = await spare();
  const relationship = await acts(family.noah.email, patient);
  const form = {
    fullName: 'Tomás Reed',
    email: `guest-${used}@example.org`,
    level: 'basics',
    currentPassword: password,
  };
  const sent = await agent.post('/api/representation/invitations', form);
  expect([sent.status, sent.text]).toEqual([201, expect.any(String)]);
  const { id: invitation } = sent.json<InvitationWithCode>();
  return deletion(account, isOwn ? agent : undefined, async () => {
    expect(await count('SELECT FROM representation_invitation WHERE id = $1', invitation)).toBe(0);
    // It is about the record, which stays.
    const [left] = await portal.query<{ status: string }>(
      'SELECT status FROM representation_relationship WHERE id = $1',
      [relationship],
    );
    expect(left).toEqual({ status: 'active' });
  });
}

function deletion(account: string, owner: Agent | undefined, check: () => Promise<void>): KilledAttempt {
  return {
    send: (user) =>
      owner
        ? user(owner).post('/api/user/deletion', { currentPassword: people.patient.password })
        : user(portal.agents.admin).send(`/api/admin/user/${account}`, { method: 'DELETE' }),
    async check(again, was) {
      if (owner) expect(was?.status === 200 ? [401] : [200, 401]).toContain(again.status);
      else expect(was ? [404] : [204, 404]).toContain(again.status);
      expect(await count('SELECT FROM account WHERE id = $1', account)).toBe(0);
      expect(await count('SELECT FROM oidc_record WHERE account_id = $1', account)).toBe(0);
      expect(await events(owner ? 'account.deleted' : 'user.deleted', account)).toBe(1);
      await check();
    },
  };
}

const everyAct: [act: string, prepare: () => Promise<KilledAttempt>][] = [
  ['the upload of a file', upload],
  ['the deletion of a representative who has asked with files', () => ofRepresentative(false)],
  ['the deletion of the own account by such a representative', () => ofRepresentative(true)],
  ['the deletion of a patient who has a representative and has invited another one', () => ofPatient(false)],
  ['the deletion of the own account by such a patient', () => ofPatient(true)],
];

it.each(everyAct)(
  'A node that is killed at any statement of %s leaves nothing half, and it can be repeated at the other',
  (_, prepare) => killed.atEachStatement(prepare),
  1_800_000,
);

/** Requests with files; those of all but one are too old at once. */
async function requestsWithFiles() {
  await forget();
  const { ana } = portal.agents;
  const [decided, old, kept, closed] = [
    await asked(ana, 2),
    await asked(ana, 1),
    await asked(ana, 1),
    await asked(ana, 0),
  ];
  await sendFile(ana, aPdf('Not sent'));
  await portal.query(
    `WITH decided AS (UPDATE request SET status = 'declined', decided_at = now() - interval '8 days' WHERE id = $1),
          closed AS (UPDATE request SET status = 'cancelled', decided_at = now() - interval '400 days' WHERE id = $2),
          unsent AS (UPDATE request_file SET added_at = now() - interval '25 hours' WHERE request_id IS NULL)
     UPDATE request_file SET added_at = now() - interval '91 days' WHERE request_id = $3`,
    [decided, closed, old],
  );
  return {
    removed: [
      [decided, 2],
      [old, 1],
    ] as const,
    kept,
    closed,
  };
}

const withContent = (request: string) =>
  count('SELECT FROM request_file WHERE request_id = $1 AND content IS NOT NULL', request);

it('A node that is killed at any statement of the removal of files leaves none of a request half, and the next run removes the rest', async () => {
  let hasRemovedAll = false;
  let statement = 0;
  for (; !hasRemovedAll; statement += 1) {
    const { removed, kept, closed } = await requestsWithFiles();
    // The removal is run again and again, so that each statement is come to.
    killed.killAt(statement);
    await until(async () => !(await portal.first.isReady()));
    expect(killed.wasKilled()).toBe(true);
    await portal.first.end('SIGKILL');
    const isRemoved = await Promise.all(
      removed.map(async ([request, files]) => {
        const [left, told] = [await withContent(request), await events('request.files-removed', request)];
        expect([
          [files, 0],
          [0, 1],
        ]).toContainEqual([left, told]);
        return left === 0;
      }),
    );
    expect(await withContent(kept)).toBe(1);
    hasRemovedAll = isRemoved.every(Boolean) && (await count('SELECT FROM request WHERE id = $1', closed)) === 0;
    await portal.restart();
    await until(async () => (await count('SELECT FROM request WHERE id = $1', closed)) === 0);
    for (const [request] of removed)
      expect([await withContent(request), await events('request.files-removed', request)]).toEqual([0, 1]);
    expect([await withContent(kept), await count('SELECT FROM request_file WHERE request_id IS NULL')]).toEqual([1, 0]);
  }
  expect(statement).toBeGreaterThan(4);
}, 1_800_000);
