import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { Detail } from '../../../src/contract/activity/cause.js';
import { launchOfAnswer } from '../apps/launch-entries.js';
import { basicAuthorization, type Launch, SmartApp } from '../apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../clients/assertions.js';
import { backendService, confidentialApp, publicApp } from '../clients/clients.js';
import { startSmallFhirServer } from '../fhir/small-fhir-server.js';
import { Agent, type Answer } from '../http/agent.js';
import { startPortal, type TestPortal } from '../portal/portal.js';
import { until } from '../until.js';
import { people } from '../users/people.js';
import { sayOtherWords } from './other-words.js';

const key = await makeClientKey('ES384', 'signing-key');
const otherKey = await makeClientKey('ES384', 'other-key');
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
export const requestingClients = {
  publicApp,
  confidentialApp,
  backendService,
  quiet: { ...publicApp, clientId: 'quiet-app', requireConsent: false },
  disabled: { ...publicApp, clientId: 'disabled-app', enabled: false },
  strict: { ...confidentialApp, clientId: 'strict-app', requirePkce: true },
  pushing: { ...publicApp, clientId: 'pushing-app', requirePar: true },
  signing: {
    ...confidentialApp,
    clientId: 'signing-app',
    requireSignedRequestObject: true,
    clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(key.jwk), description: 'key' }],
  },
  /** The key sets of both are published by a host of the test. */
  publishing: {
    ...confidentialApp,
    clientId: 'publishing-app',
    requireSignedRequestObject: true,
    clientSecrets: [{ secretType: 'JWK', secretUrl: '/keys', description: 'published' }],
  },
  silent: {
    ...confidentialApp,
    clientId: 'silent-app',
    requireSignedRequestObject: true,
    clientSecrets: [{ secretType: 'JWK', secretUrl: '/silent', description: 'published' }],
  },
  ofNorth: { ...publicApp, clientId: 'north-app', allowedTenants: ['north'] },
  narrowService: {
    ...backendService,
    clientId: 'narrow-service',
    allowedSmartActions: ['r', 's'],
    allowedResourceTypes: ['Patient'],
    allowedOperationScopes: ['system/Patient.$everything'],
  },
  manager: {
    ...backendService,
    clientId: 'manager',
    clientType: 'ManagementApi',
    allowManagementApiAccess: true,
  },
  narrow: {
    ...publicApp,
    clientId: 'narrow-app',
    allowedSmartActions: ['r', 's'],
    allowedSmartLegacyActions: ['read'],
    allowedSmartSubjects: ['patient'],
    allowedResourceTypes: ['Patient', 'Observation'],
    allowedOperationScopes: ['patient/Patient.$everything'],
    allowOfflineAccess: false,
    allowOnlineAccess: false,
    allowContactScopes: false,
    allowFirelySpecialScopes: false,
  },
};

export type RequestingClient = keyof typeof requestingClients;

export interface Mistake {
  name: string;
  make: () => Promise<Answer>;
  code: string;
  /** The values that differ. */
  detail?: () => Detail;
  /** Field or configuration key of the change; undefined if only the app can change something. */
  fix?: string;
}

/** A portal with the calls of apps that make mistakes in their authorization requests. */
export interface RequestPortal {
  portal: TestPortal;
  ask(parameters: Launch['parameters'], client?: RequestingClient): Promise<Answer>;
  push(parameters: Launch['parameters'], client?: RequestingClient, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request object of the signing app. */
  askSigned(
    claims?: JWTPayload,
    header?: Partial<JWTHeaderParameters>,
    by?: typeof key,
    client?: 'signing' | 'publishing' | 'silent',
  ): Promise<Answer>;
  /** Sends an announcement of the EHR, or of the given credentials. */
  sendAnnouncement(body: string, headers?: Record<string, string>, query?: string): Promise<Answer>;
  /** The value of a launch that an EHR announced. */
  announce(form: Record<string, string>): Promise<string>;
  /** A launch of the EHR, and the app's request for it. */
  launched(
    announced: Record<string, string>,
    parameters?: Launch['parameters'],
    client?: RequestingClient,
  ): Promise<Answer>;
  /** Changes the records of a model as if they had expired so long ago. */
  age(record: string, seconds: number): Promise<unknown>;
  close(): Promise<void>;
}

export async function startRequestPortal(): Promise<RequestPortal> {
  const fhirServer = await startSmallFhirServer();
  const { kid: _, ...withoutKid } = key.jwk;
  const keys = [
    { ...key.jwk, kid: 'published-key' },
    { ...key.jwk, kid: 'encryption-key', use: 'enc' },
    ...[key, otherKey].map(({ jwk }) => ({ ...jwk, kid: 'double-key' })),
    withoutKid,
  ];
  const host = createServer(({ url }, response) => {
    if (url === '/keys') response.end(JSON.stringify({ keys }));
    else response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const published = `http://localhost:${(host.address() as AddressInfo).port}`;
  const clients = Object.values(requestingClients).map((client) => ({
    ...client,
    ...('clientSecrets' in client && {
      clientSecrets: client.clientSecrets.map((one) =>
        'secretUrl' in one ? { ...one, secretUrl: published + one.secretUrl } : one,
      ),
    }),
  }));
  const portal = await startPortal({
    config: {
      server: { trustedProxies: ['127.0.0.1'] },
      fhir: {
        baseUrl: fhirServer.url,
        tenants: [{ id: 'north', name: 'North', baseUrl: fhirServer.url, credentials: { type: 'none' } }],
        specialScopes: ['__special'],
      },
      // Few enough that a test can exhaust them, and more than all others make.
      limits: { startsPerMinute: 300 },
      ehr: { callers: [ehr] },
      users: Object.values(people),
      clients,
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });
  sayOtherWords(portal);
  const admin = new SmartApp(portal);
  await admin.signIn(people.admin);
  await until(
    async () => (await admin.browser.get('/api/admin/client/available-resourcetypes')).json<unknown[]>().length > 0,
  );

  const ask = (parameters: Launch['parameters'], client: RequestingClient = 'publicApp') =>
    new SmartApp(portal, { client: requestingClients[client], parameters }).authorize();

  const push = (parameters: Launch['parameters'], client: RequestingClient = 'publicApp', headers = {}) => {
    const query = new SmartApp(portal, { client: requestingClients[client], parameters }).query();
    return new Agent(portal.issuer).postForm('/connect/par', Object.fromEntries(new URLSearchParams(query)), {
      headers,
    });
  };

  /** Sends a request object of the signing app. */
  async function askSigned(
    claims: JWTPayload = {},
    header: Partial<JWTHeaderParameters> = {},
    by = key,
    client: 'signing' | 'publishing' | 'silent' = 'signing',
  ): Promise<Answer> {
    const app = new SmartApp(portal, { client: requestingClients[client] });
    const { aud: _, ...parameters } = Object.fromEntries(new URLSearchParams(app.query()));
    const now = nowSeconds();
    const own = {
      iss: requestingClients[client].clientId,
      aud: portal.issuer,
      nbf: now,
      exp: now + 60,
      jti: randomUUID(),
    };
    const request = await new SignJWT({ ...parameters, ...own, resource: portal.fhirBase, ...claims })
      .setProtectedHeader({ alg: 'ES384', kid: 'signing-key', typ: 'oauth-authz-req+jwt', ...header })
      .sign(by.privateKey);
    return ask({ request }, client);
  }

  /** A launch of the EHR, and the app's request for it. */
  async function launched(
    announced: Record<string, string>,
    parameters: Launch['parameters'] = {},
    client: RequestingClient = 'publicApp',
  ) {
    const value = await announce(announced);
    return ask({ scope: 'launch openid fhirUser patient/*.rs', launch: value, ...parameters }, client);
  }

  function sendAnnouncement(body: string, headers: Record<string, string> = {}, query = ''): Promise<Answer> {
    const ofForm = { 'content-type': 'application/x-www-form-urlencoded' };
    return new Agent(portal.issuer).send(`/connect/launchContext${query}`, {
      method: 'POST',
      body,
      headers: { ...ofForm, ...basicAuthorization(ehr.id, ehr.secret), ...headers },
    });
  }

  async function announce(form: Record<string, string>): Promise<string> {
    const headers = basicAuthorization(ehr.id, ehr.secret);
    const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });
    return answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
  }

  const age = (record: string, seconds: number) =>
    portal.query(`UPDATE oidc_record SET expires_at = now() - make_interval(secs => $2) WHERE model = $1`, [
      record,
      seconds,
    ]);
  return {
    portal,
    ask,
    push,
    askSigned,
    announce,
    sendAnnouncement,
    launched,
    age,
    async close() {
      await portal.close();
      host.close();
      fhirServer.close();
    },
  };
}

/** Makes the mistake, and expects its cause with the values that differ and what to change. */
export async function expectExplained(at: RequestPortal, { make, code, detail, fix }: Mistake): Promise<void> {
  const answer = await make();
  const { outcome, decidedBy } = await launchOfAnswer(at.portal, answer);
  expect([answer.status >= 300, outcome, decidedBy?.code]).toEqual([true, 'refused', code]);
  if (detail) expect(decidedBy?.detail).toMatchObject(detail());
  const { change, decidedBy: reason, developer } = decidedBy?.texts ?? {};
  expect([change?.field ?? change?.configuration, typeof change?.text]).toEqual([fix, 'string']);
  expect([reason, developer]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
  expect(JSON.stringify(decidedBy)).not.toMatch(/\{\{|planted-value|undefined/);
}
