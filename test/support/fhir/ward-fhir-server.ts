import { startUpstream, type Upstream } from './gateway.js';

const patient = (id: string, given: string, family: string, birthDate: string, recordNumber: string) => ({
  resourceType: 'Patient',
  id,
  birthDate,
  name: [{ use: 'official', given: [given], family }],
  identifier: [{ type: { coding: [{ code: 'MR' }] }, value: recordNumber }],
});

const patients = [
  patient('sofia', 'Sofia', 'Lindgren', '1989-01-27', 'NB231007'),
  patient('luca', 'Luca', 'Demoray', '1971-03-03', 'NB204118'),
  patient('noah', 'Noah', 'Reed', '1990', 'NB310442'),
  patient('mabel', 'Mabel', 'Okafor-Blackwood-Richardson', '1932-11-30', 'NB100001'),
];

const visit = (id: string, of: string, text: string, start: string, status = 'finished') => ({
  resourceType: 'Encounter',
  id,
  status,
  class: { code: 'IMP', display: 'inpatient' },
  type: [{ text }],
  period: { start },
  subject: { reference: `Patient/${of}` },
});

/** In no order, as from a server that does not sort. */
const visits = [
  visit('check-up', 'sofia', 'Check-up', '2025-10-31T08:30:00Z'),
  visit('emergency', 'sofia', 'Emergency department', '2026-11-19T03:20:00Z'),
  visit('ward', 'sofia', 'Cardiology ward 3B', '2026-11-18T10:00:00Z', 'in-progress'),
  visit('echo', 'sofia', 'Echocardiography', '2025-10-31T13:40:00Z'),
  visit('only', 'luca', 'Annual check', '2026-05-18T08:30:00Z'),
  // More than one page; the visit in progress is the oldest one.
  ...Array.from({ length: 59 }, (_, index) =>
    visit(`m${index}`, 'mabel', `Visit ${index}`, `20${String(85 - index).padStart(2, '0')}-01-01T08:00:00Z`),
  ),
  visit('stay', 'mabel', 'Long-term care', '2001-01-01T08:00:00Z', 'in-progress'),
];

const param = (name: string) => ({ name });
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [
        { type: 'Patient', searchParam: ['family', 'name'].map(param) },
        { type: 'Encounter', searchParam: ['patient', 'status', 'date'].map(param) },
      ],
    },
  ],
};

export interface WardFhirServer extends Upstream {
  /** Answers searches of this type with 500. */
  failing: string | undefined;
}

/** A FHIR server with patients on a ward and their visits, in pages. */
export async function startWardFhirServer(): Promise<WardFhirServer> {
  const server = { failing: undefined } as WardFhirServer;
  const upstream = await startUpstream(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const type = pathname.split('/').at(-1) ?? '';
    if (type === server.failing) return response.writeHead(500).end();
    const answer = (body: object) =>
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
    if (type === 'metadata') return answer(metadata);
    const all = type === 'Encounter' ? visits : patients;
    const matches = (one: (typeof visits)[number] | (typeof patients)[number]) => {
      const [of, status, id] = ['patient', 'status', '_id'].map((name) => searchParams.get(name));
      const isOf = !of || ('subject' in one && one.subject.reference === `Patient/${of}`);
      return isOf && (!status || ('status' in one && one.status === status)) && (!id || one.id === id);
    };
    const found = all.filter(matches);
    const [size, from] = [Number(searchParams.get('_count') ?? 50), Number(searchParams.get('_offset') ?? 0)];
    searchParams.set('_offset', String(from + size));
    const link = from + size < found.length ? [{ relation: 'next', url: `${pathname}?${searchParams}` }] : [];
    const entry = found.slice(from, from + size).map((resource) => ({ resource }));
    return answer({ resourceType: 'Bundle', type: 'searchset', link, entry });
  });
  return Object.assign(server, upstream);
}
