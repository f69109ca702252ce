import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey } from '../../support/clients/assertions.js';
import { confidentialApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const keys = { ES384: await makeClientKey('ES384', 'ec'), RS384: await makeClientKey('RS384', 'rsa') };
const app = {
  ...confidentialApp,
  clientId: 'keyed-app',
  clientSecrets: Object.values(keys).map(({ jwk }) => ({
    secretType: 'JWK',
    secret: JSON.stringify(jwk),
    description: '',
  })),
};

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [app] } });
});

afterAll(() => portal.close());

describe.each(['ES384', 'RS384'] as const)('An app that authenticates with an %s assertion', (alg) => {
  /** As the test kits create it: for the token endpoint of the SMART configuration, valid for five minutes. */
  async function proof(): Promise<{ client_assertion_type: string; client_assertion: string }> {
    const configuration = await new Agent(portal.issuer).get('/fhir/.well-known/smart-configuration');
    const { token_endpoint: audience } = configuration.json<{ token_endpoint: string }>();
    const assertion = await clientAssertion({ clientId: app.clientId, audience, key: keys[alg] });
    return { client_assertion_type: assertionType, client_assertion: assertion };
  }

  const launched = () => new SmartApp(portal, { client: app });
  const codeOf = async (one: SmartApp) => (await one.complete(people.patient)).searchParams.get('code') ?? '';

  it('SMART asymmetric-launch redeems its code and refreshes, with a new assertion each time', async () => {
    const one = launched();
    const answer = await one.exchange(await codeOf(one), await proof());
    expect(answer.status).toBe(200);
    const tokens = answer.json<Tokens & Record<string, unknown>>();
    expect(tokens).toMatchObject({ patient: '1', id_token: expect.any(String) });
    const refreshed = await one.refresh(tokens.refresh_token ?? '', await proof());
    expect([refreshed.status, refreshed.json().scope]).toEqual([200, tokens.scope]);
  });

  it('SMART asymmetric-invalid is refused without an assertion, and with one for an invalid code or refresh token', async () => {
    const one = launched();
    expect((await one.exchange(await codeOf(one))).status).toBe(401);
    expect((await one.exchange('BAD_CODE', await proof())).status).toBe(400);
    expect((await one.refresh('made-up', await proof())).status).toBe(400);
  });
});
