import { addWords } from '../../../shared/i18n/add-words.js';

const ageRules = {
  title: 'Age rules',
  position: 'Position',
  lead: 'What accounts that act for a patient may see, by basis and by age of the patient.',
  fixed: 'These rules are set in the configuration, under {{key}}. This page only shows them.',
  guide: 'Open the configuration guide',
  offTitle: 'No account can act for others yet',
  offText: 'Set the section representation in the configuration. The guide docs/guides/acting-for-others.md says how.',
  tenant: 'Tenant',
  noTenant: 'Without a tenant',
  basis: 'Basis',
  toAge: '{{from}} to {{to}} years',
  oneAge: '{{from}} years',
  fromAge: '{{from}} years and older',
  everyAge: 'At every age',
  asAgreed: 'As agreed',
  asAgreedHelp: 'the level of the relationship',
  agreement: 'after the patient agrees',
  ends: 'Ends',
  endsHelp: 'on the birthday',
  notPossible: 'Not possible',
  ways: {
    invitation: 'Invitation by the patient',
    form: 'Request to the hospital',
    administrator: 'Administrators',
  },
  leftOut: 'What each level shows',
  privateOf: '{{basis}}: kept private at each level',
  birthdays: 'Birthdays',
  midnight: 'Changes at midnight',
  leap: 'Born on February 29',
  leapHelp: 'What takes away counts from February 28, what gives from March 1.',
  unknownDay: 'Only the year or month is known',
  unknownDayHelp: 'What takes away counts from the earliest possible day, what gives from the latest.',
  own: 'Own account',
  ownHelp: 'From {{age}} years on a patient with an account sees what was done, and can end it.',
  try: 'Try the rules',
  born: 'Born on',
  seen: 'Seen on',
  result: {
    none: 'Enter a day of birth and a day.',
    asAgreed: 'The level of the relationship counts.',
    level: '{{level}}',
    both: 'What all of these levels show: {{levels}}',
    age: 'It ends: at this age it is not possible.',
    'too-young': 'Not possible: the patient is too young.',
    'birth-date-missing': 'Administrators decide: this birth date does not count on that day.',
  },
  ages: 'Age on that day: {{age}}',
  twoAges: 'Possible ages on that day: {{least}} to {{most}}',
  next: 'From {{date}}: {{step}}',
  nextOfTwo: 'What it takes away from {{date}}, what it gives from {{surely}}: {{step}}',
} as const;

export const words = addWords({ ageRules });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'age-rules': typeof words;
  }
}
