import { addWords } from '../../../shared/i18n/add-words.js';

const login = {
  title: 'Sign in',
  signedOut: 'You are signed out',
  ended: 'Your session has ended. Please sign in again to continue.',
  deleted: 'Your account was deleted.',
  deletedLater: 'Your account is locked and will be deleted. To keep it, sign in.',
  lead: 'Use your {{organization}} account to continue.',
  remember: 'Remember me',
  forgot: 'Forgot Password?',
  askWithoutAccount: 'Ask to look after someone, without an account',
  submit: 'Sign in',
  passkey: 'Sign in with a passkey',
  passkeyFailed: 'That did not work. Use your password, or try again.',
  passkeyStopped: 'No passkey was used.',
  provider: 'Continue with {{provider}}',
  refused: {
    'access-denied': 'You are not signed in. The sign-in with your provider was cancelled or refused.',
    'provider-unavailable': 'Your sign-in provider does not answer at the moment. Please try again in a few minutes.',
    'provider-failed':
      'The sign-in with your provider did not work. Please try again. If it happens again, contact your administrator.',
    'account-exists':
      'You have an account here with this e-mail address. Sign in with its password. If that does not help, contact your administrator.',
    'no-account': 'You have no account here, or may not use it this way. Please contact your administrator.',
    'ambiguous-record': 'We could not find your health record. Please contact your administrator.',
  },
  emailEmpty: 'Email cannot be empty',
  passwordEmpty: 'Password cannot be empty',
  initializingTitle: 'Unable to authenticate user!',
  initializingText:
    'The system is still initializing and retrieving required configuration from the FHIR server. Please try again in a few minutes.',
} as const;

const accountError = {
  title: 'Your account is not ready',
  text: 'Your account setup has not been completed yet. Please try again later.',
} as const;

export const words = addWords({ login, accountError });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    login: typeof words;
  }
}
