import { RelyingParty } from '../../support/apps/relying-party.js';
import { confidentialApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const knowing = { ...confidentialApp, clientId: 'knowing-app', allowContactScopes: true };
const quiet = { ...confidentialApp, clientId: 'quiet-app' };
const asking = { ...knowing, clientId: 'asking-app', requireConsent: true };

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [knowing, quiet, asking] } });
});

afterAll(() => portal.close());

const partyOf = (client: { clientId: string }, browser?: Agent) =>
  new RelyingParty(portal, 'query', browser ?? new Agent(portal.issuer), client.clientId);

async function told(client: { clientId: string }, claims: object, scope = 'openid') {
  const party = partyOf(client);
  const tokens = await party.tokens({ scope, claims: JSON.stringify(claims) });
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const userinfo = (await new Agent(portal.issuer).get('/connect/userinfo', { headers })).json();
  return { tokens, userinfo, idToken: (await party.verified(tokens.id_token)).claims };
}

describe('The claims parameter (OpenID Connect Core §5.5)', () => {
  it('returns single claims at userinfo and in the id_token, as requested', async () => {
    const { userinfo, idToken } = await told(knowing, {
      userinfo: { email: { essential: true } },
      id_token: { name: null, email_verified: { value: true }, unheard_of: null },
    });
    expect(userinfo).toMatchObject({ email: people.patient.email });
    expect(idToken).toMatchObject({ name: people.patient.fullName, email_verified: true });
    expect(idToken).not.toHaveProperty('email');
    expect(idToken).not.toHaveProperty('unheard_of');
  });

  it('returns no claim whose scope the client may not have', async () => {
    const { userinfo, idToken, tokens } = await told(quiet, {
      userinfo: { email: { essential: true }, phone_number: null, given_name: null },
      id_token: { email: null },
    });
    expect(Object.keys(userinfo).sort()).toEqual(['name', 'profile', 'sub']);
    expect(idToken).not.toHaveProperty('email');
    expect(tokens.scope).toBe('openid profile');
  });

  it('is consented to by the scopes of its claims, and claims of declined scopes are left out', async () => {
    const party = partyOf(asking);
    const claims = JSON.stringify({ id_token: { email: { essential: true }, name: null } });
    const { page } = await party.signIn(await party.authorize({ claims }));
    expect(page?.pathname).toBe('/user/consent');
    const returnUrl = page?.searchParams.get('returnUrl') ?? '';
    const offered = (await party.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<{
      identityScopes: { value: string }[];
    }>();
    expect(offered.identityScopes.map(({ value }) => value).sort()).toEqual(['email', 'openid', 'profile']);
    await party.browser.post('/api/consent', {
      returnUrl,
      rememberConsent: true,
      scopesConsented: ['openid', 'profile'],
    });
    const tokens = await party.exchanged(await party.visit(returnUrl));
    const { claims: idToken } = await party.verified(tokens.id_token);
    expect(idToken.name).toBe(people.patient.fullName);
    expect(idToken).not.toHaveProperty('email');
  });

  it('prevents a code when an essential acr is not met or another user has signed in than sub', async () => {
    const acr = { id_token: { acr: { essential: true, values: ['phr'] } } };
    const party = partyOf(knowing);
    const { answer } = await party.signIn(await party.authorize({ claims: JSON.stringify(acr) }));
    expect(answer?.error).toBe('unmet_authentication_requirements');
    const other = partyOf(knowing);
    const sub = { id_token: { sub: { value: 'another-person' } } };
    const refused = await other.signIn(await other.authorize({ claims: JSON.stringify(sub) }));
    expect(refused.answer?.error).toBe('login_required');
  });

  it.each([
    'nonsense',
    '[]',
    '{}',
    '{"userinfo":[]}',
    '{"id_token":{"a\\u0000":null}}',
    `{"id_token":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`,
  ])('is refused when it is malformed: %.30s', async (claims) => {
    const { answer } = await partyOf(knowing).authorize({ claims });
    expect(answer?.error).toBe('invalid_request');
  });

  it('is advertised in the discovery document', async () => {
    const document = (await new Agent(portal.issuer).get('/.well-known/openid-configuration')).json();
    expect(document).toMatchObject({ claims_parameter_supported: true });
    expect(document.claims_supported).toEqual(expect.arrayContaining(['email', 'given_name', 'phone_number', 'name']));
  });
});
