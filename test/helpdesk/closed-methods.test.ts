import type { UserSignIn } from '../../src/contract/users/helpdesk.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

let provider: TestIdentityProvider;
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    config: {
      account: { localLogin: false },
      users: [people.patient],
      identityProviders: [provider.entry({ adminGroups: ['portal-admins'], allowedGroups: ['patients'] })],
    },
  });
  provider.trust(portal);
  admin = (await signInAtProvider(portal, provider, 'root')).browser;
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

async function codesOf(email: string): Promise<string[]> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  const answer = await admin.get(`/api/admin/user/${row?.id}/sign-in`);
  return answer.json<UserSignIn & Record<string, unknown>>().obstacles.map(({ code }) => code);
}

describe('While a portal takes no passwords, administrators are told that', () => {
  it('a local user has no open method, who then cannot sign in', async () => {
    expect(await codesOf(people.patient.email)).toEqual(['method-closed']);
    expect((await login(new Agent(portal.issuer), people.patient)).status).toBe(403);
  });

  it('a user of the configured provider has one, and signs in', async () => {
    const { browser } = await signInAtProvider(portal, provider, 'grace');
    expect((await browser.get('/api/session')).status).toBe(200);
    expect(await codesOf('grace.field@hospital.example')).toEqual([]);
  });

  it('a user of a provider that is no longer configured has none, and the sign-in page does not offer it', async () => {
    await portal.query(
      `INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, issuer, subject,
                            security_stamp, created_at)
       VALUES (gen_random_uuid(), 'old@hospital.example', 'Old', 'Patient',
               '[{"name": "fhirUser", "value": "Patient/3"}]', true, true, 'https://closed.example', 'old', '', now())`,
    );
    expect(await codesOf('old@hospital.example')).toEqual(['method-closed']);
    const options = await new Agent(portal.issuer).get('/api/session/login');
    const offered = options.json<{ externalProviders: object[] }>().externalProviders;
    expect(offered).toEqual([{ authenticationScheme: 'hospital', displayName: 'Hospital ID' }]);
  });
});
