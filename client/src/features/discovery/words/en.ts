import { addWords } from '../../../shared/i18n/add-words.js';

const discovery = {
  openidTitle: 'OpenID Configuration',
  openidLead: 'What this server announces to apps at <code>{{path}}</code>.',
  smartTitle: 'SMART Configuration',
  smartLead: 'What apps find at <code>{{path}}</code> of the FHIR server they use.',
  view: 'View',
  processed: 'View processed',
  raw: 'View raw',
  copyRaw: 'Copy',
  copyAddress: 'Copy address: {{name}}',
  supported: 'supported',
  notSupported: 'Not supported',
  identity: 'Identity',
  identityHelp: 'Who issues tokens and with which keys.',
  issuer: 'Issuer',
  jwksUri: 'JWKS URI',
  endpoints: 'Endpoints',
  endpointsHelp: 'Addresses that apps call.',
  authorization: 'Authorization',
  token: 'Token',
  userInfo: 'User info',
  endSession: 'End session',
  checkSession: 'Check session',
  revocation: 'Revocation',
  introspect: 'Introspect',
  scopesAndClaims: 'Scopes and claims',
  scopes: 'Scopes',
  scopesHelp: 'Grouped by the part before the slash.',
  generalScopes: 'General',
  allResourceTypes: 'All resource types',
  claims: 'Claims',
  capabilities: 'Capabilities',
  capabilitiesHelp: 'Grouped by the part before the first dash.',
  signInAndTokens: 'Sign-in and tokens',
  grantTypes: 'Grant types',
  responseTypes: 'Response types',
  responseModes: 'Response modes',
  codeChallengeMethods: 'Code challenge methods',
  authMethods: 'Token endpoint auth methods',
  signingAlgorithms: 'Signing algorithms',
  requestObjectAlgorithms: 'Request object signing algorithms',
  dpopAlgorithms: 'DPoP signing algorithms',
  promptValues: 'Prompt values',
  subjectTypes: 'Subject types',
  logouts: 'Logouts supported',
  frontChannel: 'Front channel',
  frontChannelSession: 'Front channel session',
  backChannel: 'Back channel',
  backChannelSession: 'Back channel session',
  otherFeatures: 'Other features',
  requestParameter: 'Request parameter supported',
  issuerParameter: 'Issuer parameter in authorization response',
  disconnectedTitle: 'FHIR server is disconnected',
  disconnectedText: 'The SMART configuration is shown here as soon as the FHIR server answers.',
  failedTitle: 'Something Went Wrong',
  failedText:
    'The SMART configuration could not be loaded. Check the configuration and the logs of the server. If that does not help, contact support.',
} as const;

export const words = addWords({ discovery });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    discovery: typeof words;
  }
}
