import { addWords } from '../../../shared/i18n/add-words.js';

const palette = {
  title: 'Search',
  placeholder: 'Page, client, user, redirect URI, FHIR id or action',
  groups: {
    opened: 'Opened last',
    pages: 'Pages',
    clients: 'Clients',
    redirectUris: 'Redirect URIs',
    users: 'Users',
    records: 'FHIR records',
    related: 'Actions for {{name}}',
    actions: 'Actions',
    documentation: 'Documentation',
  },
  readiness: 'Readiness',
  connectFhirServer: 'Connect the FHIR server',
  addClient: 'Add client',
  addUser: 'Add user',
  importUsers: 'Import users',
  verifyAudit: 'Verify the audit record',
  rotateSecret: 'Rotate a secret',
  showLaunches: 'Show its launches',
  showAudit: 'Show the audit record',
  results_one: '{{number}} result',
  results_other: '{{number}} results',
  searching: 'Searching …',
  none: 'Nothing was found.',
  failed: 'The search did not work. Pages and actions are found all the same.',
  empty: 'Type a name, an id or an address.',
  enterKey: 'Enter',
  escapeKey: 'Esc',
  controlKey: 'Ctrl',
  move: 'move',
  open: 'open',
  anyTime: 'Open any time with',
} as const;

export const words = addWords({ palette });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    palette: typeof words;
  }
}
