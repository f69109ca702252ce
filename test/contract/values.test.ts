import { type Acr, acrValues, isAcrAtLeast, weakestAcr } from '../../src/contract/rules/acr.js';
import { clientBulkActions, mostChosen, mostInBulk, userBulkActions } from '../../src/contract/rules/bulk.js';
import {
  accessTokenTypes,
  applicationTypes,
  clientTypeRequired,
  clientTypes,
  grantTypes,
  requiredAcrs,
  secretFilters,
  secretStates,
  secretTypes,
  securityProfiles,
  smartActions,
  smartLegacyActions,
  smartSubjects,
  tokenGrantTypes,
  tokenGrantTypesOf,
} from '../../src/contract/rules/client-values.js';
import {
  clientSortColumns,
  countedMatches,
  listedUserTypes,
  longestPaletteTerm,
  mostFound,
  mostOpened,
  pageSizes,
  sortDirections,
  userSortColumns,
} from '../../src/contract/rules/lists.js';
import {
  patientCompartmentTypes,
  patientScopeTypes,
  sharedTypes,
} from '../../src/contract/rules/scopes/patient-compartment.js';
import { tagPalette } from '../../src/contract/rules/tag.js';
import { passkeyNameEmpty, passkeyNameLength, passkeyNameTooLong } from '../../src/contract/rules/users/passkeys.js';
import {
  codeEmpty,
  formatRecoveryCode,
  normaliseAuthenticationCode,
  normaliseRecoveryCode,
  recoveryAlphabet,
  recoveryCodeLength,
} from '../../src/contract/rules/users/two-factor-code.js';
import { createdUserTypes, maxFullName } from '../../src/contract/rules/users/user-form.js';
import { textOf } from '../support/messages.js';

/** CompartmentDefinition/patient of FHIR R4, the types with a parameter. */
const compartment = `
  Account AdverseEvent AllergyIntolerance Appointment AppointmentResponse AuditEvent Basic BodyStructure
  CarePlan CareTeam ChargeItem Claim ClaimResponse ClinicalImpression Communication CommunicationRequest
  Composition Condition Consent Coverage CoverageEligibilityRequest CoverageEligibilityResponse DetectedIssue
  DeviceRequest DeviceUseStatement DiagnosticReport DocumentManifest DocumentReference Encounter
  EnrollmentRequest EpisodeOfCare ExplanationOfBenefit FamilyMemberHistory Flag Goal Group ImagingStudy
  Immunization ImmunizationEvaluation ImmunizationRecommendation Invoice List MeasureReport Media
  MedicationAdministration MedicationDispense MedicationRequest MedicationStatement MolecularSequence
  NutritionOrder Observation Patient Person Procedure Provenance QuestionnaireResponse RelatedPerson
  RequestGroup ResearchSubject RiskAssessment Schedule ServiceRequest Specimen SupplyDelivery SupplyRequest Task
  VisionPrescription
`
  .trim()
  .split(/\s+/);

describe('the values of the API', () => {
  it.each<[string, readonly unknown[], unknown[]]>([
    ['client types', clientTypes, ['StandaloneApp', 'BackendService', 'ManagementApi', 'Invalid']],
    ['grant types', grantTypes, ['authorization_code', 'client_credentials']],
    ['grant types of requests', tokenGrantTypes, ['authorization_code', 'refresh_token', 'client_credentials']],
    ['grant types of apps', tokenGrantTypesOf(['authorization_code']), ['authorization_code', 'refresh_token']],
    ['grant types of services', tokenGrantTypesOf(['client_credentials']), ['client_credentials']],
    ['SMART actions', smartActions, ['c', 'r', 'u', 'd', 's']],
    ['SMART actions of version 1', smartLegacyActions, ['read', 'write', '*']],
    ['SMART subjects', smartSubjects, ['patient', 'user', 'system']],
    ['application types', applicationTypes, ['web', 'native']],
    ['access token types', accessTokenTypes, ['Jwt', 'Reference']],
    ['security profiles', securityProfiles, ['none', 'fapi2']],
    ['levels of a sign-in that a client can need', requiredAcrs, ['none', 'phr']],
    ['secret types', secretTypes, ['SharedSecret', 'JWK']],
    ['states of a secret', secretStates, ['expired', 'expiring', 'unused']],
    ['filters of clients by their secrets', secretFilters, ['expired', 'expiring', 'unused', 'idle']],
    ['columns that sort clients', clientSortColumns, ['clientId', 'clientName', 'clientType', 'enabled']],
    ['columns that sort users', userSortColumns, ['fullName', 'email', 'userType', 'emailConfirmed', 'isExternal']],
    ['changes of many clients', clientBulkActions, ['enable', 'disable', 'tag', 'delete']],
    ['changes of many users', userBulkActions, ['invite']],
    ['user types in the list', listedUserTypes, ['Patient', 'Practitioner', 'Incomplete']],
    ['user types that are created', createdUserTypes, ['Patient', 'Practitioner']],
    ['page sizes', pageSizes, [5, 10, 25, 50, 100]],
    ['sort directions', sortDirections, [0, 1]],
    ['types of the patient compartment', patientCompartmentTypes, compartment],
    [
      'types that records refer to',
      sharedTypes,
      ['Location', 'Medication', 'Organization', 'Practitioner', 'PractitionerRole'],
    ],
  ])('for %s are those of the specification', (_, values, expected) => {
    expect(values).toEqual(expected);
  });

  it('let a scope for one patient permit the compartment, files, devices and what records refer to', () => {
    expect(patientScopeTypes).toEqual([...compartment, 'Binary', 'Device', ...sharedTypes]);
  });

  it('have a message for a client type that is not chosen', () => {
    expect(textOf(clientTypeRequired)).toBe('Please choose a valid client type');
  });

  it('limit names to 200 characters and counted matches to 1000', () => {
    expect([maxFullName, countedMatches]).toEqual([200, 1000]);
  });

  it('limit a change of many to 1,000 that are chosen, and to 20,000 that a filter finds', () => {
    expect([mostChosen, mostInBulk]).toEqual([1000, 20_000]);
  });

  it('limit a search of the palette to 500 characters, five matches of each kind and five pages opened last', () => {
    expect([longestPaletteTerm, mostFound, mostOpened]).toEqual([500, 5, 5]);
  });

  it('limit the name of a passkey to 60 characters, with a message for each fault', () => {
    expect(passkeyNameLength).toBe(60);
    expect([passkeyNameEmpty.code, passkeyNameTooLong.code]).toEqual(['passkey-name-empty', 'passkey-name-too-long']);
  });

  it('offer ten different colors for tags, each of six digits', () => {
    expect(new Set(tagPalette).size).toBe(10);
    for (const color of tagPalette) expect(color).toMatch(/^#[0-9A-F]{6}$/);
  });
});

describe('the levels of a sign-in', () => {
  it('are ordered from the weakest', () => {
    expect(acrValues).toEqual(['aal1', 'aal2', 'phr']);
  });

  it.each<[values: unknown[], weakest: Acr | undefined]>([
    [['phr', 'aal2'], 'aal2'],
    [['aal1', 'phr'], 'aal1'],
    [['urn:other', 'phr'], 'phr'],
    [['urn:other', 5], undefined],
    [[], undefined],
  ])('of %j have the weakest %s', (values, weakest) => {
    expect(weakestAcr(values)).toBe(weakest);
  });

  it.each<[acr: string | undefined, met: Acr[]]>([
    ['phr', ['aal1', 'aal2', 'phr']],
    ['aal2', ['aal1', 'aal2']],
    ['aal1', ['aal1']],
    ['urn:other', []],
    [undefined, []],
  ])('%s meets %j', (acr, met) => {
    expect(acrValues.filter((needed) => isAcrAtLeast(acr, needed))).toEqual(met);
  });
});

describe('an authentication code', () => {
  it('that is left empty has a message of its own', () => {
    expect(textOf(codeEmpty)).toBe('Field should not be empty.');
  });

  it.each([
    ['123456', '123456'],
    ['123 456', '123456'],
    [' 1 2\t3456\n', '123456'],
    ['12345', undefined],
    ['1234567', undefined],
    ['12345a', undefined],
    ['a123456', undefined],
    ['', undefined],
  ])('typed as %j is %p', (text, code) => {
    expect(normaliseAuthenticationCode(text)).toBe(code);
  });
});

describe('a recovery code', () => {
  it.each([
    ['ABCDEF-GH0123', 'ABCDEFGH0123'],
    ['abcdefgh0123', 'ABCDEFGH0123'],
    [' abcdef - gh01 23 ', 'ABCDEFGH0123'],
    ['oilOIL-000000', '011011000000'],
    ['ABCDEF-GH012', undefined],
    ['ABCDEF-GH01234', undefined],
    ['ABCDEF-GH012U', undefined],
    ['ABCDEF-GH012_', undefined],
    ['', undefined],
  ])('typed as %j is compared as %p', (text, code) => {
    expect(normaliseRecoveryCode(text)).toBe(code);
  });

  it('is shown in two groups of six', () => {
    expect(formatRecoveryCode('ABCDEFGH0123')).toBe('ABCDEF-GH0123');
  });

  it('consists of twelve of 32 characters, none of which looks like another', () => {
    expect(recoveryCodeLength).toBe(12);
    expect(recoveryAlphabet).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
  });
});
