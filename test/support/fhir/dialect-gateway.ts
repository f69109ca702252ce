import { type DialectServer, startDialectServer } from './dialect-server/server.js';
import type { Dialect } from './dialects.js';
import { startGateway, type TestGateway } from './gateway.js';

/** The kinds of tokens that each request is tried with. */
export const tokenKinds = ['everything', 'patient', 'categories', 'practitioner', 'service'] as const;
export type TokenKind = (typeof tokenKinds)[number];
/** One more is that of a user who acts for the patient. */
type AnyKind = TokenKind | 'acting';

/** The types that the token of the kind `service` permits. */
const typesOfService = ['Patient', 'Observation', 'Encounter'];

/** The gateway in front of a stub FHIR server of one dialect. */
export class DialectGateway {
  private constructor(
    readonly dialect: Dialect,
    readonly server: DialectServer,
    readonly gateway: TestGateway,
    private readonly tokens: Readonly<Record<AnyKind, string>>,
  ) {}

  /** `fhir` and `settings` are the sections `fhir` and `gateway` of the configuration. */
  static async start(
    dialect: Dialect,
    fhir: object | ((server: DialectServer) => object) = {},
    settings: object = {},
  ): Promise<DialectGateway> {
    const server = await startDialectServer(dialect);
    const more = typeof fhir === 'function' ? fhir(server) : fhir;
    const names = dialect.self === 'alias' ? { aliases: [server.alias] } : {};
    const gateway = await startGateway(server.url, { ...names, ...more }, { ...settings });
    server.publicBase = gateway.base;
    await gateway.loadCapabilities();
    const tokens: Record<AnyKind, string> = {
      everything: gateway.tokenFor('system/*.cruds'),
      patient: gateway.tokenFor('patient/*.cruds', { patient: 'a' }),
      categories: gateway.tokenFor('patient/Patient.rs patient/Observation.cruds?category=laboratory', {
        patient: 'a',
      }),
      practitioner: gateway.tokenFor('user/*.cruds', { fhirUser: `${gateway.base}/Practitioner/dr` }),
      acting: gateway.tokenFor('patient/*.cruds', { patient: 'a', accountId: 'ana', representation: 'r' }),
      service: gateway.tokenFor(typesOfService.map((type) => `system/${type}.cruds`).join(' ')),
    };
    return new DialectGateway(dialect, server, gateway, tokens);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    this.server.close();
  }

  tokenFor(kind: TokenKind): string {
    return this.tokens[kind];
  }

  fetch(path: string, kind: AnyKind, init?: RequestInit): Promise<Response> {
    return this.gateway.fetch(path, this.tokens[kind], init);
  }

  /** Sends a resource, as JSON. */
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
