/**
 * The bases and levels of an installation that names none. They are cautious where nothing is known of the labels on
 * the FHIR server: from 13 on a parent sees no medicines, visits, appointments, bills and laboratory results, which
 * name contraception or therapy by their codes.
 */

/** Kinds that tell little of what is treated. */
const basics = ['Patient', 'AllergyIntolerance', 'Immunization', 'Observation?category=vital-signs'];

const daily = [
  ...basics,
  'Appointment',
  'CarePlan',
  'CareTeam',
  'Condition',
  'Coverage',
  'Device',
  'DiagnosticReport',
  'Encounter',
  'Goal',
  'MedicationAdministration',
  'MedicationDispense',
  'MedicationRequest',
  'MedicationStatement',
  'Observation',
  'Procedure',
  'ServiceRequest',
];

const nothing = { sensitive: false, types: [], categories: [], securityLabels: [], codes: [] };
const sensitive = { ...nothing, sensitive: true };

export const shippedLevels = {
  full: { label: 'Full', kinds: 'full' as const, without: nothing, change: [] },
  daily: { label: 'Limited: daily care', kinds: daily, without: sensitive, change: [] },
  basics: { label: 'Limited: the basics', kinds: basics, without: sensitive, change: [] },
};

const evidence = { recordNumber: 'optional' as const, statement: 'optional' as const, files: 'optional' as const };
const neutral = { id: 'representative', representative: 'representative', patient: 'relative' };
const step = (from: number, level?: string, agreement = false) => ({
  from,
  ...(level === undefined ? {} : { level }),
  agreement,
});

export const shippedBases = {
  'parental-responsibility': {
    label: 'Parental responsibility',
    relations: [
      { id: 'parent', representative: 'parent', patient: 'child' },
      { id: 'mother', representative: 'mother', patient: 'child' },
      { id: 'father', representative: 'father', patient: 'child' },
      { id: 'guardian', representative: 'guardian', patient: 'ward' },
    ],
    endedBy: ['representative' as const, 'patient' as const],
    askedBy: ['form' as const, 'administrator' as const],
    evidence,
    keptPrivate: nothing,
    ages: [step(0, 'full'), step(13, 'basics'), step(16, 'basics', true), step(18, 'ends')],
    afterDeath: 'ends' as const,
  },
  voluntary: {
    label: 'Chosen by the patient',
    relations: [
      { id: 'helper', representative: 'helper', patient: 'relative' },
      { id: 'daughter', representative: 'daughter', patient: 'parent' },
      { id: 'son', representative: 'son', patient: 'parent' },
      { id: 'partner', representative: 'partner', patient: 'partner' },
      { id: 'friend', representative: 'friend', patient: 'friend' },
    ],
    endedBy: ['representative' as const, 'patient' as const],
    askedBy: ['invitation' as const],
    evidence,
    keptPrivate: nothing,
    ages: [step(16)],
    afterDeath: 'ends' as const,
  },
  'power-of-attorney': {
    label: 'Power of attorney',
    relations: [neutral, { id: 'attorney', representative: 'attorney', patient: 'donor' }],
    endedBy: ['representative' as const, 'patient-suspends' as const],
    askedBy: ['form' as const, 'administrator' as const],
    evidence,
    keptPrivate: nothing,
    ages: [step(18)],
    afterDeath: 'ends' as const,
  },
  'court-appointed': {
    label: 'Appointed by a court',
    relations: [neutral, { id: 'guardian', representative: 'guardian', patient: 'ward' }],
    endedBy: ['representative' as const, 'patient-suspends' as const],
    askedBy: ['form' as const, 'administrator' as const],
    evidence,
    keptPrivate: nothing,
    ages: [step(0, 'full'), step(13, 'basics'), step(18)],
    afterDeath: 'ends' as const,
  },
  carer: {
    label: 'Carer',
    relations: [{ id: 'carer', representative: 'carer', patient: 'person in care' }],
    endedBy: ['representative' as const, 'patient' as const],
    askedBy: ['form' as const, 'administrator' as const],
    evidence,
    keptPrivate: nothing,
    ages: [step(18, 'daily')],
    afterDeath: 'ends' as const,
  },
};
