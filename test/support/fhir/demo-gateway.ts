import type { Bundle, Observation, OperationOutcome } from '@medplum/fhirtypes';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { startGateway, type TestGateway } from './gateway.js';

/** A FHIR server with the demo's data. */
export interface DemoServer {
  url: string;
  close(): Promise<void>;
}

/** The gateway in front of the demo FHIR server, with tokens, and with checks for every answer. */
export class DemoGateway {
  private constructor(
    private readonly server: DemoServer,
    readonly gateway: TestGateway,
    readonly patientToken: string,
    readonly practitionerToken: string,
  ) {}

  /** `settings` is the section `gateway` of the configuration. */
  static async start(started?: DemoServer, settings: Record<string, unknown> = {}): Promise<DemoGateway> {
    const server = started ?? (await startFhirServer({ port: 0 }));
    const gateway = await startGateway(server.url, {}, settings);
    await gateway.loadCapabilities();
    const patientToken = gateway.tokenFor('patient/*.cruds', { patient: '1' });
    const fhirUser = `${gateway.base}/Practitioner/practitioner-1`;
    return new DemoGateway(server, gateway, patientToken, gateway.tokenFor('user/*.cruds', { fhirUser }));
  }

  get serverUrl(): string {
    return this.server.url;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.server.close();
  }

  /** A new Observation about a patient. */
  observationOf(patient: string) {
    return {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'Mood' },
      subject: { reference: `${this.gateway.base}/Patient/${patient}` },
      valueString: 'good',
    };
  }

  read(path: string, token?: string, init?: RequestInit): Promise<Response> {
    return this.gateway.fetch(path, token, init);
  }

  send(
    method: string,
    path: string,
    token: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.gateway.fetch(path, token, {
      method,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/fhir+json', ...headers },
    });
  }
}

/** The members that make an Observation valid, for bodies that are refused for another reason. */
export const observationMembers = '"resourceType":"Observation","status":"final","code":{"text":"Mood"}';

/** The subjects of the Observations in a Bundle. */
export const subjectsOf = (bundle: Bundle) =>
  new Set((bundle.entry ?? []).map(({ resource }) => (resource as Observation).subject?.reference));

export async function expectJson<T>(response: Response, status = 200): Promise<T> {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/fhir+json; charset=utf-8',
  ]);
  return (await response.json()) as T;
}

/** The text of the OperationOutcome of a refusal. */
export async function expectRefusal(response: Response, status: number): Promise<string> {
  const outcome = await expectJson<OperationOutcome>(response, status);
  expect(outcome.resourceType).toBe('OperationOutcome');
  return outcome.issue[0]?.diagnostics ?? '';
}
