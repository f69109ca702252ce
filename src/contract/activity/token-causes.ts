import { assertionCauses } from './assertion-causes.js';
import { authenticationCauses } from './authentication-causes.js';
import type { Cause } from './cause.js';
import { dpopCauses } from './dpop-causes.js';
import { tokenClientCauses } from './request/client-causes.js';
import { tokenMessageCauses } from './token-message-causes.js';

const late = { stage: 'token', severity: 'notice', title: 'Late token request refused' } as const;
const refused = { stage: 'token', severity: 'refused', title: 'Token request refused' } as const;

/** Code, token and refresh requests, and those of back-end services. */
export const tokenCauses = {
  'code-issued': { stage: 'token', severity: 'step', title: 'Code sent back to the app' },
  'tokens-issued': { stage: 'token', severity: 'step', title: 'Tokens issued' },
  'tokens-refreshed': { stage: 'token', severity: 'step', title: 'Tokens refreshed' },
  'token-refused': {
    ...refused,
    text: '{{error}}: {{description}}',
    decidedBy: 'The token request is not valid',
    developer: 'Your token request was refused with {{error}}: {{description}}.',
  },
  ...tokenClientCauses,
  ...authenticationCauses,
  ...assertionCauses,
  ...tokenMessageCauses,
  'token-resource': {
    ...refused,
    text: 'Sent as resource: {{sent}}. The access is for {{granted}}.',
    decidedBy: 'The resource is another one than that of the authorization',
    developer:
      'Your resource {{sent}} is not the one of the authorization, {{granted}}. Send that one, once, or leave it out.',
    change: { text: 'Have the app send resource={{granted}}, once, or leave it out.' },
  },
  'token-scopes-missing': {
    ...refused,
    text: 'The request has no scope.',
    decidedBy: 'The scope is missing',
    developer: 'Your request has no scope, and your client has no default scopes.',
    change: {
      text: 'Have the app send scope, such as system/*.rs, or give the client Default scopes.',
      field: 'defaultScopes',
    },
  },
  'token-scope': {
    ...refused,
    text: '{{description}} ({{scope}})',
    decidedBy: 'The requested scope is not possible',
    developer: 'The scope was refused: {{description}} ({{scope}}).',
    change: {
      text: 'Compare the scopes that the app requests with those of the client. No check that is known here explains it.',
    },
  },
  'code-unknown': {
    ...refused,
    text: 'The code was not issued here, or is older than what is kept.',
    decidedBy: 'The code is not known',
    developer: 'The code is not one that was issued here. Check that it was decoded once and not cut.',
    change: { text: 'Have the app send the code as it received it.' },
  },
  'code-malformed': {
    ...refused,
    text: 'The {{what}} was not issued here: its length is {{length}} instead of {{expected}}.',
    decidedBy: 'The {{what}} is none of this portal',
    developer: 'Your {{what}} is none of this portal: its length is {{length}} instead of {{expected}}.',
    change: { text: 'Have the app send the {{what}} as it received it: whole, and nothing else in its place.' },
  },
  'code-damaged': {
    ...refused,
    text: 'It would be a code that was issued here but for a damage: {{damage}}.',
    decidedBy: 'The code is damaged',
    developer: 'The code is almost right. Look at it closely: {{damage}}.',
    change: { text: 'Have the app send the code as it received it, decoded once.' },
  },
  'code-misplaced': {
    ...refused,
    text: 'The {{sent}} was sent as {{parameter}}.',
    decidedBy: 'The {{sent}} is in the wrong parameter',
    developer: 'You sent the {{sent}} as {{parameter}}.',
    change: { text: 'Have the app send {{right}}.' },
  },
  'code-of-other-client': {
    ...refused,
    text: 'The code was issued to {{other}}, not to {{clientId}}.',
    decidedBy: 'The code was issued to another client',
    developer: 'The code was not issued to the client {{clientId}}. Use one client_id for both requests.',
    change: { text: 'Have the app send the same client_id to both endpoints.' },
  },
  'code-used': {
    ...refused,
    text: 'The code was exchanged before. Because of this {{ended}}.',
    decidedBy: 'The code was used before',
    developer: 'The code was used before, so {{ended}}. A code can be exchanged once.',
    change: { text: 'Have the app exchange each code once, also when the page is loaded again.' },
  },
  'code-late': {
    ...late,
    text: 'Another request exchanged the code while this one was under way. This one got no tokens, and no access was ended.',
  },
  'code-expired': {
    ...refused,
    text: 'The code expired {{seconds}} s ago; it was valid for {{lifetime}} s.',
    decidedBy: 'The code has expired',
    developer: 'The code expired {{seconds}} s ago; codes are valid for {{lifetime}} s.',
    change: { text: 'Have the app exchange the code at once.' },
  },
  'code-redirect-uri': {
    ...refused,
    text: 'The code was sent to {{expected}}; the token request says {{sent}}. The difference: {{difference}}.',
    decidedBy: 'The redirect URI differs from that of the authorization request',
    developer:
      'Your token request has the redirect_uri {{sent}}, the authorization request had {{expected}}. The difference: {{difference}}.',
    change: { text: 'Have the app send {{expected}} in both requests.' },
  },
  'code-verifier-missing': {
    ...refused,
    text: 'The authorization request had a code_challenge, the token request has no code_verifier.',
    decidedBy: 'The code verifier is missing',
    developer: 'Your authorization request had a code_challenge, so the token request needs the code_verifier.',
    change: { text: 'Have the app keep the code_verifier and send it.' },
  },
  'code-verifier-unexpected': {
    ...refused,
    text: 'The token request has a code_verifier, the authorization request had no code_challenge.',
    decidedBy: 'The code verifier has no challenge',
    developer: 'Your token request has a code_verifier, but the authorization request had no code_challenge.',
    change: { text: 'Have the app send a code_challenge with the authorization request.' },
  },
  'code-verifier-malformed': {
    ...refused,
    text: 'The code_verifier is not valid: {{fault}}.',
    decidedBy: 'The code verifier is not valid',
    developer: 'Your code_verifier is not valid: {{fault}}. It has 43 to 128 of A-Z a-z 0-9 - . _ ~ (RFC 7636 §4.1).',
    change: {
      text: 'Have the app create a code_verifier of 43 to 128 characters out of A-Z a-z 0-9 - . _ ~: {{fault}}.',
    },
  },
  'code-verifier-wrong': {
    ...refused,
    text: 'The SHA-256 hash of the code_verifier is not the code_challenge. {{hint}}',
    decidedBy: 'The code verifier does not fit the challenge',
    developer:
      'The SHA-256 hash of your code_verifier, as base64url, is not the code_challenge that you sent. {{hint}}',
    change: { text: 'Have the app keep the code_verifier of this launch until the code is exchanged.' },
  },
  'access-had-ended': {
    ...refused,
    text: 'The {{what}} was presented after the access behind it had ended. {{ended}}',
    decidedBy: '{{reason}}, on {{at}}',
    developer: 'Your {{what}} is not valid any more: the access behind it ended on {{at}}. {{told}}',
    change: { text: '{{remedy}}', field: '{{field}}', page: '{{page}}' },
  },
  'grant-ended': {
    ...refused,
    text: 'The access behind the {{what}} has ended. No record says what ended it.',
    decidedBy: 'The access has ended',
    developer: 'The access behind your {{what}} has ended. Start a new launch.',
    change: { text: 'The user can start the app again.' },
  },
  'token-app-paused': {
    ...refused,
    text: 'The user has paused the app. Its code or refresh token was not used and stays valid until it expires.',
    decidedBy: 'Paused by the user',
    developer: 'The user has paused your app. Keep the token and try again later, or send them to a new authorization.',
    change: { text: 'The user can resume the app under Manage Apps, or when it is started again.' },
  },
  'refresh-token-unknown': {
    ...refused,
    text: 'No refresh token like this is recorded here: neither one that is valid, nor one that has ended while launches are kept.',
    decidedBy: 'The refresh token is not known',
    developer:
      'The refresh token is not one that is recorded here. Check that it was not cut; otherwise start a new launch.',
    change: { text: 'Have the app send the refresh token as it received it. The user can start the app again.' },
  },
  'refresh-token-damaged': {
    ...refused,
    text: 'It would be a refresh token that was issued here but for a damage: {{damage}}.',
    decidedBy: 'The refresh token is damaged',
    developer: 'The refresh token is almost right. Look at it closely: {{damage}}.',
    change: { text: 'Have the app store and send the refresh token as it received it.' },
  },
  'refresh-token-expired': {
    ...refused,
    text: 'The refresh token expired {{seconds}} s ago.',
    decidedBy: 'The refresh token has expired',
    developer: 'The refresh token expired {{seconds}} s ago. Start a new launch.',
    change: {
      text: 'Extend the lifetime of refresh tokens, if the app is used more rarely.',
      field: 'refreshTokenLifetime',
    },
  },
  'refresh-token-used': {
    ...refused,
    text: 'The refresh token was used before. Because of this {{ended}}.',
    decidedBy: 'The refresh token was used before',
    developer: 'The refresh token was used before, so {{ended}}. Each answer has a new one, which replaces it.',
    change: { text: 'Have the app store the new refresh token of each answer. The user can start the app again.' },
  },
  'refresh-token-late': {
    ...late,
    text: 'Another request used the refresh token while this one was under way. This one got no tokens, and no access was ended.',
  },
  'representation-held': {
    ...refused,
    text: 'The user acts for a patient, and may not do so now: {{reason}}. The code or token stays as it is.',
    decidedBy: 'The user may not act for the patient now',
    developer: 'The user of your app may not act for this patient now. The token may work again later.',
    change: {
      text: 'See the relationship at the user, and the age rules of its basis.',
      page: 'user',
    },
  },
  'refresh-token-of-other-client': {
    ...refused,
    text: 'The refresh token was issued to {{other}}, not to {{clientId}}.',
    decidedBy: 'The refresh token was issued to another client',
    developer: 'The refresh token was not issued to the client {{clientId}}.',
    change: { text: 'Have the app send the client_id that it started with.' },
  },
  'refresh-scope': {
    ...refused,
    text: 'These scopes were not granted: {{scope}}.',
    decidedBy: 'The refresh asks for more than was granted',
    developer: 'Your refresh asks for scopes that were not granted: {{scope}}.',
    change: { text: 'Have the app leave out {{scope}}, or start a new launch with it.' },
  },
  ...dpopCauses,
} as const satisfies Record<string, Cause>;
