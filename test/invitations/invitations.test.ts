import type { AcceptedInvitation, InvitationList, InvitationWithCode } from '../../src/contract/invitations.js';
import type { OwnRelationships } from '../../src/contract/representation.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, newLink, startMailSink } from '../support/mail-sink.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { login } from '../support/users/authenticator.js';

const kid = {
  ...family.ana,
  email: 'kid@example.org',
  fullName: 'Kim Ward',
  claims: [{ name: 'fhirUser', value: 'Patient/kid' }],
};

let sink: MailSink;
let portal: FamilyPortal;
let noah: Agent;
let ana: Agent;
let guests = 0;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({
    nodes: 2,
    config: { email: sink.config, users: [...Object.values(family), kid] },
  });
  portal.has('kid', { birthDate: '2015-01-01' });
  [noah, ana] = await Promise.all([portal.as(family.noah), portal.as(family.ana, 1)]);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const path = '/api/representation/invitations';
const own = async (agent: Agent) => (await agent.get('/api/representation')).json<OwnRelationships>();
const stranger = (node = 0) => new Agent(portal.issuer, portal.ports[node]);

interface Sent extends InvitationWithCode {
  token: string;
}

/** An invitation by Noah, with the token of its mail. */
async function invited(more: object = {}): Promise<Sent> {
  guests += 1;
  const email = `guest-${guests}@example.org`;
  await portal.query('DELETE FROM rate_limit');
  const answer = await noah.post(path, { fullName: 'Tomás Reed', email, level: 'basics', ...more });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const invitation = answer.json<InvitationWithCode>();
  // The mail alone has it.
  expect(invitation).not.toHaveProperty('link');
  const mail = await sink.to(invitation.email);
  expect(mail.raw).not.toContain(invitation.spokenCode);
  return { ...invitation, token: linkInMail(mail).t };
}

const accept = (by: Agent, { id, token, spokenCode }: Sent, more: object = {}) =>
  by.post(`/api/invitations/${id}/acceptance`, { token, spokenCode, isAdult: true, account: 'own', ...more });
const wrongCode = ({ spokenCode }: Sent) => String((Number(spokenCode) + 1) % 1_000_000).padStart(6, '0');
const end = async (relationship: string) => noah.post(`/api/representation/${relationship}/end`, {});

describe('A patient', () => {
  it('invites an adult, whose account then acts for them', async () => {
    const { bases } = (await noah.get(path)).json<InvitationList>();
    expect(bases).toMatchObject([{ id: 'voluntary', levels: [{ kinds: null }, { id: 'daily' }, { id: 'basics' }] }]);
    const sent = await invited({ relation: 'son', end: '2030-01-31' });
    expect((await noah.get(path)).json<InvitationList>().invitations).toMatchObject([
      { id: sent.id, email: sent.email, relation: 'son', end: '2030-01-31', triesLeft: 5 },
    ]);
    const facts = await stranger().post(`/api/invitations/${sent.id}/facts`, { token: sent.token });
    expect(facts.json()).toEqual({
      firstName: 'Noah',
      level: bases[0]?.levels[2],
      end: '2030-01-31',
    });
    expect((await accept(ana, sent)).json<AcceptedInvitation>()).toEqual({ state: 'active', activation: null });
    const { lookedAfter } = await own(ana);
    expect(lookedAfter).toMatchObject([{ status: 'active', patient: '2', level: { id: 'basics' }, end: '2030-01-31' }]);
    expect((await noah.get(path)).json<InvitationList>().invitations).toEqual([]);
    expect((await own(noah)).helpers).toMatchObject([{ name: 'Ana Duarte', status: 'active' }]);
    await end(lookedAfter[0]?.id ?? '');
  });

  it('invites an adult without an account, who gets one that only acts for patients', async () => {
    const sent = await invited();
    const answer = await accept(stranger(1), sent, { account: 'new', fullName: 'Tomás Reed Vega' });
    const { state, activation } = answer.json<AcceptedInvitation>();
    expect([state, activation]).toEqual(['active', expect.stringMatching(/^\/account\/activate\?u=/)]);
    const [account] = await portal.query<object>('SELECT user_type, full_name FROM account WHERE email = $1', [
      sent.email,
    ]);
    expect(account).toEqual({ user_type: 'RelatedPerson', full_name: 'Tomás Reed Vega' });
  });

  it('sees the code again, makes a new one, and cancels', async () => {
    const sent = await invited();
    expect((await noah.post(`${path}/${sent.id}/code`, {})).json<InvitationWithCode>().spokenCode).toBe(
      sent.spokenCode,
    );
    const { spokenCode } = (await noah.post(`${path}/${sent.id}/new-code`, {})).json<InvitationWithCode>();
    expect((await accept(ana, { ...sent, spokenCode: wrongCode({ ...sent, spokenCode }) })).status).toBe(400);
    expect((await noah.send(`${path}/${sent.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await accept(ana, { ...sent, spokenCode })).status).toBe(404);
  });

  it.each([
    ['their own address', { email: family.noah.email }, 'email'],
    ['no address', { email: 'tomas' }, 'email'],
    ['a level that is not configured', { level: 'all' }, 'level'],
    ['a basis that the hospital decides about', { basis: 'parental-responsibility' }, 'basis'],
    ['a relation of another basis', { relation: 'mother' }, 'relation'],
    ['a last day in the past', { end: '2020-01-01' }, 'end'],
  ])('is told at the field of %s', async (_, more, field) => {
    const answer = await noah.post(path, { fullName: 'Tomás', email: 't@example.org', level: 'full', ...more });
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field }] }]);
  });

  it('does not see or end an invitation of another patient', async () => {
    const sent = await invited();
    expect((await ana.post(`${path}/${sent.id}/code`, {})).status).toBe(404);
    expect((await ana.send(`${path}/${sent.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await ana.get(path)).json<InvitationList>().invitations).toEqual([]);
  });
});

describe('An invitation', () => {
  it('ends at the fifth wrong code, with a mail to both', async () => {
    const sent = await invited();
    const statuses = [];
    for (let tries = 0; tries < 6; tries += 1) {
      statuses.push((await accept(ana, { ...sent, spokenCode: wrongCode(sent) })).status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 404, 404]);
    expect((await accept(ana, sent)).status).toBe(404);
    expect((await sink.to(sent.email, 2)).mail.subject).toContain('has ended');
    const { mail } = await sink.to(family.noah.email);
    expect(mail.subject).toContain('Family and carers');
    expect(mail.text).not.toMatch(/Tomás|guest-|Ana/);
  });

  it('that came to nothing is listed with its cause, until its address is invited again; a cancelled one is not', async () => {
    const ended = async ({ id }: Sent) =>
      (await noah.get(path))
        .json<InvitationList>()
        .ended.filter((one) => one.id === id)
        .map(({ why }) => why);
    const [declined, wrong, old, cancelled] = [await invited(), await invited(), await invited(), await invited()];
    await stranger().post(`/api/invitations/${declined.id}/refusal`, { token: declined.token });
    for (let tries = 0; tries < 5; tries += 1) await accept(ana, { ...wrong, spokenCode: wrongCode(wrong) });
    await portal.query('UPDATE representation_invitation SET expires_at = now() WHERE id = $1', [old.id]);
    await noah.send(`${path}/${cancelled.id}`, { method: 'DELETE' });
    expect(await Promise.all([declined, wrong, old, cancelled].map(ended))).toEqual([
      ['declined'],
      ['codes-used-up'],
      ['expired'],
      [],
    ]);
    await noah.post(path, { fullName: 'Tomás', email: old.email.toUpperCase(), level: 'full' });
    expect(await ended(old)).toEqual([]);
  });

  it('has no more than five tries when twenty are sent at the same time to two nodes', async () => {
    const sent = await invited();
    const codes = Array.from({ length: 20 }, (_, index) => String((Number(sent.spokenCode) + index + 1) % 1_000_000));
    const answers = await Promise.all(
      codes.map((code, index) =>
        accept(stranger(index % 2), { ...sent, spokenCode: code.padStart(6, '0') }, { account: 'new' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(4);
    expect((await accept(ana, sent)).status).toBe(404);
  });

  it('is accepted once when it is accepted at the same time on two nodes', async () => {
    const sent = await invited();
    const answers = await Promise.all([0, 1, 0, 1].map((node) => accept(stranger(node), sent, { account: 'new' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const accounts = await portal.query('SELECT FROM account WHERE email = $1', [sent.email]);
    expect(accounts).toHaveLength(1);
  });

  it.each([
    ['without a session', stranger, {}, 401],
    ['by the patient', () => noah, {}, 400],
    ['by a user who does not say to be an adult', () => ana, { isAdult: false }, 400],
    ['with five digits', () => ana, { spokenCode: '12345' }, 400],
    ['with the token of another link', () => ana, { token: 'x'.repeat(43) }, 404],
  ] as const)('cannot be accepted %s, which uses no try up', async (_, by, more, status) => {
    const sent = await invited();
    expect((await accept(by(), sent, more)).status).toBe(status);
    const [row] = await portal.query('SELECT wrong_codes FROM representation_invitation WHERE id = $1', [sent.id]);
    expect(row).toEqual({ wrong_codes: 0 });
  });

  it('is not accepted by practitioners and administrators, who need a second account', async () => {
    const sent = await invited();
    const admin = await portal.as(family.admin);
    expect((await accept(admin, sent)).json()).toMatchObject({ errors: [{ field: 'account' }] });
  });

  it('does not make a second account for an address that has one', async () => {
    const sent = await invited({ email: family.ana.email });
    expect((await accept(stranger(), sent, { account: 'new' })).status).toBe(409);
    await noah.send(`${path}/${sent.id}`, { method: 'DELETE' });
  });

  it('is accepted with an account that was never activated, once its user has chosen a password by a mail', async () => {
    portal.has('ida', { birthDate: '1970-01-01' });
    const ida = { email: 'ida@example.org', password: 'Correct-horse-9' };
    const claims = [{ name: 'fhirUser', value: 'Patient/ida' }];
    const form = { fullName: 'Ida Lind', email: ida.email, userType: 'Patient', claims };
    expect((await (await portal.as(family.admin)).post('/api/admin/user', form)).status).toBe(201);
    await portal.query('DELETE FROM rate_limit');
    const { answer, t: token } = await newLink(sink, ida.email, '/invitation', () =>
      noah.post(path, { fullName: 'Ida', email: ida.email, level: 'basics' }),
    );
    const sent = { ...answer.json<InvitationWithCode>(), token };
    const refused = await accept(stranger(), sent, { account: 'new' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('“Forgot password”')]);
    const reset = await newLink(sink, ida.email, '/password/reset', () =>
      stranger().post('/api/user/forgot-password', { email: ida.email }),
    );
    const browser = stranger();
    const chosen = { method: 'PUT', body: { password: ida.password, token: reset.t } };
    expect((await browser.send(`/api/user/forgot-password/${reset.u}/reset`, chosen)).status).toBe(204);
    expect((await login(browser, ida)).status).toBe(200);
    expect((await accept(browser, sent)).json<AcceptedInvitation>()).toEqual({ state: 'active', activation: null });
    const relationship = (await own(noah)).helpers.find(({ name }) => name === 'Ida Lind');
    expect(relationship).toMatchObject({ status: 'active' });
    await end(relationship?.id ?? '');
  });

  it('waits, like one that the hospital checks, for a user who was kept from the patient', async () => {
    const first = await invited();
    await accept(ana, first);
    const [acting] = (await own(ana)).lookedAfter.filter(({ status }) => status === 'active');
    const admin = await portal.as(family.admin);
    const reason = { reason: 'safeguarding', note: 'Reported by a nurse' };
    const ended = await admin.post(`/api/admin/representation/${acting?.id}/end`, reason);
    expect(ended.status).toBeLessThan(300);
    const sent = await invited();
    expect((await accept(ana, sent)).json<AcceptedInvitation>()).toEqual({ state: 'waiting', activation: null });
    expect((await own(ana)).lookedAfter.filter(({ status }) => status === 'active')).toEqual([]);
  });

  it('tells a link that never was, was cancelled or declined in the same words', async () => {
    const declined = await invited();
    await stranger().post(`/api/invitations/${declined.id}/refusal`, { token: declined.token });
    const cancelled = await invited();
    await noah.send(`${path}/${cancelled.id}`, { method: 'DELETE' });
    const never = { ...cancelled, id: '4b3ad1b5-7c0e-4a64-9f3f-8f1e7f0b1a11' };
    const answers = await Promise.all(
      [declined, cancelled, never].map(({ id, token }) => stranger().post(`/api/invitations/${id}/facts`, { token })),
    );
    const told = answers.map((answer) => [answer.status, answer.json<{ title: string }>().title]);
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(told[0]?.[0]).toBe(404);
  });

  it('whose last day has passed before it was answered has ended', async () => {
    const sent = await invited({ end: '2030-01-31' });
    await portal.query("UPDATE representation_invitation SET ends_on = '2020-01-01' WHERE id = $1", [sent.id]);
    expect((await stranger().post(`/api/invitations/${sent.id}/facts`, { token: sent.token })).status).toBe(404);
    expect((await accept(ana, sent)).status).toBe(404);
  });

  it('of a child that acts is refused at the statement of age', async () => {
    const sent = await invited();
    expect((await accept(await portal.as(kid), sent)).json()).toMatchObject({ errors: [{ field: 'isAdult' }] });
  });
});

describe('Without a mail server', () => {
  let alone: FamilyPortal;
  beforeAll(async () => {
    alone = await startFamilyPortal();
  });
  afterAll(() => alone.close());

  const linkOf = ({ link = '' }: InvitationWithCode) => new URL(link).searchParams.get('t') ?? '';

  it('a patient hands the link over, which an account accepts and which makes none', async () => {
    const inviter = await alone.as(family.noah);
    const form = { fullName: 'Tomás Reed', email: 'tomas@example.org', level: 'basics' };
    const first = (await inviter.post(path, form)).json<InvitationWithCode>();
    const { spokenCode, id } = first;
    const again = (await inviter.post(`${path}/${id}/code`, {})).json<InvitationWithCode>();
    const tokens = [linkOf(first), linkOf(again)];
    const guest = await alone.as(family.ana);
    for (const token of tokens) {
      const facts = await guest.post(`/api/invitations/${id}/facts`, { token });
      expect(facts.json()).toMatchObject({ firstName: 'Noah', handedOver: true });
    }
    const [token] = tokens;
    const answer = { token, spokenCode, isAdult: true };
    const made = await new Agent(alone.issuer).post(`/api/invitations/${id}/acceptance`, { ...answer, account: 'new' });
    expect([made.status, made.text]).toEqual([409, expect.stringContaining('This link was handed over')]);
    expect(await alone.query("SELECT FROM account WHERE email = 'tomas@example.org'")).toEqual([]);
    const { json } = await guest.post(`/api/invitations/${id}/acceptance`, { ...answer, account: 'own' });
    expect(json<AcceptedInvitation>()).toEqual({ state: 'active', activation: null });
    expect((await guest.post(`/api/invitations/${id}/facts`, { token })).status).toBe(404);
  });

  it('a link of another invitation opens none', async () => {
    const inviter = await alone.as(family.ana);
    const invite = async (email: string) =>
      (await inviter.post(path, { fullName: 'Guest', email, level: 'basics' })).json<InvitationWithCode>();
    const [one, other] = [await invite('one@example.org'), await invite('other@example.org')];
    const facts = await inviter.post(`/api/invitations/${one.id}/facts`, { token: linkOf(other) });
    expect(facts.status).toBe(404);
  });
});
