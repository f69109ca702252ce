import type { IncomingMessage } from 'node:http';
import { startGateway, startUpstream, type TestGateway, type Upstream } from './gateway.js';

type Json = Record<string, unknown>;

export const identifierOf = (patient: string) => ({ system: 'urn:mrn', value: `mrn-${patient}` });
const subject = (patient: string) => ({ subject: { reference: `Patient/${patient}` } });
const patientElement = (patient: string) => ({ patient: { reference: `Patient/${patient}` } });
const laboratory = { category: [{ coding: [{ code: 'laboratory' }] }] };

/** By type: the elements of a resource of this patient. */
const ofRecord: Readonly<Record<string, (patient: string) => object>> = {
  Appointment: (patient) => ({ participant: [{ actor: { reference: `Patient/${patient}` } }] }),
  Condition: subject,
  Device: patientElement,
  DocumentReference: subject,
  Encounter: (patient) => ({ ...subject(patient), identifier: [{ system: 'urn:visit', value: `visit-${patient}` }] }),
  List: subject,
  Observation: (patient) => ({ ...subject(patient), ...laboratory }),
  RelatedPerson: patientElement,
};

const referencesTo = (patients: readonly string[]) => patients.map((id) => ({ reference: `Patient/${id}` }));

/** By type of what several patients share: the elements by which these patients take part. */
export const sharedBy: Readonly<Record<string, (...patients: string[]) => object>> = {
  Appointment: (...patients) => ({ participant: referencesTo(patients).map((actor) => ({ actor })) }),
  Group: (...patients) => ({ type: 'person', member: referencesTo(patients).map((entity) => ({ entity })) }),
  Schedule: (...patients) => ({ actor: referencesTo(patients) }),
};

/** The types of which each patient has a resource with the id `of-<patient>`. */
export const typesOfRecords = Object.keys(ofRecord);
/** Resources that are in no record. */
export const withoutRecord = ['Practitioner/d1', 'Organization/h1', 'Medication/m1', 'Questionnaire/q1', 'Device/ward'];

function storedResources(): Map<string, Json> {
  const stored = new Map<string, Json>();
  const add = (type: string, id: string, more: object) =>
    stored.set(`${type}/${id}`, { resourceType: type, id, meta: { versionId: '1' }, ...more });
  for (const patient of ['p1', 'p2']) {
    add('Patient', patient, { identifier: [identifierOf(patient)] });
    for (const [type, elements] of Object.entries(ofRecord)) add(type, `of-${patient}`, elements(patient));
  }
  for (const name of withoutRecord) add(...(name.split('/') as [string, string]), {});
  for (const [type, elements] of Object.entries(sharedBy)) add(type, 'shared', elements('p1', 'p2'));
  return stored;
}

const searchParam = ['identifier', 'patient', 'subject', 'code', 'category'].map((name) => ({ name }));
const types = [
  ...typesOfRecords,
  'Group',
  'Schedule',
  'Patient',
  'Practitioner',
  'Organization',
  'Medication',
  'Questionnaire',
  'Binary',
];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: types.map((type) => ({ type, searchParam, conditionalUpdate: true })) }],
};

/**
 * The gateway in front of a FHIR server with the records of `p1` and `p2`, whose resources have the same ids but for
 * the patient's. It stores nothing, and searches find `found`.
 */
export class TwoRecords {
  stored = storedResources();
  found: Json[] = [];

  private constructor(
    readonly upstream: Upstream,
    readonly gateway: TestGateway,
  ) {}

  static async start(): Promise<TwoRecords> {
    let records: TwoRecords | undefined;
    const upstream = await startUpstream((request, response, body) => {
      const { status, answer } = records?.answerTo(request, body) ?? { status: 200, answer: metadata };
      response.writeHead(status, { 'Content-Type': 'application/fhir+json', ETag: 'W/"1"' });
      response.end(JSON.stringify(answer));
    });
    const gateway = await startGateway(upstream.url);
    await gateway.loadCapabilities();
    records = new TwoRecords(upstream, gateway);
    return records;
  }

  /** Forgets the requests and what a test stored. */
  reset(): void {
    this.stored = storedResources();
    this.found = [];
    this.upstream.requests.length = 0;
  }

  /** The requests of the gateway since the last call, as `GET /Patient/p1`, and those of them that write. */
  taken(): { all: string[]; writes: string[] } {
    const asked = this.upstream.requests.splice(0).map(({ method, url }) => `${method} ${url.slice('/r4'.length)}`);
    // The gateway reads the capabilities from time to time.
    const all = asked.filter((one) => one !== 'GET /metadata');
    return { all, writes: all.filter((one) => !one.startsWith('GET')) };
  }

  async close(): Promise<void> {
    await this.gateway.close();
    this.upstream.close();
  }

  private answerTo({ method, url = '' }: IncomingMessage, body: string): { status: number; answer: object } {
    const [path = '', query] = url.slice('/r4/'.length).split('?');
    if (path === 'metadata') return { status: 200, answer: metadata };
    if (method === 'GET' && query !== undefined) {
      return {
        status: 200,
        answer: { resourceType: 'Bundle', type: 'searchset', entry: this.found.map((resource) => ({ resource })) },
      };
    }
    if (method === 'GET') {
      const found = this.stored.get(path);
      return found ? { status: 200, answer: found } : { status: 404, answer: { resourceType: 'OperationOutcome' } };
    }
    if (path === '')
      return { status: 200, answer: { resourceType: 'Bundle', type: 'transaction-response', entry: [] } };
    return { status: method === 'POST' ? 201 : 200, answer: body === '' ? {} : JSON.parse(body) };
  }
}
