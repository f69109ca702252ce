import { addressesIn, addressIn, isUrn, plainPath } from '../../../src/gateway/domain/references/addresses.js';

const bases = ['http://server:8080/r4', 'https://portal.example/fhir'];
const placed = (type: string, id: string) => ({ place: { type, id } });

describe('an address of the server', () => {
  test.each([
    'https://portal.example/fhir/Observation/1',
    'http://server:8080/r4/Observation/1',
    'HTTPS://PORTAL.EXAMPLE/fhir/Observation/1',
    'https://portal.example:443/fhir/Observation/1',
    'http://portal.example/fhir/Observation/1',
    'https://user@portal.example/fhir/Observation/1',
    'https://portal.example/FHIR/Observation/1',
    'https://portal.example//fhir//Observation//1',
    'https://portal.example/x/../fhir/./Observation/1',
    'https://portal.example/%66hir/%4fbservation%2F1',
    'https://portal.example/fhir/%254fbservation%25252F1',
    'https:\\\\portal.example\\fhir\\Observation\\1',
    '//portal.example/fhir/Observation/1',
    '/fhir/Observation/1',
    '/r4/Observation/1',
    '  https://portal.example/fhir/Observation/1 ',
    'https://portal.example/fhir/Observation/1/_history/2',
    'https://portal.example/fhir/Observation/1|2.0',
    'https://portal.example/fhir/Observation/1#part',
    'https://portal.example/fhir/Observation/1/$validate',
    'https://portal.example/fhir/Observation/1?_format=json',
    'Observation/1',
  ])('is read in any spelling: %s', (text) => {
    expect(addressIn(text, bases)).toEqual(placed('Observation', '1'));
  });

  test.each([
    'https://other.example/fhir/Observation/1',
    'https://portal.example/Observation/1',
    'https://portal.example/fhir2/Observation/1',
    'https://portal.example/rhif/Observation/1',
    `https://portal.example/fhir/O${'b'.repeat(64)}/1`,
    `https://portal.example/fhir/O${'b'.repeat(64)}?x`,
    'https://portal.example:8443/fhir/Observation/1',
    'ftp://portal.example/fhir/Observation/1',
    'https://portal.example/fhir',
    'https://portal.example/fhir/',
    'https://portal.example/fhir/metadata',
    'https://portal.example/fhir/tenant/Observation/1',
    'https://portal.example/fhir/Observation',
    'https://[broken/fhir/Observation/1',
    'urn:uuid:1',
    '',
  ])('is not: %s', (text) => {
    expect(addressIn(text, bases)).toBeUndefined();
  });

  test.each([
    'https://portal.example/fhir/Observation?patient=1',
    'https://portal.example/fhir/Observation/$lastn',
    'https://portal.example/fhir/Observation/',
    `https://portal.example/fhir/Observation/${'1'.repeat(65)}`,
    'https://portal.example/fhir/Observation/a_b',
    'https://portal.example/fhir/Observation/a%ZZ',
  ])('of a type without one resource has no place: %s', (text) => {
    expect(addressIn(text, bases)).toEqual({ place: undefined });
  });

  test('is found in a text, with the end of the sentence', () => {
    const text = `See https://portal.example/fhir/Encounter/e-1.2), <a href="//server:8080/r4/List/2">, \\\\portal.example\\fhir\\Flag\\3!
      and HTTP://portal.example/fhir/Goal/4; not https://other.example/fhir/Goal/5 or Goal/6.`;
    expect(addressesIn(text, bases)).toEqual([
      placed('Encounter', 'e-1.2'),
      placed('List', '2'),
      placed('Flag', '3'),
      placed('Goal', '4'),
    ]);
    expect(addressesIn('Observation/1 a/b', bases)).toEqual([]);
    expect(addressesIn(`${'x'.repeat(10)}//${'y'.repeat(5_000)} https://portal.example/fhir/Goal/4`, bases)).toEqual([
      placed('Goal', '4'),
    ]);
  });
});

test('a path is decoded as often as it is encoded, but no more than three times', () => {
  expect(plainPath('/a%2Fb//c\\d')).toBe('/a/b/c/d');
  expect(plainPath('/%25252F')).toBe('/');
  expect(plainPath('/%2525252F')).toBe('/%2F');
  expect(plainPath('/%ZZ//%2F')).toBe('/%ZZ/%2F');
});

test('a urn is told in any case', () => {
  expect(['urn:uuid:1', 'URN:oid:1', 'xurn:', 'urn'].map(isUrn)).toEqual([true, true, false, false]);
});
