import { addWords } from '../../../shared/i18n/add-words.js';

const launchContext = {
  title: 'Select {{resource}}',
  titlePatient: 'Select Patient',
  titleEncounter: 'Select Encounter',
  /** Resource types, and the columns that the portal names itself; the deployer's own stand as they are. */
  types: { Patient: 'Patient', Encounter: 'Encounter' },
  columns: {
    Name: 'Name',
    'Date of birth': 'Date of birth',
    Gender: 'Gender',
    'Record number': 'Record number',
    Visit: 'Visit',
    Started: 'Started',
    Status: 'Status',
    Class: 'Class',
    Description: 'Description',
    Id: 'Id',
  },
  availableOf: '{{number}} to choose from',
  selection: 'Selection',
  skip: 'Skip',
  finish: 'Finish',
  confirm: 'Confirm Selection',
  actions: 'Your selection',
  empty: 'There is nothing to choose from.',
  visitsOf: 'Visits of the patient {{patient}}, those in progress first, then the newest.',
  noVisitsOf: 'No visits: {{patient}}',
  noneOf: 'There is nothing to choose from for the patient {{patient}}.',
  patientFirst: 'You chose no patient, so there is nothing to choose from here.',
  search: { Patient: 'Name, birth date or record number', other: 'Search' },
  notFound: 'Nothing was found. Check the spelling, or write a date as in 1980\u201112\u201131.',
  more: 'Load more',
  cut: 'There may be more that cannot be shown here. Please tell your administrator that the FHIR server names further pages at an address of another server.',
  loaded: 'Shown: {{count}}',
  /** *Who is this for?* */
  forWhom: {
    title: 'Who is this for?',
    lead: '{{client}} opens one record at a time. Choose whose record it may ask for.',
    fixed: '{{client}} was opened for this record. Please check that it is right.',
    search: 'Name',
    notFound: 'Nothing was found. Check the spelling of the name.',
    unread: 'We cannot load the people you act for.',
    you: 'You',
    own: 'Your own record',
    full: 'Full',
    limited: 'Limited',
    fullMeans: 'Full is all but what the hospital keeps private.',
    until: 'Until and on {{date}}',
    lessFrom: 'Less from {{date}}',
    endsOn: 'Ends on {{date}}',
    agreementFrom: 'From {{date}}, only if they agree',
    nothing: '{{client}} asks for nothing you may see.',
    missing: 'Someone is missing?',
    continue: 'Continue',
  },
  unavailable: 'The health records cannot be reached at the moment. Please try again in a few minutes.',
} as const;

export const words = addWords({ launchContext });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'launch-context': typeof words;
  }
}
