import { activity, attention } from './activity.js';

const navigation = {
  label: 'Main navigation',
  dashboard: 'Dashboard',
  users: 'User management',
  clients: 'Client management',
  oauth: 'OAuth 2.0 configuration',
  openid: 'OpenID configuration',
  smart: 'SMART configuration',
} as const;

/** The texts that only administrators see. */
export const adminTexts = { navigation, activity, attention } as const;
