/**
 * Types of R4, R4B and R5 in no patient's record: they describe an organisation, its staff, services and products, or
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
