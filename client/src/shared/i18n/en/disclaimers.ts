export const disclaimers = {
  title: 'Disclaimers',
  lead: 'Please agree to all disclaimers in order to proceed with login.',
  list: 'To agree',
  agreed: '{{count}} of {{total}} agreed',
  about: 'About {{what}}',
  before: 'You agreed to this before',
  show: 'Show',
  showOf: 'Show {{disclaimer}}',
  accept: 'Accept',
  confirm: 'Confirm my choices',
  actions: 'Your decision',
  missing: 'Required fields are not provided.',
} as const;
