/** Users delete their own accounts, at once. */
import { SmartApp } from '../support/apps/smart-app.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { mailAbout } from '../support/mail-sink.js';
import { ageAcceptedCodes, authenticatorCode, login, wrongAuthenticatorCode } from '../support/users/authenticator.js';
import { confirmAtProvider, ownerKinds, proofOf, signInOwner } from '../support/users/owners.js';
import { type OwnersPortal, startOwnersPortal } from '../support/users/owners-portal.js';
import { signInByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const { otherPatient } = people;
let owners: OwnersPortal;
let portal: OwnersPortal['portal'];
let provider: OwnersPortal['provider'];
let sink: OwnersPortal['sink'];

beforeAll(async () => {
  owners = await startOwnersPortal();
  ({ portal, provider, sink } = owners);
});

afterAll(() => owners.close());

beforeEach(() => portal.query('DELETE FROM rate_limit'));

const remove = (agent: Agent, body: object) => agent.post('/api/user/deletion', body);
const eventsAbout = (id: string, type: string) =>
  portal.query<{ outcome: string; user_id: string }>(
    'SELECT outcome, user_id FROM audit_event WHERE subject = $1 AND type = $2 ORDER BY id',
    [id, type],
  );

describe.each(ownerKinds)('The account of $kind', (kind) => {
  it('is deleted by its user, with all access, and the deletion is recorded and reported by mail', async () => {
    const owner = await signInOwner(portal, provider, kind);
    const { id, agent, email } = owner;
    const facts = (await agent.get('/api/user/deletion')).json();
    expect(facts).toMatchObject({
      ...{ days: 0, isLastAdmin: false, isConfirmed: kind.hasPasskeyAlone },
      by: owner.passkey ? 'passkey' : owner.person ? 'password' : 'provider',
    });

    if (owner.passkey) {
      await portal.query(
        `UPDATE oidc_record SET payload = payload || jsonb_build_object('loginTs', (payload ->> 'loginTs')::int - 400,
           'confirmedAt', (payload ->> 'loginTs')::int - 400) WHERE model = 'Session' AND account_id = $1`,
        [id],
      );
      await ageAcceptedCodes(portal);
      // The password and a code are weaker than the passkey that the account has.
      const weaker = {
        currentPassword: owner.person?.password,
        ...(owner.factor && { verificationCode: authenticatorCode(owner.factor.key) }),
      };
      for (const proofs of [{}, weaker]) {
        const unconfirmed = await remove(agent, proofs);
        expect([unconfirmed.status, errorsOf(unconfirmed)]).toEqual([
          400,
          [{ field: 'currentPassword', messages: ['Please use a passkey, to confirm that it is you.'] }],
        ]);
      }
    } else if (owner.person) {
      const nothing = await remove(agent, {});
      expect([nothing.status, errorsOf(nothing)[0]?.field]).toEqual([400, 'currentPassword']);
      const wrong = await remove(agent, { ...(await proofOf(portal, owner)), currentPassword: 'not-the-password' });
      expect([wrong.status, errorsOf(wrong)]).toEqual([
        400,
        [{ field: 'currentPassword', messages: ['The current password is wrong.'] }],
      ]);
    } else {
      const unconfirmed = await remove(agent, await proofOf(portal, owner));
      expect([unconfirmed.status, errorsOf(unconfirmed)[0]?.field]).toEqual([400, 'signIn']);
      expect(facts.provider).toEqual({ authenticationScheme: 'hospital', displayName: 'Hospital ID' });
      await confirmAtProvider(provider, owner);
    }
    if (owner.factor && !owner.passkey) {
      const proof = await proofOf(portal, owner);
      const without = await remove(agent, { ...proof, verificationCode: undefined });
      expect([without.status, errorsOf(without)[0]?.field]).toEqual([400, 'verificationCode']);
      const wrong = await remove(agent, { ...proof, verificationCode: wrongAuthenticatorCode(owner.factor.key) });
      expect([wrong.status, errorsOf(wrong)[0]?.field]).toEqual([400, 'verificationCode']);
    }
    expect(await owners.isStored(id)).toBe(true);

    const answer = await remove(agent, await proofOf(portal, owner));
    expect([answer.status, answer.json()]).toEqual([200, { deletedOn: null }]);
    expect(await owners.isStored(id)).toBe(false);
    for (const port of portal.ports) {
      agent.port = port;
      expect((await agent.get('/api/session')).status).toBe(401);
    }
    for (const table of ['oidc_record', 'app_consent', 'account_link', 'two_factor', 'account_deletion']) {
      expect([table, await portal.query(`SELECT FROM ${table} WHERE account_id::text = $1`, [id])]).toEqual([
        table,
        [],
      ]);
    }
    expect((await eventsAbout(id, 'account.deleted')).at(-1)).toEqual({ outcome: 'success', user_id: id });
    await mailAbout(sink, email, 'Your account at Gatehouse was deleted');
    const again = new Agent(portal.issuer);
    if (owner.passkey) expect((await signInByPasskey(again, owner.passkey)).status).toBe(400);
    else if (owner.person) expect((await login(again, owner.person)).status).toBe(401);
  });
});

it('A recovery code confirms the deletion of an account with two-factor authentication, too', async () => {
  const kind = { ...ownerKinds[0], person: otherPatient, hasTwoFactor: true, email: otherPatient.email };
  const owner = await signInOwner(portal, provider, kind as (typeof ownerKinds)[number]);
  const app = new SmartApp(portal, { scope: 'openid fhirUser patient/*.rs offline_access' }, owner.agent);
  const tokens = await app.tokens(otherPatient);
  const answer = await remove(owner.agent, {
    currentPassword: otherPatient.password,
    recoveryCode: owner.factor?.recoveryCodes[0],
  });
  expect([answer.status, answer.json()]).toEqual([200, { deletedOn: null }]);
  expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(400);
});

describe('A sign-in at the provider', () => {
  const [kind] = ownerKinds.filter(({ person }) => !person);
  if (!kind) throw new Error('there is no such kind');

  it('confirms nothing unless the provider was told to ask the user again', async () => {
    const { agent } = await signInOwner(portal, provider, kind);
    expect((await agent.get('/api/user/deletion')).json()).toMatchObject({ isConfirmed: false });
    const query = new URLSearchParams({
      scheme: 'hospital',
      returnUrl: '/user/account-settings?open=delete',
      confirm: 'true',
    });
    const { location = '' } = await agent.get(`/connect/authorize/external?${query}`);
    expect(new URL(location).searchParams.get('prompt')).toBe('login');
    const back = await agent.get(await provider.signIn(location, kind.subject));
    expect(back.location).toBe(`${portal.issuer}/user/account-settings?open=delete`);
    expect((await agent.get('/api/user/deletion')).json()).toMatchObject({ isConfirmed: true });
  });

  it('confirms for five minutes', async () => {
    const owner = await signInOwner(portal, provider, kind);
    await confirmAtProvider(provider, owner);
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{confirmedAt}', to_jsonb((payload ->> 'confirmedAt')::int - 301))
        WHERE model = 'Session' AND account_id = $1`,
      [owner.id],
    );
    const late = await remove(owner.agent, {});
    expect([late.status, errorsOf(late)[0]?.field]).toEqual([400, 'signIn']);
  });
});

it('Wrong passwords of one account are limited, and the right one is refused then, too', async () => {
  const agent = new Agent(portal.issuer);
  const admin = people.admin;
  await login(agent, admin);
  for (let at = 0; at < 5; at += 1) expect((await remove(agent, { currentPassword: `guess-${at}` })).status).toBe(400);
  expect((await remove(agent, { currentPassword: admin.password })).status).toBe(429);
});

describe('The last administrator', () => {
  it('cannot delete the account, and sees the reason before and after the attempt', async () => {
    await portal.query("DELETE FROM account WHERE user_type = 'Admin' AND email <> $1", [people.admin.email]);
    const agent = new Agent(portal.issuer);
    await login(agent, people.admin);
    expect((await agent.get('/api/user/deletion')).json()).toMatchObject({ isLastAdmin: true });
    const answer = await remove(agent, { currentPassword: people.admin.password });
    expect([answer.status, answer.json().message]).toEqual([409, 'The last administrator cannot be deleted.']);
  });
});
