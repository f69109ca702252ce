import type { IncomingMessage, ServerResponse } from 'node:http';
import { startGateway, startUpstream, type TestGateway, type Upstream } from './gateway.js';

/** The gateway in front of a FHIR server whose answers each test decides. */
class ScriptedServer {
  behave: (request: IncomingMessage, response: ServerResponse, body: string) => void = () => undefined;
  upstream!: Upstream;
  gateway!: TestGateway;
  /** A token that permits everything. */
  systemToken!: string;

  constructor(
    private readonly settings: object,
    private readonly timeoutMs: number,
  ) {}

  async start(): Promise<void> {
    this.upstream = await startUpstream((request, response, body) => this.behave(request, response, body));
    const { timeoutMs } = this;
    const credentials = { type: 'basic', username: 'portal', password: 'secret' };
    this.gateway = await startGateway(this.upstream.url, { credentials, timeoutMs }, { ...this.settings });
    this.systemToken = this.gateway.tokenFor('system/*.cruds');
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    this.upstream.close();
  }
}

/**
 * One server for all tests of a file, which each test finds without earlier requests. `settings` is the section
 * `gateway`; the gateway waits half a second for an answer unless a test gives it more.
 */
export function useScriptedServer(settings: object = {}, timeoutMs = 500): ScriptedServer {
  const server = new ScriptedServer(settings, timeoutMs);
  beforeAll(() => server.start());
  beforeEach(() => {
    server.upstream.requests.length = 0;
  });
  afterAll(() => server.stop());
  return server;
}

export function sendFhir(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/fhir+json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The status and the text of an answer that has to be an OperationOutcome. */
export async function refusalIn(response: Response): Promise<{ status: number; text: string }> {
  const text = await response.text();
  expect(JSON.parse(text).resourceType).toBe('OperationOutcome');
  return { status: response.status, text };
}

export const observationOf = (patient: string, more: object = {}) => ({
  resourceType: 'Observation',
  id: 'o1',
  subject: { reference: `Patient/${patient}` },
  ...more,
});

export const searchset = (resources: object[], more: object = {}) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  ...more,
  entry: resources.map((resource) => ({ resource })),
});
