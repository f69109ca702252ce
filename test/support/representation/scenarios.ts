import { dayIn } from '../../../src/representation/domain/ages.js';

export const timeZone = 'Europe/Amsterdam';
const limited = ['Observation?category=vital-signs,laboratory', 'Condition', 'Provenance', 'Appointment'];
export const representation = {
  levels: {
    full: { label: 'Full', kinds: 'full', change: 'full' },
    read: { label: 'Read', kinds: 'full' },
    daily: {
      label: 'Daily',
      kinds: [...limited, 'MedicationRequest', 'Encounter', 'DiagnosticReport', 'Coverage', 'contact-details'],
      without: { securityLabels: ['MH'] },
      change: ['Observation?category=vital-signs,laboratory'],
    },
    basics: { label: 'Basics', kinds: ['Immunization', 'Observation?category=vital-signs', 'AllergyIntolerance'] },
    papers: {
      label: 'Papers',
      kinds: [
        ...['DocumentReference', 'Binary', 'List', 'QuestionnaireResponse'],
        ...['DiagnosticReport', 'DiagnosticReport.presentedForm'],
      ],
    },
    labelled: { label: 'Labelled', kinds: ['?_security=MH'] },
  },
  bases: {
    'parental-responsibility': {
      label: 'Parent',
      relations: [{ id: 'parent', representative: 'parent', patient: 'child' }],
      keptPrivate: {
        securityLabels: ['PSY'],
        codes: [{ element: 'MedicationRequest/medication', codes: ['urn:rx|pill'] }],
      },
      ages: [
        { from: 0, level: 'full' },
        { from: 13, level: 'daily' },
        { from: 16, level: 'basics', agreement: true },
        { from: 18, level: 'ends' },
      ],
    },
    voluntary: {
      label: 'Chosen',
      relations: [{ id: 'helper', representative: 'helper', patient: 'relative' }],
      ages: [{ from: 16 }],
    },
    attorney: {
      label: 'Attorney',
      relations: [{ id: 'attorney', representative: 'attorney', patient: 'donor' }],
      afterDeath: 'continues',
    },
    carer: {
      label: 'Carer',
      relations: [{ id: 'carer', representative: 'carer', patient: 'patient' }],
      keptPrivate: { types: ['Coverage'], categories: ['Observation/social-history'] },
    },
  },
};

/** The day that is so many days after the birthday of this age. */
export function born(years: number, daysAgo = 100): string {
  const at = new Date(Date.now() - daysAgo * 86_400_000);
  const [year, ...rest] = dayIn(at, timeZone).split('-');
  // Most years have no 29 February.
  return [Number(year) - years, ...rest].join('-').replace('-02-29', daysAgo < 0 ? '-03-01' : '-02-28');
}
export const day = (after: number) => dayIn(new Date(Date.now() + after * 86_400_000), timeZone);

export const parent = { basis: 'parental-responsibility', relation: 'parent', level: 'full' };
export const chosen = (level: string) => ({ basis: 'voluntary', relation: 'helper', level });

/** Patients, by what may be done for them: the relationship, and what the record says. */
export const permitted = {
  child: [parent, { birthDate: born(5) }],
  teen: [parent, { birthDate: born(14) }],
  basics: [chosen('basics'), { birthDate: born(40) }],
  papers: [chosen('papers'), { birthDate: born(40) }],
  labelled: [chosen('labelled'), { birthDate: born(40) }],
  carer: [{ basis: 'carer', relation: 'carer', level: 'full' }, { birthDate: born(8) }],
  reader: [
    { basis: 'attorney', relation: 'attorney', level: 'read' },
    { birthDate: born(80), deceasedBoolean: true },
  ],
} as const;
export const who = Object.keys(permitted) as (keyof typeof permitted)[];

/** What is shown of a patient's record: ids without the patient's, `-` for none, or the status of a refusal. */
export const reads = `
Observation                                 | pulse blood smoke mood file plain | pulse blood | pulse mood psy | 403 | mood | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Observation?_elements=status                | pulse blood smoke mood file plain | pulse blood | pulse mood psy | 403 | mood | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Observation?_summary=true                   | pulse blood smoke mood file plain | pulse blood | pulse mood psy | 403 | mood | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Observation/pulse                           | pulse | pulse | pulse | 403   | 404   | pulse | pulse
Observation/blood                           | blood | blood | 404   | 403   | 404   | blood | blood
Observation/smoke                           | smoke | 404   | 404   | 403   | 404   | 404   | smoke
Observation/mood                            | mood  | 404   | mood  | 403   | mood  | mood  | mood
Observation/mood/_history/1                 | mood  | 404   | mood  | 403   | 404   | mood  | mood
Observation/mood/_history/2                 | mood  | 404   | mood  | 403   | mood  | mood  | mood
Observation/mood/_history                   | mood mood | 404 | mood mood | 403 | mood | mood mood | mood mood
Observation/psy                             | 404   | 404   | psy   | 403   | 404   | psy   | psy
Observation/file                            | file  | 404   | 404   | 403   | 404   | file  | file
Observation/ward                            | 404   | 404   | 404   | 403   | 404   | 404   | 404
Observation/plain                           | plain | 404   | 404   | 403   | 404   | plain | plain
Observation?category=laboratory             | blood | blood | 403   | 403   | -     | blood | blood
Observation?category=social-history         | smoke | 403   | 403   | 403   | -     | 403   | smoke
Observation?category=vital-signs,social-history | pulse smoke mood file | pulse | pulse mood psy | 403 | mood | pulse mood psy file | pulse smoke mood psy file
Observation?_security=MH                    | mood  | -     | mood  | 403   | mood  | mood  | mood
Condition                                   | asthma grief | asthma | 403 | 403 | grief | asthma grief secret | asthma grief secret
Condition/grief                             | grief | 404   | 403   | 403   | grief | grief | grief
Condition/secret                            | 404   | 404   | 403   | 403   | 404   | secret | secret
MedicationRequest                           | syrup | syrup | 403   | 403   | -     | syrup pill boxed | syrup pill boxed
MedicationRequest/pill                      | 404   | 404   | 403   | 403   | 404   | pill  | pill
MedicationRequest/boxed                     | 404   | 404   | 403   | 403   | 404   | boxed | boxed
Encounter/visit                             | visit | visit | 403   | 403   | 404   | visit | visit
Coverage/cover                              | cover | cover | 403   | 403   | 404   | 403   | cover
Appointment/twin                            | twin  | twin  | 403   | 403   | 404   | twin  | twin
DiagnosticReport/report                     | report | 404  | 403   | report | 404  | report | report
DocumentReference                           | plan  | 403   | 403   | letter plan | 403 | letter plan | letter plan
Binary/scan                                 | scan  | 404   | 403   | scan  | 404   | scan  | scan
Binary/letter                               | 404   | 404   | 403   | letter | 404  | letter | letter
QuestionnaireResponse                       | answers | 403 | 403   | answers | 403 | answers | answers
List                                        | list  | 403   | 403   | list  | 403   | list  | list
Immunization                                | shot  | 403   | shot  | 403   | -     | shot  | shot
AllergyIntolerance                          | nuts  | 403   | nuts  | 403   | -     | nuts  | nuts
Provenance?target=Observation/~pulse        | by-staff | by-staff | 403 | 403 | -   | by-staff | by-staff
Provenance/by-rui                           | 404   | 404   | 403   | 403   | 404   | 404   | 404
Provenance/of-rui                           | 404   | 404   | 403   | 403   | 404   | 404   | 404
RelatedPerson                               | 403   | 403   | 403   | 403   | 403   | 403   | 403
RelatedPerson/rui                           | 403   | 403   | 403   | 403   | 403   | 403   | 403
AuditEvent                                  | 403   | 403   | 403   | 403   | 403   | 403   | 403
Consent                                     | research | 403 | 403  | 403   | -     | research | research
Consent/power                               | 404   | 403   | 403   | 403   | 404   | 404   | 404
/Patient/stranger                           | 404   | 404   | 404   | 404   | 404   | 404   | 404
/Patient/1                                  | 404   | 404   | 404   | 404   | 404   | 404   | 404
/Observation/of-stranger                    | 404   | 404   | 404   | 403   | 404   | 404   | 404
/Practitioner/dr                            | dr    | dr    | dr    | dr    | dr    | dr    | dr
/Medication/tablet                          | tablet | tablet | tablet | tablet | tablet | tablet | tablet
/Patient?address-city=Refuge                | ~     | ~     | 403   | 403   | 403   | ~     | ~
/Patient?identifier=MR-~                    | ~     | ~     | ~     | ~     | ~     | ~     | ~
/Patient?identifier=SS-~                    | ~     | -     | -     | -     | -     | ~     | ~
/Patient/~/Observation                      | pulse blood smoke mood file plain | pulse blood | pulse mood psy | 403 | mood | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
/Patient/~/$everything?_type=Condition      | asthma grief | asthma | 403 | 403 | grief | asthma grief secret | asthma grief secret
/Patient/~/$everything?_type=AuditEvent     | 403   | 403   | 403   | 403   | 403   | 403   | 403
`;

/** What becomes of a change: `done`, or the status of its refusal, after which nothing was sent to the server. */
export const changes = `
PUT Observation/pulse                       | done | done | 403 | 403 | 403 | done | 403
PUT Observation/blood                       | done | done | 403 | 403 | 403 | done | 403
PUT Observation/smoke                       | done | 404  | 403 | 403 | 403 | 404  | 403
PUT Observation/mood                        | done | 404  | 403 | 403 | 403 | done | 403
PUT Observation/mood without meta           | 403  | 404  | 403 | 403 | 403 | 403  | 403
PUT Observation/smoke without category      | 403  | 404  | 403 | 403 | 403 | 404  | 403
PUT Observation/pulse with subject          | 403  | 403  | 403 | 403 | 403 | 403  | 403
PUT Observation/pulse with hasMember psy    | 403  | 403  | 403 | 403 | 403 | done | 403
PUT Observation/pulse with hasMember none   | 403  | 403  | 403 | 403 | 403 | 403  | 403
PUT Observation/pulse with hasMember blood  | done | done | 403 | 403 | 403 | done | 403
PUT Observation/pulse with performer rui    | 403  | 403  | 403 | 403 | 403 | 403  | 403
PUT Observation/pulse with MR               | done | done | 403 | 403 | 403 | done | 403
PUT Observation/pulse with SS               | done | 403  | 403 | 403 | 403 | done | 403
PUT MedicationRequest/pill without medicationCodeableConcept | 404 | 403 | 403 | 403 | 403 | 403 | 403
PUT Patient with birthDate                  | 403  | 403  | 403 | 403 | 403 | 403  | 403
PUT Patient with gender                     | 403  | 403  | 403 | 403 | 403 | done | 403
DELETE Patient                              | 403  | 403  | 403 | 403 | 403 | 403  | 403
DELETE Observation/pulse                    | done | done | 403 | 403 | 403 | done | 403
DELETE Observation/psy                      | 404  | 404  | 403 | 403 | 403 | done | 403
PATCH Observation/mood without meta         | 403  | 404  | 403 | 403 | 403 | 403  | 403
PATCH Observation/pulse with status         | done | done | 403 | 403 | 403 | done | 403
POST Observation/pulse                      | done | done | 403 | 403 | 403 | done | 403
POST Observation/psy                        | 403  | 403  | 403 | 403 | 403 | done | 403
POST RelatedPerson/rui                      | 403  | 403  | 403 | 403 | 403 | 403  | 403
PUT RelatedPerson/rui                       | 403  | 403  | 403 | 403 | 403 | 403  | 403
PUT Consent/research                        | 403  | 403  | 403 | 403 | 403 | 403  | 403
POST AuditEvent/seen                        | 403  | 403  | 403 | 403 | 403 | 403  | 403
`;
