/** The types of R4's patient compartment (CompartmentDefinition/patient): what can be part of a patient's record. */
export const patientCompartmentTypes = [
  'Account',
  'AdverseEvent',
  'AllergyIntolerance',
  'Appointment',
  'AppointmentResponse',
  'AuditEvent',
  'Basic',
  'BodyStructure',
  'CarePlan',
  'CareTeam',
  'ChargeItem',
  'Claim',
  'ClaimResponse',
  'ClinicalImpression',
  'Communication',
  'CommunicationRequest',
  'Composition',
  'Condition',
  'Consent',
  'Coverage',
  'CoverageEligibilityRequest',
  'CoverageEligibilityResponse',
  'DetectedIssue',
  'DeviceRequest',
  'DeviceUseStatement',
  'DiagnosticReport',
  'DocumentManifest',
  'DocumentReference',
  'Encounter',
  'EnrollmentRequest',
  'EpisodeOfCare',
  'ExplanationOfBenefit',
  'FamilyMemberHistory',
  'Flag',
  'Goal',
  'Group',
  'ImagingStudy',
  'Immunization',
  'ImmunizationEvaluation',
  'ImmunizationRecommendation',
  'Invoice',
  'List',
  'MeasureReport',
  'Media',
  'MedicationAdministration',
  'MedicationDispense',
  'MedicationRequest',
  'MedicationStatement',
  'MolecularSequence',
  'NutritionOrder',
  'Observation',
  'Patient',
  'Person',
  'Procedure',
  'Provenance',
  'QuestionnaireResponse',
  'RelatedPerson',
  'RequestGroup',
  'ResearchSubject',
  'RiskAssessment',
  'Schedule',
  'ServiceRequest',
  'Specimen',
  'SupplyDelivery',
  'SupplyRequest',
  'Task',
  'VisionPrescription',
] as const;

export type PatientCompartmentType = (typeof patientCompartmentTypes)[number];

/**
 * Types that records refer to, and types about no patient, so far as US Core has scopes for it
 * (`patient/Practitioner.rs`).
 */
export const sharedTypes: readonly string[] = [
  'Location',
  'Medication',
  'Organization',
  'Practitioner',
  'PractitionerRole',
];

/**
 * Types that a scope for one patient can permit. R4 leaves Device out of the compartment although it names its
 * patient, and Binary, the content of documents.
 */
export const patientScopeTypes: readonly string[] = [...patientCompartmentTypes, 'Binary', 'Device', ...sharedTypes];
