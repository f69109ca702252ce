import type { Cause } from './cause.js';

const step = { stage: 'person', severity: 'step' } as const;
const notice = { stage: 'person', severity: 'notice' } as const;
const refused = { stage: 'person', severity: 'refused' } as const;
const declined = { stage: 'person', severity: 'declined' } as const;
const left = { stage: 'person', severity: 'left' } as const;
const accepted = 'Your request itself was accepted.';

/**
 * The user's steps, from sign-in to consent. A hindrance does not end the launch, which the user can still
 * complete: it is a notice, and the launch that stops there shows it last.
 */
export const personCauses = {
  'page-sent': { ...step, title: 'The browser was sent to the {{page}} page', apart: ['page'] },
  // The page itself asks for its content, so a browser runs it: a frame, or a request of a script, does not.
  'page-shown': { ...step, title: 'The {{page}} page was shown', apart: ['page'] },
  'signed-in': { ...step, title: 'The user signed in', text: 'By {{how}}.' },
  'second-factor-proven': { ...step, title: 'The second factor was proven' },
  'sign-in-too-old': {
    ...step,
    title: 'The app requires a newer sign-in',
    text: 'The sign-in may be {{seconds}} s old, and was older.',
  },
  'second-factor-required': { ...step, title: 'The app requires a second factor' },
  'acr-required': {
    ...step,
    title: 'The app asks for a stronger sign-in',
    text: 'It asks for {{acr}}.',
  },
  'passkey-required': { ...step, title: 'The app requires a sign-in with a passkey' },
  'disclaimers-agreed': { ...step, title: 'Disclaimers accepted', text: '{{count}} accepted.' },
  'context-chosen': { ...step, title: 'Patient or visit chosen', text: '{{resources}}' },
  'consent-given': {
    ...step,
    title: 'Consent given',
    text: '{{granted}} of {{offered}} permissions, {{remembered}}.',
  },
  'consent-remembered': {
    ...step,
    title: 'An earlier consent was used',
    text: '{{granted}} of {{offered}} permissions.',
  },
  'sign-in-method-closed': {
    ...notice,
    title: 'The way of signing in is not open for this client',
    text: 'The user tried {{method}}.',
    decidedBy: 'The client does not permit this way of signing in',
    developer: `The user used a way of signing in that is not open for your client. ${accepted}`,
    change: { text: 'Permit {{method}} for the client.', field: 'enableLocalLogin' },
  },
  'password-wrong': {
    ...notice,
    title: 'A wrong password was typed',
    decidedBy: 'The email address or the password was wrong',
    developer: `The user typed a wrong password. ${accepted}`,
    change: { text: 'The user can ask for a new password on the sign-in page.' },
  },
  'passkey-refused': {
    ...notice,
    title: 'A passkey was not accepted',
    decidedBy: 'The portal does not know the passkey, or its answer was not right',
    developer: `The user used a passkey that was not accepted. ${accepted}`,
    change: { text: 'The user can sign in with a password, or with another passkey.' },
  },
  'sign-in-locked': {
    ...notice,
    title: 'Signing in is locked for a while',
    text: 'After too many wrong passwords, for {{seconds}} s more.',
    decidedBy: 'Too many wrong passwords',
    developer: `The user typed too many wrong passwords and has to wait. ${accepted}`,
    change: { text: 'Wait, or have the user ask for a new password, which ends the lock.' },
  },
  'second-factor-none': {
    ...notice,
    title: 'The account has no second factor',
    text: 'The page offers to set up an authenticator. {{demand}}',
    decidedBy: 'A second factor is required, and the account has none',
    developer: `The user has to set up a second factor first. ${accepted}`,
    change: { text: '{{remedy}}', field: '{{field}}' },
  },
  'second-factor-wrong': {
    ...notice,
    title: 'The second factor was refused',
    decidedBy: 'The code of the second factor was wrong, or used before',
    developer: `The second factor of the user was refused. ${accepted}`,
    change: { text: 'Have the user check the clock of their device, or use a recovery code.' },
  },
  'second-factor-locked': {
    ...notice,
    title: 'The second factor is locked for a while',
    decidedBy: 'Too many wrong codes or passkeys as the second factor',
    developer: `The user tried too many wrong codes or passkeys and has to wait. ${accepted}`,
    change: { text: 'Wait for an hour, have the user use a recovery code, or unlock the user.', page: 'user' },
  },
  'external-sign-in-refused': {
    ...notice,
    title: 'The sign-in at another provider was refused',
    text: '{{provider}}: {{reason}}',
    decidedBy: 'The other provider, or what it said, did not permit the sign-in',
    developer: `The user could not sign in at another provider. ${accepted}`,
    change: { text: 'Compare the provider with its configuration.', configuration: 'identityProviders' },
    apart: ['reason'],
  },
  'family-news-read': { ...step, title: 'The user read who acts for them, or does no more' },
  'app-resumed': { ...step, title: 'The user resumed the app', text: 'It was paused before.' },
  // The launch stays what it is: its own browser may continue it.
  'continued-late': {
    ...notice,
    title: 'The request was continued after it had expired',
    text: 'It had expired {{seconds}} s before.',
    decidedBy: 'The request had expired',
    developer: `The user continued your request {{seconds}} s after it had expired. ${accepted}`,
    change: { text: 'The user can start the app again.' },
  },
  'continued-without-cookie': {
    ...notice,
    title: 'The request was continued in a browser that has no cookie of it',
    text: 'Cookies of this portal were removed or blocked, or it was another browser.',
    decidedBy: 'The browser has no cookie of the request',
    developer: `A browser continued your request that has no cookie of it: cookies were removed or blocked, or it was another browser. ${accepted}`,
    change: {
      text: 'Have the user permit the cookies of this portal, and stay in the browser in which the app started.',
    },
  },
  'continued-in-other-browser': {
    ...notice,
    title: 'The request was continued in another browser',
    text: 'The browser that sent it has the cookie of other requests alone.',
    decidedBy: 'The request was begun in another browser',
    developer: `The user continued your request in another browser than the one in which it began. ${accepted}`,
    change: { text: 'Have the user continue in the browser in which the app started, or start the app again.' },
  },
  'continued-by-other-person': {
    ...notice,
    title: 'The request was continued under another sign-in',
    text: 'The sign-in of the browser was changed since.',
    decidedBy: 'The sign-in of the browser was changed',
    developer: `The sign-in of the browser was changed while your request waited. ${accepted}`,
    change: { text: 'The user can start the app again, and signs in as who shall use it.' },
  },
  'continued-after-end': {
    ...refused,
    title: 'A request was continued that does not wait any more',
    text: 'No request waits under its address: it was answered, it expired a while ago, or the address was changed.',
    decidedBy: 'No request waits under the address',
    developer:
      'The user continued a request that does not wait: it was answered, it expired a while ago, or its address was changed.',
    change: { text: 'The user can start the app again.' },
  },
  'continued-by-cut-address': {
    ...refused,
    title: 'A request was continued by an address that is not whole',
    text: 'The address was cut or changed: {{fault}}.',
    decidedBy: 'The address of the request is not whole',
    developer: 'The user continued a request by an address that was cut or changed: {{fault}}.',
    change: { text: 'The user can start the app again.' },
  },
  'account-incomplete': {
    ...notice,
    title: 'The account has no FHIR record',
    decidedBy: 'The account is not linked to a FHIR record',
    developer: `The account of the user is not linked to a FHIR record. ${accepted}`,
    change: { text: 'Give the account a type and the claim fhirUser.', page: 'user' },
  },
  'account-administrator': {
    ...notice,
    title: 'The account is an administrator’s',
    decidedBy: 'Administrators cannot authorize apps',
    developer: `The user signed in as an administrator, who cannot use apps. ${accepted}`,
    change: { text: 'Have the user sign in with the account of a patient or practitioner.' },
  },
  'account-other-tenant': {
    ...notice,
    title: 'The account is of another tenant',
    text: 'The app asked for {{tenant}}.',
    decidedBy: 'The account does not belong to the tenant that the app asked for',
    developer: 'The account of the user does not belong to the FHIR base in your aud.',
    change: {
      text: 'Have the app use the base of the account’s tenant as aud, or give the account the tenant {{tenant}}.',
      page: 'user',
    },
  },
  'context-none': {
    ...notice,
    title: 'No {{type}} to choose from was found',
    decidedBy: 'The FHIR server has no {{type}} that the user may choose',
    developer: 'There was no {{type}} that the user could choose.',
    change: { text: 'Check that the FHIR server has {{type}} resources that the user may open.' },
    apart: ['type'],
  },
  'context-skipped': {
    ...notice,
    title: 'No {{type}} was chosen',
    decidedBy: 'The user skipped the choice of a {{type}}',
    developer: 'The user chose no {{type}}, so your token has none, and lacks the scopes that need it.',
    change: { text: 'Have the user choose a {{type}}, if the app needs one.' },
    apart: ['type'],
  },
  'announced-other-person': {
    ...refused,
    title: 'The EHR announced the launch for another person',
    text: 'The EHR announced it for {{announced}}, and {{signedIn}} signed in.',
    decidedBy: 'Another person signed in than the EHR announced',
    developer: 'Another person signed in than the one for whom the EHR registered the launch.',
    change: { text: 'Have the user sign in with the account that they use in the EHR.' },
  },
  'announced-other-patient': {
    ...refused,
    title: 'The EHR announced another person’s patient',
    text: 'The EHR announced {{announced}}. The FHIR record of the account is {{record}}.',
    decidedBy: 'The account may not open the patient that the EHR announced',
    developer: 'The user may not open the patient for whom the EHR registered the launch.',
    change: {
      text: 'Have the EHR announce the patient of {{record}}, or correct the FHIR record of the account.',
      page: 'user',
    },
  },
  'announced-patient-not-represented': {
    ...refused,
    title: 'The EHR announced a patient for whom the user may not act now',
    text: 'The user may not act for the patient now: {{reason}}.',
    decidedBy: 'The user may not act now for the patient that the EHR announced',
    developer: 'The user may not open the patient for whom the EHR registered the launch.',
    change: {
      text: 'See the relationship at the user, and the age rules of its basis.',
      page: 'user',
    },
  },
  'announced-patient-outside-panel': {
    ...refused,
    title: 'The EHR announced a patient outside of the practitioner’s panel',
    decidedBy: 'The practitioner may not choose the patient that the EHR announced',
    developer: 'The practitioner may not open the patient for whom the EHR registered the launch.',
    change: { text: 'Add the patient to the practitioner’s panel at the FHIR server.' },
  },
  declined: {
    ...declined,
    title: 'The user declined',
    decidedBy: 'The user chose to decline',
    developer: `The user declined your request. ${accepted}`,
  },
  'consent-declined': {
    ...declined,
    title: 'The user declined the permissions',
    decidedBy: 'The user did not consent',
    developer: `The user declined the permissions. ${accepted}`,
  },
  'disclaimers-declined': {
    ...declined,
    title: 'The user did not accept the disclaimers',
    text: 'The user left at the page {{page}}.',
    decidedBy: 'The user did not accept the disclaimers',
    developer: `The user did not accept the disclaimers. ${accepted}`,
  },
  left: {
    ...declined,
    title: 'The user left at the page {{page}}',
    decidedBy: 'The user went back to the app',
    developer: `The user went back at the page {{page}}. ${accepted}`,
  },
  'person-gone': {
    ...left,
    title: 'The user did not continue',
    text: 'The request has expired.',
    decidedBy: 'The user left at the page {{page}}',
    developer: `The user did not continue at the page {{page}}, and your request has expired. ${accepted}`,
  },
  'page-unopened': {
    ...left,
    title: 'No browser is recorded that showed the {{page}} page',
    text: 'The answer to the request led to the page. Until the request expired, no browser is recorded that showed it.',
    decidedBy: 'The {{page}} page was not opened, as far as is recorded',
    developer:
      'Your request was accepted and led to the page {{page}}, which no browser is recorded to have shown until the request expired. Pages of this portal are shown in a window of a browser with scripts, and not in a frame.',
    change: {
      text: 'Have the app open its request in a window of the browser: not in a frame, and not by a request of a script.',
    },
  },
  'request-unopened': {
    ...left,
    title: 'No visit of the user is recorded',
    text: 'The app pushed the request. No browser that opened it is recorded until it expired.',
    decidedBy: 'The app did not send the user here',
    developer: 'You pushed a request. No browser that came with its request_uri is recorded until it expired.',
    change: { text: 'Have the app send the user to the authorization endpoint with the request_uri that it got.' },
  },
  'code-unredeemed': {
    ...left,
    title: 'The app did not redeem its code',
    text: 'The code was sent to the redirect URI. No token request of the client with it is recorded until it expired.',
    decidedBy: 'The app did not redeem its code',
    developer:
      'A code was sent to your redirect URI. No token request of your client with it is recorded here until it expired.',
    change: {
      text: 'Have the developer look whether the app runs at its redirect URI, and whether its token request reaches this portal.',
    },
  },
} as const satisfies Record<string, Cause>;
