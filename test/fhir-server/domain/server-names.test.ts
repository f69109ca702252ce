import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';

const inner = 'http://fhir.internal:8080/r4';
const proxy = 'https://fhir.hospital.example/api/r4';
const ours = 'https://login.hospital.example/fhir';
const north = 'http://fhir.internal:8080/north';
const server = new ServerNames(inner, [proxy], ours, [north]);

describe('a reference', () => {
  test.each([
    ['Patient/1', 'Patient/1'],
    [`${inner}/Patient/1`, 'Patient/1'],
    [`${proxy}/Patient/1/_history/2`, 'Patient/1/_history/2'],
    [`${ours}/Patient/1`, 'Patient/1'],
    ['HTTP://FHIR.Internal:8080/r4/Patient/1', 'Patient/1'],
    ['https://fhir.internal:8080/r4/Patient/1', 'Patient/1'],
    ['https://fhir.hospital.example:443/api/r4/Patient/1', 'Patient/1'],
    ['http://fhir.hospital.example/api/r4/Patient/1', 'Patient/1'],
  ])('at one of the names is local: %s', (reference, expected) => {
    expect(server.local(reference)).toBe(expected);
  });

  test.each([
    'http://fhir.internal:8081/r4/Patient/1',
    'http://fhir.internal/r4/Patient/1',
    'http://fhir.internal:8080/R4/Patient/1',
    'http://fhir.internal:8080/r4b/Patient/1',
    'http://fhir.internal:8080/Patient/1',
    'http://fhir.internal:8080/r4/../r4/Patient/1'.replace('r4/..', 'x/..'),
    'http://user@fhir.internal:8080/r4/Patient/1',
    'http://fhir.internal.evil.example:8080/r4/Patient/1',
    'HTTP://FHIR.internal:8080/r4/Patient/1?x',
    'HTTP://FHIR.internal:8080/r4/Patient/1#x',
    'HTTP://fhir.internal:x/r4/Patient/1',
    'ftp://fhir.internal:8080/r4/Patient/1',
    'urn:uuid:1',
    'https://login.hospital.example/Patient/1',
    '/r4/Patient/1',
  ])('elsewhere, or in a spelling that FHIR does not have, stays as it is: %s', (reference) => {
    expect(server.local(reference)).toBe(reference);
  });
});

describe('the target of a link', () => {
  test.each([
    [`${inner}/Observation?page=2`, '/Observation?page=2'],
    [`${inner}?_getpages=1`, '?_getpages=1'],
    [`${proxy}/Observation?page=2`, '/Observation?page=2'],
    [`${ours}/Observation?page=2`, '/Observation?page=2'],
    ['HTTPS://FHIR.hospital.example:443/api/r4?x', '?x'],
    ['//fhir.internal:8080/r4/Observation?page=2', '/Observation?page=2'],
    ['http://user:secret@fhir.internal:8080/r4?x', '?x'],
    ['Observation?page=2', '/Observation?page=2'],
    ['_snapshot?id=1', '/_snapshot?id=1'],
    ['?ct=abc%3D', '/Observation?ct=abc%3D'],
    ['/r4/Observation?page=2', '/Observation?page=2'],
    ['/r4?_getpages=1', '?_getpages=1'],
    ['/api/r4/Observation?page=2', '/Observation?page=2'],
    ['/fhir/Observation?page=2', '/Observation?page=2'],
    ['/Observation?page=2', '/Observation?page=2'],
    ['/_page?x', '/_page?x'],
  ])('is below the base, by any name and in any form: %s', (link, target) => {
    expect(server.targetOf(link, '/Observation?patient=1')).toBe(target);
  });

  test.each([
    ['http://fhir.internal:8080/paging/abc?page=2', 'http://fhir.internal:8080/paging/abc?page=2'],
    ['http://fhir.internal:8080/r4b?x', 'http://fhir.internal:8080/r4b?x'],
    ['http://fhir.internal:8080/r4/../paging?x', 'http://fhir.internal:8080/paging?x'],
    ['https://fhir.hospital.example/api/paging?x', 'http://fhir.internal:8080/paging?x'],
    ['/paging/abc?page=2', 'http://fhir.internal:8080/paging/abc?page=2'],
  ])('is an address at the origin of the base where it is outside of the base: %s', (link, target) => {
    expect(server.targetOf(link, '/Observation')).toBe(target);
  });

  test.each([
    ['?page=3', 'http://fhir.internal:8080/paging/abc?page=3'],
    ['def?page=3', 'http://fhir.internal:8080/paging/def?page=3'],
    ['Observation?page=3', '/Observation?page=3'],
  ])('is relative to the page with it: %s', (link, target) => {
    expect(server.targetOf(link, 'http://fhir.internal:8080/paging/abc?page=2')).toBe(target);
  });

  test.each([
    'http://evil.example/r4?x',
    '//evil.example/r4?x',
    '/\\evil.example/r4?x',
    'http://fhir.internal:8080@evil.example/r4?x',
    'http://fhir.internal:80/r4?x',
    'https://fhir.hospital.example/other?x',
    'https://login.hospital.example/account',
    `${north}/Observation?x`,
    'http://fhir.internal:8080/r4/../north/Observation?x',
    `${inner}/Observation?x#y`,
    inner,
    '',
    'http://[',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ])('is undefined where it leads elsewhere: %s', (link) => {
    expect(server.targetOf(link, '/Observation')).toBeUndefined();
  });

  test('is found for a server at the root of its host', () => {
    const atRoot = new ServerNames('http://fhir.internal:8080', ['https://fhir.hospital.example/fhir']);
    expect(atRoot.targetOf('/paging?x')).toBe('/paging?x');
    expect(atRoot.targetOf('http://fhir.internal:8080/Observation?x')).toBe('/Observation?x');
    expect(atRoot.targetOf('https://fhir.hospital.example/fhir/Observation?x')).toBe('/Observation?x');
    expect(atRoot.targetOf('https://fhir.hospital.example/Observation?x')).toBeUndefined();
    expect(atRoot.local('http://fhir.internal:8080/Patient/1')).toBe('Patient/1');
  });

  test('is found below the longer one of two names', () => {
    const nested = new ServerNames('http://fhir.internal', ['http://fhir.internal/r4']);
    expect(nested.targetOf('http://fhir.internal/r4/Observation?x')).toBe('/Observation?x');
  });
});
