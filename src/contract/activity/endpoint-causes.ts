import type { Cause } from './cause.js';

const refused = { stage: 'token', severity: 'refused', title: 'Request to another endpoint refused' } as const;
const signOut = { stage: 'end', severity: 'refused', title: 'Sign-out request refused' } as const;
const unfollowed = { ...signOut, title: 'The address after the sign-out was not followed' } as const;
const shared = 'Several refused requests share this record';

/** Content that is missing in an answer without an error. An entry has no token and no id_token. */
export const unfollowedCauses = {
  'introspection-not-permitted': {
    ...refused,
    title: 'A token of another client was not described',
    text: 'The token was issued to {{owner}}. The client may only ask about its own tokens, so it was told active: false.',
    decidedBy: 'The client may not introspect the tokens of other clients',
    developer:
      'Your client may only ask about its own tokens: for any other the answer is active: false, as for one that does not exist.',
    change: {
      text: 'Turn on Token introspection for the client, if it is a resource server.',
      field: 'allowIntrospection',
    },
  },
  'introspection-of-other-access': {
    ...refused,
    title: 'A token of another access was not described',
    text: 'The request was authorized by an access token of a user, which opens the tokens of the same launch alone.',
    decidedBy: 'The access token of the request is of another launch',
    developer:
      'Your introspection request was authorized by an access token, which opens the tokens of the same launch alone. Authenticate as a client.',
    change: { text: 'Have the app authenticate with its client credentials.' },
  },
  'introspection-of-paused': {
    ...refused,
    title: 'A token of a paused app was not described',
    text: 'The token was issued to {{owner}}, which its user has paused. The answer was active: false.',
    decidedBy: 'Paused by the user',
    developer:
      'The app of the token is paused by its user, so that the answer is active: false. It may work again later.',
    change: { text: 'The user can resume the app under Manage Apps, or when it is started again.' },
  },
  'introspection-of-held': {
    ...refused,
    title: 'A token of a user who acts for a patient was not described',
    text: 'The token was issued to {{owner}}. Its user may not act for the patient now: {{reason}}. The answer was active: false.',
    decidedBy: 'The user may not act for the patient now',
    developer:
      'The user of the token may not act for its patient now, so that the answer is active: false. The token may work again later.',
    change: { text: 'See the relationship at the user, and the age rules of its basis.' },
  },
  'revocation-of-other-client': {
    ...refused,
    title: 'A token of another client was not revoked',
    text: 'The token was issued to {{owner}}, and stays valid. The client was told what it is told for any token.',
    decidedBy: 'The token to be revoked is of another client',
    developer: 'A client can revoke its own tokens alone. Send the client id that the token was issued to.',
    change: { text: 'Have the app send the client id with which it got the token.' },
  },
  'sign-out-address': {
    ...unfollowed,
    text: 'Sent as post_logout_redirect_uri: {{sent}}. The nearest registered one is {{nearest}}. The difference: {{difference}}.',
    decidedBy: 'The address after the sign-out is not registered',
    developer:
      'Your post_logout_redirect_uri {{sent}} is not registered, so the user stays here after the sign-out. The difference to a registered one: {{difference}}.',
    change: {
      text: 'Add {{sent}} to Redirect URIs after logout, if it is the app’s, or have the app send {{nearest}}.',
      field: 'postLogoutRedirectUris',
    },
  },
  'sign-out-address-of-other-client': {
    stage: 'request',
    severity: 'notice',
    title: 'Another client has the address after the sign-out',
    text: 'The post_logout_redirect_uri is registered for {{owner}}.',
    change: { text: 'If the app is that of {{owner}}, have it send this client_id, or the id_token of that client.' },
  },
  'sign-out-addresses-none': {
    ...unfollowed,
    text: 'Sent as post_logout_redirect_uri: {{sent}}. The client has none registered.',
    decidedBy: 'The client has no address after the sign-out',
    developer:
      'Your client has no post_logout_redirect_uri registered, so the user stays here after the sign-out. You sent {{sent}}.',
    change: {
      text: 'Add {{sent}} to Redirect URIs after logout, if it is the app’s.',
      field: 'postLogoutRedirectUris',
    },
  },
  'sign-out-address-misnamed': {
    ...unfollowed,
    text: 'The request has no post_logout_redirect_uri. It has {{similar}}, which is not the name of a parameter.',
    decidedBy: 'The address after the sign-out has another name',
    developer:
      'Your sign-out request has {{similar}} and no post_logout_redirect_uri, which is the name of the parameter.',
    change: { text: 'Have the app send post_logout_redirect_uri in place of {{similar}}.' },
  },
  'sign-out-client-missing': {
    ...unfollowed,
    text: 'Sent as post_logout_redirect_uri: {{sent}}. The request names no client whose address it could be.',
    decidedBy: 'The sign-out names no client',
    developer:
      'Your sign-out request has a post_logout_redirect_uri and names no client. Send id_token_hint, or client_id, with it.',
    change: { text: 'Have the app send id_token_hint or client_id with its post_logout_redirect_uri.' },
  },
} as const satisfies Record<string, Cause>;

/**
 * Requests to introspection, revocation and sign-out, and those by a wrong method. None belongs to a launch. An entry
 * has no token and no id_token.
 */
export const endpointCauses = {
  ...unfollowedCauses,
  'endpoint-method': {
    ...refused,
    text: 'The {{endpoint}} endpoint got a {{method}} request, and takes {{allowed}}. {{found}}',
    decidedBy: 'The request has the wrong method',
    developer: 'You sent a {{method}} request to the {{endpoint}} endpoint, which takes {{allowed}}. {{found}}',
    change: { text: 'Have the app send the request by {{allowed}}, with its parameters in the body of a POST.' },
  },
  'endpoint-elsewhere': {
    ...refused,
    title: 'A request went to an address that is not of this portal',
    text: '{{method}} {{sent}}: there is nothing at this address. By its name it is for the {{endpoint}}, which is at {{right}}.',
    decidedBy: 'The {{endpoint}} is at another address',
    developer:
      'Your request {{method}} {{sent}} went to an address where there is nothing. By its name it is for the {{endpoint}}, which is at {{right}}. Your app can read the addresses from .well-known/smart-configuration below the FHIR base.',
    change: {
      text: 'Have the app use {{right}}. It can read the addresses from .well-known/smart-configuration below the FHIR base.',
    },
    apart: ['sent'],
  },
  'endpoint-not-offered': {
    ...refused,
    title: 'A request went to an endpoint that this portal does not have',
    text: '{{method}} {{sent}}: by its name it is for the {{endpoint}}. There is none here.',
    decidedBy: 'There is no {{endpoint}}',
    developer: 'Your request {{method}} {{sent}} is by its name for the {{endpoint}}. There is none here. {{instead}}',
    change: { text: '{{instead}}' },
    apart: ['sent'],
  },
  'endpoint-refused': {
    ...refused,
    text: 'The {{endpoint}} endpoint answered {{error}}: {{description}}',
    decidedBy: 'The {{endpoint}} request is not valid',
    developer: 'Your {{endpoint}} request was refused with {{error}}: {{description}}.',
  },
  'introspection-by-public': {
    ...refused,
    text: 'The request has the id of a public client alone. Tokens are described to clients that prove who they are, and for an access token (RFC 7662 §2.1).',
    decidedBy: 'A client without credentials asked about a token',
    developer:
      'Your client is public, and its id alone does not authorize introspection (RFC 7662 §2.1). Send your access token as Bearer: it opens the tokens of its own launch.',
    change: {
      text: 'Have the app send its access token as Bearer, which opens the tokens of the same launch. A resource server needs a client with a secret or a key.',
    },
  },
  'endpoint-unreadable': {
    ...refused,
    text: 'The {{endpoint}} request was not processed: {{fault}}.',
    decidedBy: 'The {{endpoint}} request cannot be processed: {{fault}}',
    developer: 'Your {{endpoint}} request was not processed: {{fault}}. {{remedy}}',
    change: { text: '{{remedy}}', configuration: '{{configuration}}' },
    apart: ['endpoint', 'fault'],
  },
  'endpoint-body-type': {
    ...refused,
    text: 'The {{endpoint}} request was sent as {{type}}. Only application/x-www-form-urlencoded is read.',
    decidedBy: 'The body of the {{endpoint}} request has another type than a form',
    developer:
      'You sent your {{endpoint}} request as {{type}}, of which nothing is read. Send it as application/x-www-form-urlencoded.',
    change: { text: 'Have the app send the request as application/x-www-form-urlencoded, not as {{type}}.' },
  },
  'endpoint-in-address': {
    ...refused,
    text: 'Parameters of the {{endpoint}} request are in the address, where they are not read: {{parameters}}.',
    decidedBy: 'Parameters of the {{endpoint}} request are in the address',
    developer: 'Your {{endpoint}} request has {{parameters}} in its address. Send them in the body.',
    change: {
      text: 'Have the app send its parameters in the body, and replace a secret or token that stood in an address: logs may have it.',
    },
  },
  'authorization-body-type': {
    stage: 'request',
    severity: 'refused',
    title: 'Authorization request refused',
    text: 'The authorization request was posted as {{type}}. Only application/x-www-form-urlencoded is read.',
    decidedBy: 'The body of the authorization request has another type than a form',
    developer:
      'You posted your authorization request as {{type}}, of which nothing is read. Open it in the browser of the user, by GET or by a form (SMART 2.2 authorize-post).',
    change: { text: 'Have the app open the request in the browser, by GET or as a form, and not as {{type}}.' },
  },
  'endpoint-token-missing': {
    ...refused,
    text: 'The {{endpoint}} request has no parameter token. Sent: {{sent}}.',
    decidedBy: 'The {{endpoint}} request has no token',
    developer: 'Your {{endpoint}} request has no parameter token. You sent: {{sent}}.',
    change: { text: 'Have the app send token in the body of the request.' },
  },
  'sign-out-hint-unreadable': {
    ...signOut,
    text: 'The id_token_hint cannot be read: {{reason}}.',
    decidedBy: 'The id_token_hint cannot be read',
    developer: 'Your id_token_hint cannot be read: {{reason}}. Send the id_token of the token answer, unchanged.',
    change: { text: 'Have the app send the id_token of the token answer, unchanged.' },
  },
  'sign-out-hint-foreign': {
    ...signOut,
    text: 'The id_token_hint names the issuer {{issuer}}.',
    decidedBy: 'The id_token_hint is of another server',
    developer: 'Your id_token_hint names the issuer {{issuer}}, and is none of this portal.',
    change: { text: 'Have the app send the id_token that this portal issued.' },
  },
  'sign-out-hint-of-unknown': {
    ...signOut,
    text: 'The id_token_hint names the client {{audience}}, which is disabled or not registered any more.',
    decidedBy: 'No enabled client has the id in the id_token_hint',
    developer: 'Your id_token_hint names the client {{audience}}, which is not known here any more.',
  },
  'sign-out-hint-type': {
    ...signOut,
    text: 'The id_token_hint is a JWT of the type {{type}}.',
    decidedBy: 'Another JWT was sent as id_token_hint',
    developer: 'Your id_token_hint is a JWT of the type {{type}}. Send the member id_token of the token answer.',
    change: { text: 'Have the app send the member id_token of the token answer.' },
  },
  'sign-out-hint-changed': {
    ...signOut,
    text: 'The id_token_hint names this portal and the client {{audience}}, and this portal did not sign what it says.',
    decidedBy: 'The id_token_hint is not as this portal signed it',
    developer: 'Your id_token_hint is not as this portal signed it. Send the id_token of the token answer, unchanged.',
    change: { text: 'Have the app send the id_token of the token answer, unchanged.' },
  },
  'sign-out-client-differs': {
    ...signOut,
    text: 'The client_id is {{clientId}}, and the id_token_hint was issued to {{audience}}.',
    decidedBy: 'The sign-out names two clients',
    developer: 'Your client_id is {{clientId}}, and your id_token_hint was issued to {{audience}}.',
    change: { text: 'Have the app send its own client_id, or leave it out.' },
  },
  'sign-out-form-gone': {
    ...signOut,
    text: 'The page was of another session of the browser, or its form was changed.',
    decidedBy: 'The page of the sign-out does not fit the session',
    developer: 'The user confirmed a sign-out on a page that does not fit the session of the browser.',
    change: { text: 'The user can open the sign-out again.' },
  },
  'gateway-openid-missing': {
    stage: 'gateway',
    severity: 'notice',
    title: 'A request for data was refused',
    text: '{{method}} {{type}} needs the scope openid, which the token does not have.',
    decidedBy: 'The token lacks the scope openid',
    developer: 'The request {{method}} {{type}} needs the scope openid, which your token does not have.',
    change: { text: 'Have the app ask for openid. The user can then start the app again.' },
  },
  'record-shared': {
    stage: 'request',
    severity: 'notice',
    title: shared,
    text: 'More different requests were refused on this day than have a record of their own. The entries are those of all further ones, with the values of the last.',
    decidedBy: shared,
    developer:
      'More different requests were refused on this day than have a record of their own, so this reference does not tell which one was yours. Correct what the references before it tell, or try again tomorrow.',
  },
} as const satisfies Record<string, Cause>;
