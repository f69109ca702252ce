/**
 * Kinds of requests of a patient's app: each makes the path of a request, and of a POST also its body, from what was
 * sampled of one patient on the server that is measured.
 *
 * A sample has the patient's `id` and, by type, the resources of their record, as `GET [type]?patient=` gave them.
 */
const of = (type) => (sample, index) => sample[type][index % sample[type].length];
const coded = (type) => (sample, index) => of(type)(sample, index).code.coding[0].code;
const day = (sample, index) => of('Observation')(sample, index).effectiveDateTime.slice(0, 10);
const search = (type, more) => (sample, index) => `/${type}?patient=${sample.id}${more?.(sample, index) ?? ''}`;
const instance = (type) => (sample, index) => `/${type}/${of(type)(sample, index).id}`;

export const queryShapes = {
  'read Patient': ({ id }) => `/Patient/${id}`,
  'read Observation': instance('Observation'),
  'read Condition': instance('Condition'),
  'read Encounter': instance('Encounter'),
  'read MedicationRequest': instance('MedicationRequest'),
  'read Practitioner': () => '/Practitioner/practitioner-1',
  vread: (sample, index) => `${instance('Observation')(sample, index)}/_history/1`,
  'history of one': (sample, index) => `${instance('Condition')(sample, index)}/_history`,
  'search Patient by _id': ({ id }) => `/Patient?_id=${id}`,
  'search Observation': search('Observation'),
  'search Observation by code': search('Observation', (...from) => `&code=${coded('Observation')(...from)}`),
  'search Observation by system and code': search('Observation', (sample, index) => {
    const { system, code } = of('Observation')(sample, index).code.coding[0];
    return `&code=${encodeURIComponent(`${system}|${code}`)}`;
  }),
  'search Observation by two codes': search(
    'Observation',
    (sample, index) => `&code=${coded('Observation')(sample, index)},${coded('Observation')(sample, index + 1)}`,
  ),
  'search Observation by category': search('Observation', () => '&category=vital-signs'),
  'search Observation by category and date': search(
    'Observation',
    (...from) => `&category=laboratory&date=le${day(...from)}`,
  ),
  'search Observation by date range': search('Observation', (...from) => `&date=ge2020-01-01&date=le${day(...from)}`),
  'search Observation, newest first': search('Observation', () => '&_sort=-date'),
  'search Observation, ten a page': search('Observation', () => '&_count=10'),
  'search Observation, last changed': search('Observation', () => '&_lastUpdated=ge2020-01-01'),
  'search Observation with the patient': search('Observation', () => '&_include=Observation:subject'),
  'search Observation by subject': ({ id }) => `/Observation?subject=Patient/${id}`,
  'search Condition': search('Condition'),
  'search Condition by status': search('Condition', () => '&clinical-status=active'),
  'search Encounter': search('Encounter'),
  'search MedicationRequest': search('MedicationRequest'),
  'search MedicationRequest with the medication': search(
    'MedicationRequest',
    () => '&_include=MedicationRequest:medication',
  ),
  'search Immunization': search('Immunization'),
  'search DocumentReference': search('DocumentReference'),
  'everything of the patient': ({ id }) => `/Patient/${id}/$everything?_count=50`,
  'batch of two': (sample) => ({
    path: '',
    body: {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [`Patient/${sample.id}`, `Condition?patient=${sample.id}`].map((url) => ({
        request: { method: 'GET', url },
      })),
    },
  }),
};

const sampled = ['Observation', 'Condition', 'Encounter', 'MedicationRequest'];

/** What the shapes are made from: the records of so many patients who have something of each type. */
export async function samplesOf(base, count) {
  const samples = [];
  for (let number = 1; samples.length < count; number += 1) {
    const id = String(number);
    const lists = await Promise.all(sampled.map((type) => resourcesOf(base, type, id)));
    const sample = { id, ...Object.fromEntries(sampled.map((type, index) => [type, lists[index]])) };
    if (lists.every(({ length }) => length > 0)) samples.push(sample);
  }
  return samples;
}

async function resourcesOf(base, type, patient) {
  const answer = await fetch(`${base}/${type}?patient=${patient}&_count=50`);
  if (!answer.ok) throw new Error(`the FHIR server answers a search with ${answer.status}`);
  const { entry = [] } = await answer.json();
  return entry.map(({ resource }) => resource);
}
