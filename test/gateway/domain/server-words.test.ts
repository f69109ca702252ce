import { outcomeWithoutAddresses, withoutAddresses } from '../../../src/gateway/domain/server-words.js';

const known = {
  ours: 'https://login.hospital.example/fhir',
  hosts: ['fhir.internal', '10.0.0.7', 'hapi'],
  request: '/Patient {"meta":{"profile":["http://clinic.example/profile/p"]}}',
};

describe('the words of a FHIR server', () => {
  test.each([
    ['Failed to call http://terminology.example:9090/fhir/$expand?x=1.', 'Failed to call ….'],
    ['Failed to call jdbc:postgresql://db.internal:5432/fhir', 'Failed to call jdbc:…'],
    ['No route to fhir.internal', 'No route to …'],
    ['No route to FHIR.internal:8080, retry', 'No route to …, retry'],
    ['hapi is busy', '… is busy'],
    ['connect ECONNREFUSED 10.1.2.3:5432', 'connect ECONNREFUSED …'],
    ['connect 10.1.2.3', 'connect …'],
    ['localhost:9200 and localhost', '… and …'],
    ['redis.cache.svc answers [fd00::7]:6379', '… answers …'],
    ['search.example:9200 is down', '… is down'],
  ])('name no address and no host: %s', (words, expected) => {
    expect(withoutAddresses(words, known)).toBe(expected);
  });

  test.each([
    'HAPI-0450: Failed to parse: com.fasterxml.jackson.core.JsonParseException at Patient.name.family',
    'Unknown code system http://loinc.org, or http://hl7.org/fhir/us/core/ValueSet/x, see https://terminology.hl7.org/y.',
    'https://login.hospital.example/fhir/Patient/1 is gone.',
    'Profile http://clinic.example/profile/p is not known.',
    'urn:oid:2.16.840.1.113883.6.1 at 12:30, line 5:12',
    'chapimedical',
  ])('stay as they are: %s', (words) => {
    expect(withoutAddresses(words, known)).toBe(words);
  });

  test('are all those of an OperationOutcome, without what names a definition', () => {
    const coding = [{ system: 'http://codes.example/system', code: 'x', display: 'at 10.0.0.9' }];
    const outcome = { resourceType: 'OperationOutcome', issue: [{ diagnostics: 'at 10.0.0.9', details: { coding } }] };
    expect(JSON.parse(outcomeWithoutAddresses(JSON.stringify(outcome), known))).toEqual({
      resourceType: 'OperationOutcome',
      issue: [{ diagnostics: 'at …', details: { coding: [{ ...coding[0], display: 'at …' }] } }],
    });
  });
});
