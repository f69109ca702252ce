import { basicAuthorization, SmartApp, type Tokens } from '../apps/smart-app.js';
import { clientKinds } from '../clients/client-kinds.js';
import { backendService, publicApp, sharedSecret } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import { eventually } from '../until.js';
import { people } from '../users/people.js';
import { startFhirPortal } from './fhir-portal.js';
import type { PortalOptions, TestPortal } from './portal.js';

const jwtApp = { ...publicApp, clientId: 'jwt-app', requireConsent: false, accessTokenType: 'Jwt' };
/** A public app for each format of access tokens. */
export const appsOfFormats = [jwtApp, { ...jwtApp, clientId: 'reference-app', accessTokenType: 'Reference' }];
const accessTokenTypes = appsOfFormats.map(({ accessTokenType }) => accessTokenType);
export const resourceServer = { ...backendService, clientId: 'resource-server', allowIntrospection: true };
export const tokenScope = 'openid fhirUser launch/patient patient/*.rs offline_access';

/** An app of this kind for each format of access tokens. */
export const appsOfKind = (kind: (typeof clientKinds)[number]) =>
  accessTokenTypes.map((accessTokenType) => kind.client(accessTokenType, { accessTokenType }));

export const asBearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const asResourceServer = () => basicAuthorization(resourceServer.clientId, sharedSecret);

export function expectInactive(answer: Answer): void {
  expect([answer.status, answer.text]).toEqual([200, '{"active":false}']);
}

/** A portal of two nodes with apps of all kinds, and the endpoints at which the state of a token can be seen. */
class TokenPortal {
  portal!: TestPortal;

  async start({ users = [], clients = [] }: { users?: object[]; clients?: object[] }): Promise<void> {
    this.portal = await startFhirPortal({
      nodes: 2,
      config: {
        users: [...Object.values(people), ...users],
        clients: [...appsOfFormats, ...clientKinds.flatMap(appsOfKind), resourceServer, ...clients],
      } satisfies PortalOptions['config'],
    });
  }

  node(number: number): Agent {
    return new Agent(this.portal.issuer, this.portal.ports[number]);
  }

  post(path: string, form: Record<string, string>, headers: Record<string, string>, node = 0): Promise<Answer> {
    return this.node(node).postForm(path, form, { headers });
  }

  introspect(token: string, headers: Record<string, string> = asResourceServer(), node = 0): Promise<Answer> {
    return this.post('/connect/introspect', { token }, headers, node);
  }

  userinfo(token: string, node = 0): Promise<Answer> {
    return this.node(node).get('/connect/userinfo', { headers: asBearer(token) });
  }

  readPatient(token: string, node = 0): Promise<Answer> {
    return this.node(node).get('/fhir/Patient/1', { headers: asBearer(token) });
  }

  tokensOf(client: { clientId: string }, browser?: Agent): Promise<Tokens> {
    return new SmartApp(this.portal, { client, scope: tokenScope }, browser).tokens(people.patient);
  }

  async serviceToken(client: { clientId: string }): Promise<string> {
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    const answer = await this.post('/connect/token', form, basicAuthorization(client.clientId, sharedSecret));
    return answer.json<Tokens>().access_token;
  }

  /** Every node refuses the token within a second. */
  expectRefusedEverywhere(token: string): Promise<void> {
    return eventually(async () => {
      for (const node of [0, 1]) {
        expectInactive(await this.introspect(token, asResourceServer(), node));
        expect((await this.userinfo(token, node)).status).toBe(401);
        expect((await this.readPatient(token, node)).status).toBe(401);
      }
    });
  }
}

/** One portal for all tests of a file. */
export function useTokenPortal(config: Parameters<TokenPortal['start']>[0]): TokenPortal {
  const tokens = new TokenPortal();
  beforeAll(() => tokens.start(config));
  afterAll(() => tokens.portal.close());
  return tokens;
}
