/** The forms in which an administrator names a record of a FHIR server. */
import type { FhirBase } from '../../../src/platform/config/fhir-bases.js';
import { readNamedRecord } from '../../../src/platform/config/named-record.js';

const base = (tenant: string | undefined, url: string, baseUrl: string): FhirBase => ({
  tenant: tenant === undefined ? undefined : { id: tenant, name: tenant },
  url,
  path: '/fhir',
  server: {
    baseUrl,
    credentials: { type: 'none' },
    aliases: tenant === undefined ? ['http://alias/fhir'] : [],
    exportStores: [],
  },
  testPatients: [],
});
const bases = [
  base(undefined, 'https://portal.example/fhir', 'http://server:8080/fhir'),
  base('north', 'https://portal.example/fhir/north', 'http://north:8080/fhir'),
];
const read = (text: string) => readNamedRecord(text, bases);

it.each([
  ['1', undefined],
  [' 1 ', undefined],
  ['Patient/1', 'Patient'],
  ['/Patient/1', 'Patient'],
  ['Patient/1/', 'Patient'],
  ['Patient/1/_history/3', 'Patient'],
  ['Patient%2F1', 'Patient'],
  ['"Patient/1",', 'Patient'],
  ['“Patient/1”', 'Patient'],
])('%s names the record 1, of no certain base', (text, type) => {
  expect(read(text)).toEqual({ type, id: '1', tenant: undefined });
});

it.each([
  ['https://portal.example/fhir/Patient/1', null],
  ['https://portal.example/fhir/Patient/1/_history/3', null],
  ['HTTPS://Portal.Example:443/fhir/Patient/1', null],
  ['https://portal.example/fhir/Patient/1?_format=json#top', null],
  ['<https://portal.example/fhir/Patient/1>', null],
  ['http://server:8080/fhir/Patient/1', null],
  ['http://alias/fhir/Patient/1', null],
  ['https://portal.example/fhir/north/Patient/1', 'north'],
  ['http://north:8080/fhir/Patient/1/_history/3', 'north'],
])('%s names the record 1 of a base', (text, tenant) => {
  expect(read(text)).toEqual({ type: 'Patient', id: '1', tenant });
});

it.each([
  'https://other.example/fhir/Patient/1',
  'https://portal.example/fhirother/Patient/1',
  'http://portal.example/fhir/Patient/1',
])('%s is elsewhere', (text) => {
  expect(read(text)).toBe('elsewhere');
});

it.each([
  '',
  '..',
  'a b',
  'Patient/',
  'Patient/1/Observation',
  'Patient?identifier=1',
  'https://portal.example/fhir/south/Patient/1',
  'https://portal.example/fhir',
  `${'1'.repeat(65)}`,
  'urn:uuid:7c1c0f9e-1f0a-4b3c-8f53-0e2f2b1e8d11',
  '%E0%A4%A',
])('%s names no record', (text) => {
  expect(read(text) === 'elsewhere' ? undefined : read(text)).toBeUndefined();
});
