import { startUpstream, type Upstream } from '../fhir/gateway.js';
import { searchset, sendFhir } from '../fhir/scripted-server.js';
import { Agent } from '../http/agent.js';
import { type PortalOptions, startPortal, type TestPortal } from '../portal/portal.js';
import { login } from '../users/authenticator.js';
import { type Person, people } from '../users/people.js';

/** Ana is Patient/1, and acts for others; Leo and Mia have records without accounts. */
export const family = {
  admin: people.admin,
  secondAdmin: { ...people.admin, email: 'bea.admin@example.org', fullName: 'Bea Admin' },
  ana: { ...people.patient, fullName: 'Ana Duarte' },
  noah: people.otherPatient,
} satisfies Record<string, Person>;

/** A FHIR server that has Patient resources. */
export interface PatientServer {
  /** Patients by id, and answers to searches by their address (`Condition?patient=leo`). */
  records: Map<string, object>;
  /** Statuses that the server answers in the place of a resource, by its id; 0 for no answer. `*`: of all. */
  failing: Map<string, number>;
  upstream: Upstream;
  /** Has a Patient with this birth date. */
  has(id: string, patient?: object): void;
}

export interface FamilyPortal extends TestPortal, PatientServer {
  as(person: Person, node?: number): Promise<Agent>;
  accountId(person: Person): Promise<string>;
}

interface FamilyOptions extends PortalOptions {
  /** Ids of tenants, which have the same records. */
  tenants?: string[];
  /** Further types that the FHIR server has. */
  types?: string[];
}

const tenantAt = (upstream: Upstream, id: string) => ({
  ...{ id, name: id, baseUrl: `${upstream.url}/${id}`, credentials: { type: 'none' } },
});

/** A FHIR server that has Leo and Mia, and the records of Ana and Noah. */
export async function startPatientServer(types: readonly string[] = []): Promise<PatientServer> {
  const records = new Map<string, object>();
  const failing = new Map<string, number>();
  const upstream = await startUpstream(({ url = '' }, response) => {
    const id = url.split('/').at(-1) ?? '';
    const record = records.get(id);
    if (url.endsWith('/metadata')) return sendFhir(response, metadataOf(types));
    const failure = failing.get(id) ?? failing.get('*');
    if (failure === 0) return;
    if (failure !== undefined) return sendFhir(response, { resourceType: 'OperationOutcome', issue: [] }, failure);
    const { searchParams } = new URL(url, 'http://server');
    const found = records.get(searchParams.get('_id') ?? '');
    if (searchParams.has('_id')) return sendFhir(response, searchset(found ? [found] : []));
    if (/\/(Patient\?(identifier|birthdate)=|RelatedPerson\?patient=)/.test(url)) {
      return sendFhir(response, searchset(searched(records, url)));
    }
    if (url.includes('?')) return sendFhir(response, record ?? searchset([]));
    return sendFhir(response, record ?? { resourceType: 'OperationOutcome', issue: [] }, record ? 200 : 404);
  });
  const has = (id: string, patient: object = {}) => {
    records.set(id, { resourceType: 'Patient', id, birthDate: '2020-05-10', name: [{ text: nameOf(id) }], ...patient });
  };
  for (const id of ['leo', 'mia']) has(id);
  has('1', { birthDate: '1990-01-01', name: [{ text: 'Ana Duarte' }] });
  has('2', { birthDate: '1948-01-01', name: [{ text: 'Noah Reed' }] });
  return { records, failing, upstream, has };
}

/** A portal in which accounts act for patients, with a FHIR server that has Patient resources. */
export async function startFamilyPortal({
  tenants = [],
  types = [],
  ...options
}: FamilyOptions = {}): Promise<FamilyPortal> {
  const server = await startPatientServer(types);
  const { upstream } = server;
  const portal = await startPortal({
    ...options,
    config: {
      users: Object.values(family),
      fhir: { baseUrl: upstream.url, tenants: tenants.map((id) => tenantAt(upstream, id)) },
      locale: { timeZone: 'Europe/Amsterdam' },
      representation: {},
      ...options.config,
    },
  });
  return {
    ...portal,
    ...server,
    async as(person, node = 0) {
      const agent = new Agent(portal.issuer, portal.ports[node]);
      await login(agent, person);
      return agent;
    },
    async accountId({ email }) {
      const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
      return row?.id ?? '';
    },
    async close() {
      await portal.close();
      upstream.close();
    },
  };
}

/** Makes an account one that only acts for others, as an invitation does. */
export async function makeRepresentative(portal: FamilyPortal, person: Person): Promise<void> {
  await portal.query("UPDATE account SET user_type = 'RelatedPerson', claims = '[]' WHERE email = $1", [person.email]);
}

const nameOf = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)} Duarte`;

const usualTypes = ['Patient', 'Observation', 'Condition', 'Immunization', 'MedicationRequest', 'Practitioner'];

const metadataOf = (types: readonly string[]) => ({
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [...usualTypes, ...types].map((type) => ({
        type,
        searchParam: [{ name: 'patient', type: 'reference' }],
      })),
    },
  ],
});

/** Answers the searches of requests: by identifier, by birth date and name, and the RelatedPerson of a patient. */
function searched(records: Map<string, object>, url: string): object[] {
  const { pathname, searchParams: query } = new URL(url, 'http://server');
  const type = pathname.split('/').at(-1);
  return [...records.values()].filter((record) => {
    const { resourceType, identifier, birthDate, name, patient } = record as Record<string, unknown>;
    const has = (parameter: string, value: unknown) =>
      !query.has(parameter) || JSON.stringify(value ?? '').includes(query.get(parameter) ?? '');
    return (
      resourceType === type &&
      has('identifier', identifier) &&
      has('birthdate', birthDate) &&
      has('name', name) &&
      has('patient', patient)
    );
  });
}
