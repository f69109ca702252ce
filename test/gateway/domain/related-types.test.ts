import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { relatedTypesOf } from '../../../src/gateway/domain/related-types.js';
import { type TokenClaims, TokenPermissions } from '../../../src/gateway/domain/token-permissions.js';
import { decisionOf, resultOrRefusal } from '../../support/fhir/refusals.js';

const base = 'https://login.hospital.example/fhir';

function reached(pair: string): string {
  const at = pair.indexOf('=');
  const relatedTypes = resultOrRefusal(() => relatedTypesOf('Observation', [[pair.slice(0, at), pair.slice(at + 1)]]));
  if (relatedTypes instanceof Refusal) return String(relatedTypes.status);
  return relatedTypes.map(({ type, action, shown }) => `${shown ? '' : 'by '}${type}.${action}`).join(', ');
}

describe('the types that a search includes', () => {
  test.each([
    ['code=a', ''],
    ['subject:Patient=1', ''],
    ['x_include=Observation:subject', ''],
    ['a.b.c.d=x', 'by *.s, by *.s, by *.s'],
    ['_include=Observation:subject:Patient', 'Patient.r'],
    ['_include=Observation:subject', '*.r'],
    ['_revinclude=Provenance:target', 'Provenance.s'],
    ['_revinclude=Provenance:target:Observation', 'Provenance.s'],
    ['_include:iterate=Patient:general-practitioner:Practitioner', 'Practitioner.r, by Patient.r, by Practitioner.r'],
    ['subject:Patient.name=x', 'by Patient.s'],
    ['subject.name:exact=x', 'by *.s'],
    ['patient.name=x', 'by Patient.s'],
    ['patient:Group.name=x', 'by Group.s'],
    ['patients.name=x', 'by *.s'],
    ['_include=Observation:patient', '*.r'],
    ['subject:Patient.organization:Organization._id=1', 'by Patient.s, by Organization.s'],
    ['_has:Provenance:target:agent=x', 'by Provenance.s'],
    ['_has:Group:member:_has:Task:focus:status=x', 'by Group.s, by Task.s'],
    ['_has:DiagnosticReport:result:subject:Patient.name=x', 'by DiagnosticReport.s, by Patient.s'],
    ['subject._has:Observation:subject:code=x', 'by *.s, by Observation.s'],
  ])('of %s are %s', (pair, expected) => {
    expect(reached(pair)).toBe(expected);
  });

  test.each([
    '_include=*',
    '_include=Observation:*',
    '_include=*:subject',
    '_include=',
    '_include=Observation',
    '_include=Observation:subject:Patient:x',
    '_include=Observation:subject:*',
    '_include=Observation:subject,Observation:performer',
    '_include=Patient:organization',
    '_revinclude=Provenance:target:Patient',
    '_has:Provenance:target=x',
    '_has:provenance:target:agent=x',
    '_has:Provenance:target:_filter=x',
    '_has:Provenance:target:_list=x',
    '_has:*:target:agent=x',
    'subject._filter=x',
    'subject._list=x',
    'subject.name:in=http://evil.example/',
    'subject:*.name=x',
    'subject..name=x',
    '.name=x',
    'subject.=x',
    '_filter.name=x',
    'a.b.c.d.e=x',
  ])('of %s are unknown', (pair) => {
    expect(reached(pair)).toBe('400');
  });
});

test('a search parameter that is refused is named by its first 80 characters', () => {
  const name = `${'a'.repeat(70)}.${'b'.repeat(20)}`;
  expect(decisionOf(() => relatedTypesOf('Observation', [[name, 'x']]))).toBe(
    `400 not-supported: The search parameter '${name.slice(0, 80)}' is not supported like this.`,
  );
});

describe('the permission of a search to include other types', () => {
  const practitioner = { fhirUser: `${base}/Practitioner/d1` };
  const patient = { patient: 'p1' };

  function decided(pair: string, scope: string, facts: Omit<TokenClaims, 'scopes'>): number | 'may' {
    const token = new TokenPermissions({ scopes: scope.split(' '), ...facts }, base);
    const permissions = token.forRequest({ interaction: 'search', type: 'Observation', parameters: [] });
    const at = pair.indexOf('=');
    const relatedTypes = relatedTypesOf('Observation', [[pair.slice(0, at), pair.slice(at + 1)]]);
    const reached = resultOrRefusal(() => {
      for (const related of relatedTypes) token.assertPermitsRelated(related, permissions);
    });
    return reached instanceof Refusal ? reached.status : 'may';
  }

  test.each([
    ['_include=Observation:subject:Patient', 'user/Observation.s', practitioner, 403],
    ['_include=Observation:subject:Patient', 'user/Observation.s user/Patient.s', practitioner, 403],
    ['_include=Observation:subject:Patient', 'user/Observation.s user/Patient.r', practitioner, 'may'],
    ['_include=Observation:subject', 'user/Observation.s', practitioner, 'may'],
    ['_include=Observation:performer:Practitioner', 'patient/*.rs', patient, 'may'],
    ['_include=Observation:performer:Practitioner', 'patient/Observation.rs', patient, 403],
    ['performer:Practitioner.name=x', 'patient/*.rs', patient, 403],
    ['_include=Observation:subject:Patient', 'patient/*.rs', patient, 'may'],
    ['_revinclude=Provenance:target', 'user/Observation.s user/Provenance.r', practitioner, 403],
    ['_revinclude=Provenance:target', 'user/Observation.s user/Provenance.s', practitioner, 'may'],
    ['_include:iterate=Patient:link:Patient', 'patient/*.rs', patient, 403],
    ['_include:iterate=Patient:link:Patient', 'user/*.rs', practitioner, 'may'],
    ['subject:Patient.name=x', 'user/Observation.s', practitioner, 403],
    ['subject:Patient.name=x', 'user/Observation.s user/Patient.s', practitioner, 'may'],
    ['subject.name=x', 'user/Observation.s user/Patient.s', practitioner, 403],
    ['subject.name=x', 'user/*.s', practitioner, 'may'],
    ['subject:Patient.name=x', 'patient/*.rs', patient, 403],
    ['subject:Patient.name=x', 'patient/Observation.s user/Patient.s', { ...patient, ...practitioner }, 403],
    ['_has:Provenance:target:agent=x', 'user/Observation.s patient/Provenance.s', { ...patient, ...practitioner }, 403],
    ['_has:Provenance:target:agent=x', 'user/Observation.s?category=a user/Provenance.s', practitioner, 403],
    ['_has:Provenance:target:agent=x', 'user/Observation.s user/Provenance.s', practitioner, 'may'],
  ])('of %s with %s (%o): %s', (pair, scope, facts, expected) => {
    expect(decided(pair, scope, facts)).toBe(expected);
  });
});
