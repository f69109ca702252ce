import type { CurrentUser, LoginOptions } from '../../src/contract/session.js';
import type { UserList } from '../../src/contract/users/users.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import {
  providerUsers,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/providers/identity-provider.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const entryOf = (provider: TestIdentityProvider, more: object = {}) =>
  provider.entry({
    allowedGroups: ['patients', 'staff'],
    adminGroups: ['portal-admins'],
    copyClaims: [{ claim: 'department' }, { claim: 'groups', as: 'hospital-group' }],
    ...more,
  });

let provider: TestIdentityProvider;
let sister: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  [provider, sister] = [await startIdentityProvider(), await startIdentityProvider()];
  portal = await startPortal({
    nodes: 2,
    config: {
      users: [people.admin, people.patient],
      identityProviders: [
        entryOf(provider),
        entryOf(sister, { scheme: 'sister', displayName: 'Sister Clinic' }),
        entryOf(provider, { scheme: 'closed', autoProvision: false }),
      ],
    },
  });
  provider.trust(portal, 'hospital', 'closed');
  sister.trust(portal, 'sister');
});

beforeEach(async () => {
  Object.assign(provider.members, providerUsers());
  Object.assign(sister.members, providerUsers());
  await portal.query('DELETE FROM account WHERE issuer IS NOT NULL');
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  await sister.close();
});

const come = (subject: string, scheme = 'hospital') =>
  signInAtProvider(portal, scheme === 'sister' ? sister : provider, subject, { scheme });
const userOf = async (browser: Agent) =>
  (await browser.get('/api/session')).json<CurrentUser & Record<string, unknown>>();
const accounts = () =>
  portal.query<Record<string, unknown>>(
    `SELECT id, full_name, email, user_type, claims, is_external, issuer, subject, password_hash, email_confirmed
       FROM account WHERE issuer IS NOT NULL ORDER BY created_at`,
  );

async function expectRefused(subject: string, error: string, scheme?: string): Promise<void> {
  const { browser, answer } = await come(subject, scheme);
  expect([answer.status, answer.location]).toEqual([303, `${portal.issuer}/login?error=${error}`]);
  expect((await browser.get('/api/session')).status).toBe(401);
}

describe('The identity providers', () => {
  it('are offered on the sign-in page', async () => {
    const options = (await new Agent(portal.issuer).get('/api/session/login')).json<
      LoginOptions & Record<string, unknown>
    >();
    expect(options).toMatchObject({
      enableLocalLogin: true,
      externalProviders: [
        { authenticationScheme: 'hospital', displayName: 'Hospital ID' },
        { authenticationScheme: 'sister', displayName: 'Sister Clinic' },
        { authenticationScheme: 'closed', displayName: 'Hospital ID' },
      ],
    });
  });
});

describe('The first sign-in at an identity provider', () => {
  it('creates an account from the provider’s claims, and signs in', async () => {
    const { browser, answer } = await come('grace');
    expect(answer.location).toBe(`${portal.issuer}/`);
    expect(await userOf(browser)).toEqual({
      id: expect.any(String),
      fullName: 'Grace Field',
      email: 'grace.field@hospital.example',
      isExternal: true,
      is2faEnabled: false,
      userType: 'Patient',
      claims: [
        { name: 'fhirUser', value: 'Patient/1' },
        { name: 'department', value: 'Cardiology' },
        { name: 'hospital-group', value: 'patients' },
      ],
    });
    expect(await accounts()).toMatchObject([
      { issuer: provider.authority, subject: 'grace', is_external: true, password_hash: null, email_confirmed: true },
    ]);
  });

  it('creates one account, also for simultaneous sign-ins', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => come('grace')));
    expect(all.map(({ answer }) => answer.location)).toEqual(Array(6).fill(`${portal.issuer}/`));
    expect(await accounts()).toHaveLength(1);
  });

  it.each([
    ['no-email', { fullName: 'Nora Nomail', email: null }],
    ['no-name', { fullName: 'anonymous@hospital.example', email: 'anonymous@hospital.example' }],
    // K-05: an unverified address is ignored.
    ['unverified', { fullName: 'Uma Unverified', email: null }],
  ])('succeeds for the member %s', async (subject, expected) => {
    const { browser } = await come(subject);
    expect(await userOf(browser)).toMatchObject({ ...expected, isExternal: true });
  });

  it.each([
    ['a name in parts', { name: undefined, given_name: 'Grace', family_name: 'Field' }, 'Grace Field'],
    ['a user name', { name: undefined, preferred_username: 'gfield' }, 'gfield'],
    ['a name that cannot be one', { name: 'Grace\u0000' }, 'grace.field@hospital.example'],
    ['nothing to call them by', { name: undefined, email: undefined }, 'Hospital ID'],
    ['an address that cannot be one', { email: 'no address' }, 'Grace Field'],
    ['values of other kinds', { name: 'Grace', email: { a: 1 }, department: [1, null, {}] } as object, 'Grace'],
  ])('succeeds with %s', async (_, said, fullName) => {
    Object.assign(provider.members.grace ?? {}, said);
    const { browser } = await come('grace');
    expect(await userOf(browser)).toMatchObject({ fullName, userType: 'Patient' });
  });

  it('creates a user who is marked as external for administrators', async () => {
    await come('no-email');
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    const { users } = (await admin.get('/api/admin/user?isExternal=true&searchTerm=nomail')).json<
      UserList & Record<string, unknown>
    >();
    expect(users).toEqual([
      {
        id: expect.any(String),
        fullName: 'Nora Nomail',
        email: null,
        emailConfirmed: false,
        isExternal: true,
        userType: 'Patient',
        claims: expect.any(Array),
        version: 1,
      },
    ]);
    const [user] = users;
    expect((await admin.post(`/api/admin/user/${user?.id}/resend-confirmation`, {})).status).toBe(409);
    const sorted = await admin.get('/api/admin/user?sortColumn=email&sortDirection=1');
    expect(sorted.status).toBe(200);
  });
});

describe('K-04 An external account is identified by issuer and subject', () => {
  it('the same subject at two providers is two accounts', async () => {
    await come('grace');
    const { browser, answer } = await come('grace', 'sister');
    expect(answer.location).toBe(`${portal.issuer}/`);
    expect(await userOf(browser)).toMatchObject({ email: 'grace.field@hospital.example' });
    const both = await accounts();
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    expect(both.map(({ issuer }) => issuer)).toEqual([provider.authority, sister.authority]);
  });

  it('it stays the same with another name and address', async () => {
    await come('grace');
    const [before] = await accounts();
    Object.assign(provider.members.grace ?? {}, { name: 'Grace Meadow', email: 'grace.meadow@hospital.example' });
    const { browser } = await come('grace');
    expect(await userOf(browser)).toMatchObject({ fullName: 'Grace Meadow', email: 'grace.meadow@hospital.example' });
    expect((await accounts()).map(({ id }) => id)).toEqual([before?.id]);
    const [event] = await portal.query<{ detail: object }>(
      "SELECT detail FROM audit_event WHERE type = 'account.changed' AND subject = $1",
      [before?.id],
    );
    expect(event?.detail).toEqual({
      fullName: ['Grace Field', 'Grace Meadow'],
      email: ['grace.field@hospital.example', 'grace.meadow@hospital.example'],
    });
  });

  it('claims that the provider no longer sends are kept', async () => {
    await come('grace');
    Object.assign(provider.members.grace ?? {}, { name: undefined, email: undefined });
    const { browser } = await come('grace');
    expect(await userOf(browser)).toMatchObject({ fullName: 'Grace Field', email: 'grace.field@hospital.example' });
  });

  it('record and copied claims are those of the first sign-in', async () => {
    await come('grace');
    Object.assign(provider.members.grace ?? {}, { fhirUser: 'Patient/2', department: 'Surgery' });
    const { browser } = await come('grace');
    expect((await userOf(browser)).claims).toContainEqual({ name: 'fhirUser', value: 'Patient/1' });
    expect((await userOf(browser)).claims).toContainEqual({ name: 'department', value: 'Cardiology' });
  });
});

describe('K-05 An external user with the address of a local account', () => {
  it('is refused: the accounts are not linked or overwritten', async () => {
    const before = await portal.query('SELECT * FROM account WHERE lower(email) = $1', [people.patient.email]);
    await expectRefused('double', 'account-exists');
    Object.assign(provider.members.double ?? {}, { email_verified: true });
    await expectRefused('double', 'account-exists');
    Object.assign(provider.members.double ?? {}, { email_verified: false });
    await expectRefused('double', 'account-exists');
    expect(await portal.query('SELECT * FROM account WHERE lower(email) = $1', [people.patient.email])).toEqual(before);
    expect(await accounts()).toEqual([]);
  });

  it('is refused also when the user had another address before', async () => {
    await come('grace');
    Object.assign(provider.members.grace ?? {}, { email: people.admin.email });
    await expectRefused('grace', 'account-exists');
    expect(await accounts()).toMatchObject([{ email: 'grace.field@hospital.example' }]);
  });

  it('has an address for which no local account can be created', async () => {
    await come('grace');
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    const form = { fullName: 'G', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/9' }] };
    const answer = await admin.post('/api/admin/user', { ...form, email: 'Grace.Field@hospital.example' });
    expect([answer.status, answer.json().message]).toEqual([409, 'A user with this e-mail address already exists.']);
  });
});

describe('The groups of an identity provider', () => {
  it('exclude users who are not in them', async () => {
    await expectRefused('stranger', 'no-account');
    Object.assign(provider.members.stranger ?? {}, { groups: undefined });
    await expectRefused('stranger', 'no-account');
    expect(await accounts()).toEqual([]);
  });

  it('exclude a user who has left them', async () => {
    await come('grace');
    Object.assign(provider.members.grace ?? {}, { groups: ['visitors'] });
    await expectRefused('grace', 'no-account');
  });

  it('make a user an administrator while the user is in them', async () => {
    const { browser, answer } = await come('root');
    expect(answer.location).toBe(`${portal.issuer}/`);
    expect(await userOf(browser)).toMatchObject({ userType: 'Admin', isExternal: true });
    expect((await browser.get('/api/admin/dashboard')).status).toBe(200);
    Object.assign(provider.members.root ?? {}, { groups: ['patients'], fhirUser: 'Patient/1' });
    await expectRefused('root', 'no-account');
  });

  it('do not make an existing user an administrator', async () => {
    await come('grace');
    Object.assign(provider.members.grace ?? {}, { groups: ['patients', 'portal-admins'] });
    expect(await userOf((await come('grace')).browser)).toMatchObject({ userType: 'Patient' });
  });
});

describe('Without automatic accounts', () => {
  it('only users with an account can sign in', async () => {
    await expectRefused('grace', 'no-account', 'closed');
    await come('grace');
    expect((await come('grace', 'closed')).answer.location).toBe(`${portal.issuer}/`);
  });
});

describe('K-14 An external account without a record', () => {
  const expectIncomplete = async (subject: string) => {
    const { browser, answer } = await come(subject);
    expect([answer.status, answer.location]).toEqual([303, `${portal.issuer}/account/error`]);
    expect((await browser.get('/api/session')).status).toBe(401);
    expect(await accounts()).toMatchObject([{ subject, user_type: 'Incomplete' }]);
  };

  it('is Incomplete, and its user is not signed in', () => expectIncomplete('no-record'));

  it.each([
    'RelatedPerson/1',
    'Patient/../Practitioner/1',
    'https://evil.example/Patient/1',
    'Patient/',
    ['Patient/1', 'Patient/2'] as unknown as string,
  ])('can have a claim with the value %p', async (fhirUser) => {
    Object.assign(provider.members['no-record'] ?? {}, { fhirUser });
    await expectIncomplete('no-record');
  });

  it('can sign in when an administrator has completed it', async () => {
    await expectIncomplete('no-record');
    const [account] = await accounts();
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    const body = { fullName: 'Rolf', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/3' }] };
    const answer = await admin.send(`/api/admin/user/${account?.id}`, { method: 'PUT', body });
    expect(answer.status).toBe(200);
    const { browser } = await come('no-record');
    expect(await userOf(browser)).toMatchObject({ userType: 'Patient', fullName: 'Rolf Recordless' });
  });

  it('can sign in when the provider sends the record, also below the FHIR base', async () => {
    await expectIncomplete('no-record');
    Object.assign(provider.members['no-record'] ?? {}, { fhirUser: `${portal.fhirBase}/Practitioner/7` });
    const { browser } = await come('no-record');
    expect(await userOf(browser)).toMatchObject({ userType: 'Practitioner' });
  });
});

describe('A user of an identity provider', () => {
  it('G-09 has neither a password nor a second factor here', async () => {
    const { browser } = await come('grace');
    const body = { currentPassword: 'x', newPassword: 'copper-lantern-5521' };
    expect((await browser.post('/api/user/reset-password', body)).status).toBe(403);
    expect((await browser.get('/api/twofactor/enable')).status).toBe(403);
    expect(
      (await login(new Agent(portal.issuer), { email: 'grace.field@hospital.example', password: '' })).status,
    ).toBe(400);
    expect(
      (await login(new Agent(portal.issuer), { email: 'grace.field@hospital.example', password: 'x' })).status,
    ).toBe(401);
  });

  it('N-04 leaves audit records of sign-ins and of the creation of the account', async () => {
    await come('grace');
    const [account] = await accounts();
    const events = await portal.query<{ type: string; detail: object }>(
      'SELECT type, outcome, detail FROM audit_event WHERE user_id = $1 ORDER BY id',
      [account?.id],
    );
    expect(events).toMatchObject([
      {
        type: 'user.created',
        outcome: 'success',
        detail: { issuer: provider.authority, userType: [null, 'Patient'] },
      },
      { type: 'login', outcome: 'success', detail: { amr: ['external'], identityProvider: 'hospital' } },
    ]);
  });

  it('I-07 loses all data with the account, and gets a new account at the next sign-in', async () => {
    const { browser } = await come('grace');
    const [before] = await accounts();
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    expect((await admin.send(`/api/admin/user/${before?.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await browser.get('/api/session')).status).toBe(401);
    await come('grace');
    const [after] = await accounts();
    expect(after?.id).not.toBe(before?.id);
  });
});

// Last in this file: passport registers strategies per process, so local sign-in belongs to the portal started last.
describe('The first administrator', () => {
  it('may be a user of an identity provider', async () => {
    const empty = await startPortal({ config: { identityProviders: [entryOf(provider)] } });
    try {
      provider.trust(empty);
      await signInAtProvider(empty, provider, 'root');
      const settings = (await new Agent(empty.issuer).get('/api/settings')).json();
      expect(settings).toMatchObject({ adminAccountIsConfigured: true });
      const body = { Email: 'a@example.org', Password: 'copper-lantern-5521' };
      expect((await new Agent(empty.issuer).post('/api/admin/adminmanagement/create-initial', body)).status).toBe(403);
    } finally {
      await empty.close();
      provider.trust(portal, 'hospital', 'closed');
    }
  });
});
