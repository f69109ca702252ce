import * as claims from '../../../../../src/contract/rules/claims.js';
import * as email from '../../../../../src/contract/rules/email.js';
import * as password from '../../../../../src/contract/rules/password.js';
import * as tag from '../../../../../src/contract/rules/tag.js';
import * as text from '../../../../../src/contract/rules/text.js';
import * as codes from '../../../../../src/contract/rules/two-factor-code.js';
import * as userForm from '../../../../../src/contract/rules/user-form.js';

/**
 * What the rules and the server say, in the words in which they say it: they are found by them (`said.ts`). What is
 * missing here is shown as it comes.
 */
export const said = {
  fieldRequired: text.fieldRequired,
  invalidValue: text.invalidValue,
  duplicateValue: text.duplicateValue,
  tooLong: 'Please enter at most {{maximum}} characters',
  codeEmpty: codes.codeEmpty,
  emailRequired: email.emailRequired,
  emailInvalid: email.emailInvalid,
  passwordsDiffer: password.passwordsDiffer,
  passwordNotFulfilled: password.passwordNotFulfilled,
  passwordLength: 'At least {{length}} characters',
  passwordLowercase: '1 lowercase letter',
  passwordUppercase: '1 uppercase letter',
  passwordDigit: '1 number',
  passwordSymbol: '1 symbol',
  passwordTooCommon: 'This password is too common. Please choose one that is harder to guess.',
  passwordUnchanged: 'The new password must differ from the one before.',
  passwordHoldsEmail: 'The password must not contain your e-mail address.',
  passwordHoldsOrganization: 'The password must not contain the name of the organisation.',
  fhirUserMandatory: claims.fhirUserMandatory,
  fhirUserOnce: claims.fhirUserOnce,
  fhirUserType: "The 'fhirUser' claim must point to resource matching {{type}} type.",
  fhirUserId: "Provide the '{{type}}' id in the fhirUser claim.",
  claimIncomplete: claims.claimIncomplete,
  claimDuplicate: claims.claimDuplicate,
  claimReserved: "The claim '{{name}}' is set by the server and cannot be chosen.",
  userTypeInvalid: userForm.userTypeInvalid,
  userTypeFixed: userForm.userTypeFixed,
  tagValueRequired: tag.tagValueRequired,
  colorStart: tag.colorStart,
  colorLength: tag.colorLength,
  colorFormat: tag.colorFormat,
  badRequest: 'The request cannot be processed. Please try again.',
  signIn: 'Please sign in.',
  signInAgain: 'Please sign in again.',
  signInExpired: 'Your sign-in has expired. Please sign in again.',
  signInRepeat: 'Please sign out, sign in again and repeat this.',
  wrongPassword: 'The email or the password is wrong.',
  wrongCurrentPassword: 'The current password is wrong.',
  wrongCode: 'This code is not valid. Please enter the next one that your app shows.',
  wrongRecoveryCode: 'This recovery code is not valid.',
  tooManyAttempts: 'Too many attempts. Please wait and try again.',
  linkEnded: 'This link is no longer valid. Please ask for a new one.',
  busy: 'The service is busy. Please try again in a few seconds.',
  notReady: 'Your account setup has not been completed yet. Please try again later.',
  noPasswordHere: 'Signing in with a password is not possible here.',
  adminExists: 'Admin already exists!',
  twoFactorActive: 'Two-factor authentication is active already.',
  confirmedAlready: 'This user has confirmed the e-mail address already.',
  /** Columns and kinds of the launch context that no deployer has named. */
  columns: {
    name: 'Name',
    birth: 'Date of birth',
    gender: 'Gender',
    record: 'Record number',
    visit: 'Visit',
    started: 'Started',
    status: 'Status',
    class: 'Class',
    description: 'Description',
    id: 'Id',
    patient: 'Patient',
    encounter: 'Encounter',
  },
} as const;
