/** What does not belong to a client is told as that of another one to administrators alone. */
import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import type { LaunchView } from '../../../src/contract/activity.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey } from '../../support/clients/assertions.js';
import { clientKinds, confidentialKinds, kindsWithSecret } from '../../support/clients/client-kinds.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { allWritten } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const ownUri = 'https://owner.example/callback';
const ownSecret = 'the-secret-of-the-owner-alone';
const secretOwner = {
  ...publicApp,
  clientId: 'owner-of-secret',
  requireClientSecret: true,
  redirectUris: [ownUri],
  clientSecrets: [{ secretType: 'SharedSecret', secret: ownSecret, description: 'own' }],
};
const ownKey = await makeClientKey('ES384', 'key-of-the-owner');
const keyOwner = {
  ...publicApp,
  clientId: 'owner-of-key',
  requireClientSecret: true,
  clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(ownKey.jwk), description: 'own' }],
};
const addressAfterLogout = 'https://owner.example/signed-out';
const addressOwner = { ...publicApp, clientId: 'owner-of-address', postLogoutRedirectUris: [addressAfterLogout] };
const kindsWithKey = confidentialKinds.filter(({ bySecret }) => !bySecret);
const other = (kind: (typeof clientKinds)[number]) => kind.client('stranger');

let portal: TestPortal;
let admin: Agent;
beforeAll(async () => {
  const clients = [
    secretOwner,
    keyOwner,
    addressOwner,
    ...clientKinds.map(other),
    ...clientKinds.map((kind) => kind.client('holder')),
  ];
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(() => portal.close());

async function expectToldToAdministrators(answer: Answer, code: CauseCode, owner: string): Promise<void> {
  await allWritten(portal);
  const view = (await admin.get(`/api/admin/activity/${answer.headers['x-launch-reference']}`)).json<LaunchView>();
  const entry = view.entries.find((one) => one.code === code);
  expect([view.entries.map((one) => one.code).join(), entry?.text]).toEqual([
    expect.stringContaining(code),
    expect.stringContaining(owner),
  ]);
  expect(view.forDeveloper).not.toContain(owner);
  expect(answer.text + JSON.stringify(answer.headers)).not.toContain(owner);
}

describe.each(clientKinds.map((kind) => ({ name: kind.name, kind })))('At a client ($name)', ({ kind }) => {
  it('a redirect URI of another client is told with its owner', async () => {
    const answer = await new SmartApp(portal, {
      client: other(kind),
      parameters: { redirect_uri: ownUri },
    }).authorize();
    expect(answer.status).toBe(400);
    await expectToldToAdministrators(answer, 'redirect-uri-of-other-client', secretOwner.clientId);
  });

  it('an address after the sign-out of another client is told with its owner', async () => {
    const query = new URLSearchParams({
      client_id: other(kind).clientId,
      post_logout_redirect_uri: addressAfterLogout,
    });
    const answer = await new Agent(portal.issuer).get(`/connect/endsession?${query}`);
    await expectToldToAdministrators(answer, 'sign-out-address-of-other-client', addressOwner.clientId);
  });

  it('a refresh token of another client is told with its owner', async () => {
    const holder = kind.client('holder');
    const scope = 'openid launch/patient patient/*.rs offline_access';
    const { refresh_token: token = '' } = await kind.app(portal, holder, { scope }).tokens(people.patient);
    const form = { grant_type: 'refresh_token', refresh_token: token };
    const answer = await kind.post(new Agent(portal.issuer), '/connect/token', other(kind), form);
    expect(answer.status).toBe(400);
    await expectToldToAdministrators(answer, 'refresh-token-of-other-client', holder.clientId);
  });
});

it.each(kindsWithSecret)('At a client ($name) a secret of another client is told with its owner', async (kind) => {
  const form = { grant_type: 'refresh_token', refresh_token: 'x' };
  const answer = await kind.post(new Agent(portal.issuer), '/connect/token', other(kind), form, { secret: ownSecret });
  expect(answer.status).toBe(401);
  await expectToldToAdministrators(answer, 'token-secret-of-other-client', secretOwner.clientId);
});

it.each([...kindsWithKey.map((kind) => other(kind).clientId), 'unregistered'])(
  'A signature for %s by the key of another client is told with its owner',
  async (clientId) => {
    const audience = `${portal.issuer}/connect/token`;
    const answer = await new Agent(portal.issuer).postForm('/connect/token', {
      ...{ grant_type: 'refresh_token', refresh_token: 'x', client_assertion_type: assertionType },
      client_assertion: await clientAssertion({ clientId, audience, key: ownKey }),
    });
    expect(answer.status).toBe(401);
    await expectToldToAdministrators(answer, 'key-of-other-client', keyOwner.clientId);
  },
);
