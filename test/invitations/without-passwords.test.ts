/** Users of this portal sign in at the hospital's provider alone. */
import type { AcceptedInvitation, InvitationFacts, InvitationWithCode } from '../../src/contract/invitations.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { type FamilyPortal, startFamilyPortal } from '../support/representation/family-portal.js';

let sink: MailSink;
let provider: TestIdentityProvider;
let portal: FamilyPortal;
let inviter: Agent;

beforeAll(async () => {
  [sink, provider] = await Promise.all([startMailSink(), startIdentityProvider()]);
  const config = { email: sink.config, account: { localLogin: false }, identityProviders: [provider.entry()] };
  portal = await startFamilyPortal({ config });
  provider.trust(portal);
  portal.has('grace', { birthDate: '1950-01-01' });
  Object.assign(provider.members.grace ?? {}, { fhirUser: 'Patient/grace' });
  inviter = (await signInAtProvider(portal, provider, 'grace')).browser;
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  await sink.stop();
});

async function invited(email: string) {
  const form = { fullName: 'Tom Field', email, level: 'basics' };
  const answer = await inviter.post('/api/representation/invitations', form);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { ...answer.json<InvitationWithCode>(), token: linkInMail(await sink.to(email)).t };
}

const accept = (by: Agent, { id, token, spokenCode }: Awaited<ReturnType<typeof invited>>, account: 'own' | 'new') =>
  by.post(`/api/invitations/${id}/acceptance`, { token, spokenCode, isAdult: true, account });

it('An invitation makes no account whose password would sign no user in, and says so before the code', async () => {
  const sent = await invited('tom@example.org');
  const browser = new Agent(portal.issuer);
  const facts = await browser.post(`/api/invitations/${sent.id}/facts`, { token: sent.token });
  expect(facts.json<InvitationFacts>()).toMatchObject({ firstName: expect.any(String), makesNoAccount: true });
  const refused = await accept(browser, sent, 'new');
  expect([refused.status, refused.json<{ codes: object[] }>().codes]).toMatchObject([
    409,
    [{ code: 'invitation-makes-no-account' }],
  ]);
  expect(await portal.query('SELECT 1 FROM account WHERE email = $1', ['tom@example.org'])).toEqual([]);
});

it('An invited user whom the provider knows signs in there from the link, and accepts', async () => {
  const sent = await invited('nina@example.org');
  const browser = new Agent(portal.issuer);
  await browser.post(`/api/invitations/${sent.id}/facts`, { token: sent.token });
  expect((await accept(browser, sent, 'own')).status).toBe(401);
  const { answer } = await signInAtProvider(portal, provider, 'no-record', { browser, returnUrl: '/invitation' });
  expect(answer.location).toBe(`${portal.issuer}/invitation`);
  expect((await accept(browser, sent, 'own')).json<AcceptedInvitation>()).toEqual({
    state: 'active',
    activation: null,
  });
});
