import { decodeJwt } from 'jose';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const speakingApp = { ...publicApp, clientId: 'speaking-app', alwaysIncludeUserClaimsInIdToken: true };
const scope = 'openid fhirUser profile launch/patient patient/*.rs offline_access';
const technical = ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub'];

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients: [publicApp, speakingApp] } });
});

afterAll(() => portal.close());

/** The claims about the user in the id_tokens of code exchange and refresh. */
async function personIn(client: { clientId: string }, scopes?: string[]): Promise<Record<string, unknown>[]> {
  const app = new SmartApp(portal, { client, scope });
  const tokens = await app.tokens(people.patient, scopes);
  const refreshed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
  return [tokens, refreshed].map(({ id_token }) => {
    const claims = Object.entries(decodeJwt(id_token ?? ''));
    return Object.fromEntries(claims.filter(([name]) => !technical.includes(name)));
  });
}

describe('The id_token', () => {
  it('has fhirUser and profile, and no other claim about the user', async () => {
    const fhirUser = `${portal.fhirBase}/Patient/1`;
    const only = { fhirUser, profile: fhirUser };
    expect(await personIn(publicApp)).toEqual([only, only]);
  });

  it('has the claims of the granted scopes for a client with alwaysIncludeUserClaimsInIdToken', async () => {
    const fhirUser = `${portal.fhirBase}/Patient/1`;
    const everything = { name: 'Amelia Ward', fhirUser, profile: fhirUser };
    expect(await personIn(speakingApp)).toEqual([everything, everything]);
  });

  it('has no claim that was not granted', async () => {
    const only = { fhirUser: `${portal.fhirBase}/Patient/1` };
    const granted = scope.split(' ').filter((one) => one !== 'profile');
    expect(await personIn(speakingApp, granted)).toEqual([only, only]);
  });

  it('leaves the other claims to userinfo', async () => {
    const { access_token: token } = await new SmartApp(portal, { scope }).tokens(people.patient);
    const answer = await new Agent(portal.issuer).get('/connect/userinfo', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.json()).toMatchObject({ name: 'Amelia Ward', fhirUser: `${portal.fhirBase}/Patient/1` });
  });
});
