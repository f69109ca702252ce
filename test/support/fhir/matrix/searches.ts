import { categorySystem, type Stored } from '../dialect-server/records.js';
import type { App, AppRequest } from './app.js';
import type { View } from './view.js';

type Fits = (resource: Stored) => boolean;

const subjectOf = (one: Stored) => (one.subject ?? one.patient) as { reference: string } | undefined;
const isOf =
  (id: string): Fits =>
  (one) =>
    subjectOf(one)?.reference === `Patient/${id}`;
const ofA = isOf('a');
const has =
  (text: string): Fits =>
  (one) =>
    ofA(one) && JSON.stringify(one).includes(text);
const isLaboratory = has('"laboratory"');

/** A search for what fits, with what it includes. */
function search(name: string, path: string, type: string, fits?: Fits, ...included: string[]): AppRequest {
  return { name, ask: (app) => app.get(path), expected: (view) => view.search(type, fits, ...included) };
}

function posted(name: string, path: string, body: string, type: string, fits: Fits): AppRequest {
  return {
    name,
    ask: async (app) => app.told(await app.form(path, body)),
    expected: (view) => view.search(type, fits),
  };
}

const mrn = encodeURIComponent('https://hospital.example/mrn|mrn-');
const strict = { prefer: 'handling=strict' };

const conditions: AppRequest[] = [
  search('results of the patient', '/Observation?patient=a', 'Observation', ofA),
  search('results by subject', '/Observation?subject=Patient/a', 'Observation', ofA),
  {
    name: 'results by the address of the patient',
    ask: (app) => app.get(`/Observation?subject=${encodeURIComponent(`${app.base}/Patient/a`)}`),
    expected: (view) => view.search('Observation', ofA),
  },
  search('all results', '/Observation', 'Observation'),
  search('results of another patient', '/Observation?patient=b', 'Observation', isOf('b')),
  search('laboratory results', '/Observation?patient=a&category=laboratory', 'Observation', isLaboratory),
  search(
    'laboratory results by the system',
    `/Observation?patient=a&category=${encodeURIComponent(`${categorySystem}|laboratory`)}`,
    'Observation',
    isLaboratory,
  ),
  search('vital signs', '/Observation?patient=a&category=vital-signs', 'Observation', has('"vital-signs"')),
  search('two categories', '/Observation?patient=a&category=vital-signs,laboratory', 'Observation', ofA),
  search('results by code', '/Observation?patient=a&code=1002-0', 'Observation', has('1002-0')),
  search('results by date', '/Observation?patient=a&date=ge2026-03', 'Observation', (one) => {
    return ofA(one) && String(one.effectiveDateTime) >= '2026-03';
  }),
  search('results that are not cancelled', '/Observation?patient=a&status:not=cancelled', 'Observation', ofA),
  search('results by id', '/Observation?_id=a-obs-1,b-obs-1', 'Observation', ({ id }) => /-obs-1$/.test(id)),
  search('results of an encounter', '/Observation?encounter=Encounter/a-enc', 'Observation', ofA),
  search('results of an encounter of another patient', '/Observation?encounter=b-enc', 'Observation', isOf('b')),
  search('sorted results', '/Observation?patient=a&_sort=-date', 'Observation', ofA),
  search('JSON asked for by _format', '/Observation?patient=a&_format=json', 'Observation', ofA),
  search('all patients', '/Patient', 'Patient'),
  search('the patient by number', `/Patient?identifier=${mrn}a`, 'Patient', ({ id }) => id === 'a'),
  search('another patient by number', `/Patient?identifier=${mrn}b`, 'Patient', ({ id }) => id === 'b'),
  search('a patient by name', '/Patient?family=Baker', 'Patient', ({ id }) => id === 'b'),
  search('a patient by id', '/Patient?_id=a', 'Patient', ({ id }) => id === 'a'),
  search('allergies', '/AllergyIntolerance?patient=Patient/a', 'AllergyIntolerance', ofA),
  search('documents', '/DocumentReference?patient=a', 'DocumentReference', ofA),
  search('conditions of an encounter', '/Condition?encounter=a-enc', 'Condition', ofA),
  search('practitioners', '/Practitioner?family=Doctor', 'Practitioner'),
  search('appointments', '/Appointment?patient=a', 'Appointment'),
  {
    name: 'appointments by another patient',
    ask: (app) => app.get('/Appointment?actor=Patient/b'),
    expected: (view) => view.search('Appointment', () => !view.isLimited),
  },
  search('where results come from', '/Provenance?target=Observation/a-obs-1', 'Provenance', ({ id }) => id === 'a-pro'),
  search('audit events', '/AuditEvent?patient=a', 'AuditEvent'),
];

const ways: AppRequest[] = [
  posted('a search by POST', '/Observation/_search', 'subject=Patient%2Fa', 'Observation', ofA),
  posted(
    'a search by POST in both places',
    '/Observation/_search?category=laboratory',
    'patient=a',
    'Observation',
    isLaboratory,
  ),
  posted('a search by POST for another patient', '/Observation/_search', 'patient=b', 'Observation', isOf('b')),
  search('a search in the record', '/Patient/a/Observation?category=laboratory', 'Observation', isLaboratory),
  search('a search in the record of another', '/Patient/b/Observation', 'Observation', isOf('b')),
  posted(
    'a search by POST in the record',
    '/Patient/a/Observation/_search',
    'code=1002-0',
    'Observation',
    has('1002-0'),
  ),
  search('a search of conditions in the record', '/Patient/a/Condition', 'Condition', ofA),
  {
    name: 'a search that the server does not know, strictly',
    ask: async (app) => app.told(await app.withHeaders('/Observation?patient=a&colour=red', strict)),
    expected: () => '400',
  },
  {
    name: 'a search that the server does not know',
    ask: (app) => app.get('/Observation?patient=a&colour=red'),
    // Ignored by a server (FHIR R4 §3.1.1.4), which would widen a limited answer.
    expected: (view) => (view.isLimited ? '400' : view.search('Observation', ofA)),
  },
  {
    name: 'HEAD of a search',
    ask: async (app) => `${(await app.fetch('/Observation?patient=a', { method: 'HEAD' })).status}`,
    expected: () => '200',
  },
  ...['/Observation?_filter=x', '/Observation?_list=list', '/?_type=Observation', '/_search?_type=Patient'].map(
    (path): AppRequest => ({
      name: `the search ${path}`,
      ask: async (app) => (/^40[03]$/.test(await app.get(path)) ? 'refused' : 'answered'),
      expected: () => 'refused',
    }),
  ),
];

const pages: AppRequest[] = [
  ...['patient=a', 'subject=Patient/a', 'patient=a&category=laboratory'].map(
    (query): AppRequest => ({
      name: `all pages of ${query}`,
      ask: (app) => app.walk(`/Observation?${query}&_count=2`),
      expected: (view) => view.search('Observation', query.includes('laboratory') ? isLaboratory : ofA),
    }),
  ),
  {
    name: 'all pages of all results',
    ask: (app) => app.walk('/Observation?_count=3'),
    expected: (view) => view.search('Observation'),
  },
  {
    name: 'all pages of a search by POST',
    async ask(app) {
      const first = await app.form('/Observation/_search', 'patient=a&_count=3');
      const body = JSON.parse(await app.checkedText(first)) as { link?: { relation: string; url: string }[] };
      const next = body.link?.find(({ relation }) => relation === 'next')?.url;
      return next === undefined ? `${first.status} !no page` : (await app.walk(next)).replace(/ !self.*/, '');
    },
    expected: (view) => view.search('Observation', (one) => ofA(one) && !/[123]$/.test(one.id)),
  },
];

const included: AppRequest[] = [
  search('with the patient', '/Observation?patient=a&_include=Observation:subject', 'Observation', ofA, 'Patient/a'),
  search(
    'with the patient by its type',
    '/Observation?patient=a&_include=Observation:subject:Patient',
    'Observation',
    ofA,
    'Patient/a',
  ),
  search(
    'with the encounter',
    '/Observation?patient=a&_include=Observation:encounter',
    'Observation',
    ofA,
    'Encounter/a-enc',
  ),
  search(
    'with the performer',
    '/Observation?patient=a&_include=Observation:performer',
    'Observation',
    ofA,
    'Practitioner/dr',
  ),
  search(
    'with two',
    '/Observation?patient=a&_include=Observation:performer&_include=Observation:subject',
    'Observation',
    ofA,
    'Practitioner/dr',
    'Patient/a',
  ),
  search(
    'with the medication',
    '/MedicationRequest?patient=a&_include=MedicationRequest:medication',
    'MedicationRequest',
    ofA,
    'Medication/pill',
  ),
  search(
    'with results of the report',
    '/DiagnosticReport?patient=a&_include=DiagnosticReport:result',
    'DiagnosticReport',
    ofA,
    'Observation/a-obs-1',
  ),
  search(
    'with the medical staff of the patient',
    '/Patient?_id=a&_include=Patient:general-practitioner',
    'Patient',
    ({ id }) => id === 'a',
    'Practitioner/dr',
  ),
  reverse('with where it comes from', 'Observation', 'patient=a', 'Provenance:target', ofA, ['Provenance/a-pro']),
  reverse(
    'an encounter with its results',
    'Encounter',
    'patient=a',
    'Observation:encounter',
    ofA,
    [1, 2, 3, 4, 5, 6, 7].map((index) => `Observation/a-obs-${index}`),
  ),
  reverse('patients with their allergies', 'Patient', '_id=a,b', 'AllergyIntolerance:patient', undefined, [
    'AllergyIntolerance/a-all',
    'AllergyIntolerance/b-all',
  ]),
];

/** What refers to a match is searched for, which takes a scope. */
function reverse(
  name: string,
  type: string,
  query: string,
  by: string,
  fits: Fits | undefined,
  more: string[],
): AppRequest {
  const [referring = ''] = by.split(':');
  return {
    name,
    ask: (app) => app.get(`/${type}?${query}&_revinclude=${by}`),
    expected: (view) => (view.may(referring, 's') ? view.search(type, fits, ...more) : '403'),
  };
}

/** A condition on other resources tells of these, so it takes scopes for all of them (decision 0007). */
function chained(name: string, path: string, types: string[], type: string, fits: Fits): AppRequest {
  return {
    name,
    ask: (app) => app.get(path),
    expected: (view) => (types.every((one) => view.mayAll(one, 's')) ? view.search(type, fits) : '403'),
  };
}

const chains: AppRequest[] = [
  chained(
    'results of a patient by name',
    '/Observation?subject:Patient.family=Able',
    ['Observation', 'Patient'],
    'Observation',
    ofA,
  ),
  chained(
    'results of a patient by number',
    `/Observation?patient.identifier=${mrn}a`,
    ['Observation', 'Patient'],
    'Observation',
    ofA,
  ),
  chained(
    'results by the name of a practitioner',
    '/Observation?performer:Practitioner.family=Doctor',
    ['Observation', 'Practitioner'],
    'Observation',
    () => true,
  ),
  chained(
    'patients who have a result',
    '/Patient?_has:Observation:patient:code=1002-0',
    ['Observation', 'Patient'],
    'Patient',
    () => true,
  ),
  chained(
    'patients with an encounter',
    '/Patient?_has:Encounter:patient:status=finished&_id=a',
    ['Encounter', 'Patient'],
    'Patient',
    ({ id }) => id === 'a',
  ),
];

function counted(query: string, fits: Fits): AppRequest {
  return {
    name: `the number of results for ${query}`,
    ask: (app) => app.count(`/Observation?${query}`),
    expected: (view) => view.count('Observation', fits),
  };
}

/** With fewer elements the answer has the same resources. */
function trimmed(name: string, query: string, ...more: string[]): AppRequest {
  return search(name, `/Observation?patient=a&${query}`, 'Observation', ofA, ...more);
}

async function elementsOf(app: App, path: string): Promise<string> {
  const body = JSON.parse(await app.checkedText(await app.fetch(path))) as {
    entry?: { resource: Record<string, unknown> }[];
  };
  const [first] = body.entry ?? [];
  return `${first?.resource.code !== undefined} ${first?.resource.valueQuantity !== undefined}`;
}

const forms: AppRequest[] = [
  counted('patient=a&_summary=count', ofA),
  counted('patient=a&_count=0', ofA),
  counted('patient=b&_summary=count', isOf('b')),
  counted('category=laboratory&_count=0&_total=accurate', (one) => JSON.stringify(one).includes('"laboratory"')),
  trimmed('with a total', '_total=accurate'),
  trimmed('with some elements', '_elements=code'),
  trimmed('with a summary', '_summary=true'),
  trimmed('with the text', '_summary=text'),
  trimmed('without the text', '_summary=data'),
  trimmed('some elements, with the patient', '_elements=code&_include=Observation:subject', 'Patient/a'),
  {
    name: 'some elements, with the encounter',
    ask: (app) => app.get('/Observation?patient=a&_elements=code&_include=Observation:encounter:Encounter'),
    // A type that the request names takes a scope.
    expected: (view) => (view.may('Encounter', 'r') ? view.search('Observation', ofA, 'Encounter/a-enc') : '403'),
  },
  trimmed('a summary, with the patient', '_summary=true&_include=Observation:subject:Patient', 'Patient/a'),
  trimmed('the text, with the performer', '_summary=text&_include=Observation:performer', 'Practitioner/dr'),
  {
    name: 'only the elements that were asked for',
    ask: (app) => elementsOf(app, '/Observation?patient=a&_elements=code'),
    expected: () => 'true false',
  },
  {
    name: 'some elements, with where it comes from',
    ask: (app) => app.get('/Observation?patient=a&_elements=code&_revinclude=Provenance:target'),
    expected: (view: View) =>
      view.may('Provenance', 's') ? view.search('Observation', ofA, 'Provenance/a-pro') : '403',
  },
  {
    name: 'a total of more than a page',
    async ask(app) {
      const response = await app.fetch('/Observation?patient=a&_count=2&_total=accurate');
      const { total } = JSON.parse(await app.checkedText(response)) as { total?: number };
      return `${response.status} total ${total ?? 'unknown'}`;
    },
    expected: (view, { total }) => {
      // Oracle Health tells none.
      if (total === 'never' && !view.isLimited) return '200 total unknown';
      return view.count('Observation', ofA);
    },
  },
];

export const searches: readonly AppRequest[] = [...conditions, ...ways, ...pages, ...included, ...chains, ...forms];
