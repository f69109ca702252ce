export const verification = {
  title: 'Verify Your Identity',
  authenticatorLead: 'Enter the 6-digit code from your authenticator app.',
  recoveryLead: 'Enter one of the recovery codes that you stored. Each of them works once.',
  authenticatorCode: 'Authentication code',
  recoveryCode: 'Recovery code',
  submit: 'Verify',
  toRecovery: 'Use a recovery code instead',
  toAuthenticator: 'Use an authentication code instead',
  codesLeft_one: 'You have {{count}} recovery code left.',
  codesLeft_other: 'You have {{count}} recovery codes left.',
  userNotFoundTitle: 'User Not Found',
  userNotFoundText: 'The current user cannot be found. Please contact your administrator.',
} as const;

export const twoFactor = {
  requiredTitle: 'Two-Factor Authentication Required',
  requiredLead: 'This app asks for a second step when you sign in.',
  scan: 'Scan this code with an authenticator app',
  qrCode: 'QR code for an authenticator app',
  key: 'Cannot scan it? Enter this key:',
  copyKey: 'Copy key',
  enterCode: 'Enter the 6-digit code it shows',
  currentPassword: 'Current password',
  submit: 'Turn on',
  codesTitle: 'Save your recovery codes',
  codesLead:
    'Two-factor authentication is on. If you lose your phone, each of these codes signs you in once. They are shown only now.',
  copyCodes: 'Copy codes',
  download: 'Download',
  stored: 'I have stored these codes',
  confirm: 'Confirm',
} as const;
