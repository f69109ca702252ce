import { dayIn } from '../../../src/representation/domain/ages.js';
import { born, chosen, parent, timeZone } from './scenarios.js';

/** Types, a label, a category and a code are left out at the same time. */
export const mixed = {
  label: 'Mixed',
  kinds: ['Observation', 'Condition', 'MedicationRequest', 'Encounter'],
  without: {
    ...{ types: ['Encounter'], securityLabels: ['MH'], categories: ['Observation/social-history'] },
    codes: [{ element: 'MedicationRequest/medication', codes: ['urn:rx|pill'] }],
  },
};

export const furtherWho = ['child', 'teen', 'basics', 'mixed', 'carer', 'reader'] as const;

/** On all pages; `~` is the patient. */
export const furtherReads = `
Observation?patient=~&_count=1 | pulse blood smoke mood file plain | pulse blood | pulse mood psy | pulse blood psy plain | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Observation?patient=~&_count=2&_sort=status | pulse blood smoke mood file plain | pulse blood | pulse mood psy | pulse blood psy plain | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Condition?patient=~&_count=1 | asthma grief | asthma | 403 | asthma secret | asthma grief secret | asthma grief secret
MedicationRequest?patient=~&_count=1 | syrup | syrup | 403 | syrup | syrup pill boxed | syrup pill boxed
Encounter?patient=~&_count=1 | visit | visit | 403 | 403 | visit | visit
Coverage?beneficiary=Patient/~ | cover | cover | 403 | 403 | 403 | cover
Observation?subject=Patient/~ | pulse blood smoke mood file plain | pulse blood | pulse mood psy | pulse blood psy plain | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Observation?patient=~&_id=~-pulse,~-psy,~-smoke | pulse smoke | pulse | pulse psy | pulse psy | pulse psy | pulse smoke psy
Observation?patient=~&_security:not=MH | 400 | 400 | 400 | 400 | 400 | 400
Observation?patient=~&category:not=laboratory | pulse smoke mood file plain | pulse | pulse mood psy | pulse psy plain | pulse mood psy file plain | pulse smoke mood psy file plain
Observation?patient=~&_id=~-pulse&_include=Observation:subject | pulse ~ | pulse ~ | pulse ~ | pulse ~ | pulse ~ | pulse ~
Observation?patient=stranger | - | - | - | - | - | -
Observation?patient=~,stranger | pulse blood smoke mood file plain | pulse blood | pulse mood psy | pulse blood psy plain | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Patient/~/$everything?_type=Observation&_count=1 | pulse blood smoke mood file plain | pulse blood | pulse mood psy | pulse blood psy plain | pulse blood mood psy file plain | pulse blood smoke mood psy file plain
Patient/~/$everything?_type=Condition,MedicationRequest | asthma grief syrup | asthma syrup | 403 | asthma secret syrup | asthma grief secret syrup pill boxed | asthma grief secret syrup pill boxed
Patient/~/Condition | asthma grief | asthma | 403 | asthma secret | asthma grief secret | asthma grief secret
Condition/~-asthma/_history | asthma | asthma | 403 | asthma | asthma | asthma
Condition/~-secret/_history | 404 | 404 | 403 | secret | secret | secret
MedicationRequest/~-pill/_history/1 | 404 | 404 | 403 | 404 | pill | pill
`;

/** `ok`, or the status of a refusal; nothing is sent to change anything. */
export const statuses = `
GET $export | 403 | 403 | 403 | 403 | 403 | 403
GET Patient/$export | 403 | 403 | 403 | 403 | 403 | 403
GET Group/g/$export | 403 | 403 | 403 | 403 | 403 | 403
GET Patient/stranger/$everything | 404 | 404 | 404 | 404 | 404 | 404
GET Observation/_history | 403 | 403 | 403 | 403 | 403 | 403
GET _history | 403 | 403 | 403 | 403 | 403 | 403
GET Patient/~/_history | ok | ok | ok | ok | ok | ok
GET Observation?patient=~&subject:Patient.gender=female | 403 | 403 | 403 | 403 | 403 | 403
GET Observation?patient=~&subject:Patient.address-city=Refuge | 403 | 403 | 403 | 403 | 403 | 403
GET Patient?_id=~&_has:Observation:patient:code=x | 403 | 403 | 403 | 403 | 403 | 403
GET Patient?_id=~&_has:Coverage:beneficiary:type=x | 403 | 403 | 403 | 403 | 403 | 403
GET Patient?_id=~&_has:RelatedPerson:patient:name=x | 403 | 403 | 403 | 403 | 403 | 403
`;

/** Changes by a condition that names a resource, with what is sent to the FHIR server: a patch as what it leads to. */
export const changesByCondition = `
PUT pulse | done PUT Observation/pulse | done PUT Observation/pulse | 403 | 403 | done PUT Observation/pulse | 403
PUT psy | 403 | 403 | 403 | 403 | done PUT Observation/psy | 403
PATCH pulse | done PUT Observation/pulse | done PUT Observation/pulse | 403 | 403 | done PUT Observation/pulse | 403
PATCH psy | 404 | 404 | 403 | 403 | done PUT Observation/psy | 403
PATCH smoke | done PUT Observation/smoke | 404 | 403 | 403 | 404 | 403
DELETE mood | done DELETE Observation/mood | done | 403 | 403 | done DELETE Observation/mood | 403
DELETE psy | done | done | 403 | 403 | done DELETE Observation/psy | 403
DELETE rui | 403 | 403 | 403 | 403 | 403 | 403
`;

const today = dayIn(new Date(), timeZone);
/** The month so many months from now, so many years ago. */
function monthOf(years: number, after: number): string {
  const [year = 0, month = 1] = today.split('-').map(Number);
  const at = new Date(Date.UTC(year - years, month - 1 + after, 1));
  return at.toISOString().slice(0, 7);
}
const all = 'pulse blood smoke mood file plain';

/** What is shown of the Observations: the relationship, the birth date, the steps that the patient agreed to. */
export const birthdays: [name: string, row: [object, string, string, string]][] = [
  ['whose month of the 13th birthday has begun', [parent, monthOf(13, 0), '{}', 'pulse blood']],
  ['whose month of the 13th birthday is the next one', [parent, monthOf(13, 1), '{}', all]],
  ['who is 16 tomorrow', [parent, born(16, -1), '{}', 'pulse blood']],
  ['who is 16 tomorrow and has agreed already', [parent, born(16, -1), '{16}', 'pulse blood']],
  ['who is 16 and has agreed', [parent, born(16, 0), '{16}', 'pulse mood']],
  ['who is 18 tomorrow and agreed to 16', [parent, born(18, -1), '{16}', 'pulse mood']],
  ['who is 18 and agreed to 16', [parent, born(18, 0), '{16}', '401']],
  ['whose month of the 18th birthday has begun', [parent, monthOf(18, 0), '{16}', '401']],
  ['of whom another may act from 16, today', [chosen('basics'), born(16, 0), '{}', 'pulse mood psy']],
  ['of whom another may act from 16, tomorrow', [chosen('basics'), born(16, -1), '{}', '401']],
  ['of whom another may act from 16, the month before', [chosen('basics'), monthOf(16, -1), '{}', 'pulse mood psy']],
  ['of whom another may act from 16, next month', [chosen('basics'), monthOf(16, 1), '{}', '401']],
];
