import { request as httpRequest } from 'node:http';
import { startGateway, startUpstream, type TestGateway, type Upstream } from './gateway.js';

/** A text in each record of the other patient. */
export const otherPatientText = 'only-p2-may-know';
const foreign = {
  resourceType: 'Observation',
  id: 'o2',
  subject: { reference: 'Patient/p2' },
  note: [{ text: otherPatientText }],
  contained: [{ resourceType: 'Patient', id: 'p1' }],
};
export const types = ['Patient', 'Observation', 'Encounter', 'Provenance'];
const searchParam = ['patient', 'subject', 'code'].map((name) => ({ name }));
const conditional = { conditionalCreate: true, conditionalUpdate: true, conditionalDelete: 'multiple' };
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: types.map((type) => ({ type, searchParam, ...conditional })) }],
};

/** The gateway in front of a FHIR server that answers every request with records of another patient. */
export class OtherPatientGateway {
  private constructor(
    readonly upstream: Upstream,
    readonly gateway: TestGateway,
    private readonly token: string,
  ) {}

  static async start(): Promise<OtherPatientGateway> {
    const upstream: Upstream = await startUpstream(({ url = '' }, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json', ETag: 'W/"1"' });
      const self = { relation: 'self', url: `${upstream.url}/Observation?patient=Patient%2Fp1` };
      const searchset = {
        resourceType: 'Bundle',
        type: 'searchset',
        total: 1,
        link: [self],
        entry: [{ resource: foreign }],
      };
      const history = { ...searchset, type: 'history' };
      const path = url.split('?', 1)[0] ?? '';
      const body = /_history$/.test(path)
        ? history
        : /^\/r4\/[A-Z][A-Za-z]+(\/_search)?$/.test(path)
          ? searchset
          : foreign;
      response.end(JSON.stringify(path === '/r4/metadata' ? metadata : body));
    });
    const gateway = await startGateway(upstream.url);
    await gateway.loadCapabilities();
    const scope = 'openid fhirUser patient/*.cruds patient/Observation.rs?category=laboratory';
    const token = gateway.tokenFor(scope, { patient: 'p1', fhirUser: `${gateway.base}/Patient/p1` });
    return new OtherPatientGateway(upstream, gateway, token);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    this.upstream.close();
  }

  /** Sends the address unchanged: `fetch` would normalize it and refuse some headers. */
  send(
    method: string,
    target: string,
    { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<{ status: number; text: string }> {
    const { hostname, port, pathname } = new URL(this.gateway.base);
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        {
          hostname,
          port,
          method,
          path: pathname + target,
          headers: { authorization: `Bearer ${this.token}`, ...length, ...headers },
        },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        },
      );
      sent.on('error', reject).on('upgrade', () => reject(new Error('the connection was upgraded')));
      sent.end(body);
    });
  }
}
