import type { AcceptedInvitation, InvitationWithCode } from '../../src/contract/invitations.js';
import type { AccountRelationships } from '../../src/contract/representation/administration.js';
import type { OwnRelationships } from '../../src/contract/representation.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';
import { type Person, people } from '../support/users/people.js';

const at = (name: string, ...tenants: string[]): Person => ({
  ...people.patient,
  email: `${name}@example.org`,
  fullName: `${name.charAt(0).toUpperCase()}${name.slice(1)} Reed`,
  claims: [{ name: 'fhirUser', value: `Patient/${name}` }, ...tenants.map((value) => ({ name: 'tenant', value }))],
});
/** A patient of two hospitals, and users of both, of one and of the other. */
const eva = at('eva', 'north', 'south');
const both = at('both', 'north', 'south');
const north = at('north', 'north');
const south = at('south', 'south');

let sink: MailSink;
let provider: TestIdentityProvider;
let portal: FamilyPortal;
let inviter: Agent;
let guests = 0;

beforeAll(async () => {
  [sink, provider] = await Promise.all([startMailSink(), startIdentityProvider()]);
  portal = await startFamilyPortal({
    nodes: 2,
    tenants: ['north', 'south'],
    config: {
      email: sink.config,
      users: [family.admin, eva, both, north, south],
      identityProviders: [
        provider.entry({ copyClaims: [{ claim: 'hospital', as: 'tenant' }], relatedPersonClaim: 'related' }),
      ],
    },
  });
  provider.trust(portal);
  for (const name of ['eva', 'both', 'north', 'south', 'grace', 'kim', 'max'])
    portal.has(name, { birthDate: '1970-01-01' });
  inviter = await portal.as(eva);
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));

afterAll(async () => {
  await portal.close();
  await provider.close();
  await sink.stop();
});

const path = '/api/representation/invitations';
const own = async (agent: Agent) => (await agent.get('/api/representation')).json<OwnRelationships>();
const invite = (more: object) =>
  inviter.post(path, { fullName: 'Tom', email: 'tom@example.org', level: 'basics', ...more });

async function invited(tenant: string, email?: string): Promise<InvitationWithCode & { token: string }> {
  guests += 1;
  const to = email ?? `guest-${guests}@example.org`;
  const answer = await invite({ email: to, tenant });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { ...answer.json<InvitationWithCode>(), token: linkInMail(await sink.to(to)).t };
}

const accept = (by: Agent, { id, token, spokenCode }: Awaited<ReturnType<typeof invited>>, account = 'own') =>
  by.post(`/api/invitations/${id}/acceptance`, { token, spokenCode, isAdult: true, account });

/** Signs in at the provider as Grace, with these claims. */
async function graceWith(claims: object): Promise<Agent> {
  Object.assign(provider.members.grace ?? {}, { fhirUser: 'Patient/grace', hospital: 'north', ...claims });
  return (await signInAtProvider(portal, provider, 'grace')).browser;
}

describe('A patient of two hospitals', () => {
  it('says which record an invitation is about', async () => {
    expect((await invite({})).json()).toMatchObject({ errors: [{ field: 'tenant' }] });
    expect((await invite({ tenant: 'west' })).json()).toMatchObject({ errors: [{ field: 'tenant' }] });
  });

  it('invites a user of both for one record alone, and for the other one by another invitation', async () => {
    const agent = await portal.as(both);
    expect((await accept(agent, await invited('north'))).json<AcceptedInvitation>().state).toBe('active');
    const { lookedAfter } = await own(agent);
    expect(lookedAfter.map(({ tenant, patient }) => [tenant, patient])).toEqual([['north', 'eva']]);
    expect((await invite({ email: both.email, tenant: 'north' })).status).toBe(409);
    expect((await accept(agent, await invited('south', both.email))).status).toBe(200);
    expect((await own(agent)).lookedAfter.map(({ tenant }) => tenant).sort()).toEqual(['north', 'south']);
    expect((await own(inviter)).helpers).toHaveLength(2);
  });

  it('invites no user of the other hospital', async () => {
    const sent = await invited('north');
    expect((await accept(await portal.as(south), sent)).json()).toMatchObject({ errors: [{ field: 'account' }] });
    expect((await accept(await portal.as(north), sent)).status).toBe(200);
  });

  it('invites a user without an account, whose account is of that hospital alone', async () => {
    const sent = await invited('south');
    expect((await accept(new Agent(portal.issuer), sent, 'new')).status).toBe(200);
    expect(await portal.query('SELECT user_type, claims FROM account WHERE email = $1', [sent.email])).toEqual([
      { user_type: 'RelatedPerson', claims: [{ name: 'tenant', value: 'south' }] },
    ]);
  });
});

describe('An invited user', () => {
  it('accepts with another account than the one of the address, which gets none', async () => {
    const sent = await invited('north', 'family@example.org');
    const grace = await graceWith({});
    expect((await accept(grace, sent)).json<AcceptedInvitation>()).toEqual({ state: 'active', activation: null });
    expect((await own(grace)).lookedAfter).toMatchObject([{ tenant: 'north', patient: 'eva', status: 'active' }]);
    expect(await portal.query("SELECT FROM account WHERE email = 'family@example.org'")).toEqual([]);
    expect((await own(inviter)).helpers.map(({ name }) => name)).toContain('Grace Field');
  });

  it('is one when two devices accept at the same time with two accounts', async () => {
    const sent = await invited('south');
    const devices = await Promise.all([portal.as(south), portal.as(south, 1)]);
    const answers = await Promise.all([
      accept(devices[0], sent),
      accept(devices[1], sent),
      accept(new Agent(portal.issuer), sent, 'new'),
    ]);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    const made = await portal.query<{ account: string }>(
      "SELECT account_id AS account FROM representation_relationship WHERE tenant = 'south' AND representative_name IN ('South Reed', 'Tom')",
    );
    expect(made.length).toBeGreaterThanOrEqual(1);
    const open = await portal.query("SELECT FROM representation_invitation WHERE id = $1 AND status = 'open'", [
      sent.id,
    ]);
    expect(open).toEqual([]);
  });

  it('has the address of a local account, and is told to sign in with it', async () => {
    const sent = await invited('north', south.email);
    expect((await accept(new Agent(portal.issuer), sent, 'new')).status).toBe(409);
    expect((await accept(new Agent(portal.issuer), sent)).status).toBe(401);
  });
});

describe('A user without a record whom only the provider knows', () => {
  const signIn = (browser: Agent) =>
    signInAtProvider(portal, provider, 'no-record', { browser, returnUrl: '/invitation' });
  const open = (browser: Agent, { id, token }: Awaited<ReturnType<typeof invited>>) =>
    browser.post(`/api/invitations/${id}/facts`, { token });
  const isRefused = async (browser: Agent) => {
    const { answer } = await signIn(browser);
    return [answer.location?.includes('/account/error'), (await browser.get('/api/session')).status];
  };

  it('signs in where the link of an open invitation was opened, as one who acts for others, and accepts', async () => {
    const sent = await invited('north');
    expect(await isRefused(new Agent(portal.issuer))).toEqual([true, 401]);
    const wrong = new Agent(portal.issuer);
    expect((await open(wrong, { ...sent, token: 'x'.repeat(43) })).status).toBe(404);
    expect(await isRefused(wrong)).toEqual([true, 401]);
    const over = new Agent(portal.issuer);
    const cancelled = await invited('north');
    expect((await open(over, cancelled)).status).toBe(200);
    await inviter.send(`${path}/${cancelled.id}`, { method: 'DELETE' });
    expect(await isRefused(over)).toEqual([true, 401]);

    const browser = new Agent(portal.issuer);
    expect((await open(browser, sent)).status).toBe(200);
    const { answer } = await signIn(browser);
    expect(answer.location).toBe(`${portal.issuer}/invitation`);
    expect((await browser.get('/api/session')).json()).toMatchObject({ userType: 'RelatedPerson' });
    expect((await accept(browser, sent)).json<AcceptedInvitation>()).toEqual({ state: 'active', activation: null });
    expect((await own(browser)).lookedAfter).toMatchObject([{ tenant: 'north', patient: 'eva', status: 'active' }]);
    const again = await signIn(new Agent(portal.issuer));
    expect(again.answer.location).toBe(`${portal.issuer}/invitation`);
  });
});

describe('An account that leaves the hospital of the patient', () => {
  it('acts for the patient no more, and keeps what it has at the other one', async () => {
    const account = await portal.accountId(both);
    const admin = await portal.as(family.admin);
    const sheet = async () =>
      (await admin.get(`/api/admin/representation/account/${account}`)).json<AccountRelationships>();
    expect((await sheet()).actsFor.map(({ tenant, status }) => [tenant, status]).sort()).toEqual([
      ['north', 'active'],
      ['south', 'active'],
    ]);
    const user = (await admin.get(`/api/admin/user/${account}`)).json<{
      claims: { value: string }[];
      version: number;
    }>();
    const claims = user.claims.filter(({ value }) => value !== 'north');
    const { fullName, userType } = both;
    const form = { fullName, userType, claims, version: user.version };
    const saved = await admin.send(`/api/admin/user/${account}`, { method: 'PUT', body: form });
    expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
    await eventually(async () =>
      expect((await sheet()).actsFor.map(({ tenant, status, reason }) => [tenant, status, reason]).sort()).toEqual([
        ['north', 'ended', 'representative-gone'],
        ['south', 'active', null],
      ]),
    );
  });
});

describe('The claim of a provider with RelatedPerson resources', () => {
  const references = async (name: string) => {
    const rows = await portal.query<{ reference: string; tenant: string }>(
      `SELECT reference, tenant FROM representative_reference JOIN account ON account.id = account_id
        WHERE full_name = $1 ORDER BY reference`,
      [name],
    );
    return rows.map(({ tenant, reference }) => `${tenant} ${reference}`);
  };

  it('names those of the user at each sign-in, at the own hospital alone, and takes others away', async () => {
    await graceWith({ related: ['RelatedPerson/a', 'Person/p'] });
    expect(await references('Grace Field')).toEqual(['north Person/p', 'north RelatedPerson/a']);
    await graceWith({ related: 'RelatedPerson/b' });
    expect(await references('Grace Field')).toEqual(['north RelatedPerson/b']);
    await graceWith({ related: undefined });
    expect(await references('Grace Field')).toEqual([]);
  });

  it.each([
    ['a Patient', ['Patient/eva']],
    ['the address of another server', ['https://other.example/RelatedPerson/a']],
    ['an object', [{ reference: 'RelatedPerson/a' }]],
    ['a number', 7],
    ['NUL', ['RelatedPerson/a\u0000']],
  ])('with %s names nothing, and the user signs in', async (_, related) => {
    const grace = await graceWith({ related });
    expect((await grace.get('/api/session')).status).toBe(200);
    expect(await references('Grace Field')).toEqual([]);
  });

  it('leaves a resource with the account that has it', async () => {
    await graceWith({ related: ['RelatedPerson/shared'] });
    provider.members.otto = {
      ...provider.members.otto,
      name: 'Otto Stone',
      fhirUser: undefined,
      hospital: 'north',
    } as never;
    Object.assign(provider.members.otto ?? {}, { related: ['RelatedPerson/shared', 'RelatedPerson/own'] });
    const { browser } = await signInAtProvider(portal, provider, 'otto');
    expect((await browser.get('/api/session')).json()).toMatchObject({ userType: 'RelatedPerson' });
    expect(await references('Otto Stone')).toEqual(['north RelatedPerson/own']);
    expect(await references('Grace Field')).toEqual(['north RelatedPerson/shared']);
  });
});
