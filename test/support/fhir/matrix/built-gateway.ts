import { basicAuthorization, SmartApp, type Tokens } from '../../apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../clients/clients.js';
import { createDatabase } from '../../database/database.js';
import { Agent } from '../../http/agent.js';
import { freePorts } from '../../portal/portal.js';
import { PortalProcess } from '../../portal/portal-process.js';
import { until } from '../../until.js';
import { people } from '../../users/people.js';
import type { TokenKind } from '../dialect-gateway.js';
import { type DialectServer, startDialectServer } from '../dialect-server/server.js';
import type { Dialect } from '../dialects.js';
import type { AnyGateway } from './app.js';

const permissive = { allowedSmartActions: ['c', 'r', 'u', 'd', 's'] };
const clients = [
  { ...publicApp, ...permissive, requireConsent: false, allowedSmartSubjects: ['patient', 'user'] },
  { ...backendService, ...permissive },
];
const patient = { ...people.patient, claims: [{ name: 'fhirUser', value: 'Patient/a' }] };
const practitioner = { ...people.practitioner, claims: [{ name: 'fhirUser', value: 'Practitioner/dr' }] };

/** The built product in front of a stub FHIR server of one dialect, with tokens that its users and a service got. */
export class BuiltGateway implements AnyGateway {
  readonly gateway: AnyGateway['gateway'];

  private constructor(
    readonly dialect: Dialect,
    readonly server: DialectServer,
    private readonly tokens: Readonly<Record<TokenKind, string>>,
    base: string,
    private readonly stop: () => Promise<void>,
  ) {
    this.gateway = {
      base,
      fetch: (path, token, init = {}) =>
        fetch(base + path, {
          ...init,
          headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
        }),
    };
  }

  static async start(dialect: Dialect): Promise<BuiltGateway> {
    const [server, database, [port = 0]] = await Promise.all([
      startDialectServer(dialect),
      createDatabase(),
      freePorts(1),
    ]);
    const names = dialect.self === 'alias' ? { aliases: [server.alias] } : {};
    const portal = await PortalProcess.start({
      database: database.connection,
      port,
      config: {
        fhir: { baseUrl: server.url, exportStores: [new URL(server.alias).origin], ...names },
        outbound: { allowedPrivateHosts: ['localhost'] },
        users: [people.admin, patient, practitioner],
        clients,
      },
    });
    const { issuer } = portal;
    const base = `${issuer}/fhir`;
    server.publicBase = base;
    await until(async () => (await fetch(`${base}/metadata`)).status === 200);
    const app = async (person: typeof patient | typeof practitioner, scope: string) =>
      (await new SmartApp({ issuer, fhirBase: base }, { scope }).tokens(person)).access_token;
    const service = async (scope: string) => {
      const form = { grant_type: 'client_credentials', scope };
      const headers = basicAuthorization(backendService.clientId, sharedSecret);
      const answer = await new Agent(issuer).postForm('/connect/token', form, { headers });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json<Tokens>().access_token;
    };
    const tokens: Record<TokenKind, string> = {
      everything: await service('system/*.cruds'),
      patient: await app(patient, 'launch/patient patient/*.cruds'),
      categories: await app(patient, 'launch/patient patient/Patient.rs patient/Observation.cruds?category=laboratory'),
      practitioner: await app(practitioner, 'fhirUser openid user/*.cruds'),
      service: await service('system/Patient.cruds system/Observation.cruds system/Encounter.cruds'),
    };
    return new BuiltGateway(dialect, server, tokens, base, async () => {
      await portal.end('SIGTERM');
      server.close();
      await database.drop();
    });
  }

  close(): Promise<void> {
    return this.stop();
  }

  fetch(path: string, kind: TokenKind, init?: RequestInit): Promise<Response> {
    return this.gateway.fetch(path, this.tokens[kind], init);
  }

  send(
    method: string,
    path: string,
    kind: TokenKind,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.fetch(path, kind, {
      method,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/fhir+json', ...headers },
    });
  }
}
