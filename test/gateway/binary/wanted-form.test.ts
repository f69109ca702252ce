import { isAccepted, printRanges, wantedForm } from '../../../src/gateway/domain/binary/wanted-form.js';
import { decisionOf } from '../../support/fhir/refusals.js';

const printed = (accept: string | undefined, parameters: [string, string][] = []) => {
  const wanted = wantedForm({ accept }, parameters);
  return `${printRanges(wanted)}${wanted.resource ? ' or FHIR JSON' : ''}`;
};

describe('the wanted form of a Binary', () => {
  test.each([
    [undefined, '*/*'],
    [' ', '*/*'],
    ['*/*', '*/*'],
    ['application/pdf', 'application/pdf'],
    ['Application/PDF;version=1.7', 'application/pdf'],
    ['application/xml', 'application/xml'],
    ['image/png,image/*;q=0.8,*/*;q=0.5', 'image/png, image/*;q=0.8, */*;q=0.5'],
    ['image/png; q=0.8; a=b', 'image/png;q=0.8'],
    ['image/png; Q = 0.8', 'image/png;q=0.8'],
    ['image/png;q=7', 'image/png'],
    ['image/png;q=., text/plain', 'image/png;q=0, text/plain'],
    ['image/png, nonsense, */png, a b/c', 'image/png'],
    ['application/json', ' or FHIR JSON'],
    ['application/fhir+json', ' or FHIR JSON'],
    ['application/fhir+json; fhirVersion=4.0', ' or FHIR JSON'],
    ['application/json, text/plain, */*', ' or FHIR JSON'],
    ['text/plain, application/json;q=0.9', 'text/plain or FHIR JSON'],
    ['application/fhir+xml, application/fhir+json;q=0.1', ' or FHIR JSON'],
    ['application/fhir+json;q=0, application/pdf', 'application/pdf'],
  ])('of %j is %s', (accept, expected) => {
    expect(printed(accept)).toBe(expected);
  });

  test('is the resource if a format is named', () => {
    expect(printed('application/pdf', [['_format', 'json']])).toBe(' or FHIR JSON');
    expect(printed('application/pdf', [['_pretty', 'true']])).toBe('application/pdf');
  });

  test.each(['application/fhir+xml', 'nonsense', '*/*;q=0', 'application/fhir+json;q=0', 'text/plain;q=0.0'])(
    'is none of %s',
    (accept) => {
      expect(decisionOf(() => wantedForm({ accept }, []))).toBe('406 not-supported: No form of a Binary is accepted.');
    },
  );

  test.each([
    ['*/*', 'application/pdf', true],
    ['application/*', 'Application/PDF; a=b', true],
    ['application/*', 'image/png', false],
    ['image/png', 'image/png', true],
    ['image/png', 'image/gif', false],
    ['image/png;q=0, image/*', 'image/png', false],
    ['image/png;q=0, image/*', 'image/gif', true],
    ['*/*, image/*;q=0', 'image/gif', false],
    ['*/*;q=0, image/*', 'image/gif', true],
    ['image/gif;q=0, image/gif', 'image/gif', true],
    ['*/*', 'nonsense', true],
    ['image/*', 'nonsense', false],
  ])('%s accepts %s: %s', (accept, type, expected) => {
    expect(isAccepted(type, wantedForm({ accept }, []))).toBe(expected);
  });
});
