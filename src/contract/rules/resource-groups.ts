/**
 * Names that stand for several resource types in the form (`spec §4` Allowed resource types): the groups of the FHIR R4
 * resource index. Only their members are ever stored.
 */
export const resourceGroups: Readonly<Record<string, readonly string[]>> = {
  Individuals: ['Patient', 'Practitioner', 'PractitionerRole', 'RelatedPerson', 'Person', 'Group'],
  Entities: [
    ...['Organization', 'OrganizationAffiliation', 'HealthcareService', 'Endpoint', 'Location'],
    ...['Substance', 'BiologicallyDerivedProduct', 'Device', 'DeviceMetric'],
  ],
  Workflow: ['Task', 'Appointment', 'AppointmentResponse', 'Schedule', 'Slot', 'VerificationResult'],
  Management: ['Encounter', 'EpisodeOfCare', 'Flag', 'List', 'Library'],
  Documents: ['Composition', 'DocumentManifest', 'DocumentReference', 'CatalogEntry', 'Binary'],
  Summary: [
    ...['AllergyIntolerance', 'AdverseEvent', 'Condition', 'Procedure', 'FamilyMemberHistory'],
    ...['ClinicalImpression', 'DetectedIssue'],
  ],
  Diagnostics: [
    ...['Observation', 'Media', 'DiagnosticReport', 'Specimen', 'BodyStructure', 'ImagingStudy'],
    ...['QuestionnaireResponse', 'MolecularSequence'],
  ],
  Medications: [
    ...['MedicationRequest', 'MedicationAdministration', 'MedicationDispense', 'MedicationStatement', 'Medication'],
    ...['MedicationKnowledge', 'Immunization', 'ImmunizationEvaluation', 'ImmunizationRecommendation'],
  ],
  'Care Provision': [
    ...['CarePlan', 'CareTeam', 'Goal', 'ServiceRequest', 'NutritionOrder', 'VisionPrescription'],
    ...['RiskAssessment', 'RequestGroup'],
  ],
  'Request & Response': [
    ...['Communication', 'CommunicationRequest', 'DeviceRequest', 'DeviceUseStatement', 'GuidanceResponse'],
    ...['SupplyRequest', 'SupplyDelivery'],
  ],
  Financial: [
    ...['Coverage', 'CoverageEligibilityRequest', 'CoverageEligibilityResponse', 'EnrollmentRequest'],
    ...['EnrollmentResponse', 'Claim', 'ClaimResponse', 'Invoice', 'PaymentNotice', 'PaymentReconciliation'],
    ...['Account', 'ChargeItem', 'ChargeItemDefinition', 'Contract', 'ExplanationOfBenefit', 'InsurancePlan'],
  ],
};

/** Each type once, with the members of a group in place of its name. */
export function expandResourceGroups(names: readonly string[]): string[] {
  const types = names.flatMap((name) => (Object.hasOwn(resourceGroups, name) ? (resourceGroups[name] ?? []) : [name]));
  return [...new Set(types)];
}
