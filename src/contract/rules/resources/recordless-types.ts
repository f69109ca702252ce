import { sharedTypes } from '../scopes/patient-compartment.js';

/**
 * Types of R4, R4B and R5 that describe an organization, its services and products, or define something: in no
 * patient's record.
 */
const types: ReadonlySet<string> = new Set([
  ...sharedTypes,
  ...['ActivityDefinition', 'ActorDefinition', 'AdministrableProductDefinition', 'CapabilityStatement', 'CatalogEntry'],
  ...['ChargeItemDefinition', 'Citation', 'ClinicalUseDefinition', 'CodeSystem', 'CompartmentDefinition', 'ConceptMap'],
  ...['ConditionDefinition', 'DeviceDefinition', 'EffectEvidenceSynthesis', 'Endpoint', 'EventDefinition', 'Evidence'],
  ...['EvidenceReport', 'EvidenceVariable', 'ExampleScenario', 'FormularyItem', 'GraphDefinition', 'HealthcareService'],
  ...['ImplementationGuide', 'Ingredient', 'InsurancePlan', 'InventoryItem', 'Library', 'ManufacturedItemDefinition'],
  ...['Measure', 'MedicationKnowledge', 'MedicinalProduct', 'MedicinalProductAuthorization'],
  ...['MedicinalProductContraindication', 'MedicinalProductDefinition', 'MedicinalProductIndication'],
  ...['MedicinalProductIngredient', 'MedicinalProductInteraction', 'MedicinalProductManufactured'],
  ...['MedicinalProductPackaged', 'MedicinalProductPharmaceutical', 'MedicinalProductUndesirableEffect'],
  ...['MessageDefinition', 'NamingSystem', 'NutritionProduct', 'ObservationDefinition', 'OperationDefinition'],
  ...[
    'OrganizationAffiliation',
    'PackagedProductDefinition',
    'PlanDefinition',
    'Questionnaire',
    'RegulatedAuthorization',
  ],
  ...['Requirements', 'ResearchDefinition', 'ResearchElementDefinition', 'ResearchStudy', 'RiskEvidenceSynthesis'],
  ...['SearchParameter', 'Slot', 'SpecimenDefinition', 'StructureDefinition', 'StructureMap', 'SubscriptionTopic'],
  ...['Substance', 'SubstanceDefinition', 'SubstanceNucleicAcid', 'SubstancePolymer', 'SubstanceProtein'],
  ...['SubstanceReferenceInformation', 'SubstanceSourceMaterial', 'SubstanceSpecification', 'TerminologyCapabilities'],
  ...['TestPlan', 'TestScript', 'ValueSet'],
]);

/**
 * True if resources of this type belong to no record. False for all others, also for those that FHIR's patient
 * compartment leaves out but that may be about a patient (GuidanceResponse, Bundle, Contract), and for types of later
 * versions.
 */
export function isRecordless(type: string): boolean {
  return types.has(type);
}
