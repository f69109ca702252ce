/** Types of which each level has something, or of which a full one has. */
export const typesAt: Readonly<Record<string, readonly string[] | 'all'>> = {
  full: 'all',
  private: 'all',
  teen: 'all',
  daily: [
    ...['Observation', 'Condition', 'MedicationRequest', 'Encounter', 'Coverage', 'Appointment', 'DiagnosticReport'],
    ...['Immunization', 'AllergyIntolerance', 'Procedure'],
  ],
  basics: ['Observation', 'Immunization', 'AllergyIntolerance'],
  care: ['Observation', 'Condition', 'MedicationRequest', 'DiagnosticReport', 'Binary'],
  labels: 'all',
  kinds: ['Observation', 'Condition'],
  'kinds-and-label': 'all',
  letters: ['DocumentReference', 'Binary'],
};
const documents = ['Binary', 'Composition', 'Communication', 'List', 'QuestionnaireResponse', 'DocumentReference'];
/** Of those that are open else. */
export const typesOutAt: Readonly<Record<string, readonly string[]>> = {
  ...{ teen: ['Coverage'], labels: documents, 'kinds-and-label': documents },
};
/** Of the record by itself; none is open to who acts, except one's own RelatedPerson. */
export const sharedTypes = ['Practitioner', 'Medication', 'Location'];

/** The section `representation`. */
export const tableRules = {
  levels: {
    full: { label: 'Full', kinds: 'full', change: 'full' },
    private: { label: 'P', kinds: 'full', change: 'full' },
    daily: {
      label: 'Daily',
      kinds: [
        ...['Patient', 'AllergyIntolerance', 'Immunization', 'Appointment', 'CarePlan', 'CareTeam', 'Condition'],
        ...['Coverage', 'Device', 'DiagnosticReport', 'Encounter', 'Goal', 'MedicationRequest', 'Observation'],
        ...['Procedure', 'ServiceRequest'],
      ],
      without: { sensitive: true },
    },
    basics: {
      label: 'Basics',
      kinds: ['Patient', 'AllergyIntolerance', 'Immunization', 'Observation?category=vital-signs'],
      without: { sensitive: true },
    },
    teen: {
      label: 'Teen',
      kinds: 'full',
      without: {
        ...{ sensitive: true, types: ['Coverage'] },
        codes: [{ element: 'MedicationRequest/medication', codes: ['urn:rx|pill'] }],
      },
    },
    care: {
      label: 'Care',
      kinds: [
        ...['Patient', 'contact-details', 'Observation?category=vital-signs,laboratory', 'Condition'],
        ...['DiagnosticReport', 'DiagnosticReport.presentedForm', 'MedicationRequest'],
      ],
      change: ['Observation?category=vital-signs,laboratory', 'Condition'],
      without: { codes: [{ element: 'MedicationRequest/medication', codes: ['urn:rx|pill'] }] },
    },
    labels: { label: 'Labels', kinds: ['?_security=MH'] },
    letters: { label: 'Letters', kinds: ['DocumentReference', 'Binary'], without: { securityLabels: ['MH'] } },
  },
  bases: {
    any: { label: 'Any', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
    secret: {
      ...{ label: 'Secret', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      keptPrivate: { securityLabels: ['MH'] },
    },
    'parental-responsibility': {
      ...{ label: 'Parent', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      ages: [
        { from: 0, level: 'full' },
        { from: 13, level: 'basics' },
        { from: 16, level: 'basics', agreement: true },
        { from: 18, level: 'ends' },
      ],
    },
    voluntary: {
      ...{ label: 'Chosen', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      askedBy: ['invitation'],
      ages: [{ from: 16 }],
    },
    'power-of-attorney': {
      ...{ label: 'PoA', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      ages: [{ from: 18 }],
    },
    'court-appointed': {
      ...{ label: 'Court', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      ages: [{ from: 0, level: 'full' }, { from: 13, level: 'basics' }, { from: 18 }],
    },
    carer: {
      ...{ label: 'Carer', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      ages: [{ from: 18, level: 'daily' }],
    },
    foster: {
      ...{ label: 'Foster', relations: [{ id: 'r', representative: 'r', patient: 'p' }] },
      ages: [
        { from: 0, level: 'full' },
        { from: 16, level: 'not-possible' },
        { from: 18, level: 'ends' },
      ],
      afterDeath: 'continues',
    },
  },
};
