import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import type { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { appsOfKind, asResourceServer, resourceServer, tokenScope } from '../../support/portal/token-portal.js';
import { inTurn } from '../../support/runs.js';
import { signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, passkeyOptions } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

const { patient } = people;
const kinds = clientKinds.flatMap((kind) =>
  inTurn(appsOfKind(kind), kind.number).map((client) => ({
    kind,
    client,
    name: `${kind.name}, ${client.accessTokenType}`,
  })),
);
let fhirServer: Upstream;
let portal: TestPortal;
let device: PasskeyDevice;

beforeAll(async () => {
  fhirServer = await startUpstream((_request, response) => {
    response.setHeader('Content-Type', 'application/fhir+json').end('{"resourceType":"Patient","id":"1"}');
  });
  portal = await startPortal({
    nodes: 2,
    config: {
      fhir: { baseUrl: fhirServer.url },
      gateway: { stepUp: [{ actions: 'r', types: ['Patient'], acr: 'aal2', maxAge: 300 }] },
      users: Object.values(people),
      clients: [...kinds.map(({ client }) => client), resourceServer],
    },
  });
  ({ device } = await addPasskey(await signInByPassword(portal, patient)));
});
afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

/** The introspection of a token. */
const told = async (agent: Agent, token: string) =>
  (await agent.postForm('/connect/introspect', { token }, { headers: asResourceServer() })).json<
    Record<string, unknown>
  >();

async function proveByPasskey(browser: Agent, returnUrl: string): Promise<void> {
  const options = await passkeyOptions(browser, '/api/twofactor/passkey/options', { returnUrl });
  const answer = await browser.post('/api/twofactor/passkey', { response: device.answer(options), returnUrl });
  expect(answer.status).toBe(200);
}

describe.each(kinds)('A token of a client ($name)', ({ kind, client }) => {
  const asked = (browser: Agent, parameters: Record<string, string> = {}): SmartApp =>
    kind.app(portal, client, { scope: tokenScope, parameters }, browser);

  it('says how and when the user signed in, also after a refresh (RFC 9470 §6)', async () => {
    const browser = await signInByPassword(portal, patient);
    await portal.query(
      "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 1000)) WHERE model = 'Session'",
    );
    const app = asked(browser);
    const tokens = await app.tokens(patient);
    const first = await told(browser, tokens.access_token);
    expect(first).toMatchObject({ active: true, acr: 'aal1', auth_time: expect.any(Number) });
    expect(Date.now() / 1000 - Number(first.auth_time)).toBeGreaterThan(990);
    const refreshed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
    expect(await told(browser, refreshed.access_token)).toMatchObject({ acr: 'aal1', auth_time: first.auth_time });
  });

  it('is refused at the gateway until the user has stepped up, which its challenge asks for', async () => {
    const browser = await signInByPassword(portal, patient);
    const before = await asked(browser).tokens(patient);
    const refused = await kind.read(browser, '/fhir/Patient/1', before.access_token);
    expect(refused.status).toBe(401);
    const challenge = String(refused.headers['www-authenticate']);
    expect(challenge).toContain('error="insufficient_user_authentication"');
    const [, acr = ''] = /acr_values="([^"]+)"/.exec(challenge) ?? [];
    const [, age = ''] = /max_age="(\d+)"/.exec(challenge) ?? [];

    const again = asked(browser, { acr_values: acr, max_age: age });
    const page = new URL(await again.follow((await again.authorize()).location ?? ''));
    expect(page.pathname).toBe('/user/two-factor-required');
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    await proveByPasskey(browser, returnUrl);
    const code = new URL(await again.follow(returnUrl)).searchParams.get('code') ?? '';
    const tokens = (await again.exchange(code)).json<Tokens>();
    expect((await kind.read(browser, '/fhir/Patient/1', tokens.access_token)).status).toBe(200);
    const refreshed = (await again.refresh(tokens.refresh_token ?? '')).json<Tokens>();
    expect((await kind.read(browser, '/fhir/Patient/1', refreshed.access_token)).status).toBe(200);
  });
});

it('A token of a service says nothing of a sign-in, and is not asked for one', async () => {
  const agent = await signInByPassword(portal, patient);
  const form = { grant_type: 'client_credentials', scope: 'system/Patient.rs' };
  const { access_token } = (
    await agent.postForm('/connect/token', form, { headers: asResourceServer() })
  ).json<Tokens>();
  const facts = await told(agent, access_token);
  expect([facts.active, facts.acr, facts.auth_time]).toEqual([true, undefined, undefined]);
  const answer = await agent.get('/fhir/Patient/1', { headers: { authorization: `Bearer ${access_token}` } });
  expect(answer.status).toBe(200);
});
