import { generateKeyPair, SignJWT } from 'jose';
import { RelyingParty } from '../../support/apps/relying-party.js';
import { confidentialApp } from '../../support/clients/clients.js';
import type { Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const [postLogoutUri = ''] = confidentialApp.postLogoutRedirectUris;

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients: [confidentialApp] } });
});

afterAll(() => portal.close());

async function signedIn(): Promise<{ party: RelyingParty; hint: string }> {
  const party = new RelyingParty(portal, 'query');
  const { id_token } = await party.tokens();
  return { party, hint: id_token };
}

const ask = ({ browser }: RelyingParty, parameters: Record<string, string>) =>
  browser.get(`/connect/endsession?${new URLSearchParams(parameters)}`);

/** Submits the form, as the page's script or the user does. */
async function signOut({ browser }: RelyingParty, page: Answer): Promise<Answer> {
  const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
  return browser.postForm(action, { xsrf, logout: 'yes' });
}

async function expectSignedOut(party: RelyingParty): Promise<void> {
  expect((await party.authorize({ prompt: 'none' })).answer?.error).toBe('login_required');
}

describe('A sign-out that a relying party requests', () => {
  it('oidcc-rp-initiated-logout returns with the state, and the session has ended', async () => {
    const { party, hint } = await signedIn();
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri, state: 'the-state' };
    const back = await signOut(party, await ask(party, parameters));
    expect(back.location).toBe(`${postLogoutUri}?state=the-state`);
    await expectSignedOut(party);
  });

  it('oidcc-rp-initiated-logout-no-state returns without a state when there was none', async () => {
    const { party, hint } = await signedIn();
    const page = await ask(party, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect((await signOut(party, page)).location).toBe(postLogoutUri);
    await expectSignedOut(party);
  });

  it.each([
    ['oidcc-rp-initiated-logout-no-post-logout-redirect-uri without an address', { hinted: true, state: '' }],
    ['oidcc-rp-initiated-logout-only-state with nothing but a state', { hinted: false, state: 'the-state' }],
  ])('%s ends at the sign-in page', async (_, { hinted, state }) => {
    const { party, hint } = await signedIn();
    const page = await ask(party, { ...(hinted && { id_token_hint: hint }), ...(state && { state }) });
    const confirmed = await signOut(party, page);
    const end = await party.browser.get(confirmed.location ?? '');
    expect(end.location).toBe(`${portal.issuer}/login?loggedOut=true`);
    await expectSignedOut(party);
  });

  it('oidcc-rp-initiated-logout-bad-id-token-hint is refused with an id_token signed with another key', async () => {
    const { party, hint } = await signedIn();
    const { claims, header } = await party.verified(hint);
    const { privateKey } = await generateKeyPair('RS256');
    const forged = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    const refused = await ask(party, { id_token_hint: forged, post_logout_redirect_uri: postLogoutUri });
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    expect((await party.authorize({ prompt: 'none' })).answer).toHaveProperty('code');
  });
});
