/** Nodes that are killed (SIGKILL) while they change a relationship; the other node lives on. */
import type { InvitationWithCode } from '../../../src/contract/invitations.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { linkInMail } from '../../support/mail-sink.js';
import { actingIn, relationshipsPath as path, withSecret } from '../../support/representation/acting.js';
import { type FamilyPortal, family } from '../../support/representation/family-portal.js';
import type { FamilyProcesses } from '../../support/representation/family-processes.js';
import { type KilledAttempt, KilledFamily } from '../../support/representation/killed-family.js';
import { people } from '../../support/users/people.js';

/** Users whose accounts are deleted, one for each statement. */
const spares = Array.from({ length: 40 }, (_, index) => ({
  ...people.patient,
  email: `spare-${index}@example.org`,
  fullName: `Spare ${index}`,
  claims: [{ name: 'fhirUser', value: `Patient/spare-${index}` }],
}));
const own = '/api/representation';
const killed = new KilledFamily();
let portal: FamilyProcesses;
let used = 0;
let children = 0;

beforeAll(async () => {
  await killed.start(spares);
  portal = killed.portal;
});

afterAll(() => killed.close());

const agents = () => portal.agents;
const child = (record: object = {}) => {
  children += 1;
  const identifier = [{ system: 'urn:mrn', value: `KP${children}` }];
  portal.has(`killed-${children}`, { identifier, name: [{ given: ['Leo'], family: 'Duarte' }], ...record });
  return `killed-${children}`;
};
const count: KilledFamily['count'] = (...all) => killed.count(...all);
const events = (type: string, subject: string) =>
  count('SELECT FROM audit_event WHERE type = $1 AND subject = $2', type, subject);
async function forget(): Promise<void> {
  await portal.query('TRUNCATE representation_relationship, representation_invitation, request CASCADE');
  await portal.query('TRUNCATE representation_block, represented_patient');
  await portal.query('DELETE FROM rate_limit');
  await portal.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')");
}

async function asked() {
  await forget();
  const patient = child();
  const number = `KP${children}`;
  const answer = await agents().ana.post('/api/requests', {
    ...{ basis: 'parental-responsibility', relation: 'mother', patientName: 'Leo Duarte', birthDate: '2020-05-10' },
    ...{ recordNumber: number, isTrue: true, files: [] },
  });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { patient, id: answer.json<{ id: string }>().id };
}

const active = (patient: string) =>
  count("SELECT FROM representation_relationship WHERE patient = $1 AND status = 'active'", patient);

/** An active relationship, and an app that was let in by it. */
async function acting(members: object, person = family.ana) {
  await forget();
  const form = { email: person.email, basis: 'parental-responsibility', level: 'full', patient: child(), ...members };
  const proposed = await agents().admin.post(path, form);
  expect([proposed.status, proposed.text]).toEqual([201, expect.any(String)]);
  const { id } = proposed.json<{ id: string }>();
  const decided = await agents().admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
  expect([decided.status, decided.text]).toEqual([200, expect.any(String)]);
  const { tokensFor } = actingIn(() => portal as unknown as FamilyPortal, person);
  const { app, tokens } = await tokensFor(form.patient, withSecret);
  const elsewhere = () => new Agent(portal.issuer, portal.ports[1]);
  const refreshed = async () => (await app.refresh(tokens.refresh_token ?? '', {}, elsewhere())).status;
  return { id, refreshed };
}
const helper = { basis: 'voluntary', relation: 'helper', patient: '2' };
const stateOf = async (id: string) =>
  (
    await portal.query<{ state: string }>(
      "SELECT concat_ws(' ', status, reason, level) AS state FROM representation_relationship WHERE id = $1",
      [id],
    )
  )[0]?.state;
const changesWith = (id: string, member: string) =>
  count(
    "SELECT FROM audit_event WHERE type = 'representation.changed' AND subject = $1 AND detail ->> $2 IS NOT NULL",
    id,
    member,
  );

/** An end by a user; nothing of it is left, and the pair is blocked if it has to be. */
async function end(by: 'ana' | 'noah' | 'admin', state: string, address: string, form: object): Promise<KilledAttempt> {
  const { id, refreshed } = await acting(helper);
  return {
    send: (user) => user(agents()[by]).post(`${address}/${id}/end`, form),
    async check(again, was) {
      expect(was ? [409] : [200, 204, 409]).toContain(again.status);
      expect(await stateOf(id)).toBe(state);
      expect(await events('representation.ended', id)).toBe(1);
      expect(await refreshed()).toBe(400);
      expect(await count("SELECT FROM oidc_record WHERE payload -> 'representation' ->> 'id' = $1", id)).toBe(0);
      expect(await count('SELECT FROM represented_consent WHERE relationship_id = $1', id)).toBe(0);
      const blocks = await count('SELECT FROM representation_block WHERE relationship_id = $1', id);
      expect(blocks > 0).toBe(state.includes('safeguarding'));
    },
  };
}

/** What changes an active relationship, of which the app's access stays. */
async function change(
  { member, state, assignments }: { member: string; state: string; assignments: string },
  send: (id: string, user: (agent: Agent) => Agent) => Promise<Answer>,
  mails: string[] = [],
): Promise<KilledAttempt> {
  const { id, refreshed } = await acting(helper);
  await portal.query(`UPDATE representation_relationship SET ${assignments} WHERE id = $1`, [id]);
  return {
    send: (user) => send(id, user),
    async check(again, was) {
      expect(was ? [409] : [200, 204, 409]).toContain(again.status);
      expect(await stateOf(id)).toBe(state);
      expect(await changesWith(id, member)).toBe(1);
      expect(await refreshed()).toBe(200);
    },
    mails,
  };
}

async function deletion(): Promise<KilledAttempt> {
  const person = spares[used] as (typeof spares)[number];
  used += 1;
  const { id, refreshed } = await acting({}, person);
  const account = await portal.accountId(person);
  return {
    send: (user) => user(agents().admin).send(`/api/admin/user/${account}`, { method: 'DELETE' }),
    async check(again, was) {
      expect(was ? [404] : [204, 404]).toContain(again.status);
      expect(await count('SELECT FROM account WHERE id = $1', account)).toBe(0);
      expect(await count('SELECT FROM representation_relationship WHERE account_id = $1', account)).toBe(0);
      expect(await count('SELECT FROM oidc_record WHERE account_id = $1', account)).toBe(0);
      expect(await refreshed()).toBe(400);
      expect(await events('user.deleted', account)).toBe(1);
      const answer = await agents().admin.get(`${path}/${id}`);
      expect(answer.status).toBe(200);
    },
  };
}

async function load(): Promise<KilledAttempt> {
  await forget();
  const patients = [child(), child()];
  const lines = patients.map((patient) => `${family.ana.email},${patient},parental-responsibility,full`);
  const csv = ['email,patient,basis,level', ...lines].join('\n');
  return {
    send: (user) => user(agents().admin).post(`${path}/import`, { csv, dryRun: false }),
    async check(again) {
      expect(again.status).toBe(200);
      for (const patient of patients) expect(await active(patient)).toBe(1);
      expect(await count('SELECT FROM representation_relationship')).toBe(2);
    },
  };
}

async function approval(): Promise<KilledAttempt> {
  const { patient, id } = await asked();
  const terms = { patient, basis: 'parental-responsibility', level: 'full', relation: 'mother' };
  const body = { decision: 'approve', note: 'Seen', seen: [], version: 0, ...terms };
  return {
    send: (user) => user(agents().admin).post(`/api/admin/requests/${id}/decision`, body),
    async check(again, was) {
      expect(was ? [409] : [200, 409]).toContain(again.status);
      expect(await active(patient)).toBe(1);
      expect(await count("SELECT FROM request WHERE id = $1 AND status = 'approved'", id)).toBe(1);
      expect(await events('request.decided', id)).toBe(1);
    },
    mails: [family.ana.email],
  };
}

const everyAct: Record<string, () => Promise<KilledAttempt>> = {
  async 'the acceptance of an invitation by a new account'() {
    await forget();
    children += 1;
    const email = `guest-${children}@example.org`;
    const form = { fullName: 'Tomás Reed', email, level: 'basics', currentPassword: family.noah.password };
    const sent = await agents().noah.post('/api/representation/invitations', form);
    expect([sent.status, sent.text]).toEqual([201, expect.any(String)]);
    const { id, spokenCode } = sent.json<InvitationWithCode>();
    const { t: token } = linkInMail(await portal.sink.to(email));
    const body = { token, spokenCode, isAdult: true, account: 'new' };
    return {
      send: (user) => user(new Agent(portal.issuer, portal.ports[1])).post(`/api/invitations/${id}/acceptance`, body),
      async check(again, was) {
        expect(was ? [409] : [200, 409]).toContain(again.status);
        const made = await count(
          `SELECT FROM representation_relationship JOIN account ON account.id = account_id
            WHERE email = $1 AND status = 'active'`,
          email,
        );
        const links = 'SELECT FROM account_link JOIN account ON account.id = account_id WHERE email = $1';
        expect([await count('SELECT FROM account WHERE email = $1', email), made, await count(links, email)]).toEqual([
          1, 1, 1,
        ]);
        expect(await events('representation.invitation-ended', id)).toBe(1);
      },
      mails: [family.noah.email],
    };
  },
  'the approval of a request': approval,
  'an end by the representative': () => end('ana', 'ended representative full', own, {}),
  'an end by the patient': () => end('noah', 'ended patient full', own, {}),
  'a safeguarding end': () =>
    end('admin', 'ended safeguarding full', path, { reason: 'safeguarding', note: 'Reported by a nurse' }),
  'a higher level by the patient': () =>
    change(
      { member: 'level', state: 'active full', assignments: "level = 'basics'" },
      (id, user) =>
        user(agents().noah).send(`${own}/${id}/level`, {
          method: 'PUT',
          body: { seen: 'basics', level: 'full', currentPassword: family.noah.password },
        }),
      [family.noah.email],
    ),
  'the yearly answer of the patient': () =>
    change(
      { member: 'renewed', state: 'active full', assignments: "decided_at = now() - interval '370 days'" },
      (id, user) => user(agents().noah).post(`${own}/${id}/confirmation`, {}),
    ),
  'the import of a file': load,
  'the deletion of the account of the representative': deletion,
};

it.each(Object.keys(everyAct))(
  'A node that is killed at any statement of %s leaves nothing half, and it can be repeated at the other',
  (name) => killed.atEachStatement(everyAct[name] as () => Promise<KilledAttempt>),
  1_800_000,
);
