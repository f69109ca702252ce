import { addWords } from '../../i18n/add-words.js';

const navigation = {
  label: 'Main navigation',
  search: 'Search',
  searchByControl: 'Search (Ctrl K)',
  searchByCommand: 'Search (⌘ K)',
  dashboard: 'Dashboard',
  users: 'User management',
  requests: 'Requests',
  requestsOpen: '{{number}} open',
  clients: 'Client management',
  oauth: 'OAuth 2.0 configuration',
  openid: 'OpenID configuration',
  smart: 'SMART configuration',
  api: 'API',
} as const;

const activity = {
  title: 'Activity',
  auditTitle: 'Audit',
} as const;

const grants = {
  title: 'Manage Apps',
  accessLog: 'Who has seen my record',
  family: 'Family and carers',
} as const;

export const words = addWords({ grants, activity, navigation });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/addresses': typeof words;
  }
}
