import { parseSearchRequest } from '@medplum/core';
import type { Bundle, Patient } from '@medplum/fhirtypes';
import { generateDemoData } from '../../demo/data/generate.js';
import { loadDefinitions } from '../../demo/fhir-server/definitions.js';
import { createDemoRepository } from '../../demo/fhir-server/demo-repository.js';

beforeAll(loadDefinitions);

const idsOf = ({ entry = [], total }: Bundle) => ({ ids: entry.map(({ resource }) => resource?.id), total });

describe('A repository of the demo', () => {
  it.each([
    'Patient',
    'Patient?name=an&_sort=-birthdate&_count=5&_offset=5',
    'Patient?gender=male',
    'Patient?gender=FEMALE,male&_count=7',
    'Patient?gender:not=male',
    'Patient?active=true&_count=3',
    'Patient?_id=1,2,17',
    'Patient?_id=a"quoted\\,one',
    'Patient?organization:missing=true',
    'Patient?_id=|1',
    'Observation?patient=Patient/1',
    'Observation?patient=Patient/1,Patient/12&_sort=-date&_count=9',
    'Observation?subject=Patient/0',
    'Observation?code=http://loinc.org|8867-4',
    'Observation?code=http://loinc.org|',
    'Observation?code=|8867-4',
    'Observation?code=8867-4&patient=Patient/3&date=ge2020',
    'Observation?category=vital-signs&patient=Patient/3',
    'Encounter?patient=Patient/2&_sort=date',
  ])('answers %s as the engine does', async (search) => {
    const repository = await createDemoRepository();
    const engine = Object.getPrototypeOf(Object.getPrototypeOf(repository));
    const expected = await engine.search.call(repository, parseSearchRequest(search));
    expect(idsOf(await repository.search(parseSearchRequest(search)))).toEqual(idsOf(expected));
  });

  it('shows no change of another one', async () => {
    const [mine, other] = [await createDemoRepository(), await createDemoRepository()];
    const patient = await mine.readResource<Patient>('Patient', '1');
    await mine.updateResource({ ...patient, active: false });
    await mine.deleteResource('Patient', '2');
    await mine.createResource({ resourceType: 'Patient', id: 'new' });
    expect(idsOf(await mine.search(parseSearchRequest('Patient?active=false')))).toEqual({ ids: ['1'], total: 1 });
    expect((await mine.readHistory('Patient', '1')).entry).toHaveLength(2);
    expect(await other.readResource('Patient', '1')).toEqual(patient);
    expect((await other.readHistory('Patient', '1')).entry).toHaveLength(1);
    expect(other.size).toBe(generateDemoData().length);
    await expect(other.readResource('Patient', 'new')).rejects.toThrow();
  });
});
