/** English of the pages that work without the React application (`src/platform/http/plain-page.ts`). */
export const pageTexts = {
  'sign-out-title': 'Sign out?',
  'sign-out-text': 'You will be signed out of this portal.',
  'sign-out-yes': 'Sign out',
  'sign-out-no': 'Stay signed in',
  'account-for-app': 'Continue to {{app}}',
  'account-of-administrator-title': 'This account cannot be used with apps',
  'account-of-administrator-text':
    'You are signed in as an administrator. Sign in with a patient or practitioner account, or go back to the app.',
  'account-elsewhere-title': 'This account cannot be used here',
  'account-elsewhere-text':
    'The app asks for records that your account does not belong to. Use another account, or go back to the app.',
  'account-of-other-tenant-text':
    'The app asks for records at {{tenant}} that your account does not belong to. Use another account, or go back to the app.',
  'account-use-other': 'Use another account',
  'account-return-to-app': 'Return to the app',
} as const;
