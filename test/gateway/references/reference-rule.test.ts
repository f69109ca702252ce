import { isRecordless } from '../../../src/contract/rules/resources/recordless-types.js';
import { patientCompartmentTypes } from '../../../src/contract/rules/scopes/patient-compartment.js';
import { decisionOn, type OwnRecord, permitsReference } from '../../../src/gateway/domain/references/reference-rule.js';
import type { Target } from '../../../src/gateway/domain/references/written-references.js';

const own: OwnRecord = { patient: 'p1', user: { type: 'Patient', id: 'mother' } };
const decision = (target: Target, record = own) => decisionOn({ element: 'x', text: 'x', target }, record);
const at = (type: string, id = '1'): Target => ({ kind: 'resource', type, id });
const by = (
  type: string | undefined,
  place?: { type: string; id: string },
  value: string | undefined = '1',
): Target => ({
  kind: 'identifier',
  type,
  identifier: { system: 'urn:x', value },
  place,
});

describe('the decision on a reference', () => {
  test.each<[string, Target, unknown]>([
    ['the own patient', at('Patient', 'p1'), 'permitted'],
    ['another patient', at('Patient', 'p2'), { fault: 'not-in-record' }],
    ['the user', at('Patient', 'mother'), 'permitted'],
    ['another type with the id of the user', at('Group', 'mother'), { place: { type: 'Group', id: 'mother' } }],
    ['what is in no record', at('Practitioner'), 'permitted'],
    ['a definition', at('Questionnaire'), 'permitted'],
    ['what may be in a record', at('Encounter'), { place: { type: 'Encounter', id: '1' } }],
    ['a device', at('Device'), { place: { type: 'Device', id: '1' } }],
    ['a Binary', at('Binary'), { place: { type: 'Binary', id: '1' } }],
    ['a type outside of the compartment', at('Bundle'), { fault: 'not-in-record' }],
    ['an unknown type', at('Whatever'), { fault: 'not-in-record' }],
    ['an entry', { kind: 'entry', name: 'urn:uuid:1' }, { entry: 'urn:uuid:1' }],
    ['a record elsewhere', { kind: 'elsewhere', types: ['X', 'Encounter'] }, { fault: 'other-server' }],
    ['a patient elsewhere', { kind: 'elsewhere', types: ['Patient'] }, { fault: 'other-server' }],
    ['what is in no record elsewhere', { kind: 'elsewhere', types: ['Practitioner'] }, 'permitted'],
    ['a page elsewhere', { kind: 'elsewhere', types: [] }, 'permitted'],
    ['an unclear text', { kind: 'unclear' }, { fault: 'unclear' }],
    ['an identifier of what is in no record', by('Practitioner'), 'permitted'],
    ['an identifier of a patient', by('Patient'), { place: { type: 'Patient', id: 'p1' } }],
    ['an identifier of anything', by(undefined), { place: { type: 'Patient', id: 'p1' } }],
    ['an identifier of a record', by('Encounter'), { fault: 'identifier' }],
    [
      'an identifier of a named resource',
      by('Encounter', { type: 'Encounter', id: '2' }),
      { place: { type: 'Encounter', id: '2' } },
    ],
    [
      'an identifier of another type than named',
      by('Patient', { type: 'Encounter', id: '2' }),
      { place: { type: 'Patient', id: 'p1' } },
    ],
    ['an identifier of an unknown type', by('Whatever', { type: 'Whatever', id: '2' }), { fault: 'identifier' }],
  ])('%s', (_what, target, expected) => {
    expect(decision(target)).toEqual(expected);
  });

  test('an identifier without a value is one of no patient, and a token that does not tell the user has none', () => {
    const nameless = { ...by('Patient'), identifier: { system: 'urn:x', value: undefined } } as Target;
    expect(decision(nameless)).toEqual({ fault: 'identifier' });
    expect(decision({ ...nameless, type: 'Practitioner' } as Target)).toBe('permitted');
    expect(decision(at('Patient', 'mother'), { ...own, user: undefined })).toEqual({ fault: 'not-in-record' });
  });
});

describe('the resource that a reference depends on', () => {
  const server = { local: (reference: string) => reference };
  const permits = (resource: unknown, target: Target = at('Encounter')) =>
    permitsReference(resource, { element: 'x', text: 'x', target }, own, server);
  const of = (type: string, ...patients: string[]) => ({
    resourceType: type,
    subject: { reference: patients[0] },
    patient: { reference: patients[0] },
    participant: patients.map((reference) => ({ actor: { reference } })),
    member: patients.map((reference) => ({ entity: { reference } })),
  });
  const entry: Target = { kind: 'entry', name: 'urn:uuid:1' };

  test.each<[string, unknown, boolean]>([
    ['of the patient', of('Encounter', 'Patient/p1'), true],
    ['of another', of('Encounter', 'Patient/p2'), false],
    ['that is missing', undefined, false],
    ['that is no object', 'x', false],
    ['of a type outside of the compartment', of('Bundle', 'Patient/p1'), false],
    ['of several, an appointment', of('Appointment', 'Patient/p2', 'Patient/p1'), true],
    ['of several, a group', of('Group', 'Patient/p2', 'Patient/p1'), true],
    ['of several others', of('Appointment', 'Patient/p2', 'Patient/p3'), false],
    ['a group that names the patient by no reference (FHIR R4 §2.3.0.1)', of('Group', '/Patient/p1'), false],
    ['a device of another', of('Device', 'Patient/p2'), false],
    ['a device of no patient', { resourceType: 'Device' }, true],
    ['an Encounter of no patient', { resourceType: 'Encounter' }, false],
    ['a Binary that the token may read', { resourceType: 'Binary' }, true],
    ['what is in no record', { resourceType: 'Practitioner' }, false],
  ])('%s', (_what, resource, expected) => {
    expect(permits(resource)).toBe(expected);
  });

  test('of the same transaction may be one that is in no record', () => {
    expect(
      [{ resourceType: 'Practitioner' }, of('Encounter', 'Patient/p1'), { resourceType: 'Binary' }].map((one) =>
        permits(one, entry),
      ),
    ).toEqual([true, true, true]);
    expect([of('Encounter', 'Patient/p2'), { resourceType: 7 }, undefined].map((one) => permits(one, entry))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('has the identifier by which it is referred to', () => {
    const patient = (identifier: unknown) => ({ resourceType: 'Patient', id: 'p1', identifier });
    const right = { system: 'urn:x', value: '1' };
    const rows: [unknown, boolean][] = [
      [[{ system: 'urn:y', value: '1' }, right], true],
      [right, true],
      [[{ system: 'urn:x', value: '2' }], false],
      [[{ value: '1' }], false],
      [[null], false],
      [undefined, false],
    ];
    for (const [identifier, expected] of rows)
      expect([identifier, permits(patient(identifier), by('Patient'))]).toEqual([identifier, expected]);
    expect(permits({ ...patient([right]), id: 'p2' }, by('Patient'))).toBe(false);
    // A Binary has none (FHIR R4 Binary).
    expect(permits({ resourceType: 'Binary' }, by('Binary'))).toBe(false);
  });
});

const withoutRecord = `
  ActivityDefinition ActorDefinition AdministrableProductDefinition CapabilityStatement CatalogEntry
  ChargeItemDefinition Citation ClinicalUseDefinition CodeSystem CompartmentDefinition ConceptMap
  ConditionDefinition DeviceDefinition EffectEvidenceSynthesis Endpoint EventDefinition Evidence
  EvidenceReport EvidenceVariable ExampleScenario FormularyItem GraphDefinition HealthcareService
  ImplementationGuide Ingredient InsurancePlan InventoryItem Library Location ManufacturedItemDefinition
  Measure Medication MedicationKnowledge MedicinalProduct MedicinalProductAuthorization
  MedicinalProductContraindication MedicinalProductDefinition MedicinalProductIndication
  MedicinalProductIngredient MedicinalProductInteraction MedicinalProductManufactured MedicinalProductPackaged
  MedicinalProductPharmaceutical MedicinalProductUndesirableEffect MessageDefinition NamingSystem
  NutritionProduct ObservationDefinition OperationDefinition Organization OrganizationAffiliation
  PackagedProductDefinition PlanDefinition Practitioner PractitionerRole Questionnaire RegulatedAuthorization
  Requirements ResearchDefinition ResearchElementDefinition ResearchStudy RiskEvidenceSynthesis
  SearchParameter Slot SpecimenDefinition StructureDefinition StructureMap SubscriptionTopic Substance
  SubstanceDefinition SubstanceNucleicAcid SubstancePolymer SubstanceProtein SubstanceReferenceInformation
  SubstanceSourceMaterial SubstanceSpecification TerminologyCapabilities TestPlan TestScript ValueSet
`
  .trim()
  .split(/\s+/);

test('no type of the compartment is without a record, and each that is listed is', () => {
  expect([...patientCompartmentTypes, 'Device', 'Binary', 'Bundle', 'Whatever'].filter(isRecordless)).toEqual([]);
  expect(withoutRecord.filter((type) => !isRecordless(type))).toEqual([]);
});
