import { addWords } from '../../../shared/i18n/add-words.js';

const register = {
  title: 'Create an Admin Account',
  lead: 'This first account manages users, clients and settings.',
  setupToken: 'Setup token',
  setupTokenHelp: 'It was printed where this portal was started.',
  setupTokenEmpty: 'Setup token cannot be empty',
  submit: 'Create account',
  existsTitle: 'Admin already exists!',
  existsText: 'This portal already has an admin account. Sign in with it to continue.',
} as const;

export const words = addWords({ register });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    register: typeof words;
  }
}
