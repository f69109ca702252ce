import type { InvitationWithCode } from '../../src/contract/invitations.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import type { OwnRequest } from '../../src/contract/requests.js';
import { dayIn } from '../../src/representation/domain/ages.js';
import { addDays } from '../../src/representation/domain/coming-steps.js';
import { type NewRelationship, Relationships } from '../../src/representation/domain/relationships.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { linkInMail } from '../support/mail-sink.js';
import { relationshipsPath as path } from '../support/representation/acting.js';
import {
  aPdf,
  ask,
  type RequestPortal,
  recordOf,
  review,
  sendFile,
  startRequestPortal,
} from '../support/representation/asked.js';
import { family } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';

/** Every act of users and administrators, sent again with the same body because the answer was lost. */
interface Act {
  name: string;
  /** Returns what is sent twice. */
  prepare: () => Promise<() => Promise<Answer>>;
  /** Status of the second answer; the first one has succeeded. */
  again: number;
  /** What the second answer says, where it is not that of the first. */
  says?: string;
}

let portal: RequestPortal;
let guests = 0;

beforeAll(async () => {
  portal = await startRequestPortal();
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.forget();
  await portal.query('TRUNCATE representation_relationship, representation_invitation CASCADE');
  await portal.query('TRUNCATE representation_block, request_file CASCADE');
});

const today = dayIn(new Date(), 'Europe/Amsterdam');
const agents = () => portal.agents;
const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
const form = {
  ...{ basis: 'parental-responsibility', relation: 'mother', patientName: 'Leo Duarte', birthDate: '2020-05-10' },
  isTrue: true,
};
const helper = { basis: 'voluntary', relation: 'helper', patient: '2' };
const attorney = { basis: 'power-of-attorney', relation: 'attorney', patient: '2' };
const acts = async (members: Partial<NewRelationship> = {}) =>
  (await relationships().add(aNewRelationship(await portal.accountId(family.ana), members))).id;
const guest = () => {
  guests += 1;
  return `guest-${guests}@example.org`;
};
const invite = (email: string) =>
  agents().noah.post('/api/representation/invitations', { fullName: 'Tomás', email, level: 'basics' });

async function invited() {
  const invitation = (await invite(guest())).json<InvitationWithCode>();
  const { t: token } = linkInMail(await portal.sink.to(invitation.email));
  return { ...invitation, token, address: `/api/invitations/${invitation.id}` };
}

async function asked() {
  const number = portal.aChild();
  const { id } = await ask(agents().ana, number, {}, []);
  const { version } = await review(agents().admin, id);
  const terms = { patient: recordOf(number), basis: 'parental-responsibility', level: 'full', relation: 'mother' };
  return { id, version, terms, address: `/api/admin/requests/${id}` };
}

async function proposed() {
  return acts({ patient: 'leo', status: 'proposed' });
}

const own = '/api/representation';
const ended = 'This invitation has ended.';
const changed = 'This was changed meanwhile. Please refresh the page.';
const taken = 'This account already acts for this patient, or a request for it waits.';

const ways: Act[] = [
  {
    name: 'a request without files',
    prepare: async () => () => agents().ana.post('/api/requests', { ...form, files: [] }),
    again: 201,
  },
  {
    name: 'a request with a file',
    async prepare() {
      const { id } = (await sendFile(agents().ana, aPdf())).json<{ id: string }>();
      return () => agents().ana.post('/api/requests', { ...form, files: [id] });
    },
    again: 201,
  },
  {
    name: 'a request for a change',
    async prepare() {
      const relationship = await acts();
      const body = { relationship, statement: 'I need the letters' };
      return () => agents().ana.post('/api/requests/change', body);
    },
    again: 201,
  },
  { name: 'a file', prepare: async () => () => sendFile(agents().ana, aPdf()), again: 201 },
  {
    name: 'the removal of a file',
    async prepare() {
      const { id } = (await sendFile(agents().ana, aPdf())).json<{ id: string }>();
      return () => agents().ana.send(`/api/requests/files/${id}`, { method: 'DELETE' });
    },
    again: 404,
    says: 'There is no such file.',
  },
  {
    name: 'further files',
    async prepare() {
      const { id } = await ask(agents().ana, portal.aChild(), {}, []);
      const file = (await sendFile(agents().ana, aPdf())).json<{ id: string }>();
      return () => agents().ana.post(`/api/requests/${id}/files`, { files: [file.id] });
    },
    again: 200,
  },
  {
    name: 'the withdrawal of a request',
    async prepare() {
      const { id } = await ask(agents().ana, portal.aChild(), {}, []);
      return () => agents().ana.send(`/api/requests/${id}`, { method: 'DELETE' });
    },
    again: 404,
    says: 'There is no such request.',
  },
  ...['approve', 'decline', 'more-needed'].map((decision) => ({
    name: `a decision to ${decision}`,
    async prepare() {
      const { version, terms, address } = await asked();
      const body = { decision, note: 'Seen', version, seen: [], ...terms };
      return () => agents().admin.post(`${address}/decision`, body);
    },
    again: 409,
    says: 'This request was changed meanwhile.',
  })),
  {
    name: 'the first of two approvals',
    async prepare() {
      const { version, terms, address } = await asked();
      portal.has(terms.patient, { birthDate: '2020-05-10', name: [{ given: ['Leon'], family: 'Duarte' }] });
      const body = { decision: 'approve', note: 'Seen', version, seen: [], ...terms, despiteDifference: true };
      const identifier = [{ system: 'urn:mrn', value: `NB${1000 + Number(terms.patient.slice(6))}` }];
      portal.has(terms.patient, { identifier, name: [{ given: ['Leon'], family: 'Duarte' }] });
      return () => agents().admin.post(`${address}/decision`, body);
    },
    again: 409,
    says: 'This request was changed meanwhile.',
  },
  {
    name: 'the correction of an approval',
    async prepare() {
      const { id, version, terms, address } = await asked();
      const body = { decision: 'approve', note: 'Seen', version, seen: [], ...terms };
      await agents().admin.post(`${address}/decision`, body);
      const approved = await review(agents().admin, id);
      return () => agents().admin.post(`${address}/error`, { version: approved.version, note: 'The wrong child' });
    },
    again: 409,
    says: 'This request was changed meanwhile.',
  },
  {
    name: 'an invitation',
    async prepare() {
      const email = guest();
      return () => invite(email);
    },
    again: 409,
    says: 'You have invited this address already.',
  },
  {
    name: 'the end of an invitation by the patient',
    async prepare() {
      const { id } = await invited();
      return () => agents().noah.send(`${own}/invitations/${id}`, { method: 'DELETE' });
    },
    again: 404,
    says: ended,
  },
  {
    name: 'the end of an invitation by the invited user',
    async prepare() {
      const { address, token } = await invited();
      return () => agents().ana.post(`${address}/refusal`, { token });
    },
    again: 404,
    says: ended,
  },
  {
    name: 'an acceptance with an account',
    async prepare() {
      const { address, token, spokenCode } = await invited();
      const body = { token, spokenCode, isAdult: true, account: 'own' };
      return () => agents().ana.post(`${address}/acceptance`, body);
    },
    again: 200,
  },
  {
    name: 'an acceptance with a new account',
    async prepare() {
      const { address, token, spokenCode } = await invited();
      const body = { token, spokenCode, isAdult: true, account: 'new' };
      return () => new Agent(portal.issuer, portal.ports[1]).post(`${address}/acceptance`, body);
    },
    again: 409,
    says: 'This invitation was accepted already. Please sign in. Without a password, choose one with “Forgot password”.',
  },
  {
    name: 'a proposal for an account',
    async prepare() {
      const body = { email: family.ana.email, patient: 'leo', basis: form.basis, level: 'full' };
      return () => agents().admin.post(path, body);
    },
    again: 409,
    says: taken,
  },
  {
    name: 'a proposal for a new account',
    async prepare() {
      const body = { email: guest(), fullName: 'Tomás Reed', patient: 'leo', basis: form.basis, level: 'full' };
      return () => agents().admin.post(path, body);
    },
    again: 409,
    says: taken,
  },
  ...['approve', 'decline', 'more-needed'].map((decision) => ({
    name: `a decision to ${decision} a proposal`,
    async prepare() {
      const id = await proposed();
      return () => agents().admin.post(`${path}/${id}/decision`, { decision, note: 'Seen' });
    },
    again: decision === 'more-needed' ? 200 : 409,
    ...(decision !== 'more-needed' && { says: changed }),
  })),
  {
    name: 'a confirmation by an administrator',
    async prepare() {
      const id = await acts({ status: 'suspended', reason: 'deleted' });
      return () => agents().admin.post(`${path}/${id}/confirmation`, { note: 'It is there' });
    },
    again: 409,
    says: changed,
  },
  ...['administrator', 'safeguarding'].map((reason) => ({
    name: `an end by an administrator (${reason})`,
    async prepare() {
      const id = await acts();
      return () => agents().admin.post(`${path}/${id}/end`, { reason, note: 'Over' });
    },
    again: 409,
    says: changed,
  })),
  {
    name: 'the wish to lift a block',
    async prepare() {
      const id = await acts();
      await agents().admin.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Over' });
      return () => agents().admin.post(`${path}/${id}/block/lift`, {});
    },
    again: 200,
  },
  {
    name: 'an import',
    prepare: async () => () => {
      const csv = `email,patient,basis,level\n${family.ana.email},leo,parental-responsibility,full\n`;
      return agents().admin.post(`${path}/import`, { csv, dryRun: false });
    },
    again: 200,
    says: '"becomes":"known"',
  },
  ...['lookedAfter', 'helpers'].map((side) => ({
    name: `an end by the ${side === 'helpers' ? 'patient' : 'representative'}`,
    async prepare() {
      const id = await acts(helper);
      const by = side === 'helpers' ? agents().noah : agents().ana;
      return () => by.post(`${own}/${id}/end`, {});
    },
    again: 409,
    says: changed,
  })),
  {
    name: 'an end by the patient that administrators decide about',
    async prepare() {
      const id = await acts(attorney);
      return () => agents().noah.post(`${own}/${id}/end`, {});
    },
    again: 204,
  },
  {
    name: 'another last day',
    async prepare() {
      const id = await acts({ ...helper, end: addDays(today, 5) });
      return () => agents().noah.send(`${own}/${id}/period`, { method: 'PUT', body: { end: addDays(today, 90) } });
    },
    again: 409,
    says: changed,
  },
  {
    name: 'the answer that it is still right',
    async prepare() {
      const id = await acts({ ...helper, decidedAt: new Date(Date.now() - 400 * 86_400_000) });
      return () => agents().noah.post(`${own}/${id}/confirmation`, {});
    },
    again: 409,
    says: changed,
  },
];

/** Rows by which a second effect would be seen. */
const effects = async () =>
  JSON.stringify(
    await Promise.all(
      [
        "SELECT id, status, version FROM request WHERE status <> 'cancelled' ORDER BY id",
        'SELECT id, request_id, content IS NULL FROM request_file ORDER BY id',
        'SELECT id, status, reason, level, ended_at FROM representation_relationship ORDER BY id',
        'SELECT id, status FROM representation_invitation ORDER BY id',
        'SELECT kind, lift_asked_by FROM representation_block ORDER BY 1',
        'SELECT id FROM account ORDER BY id',
      ].map((sql) => portal.query(sql)),
    ),
  );
/** Mails that were sent or wait. */
const mails = async () => {
  const [{ waiting } = { waiting: 0 }] = await portal.query<{ waiting: number }>(
    "SELECT count(*)::int AS waiting FROM job WHERE kind = 'mail'",
  );
  return waiting + portal.sink.received.length;
};
const mailsAtRest = async (): Promise<number> => {
  const before = await mails();
  await portal.query('SELECT pg_sleep(0.05)');
  return (await mails()) === before ? before : mailsAtRest();
};

describe('An act that is sent again because its answer was lost', () => {
  it.each(ways)('has no second effect: $name', async ({ prepare, again, says }) => {
    const send = await prepare();
    const first = await send();
    expect([first.status < 300, first.text]).toEqual([true, expect.any(String)]);
    const [before, sent] = [await effects(), await mailsAtRest()];
    const second = await send();
    expect([second.status, second.text]).toEqual([again, expect.any(String)]);
    if (says !== undefined) expect(second.text).toContain(says);
    else if (second.status < 300 && second.text !== '') expect(idOf(second)).toEqual(idOf(first));
    expect(await effects()).toBe(before);
    expect(await mailsAtRest()).toBe(sent);
  });
});

/** What names the effect in an answer. */
function idOf({ json }: Answer): unknown {
  const { id, state } = json<Partial<OwnRequest & RelationshipView> & { state?: string }>();
  return id ?? state;
}
