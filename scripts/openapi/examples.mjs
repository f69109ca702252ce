/** Examples, made of the schemas: what a type does not tell is taken from the name of the member. */
const id = '7d1a3c52-6f0b-4c0e-9a51-2f8f3f1f9b64';
const time = '2026-03-02T08:15:30.000Z';
const issuer = 'https://portal.example';

const texts = {
  spokenCode: '472915',
  accentColor: '#0b6e75',
  accessTokenLifetime: '01:00:00',
  address: '192.0.2.17',
  authenticationScheme: 'hospital',
  authenticatorUri: 'otpauth://totp/Gatehouse:ada.kent%40hospital.example?secret=KEY&issuer=Gatehouse',
  authorization_endpoint: `${issuer}/connect/authorize`,
  birthDate: '1984-07-21',
  capabilities: 'launch-standalone',
  clientDescription: 'Shows how a child grows.',
  clientId: 'growth-chart',
  clientName: 'Growth Chart',
  code: 'request-invalid',
  code_challenge_methods_supported: 'S256',
  color: '#2f7d6d',
  columns: 'Name',
  consentLifetime: '90',
  contactUsUrl: 'https://growth-chart.example/contact',
  contextVersion: '1',
  cursor: '1772439330000.4711',
  day: '2026-03-02',
  decidedBy: 'The redirect URI is not registered',
  description: 'Shows how a child grows.',
  disclaimerHtml: '<p>The app is not a medical device.</p>',
  email: 'ada.kent@hospital.example',
  Email: 'ada.kent@hospital.example',
  field: 'fullName',
  fullName: 'Ada Kent',
  grant_types_supported: 'authorization_code',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  identityGrantNames: 'Your name',
  identityScopes: 'profile',
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks`,
  keepPage: `${issuer}/keep-account`,
  key: 'email.smtp',
  kid: 'growth-chart-2026',
  kind: 'Observation',
  kinds: 'Observation',
  kty: 'EC',
  language: 'en',
  legalCompanyName: 'Growth Chart Ltd',
  loginHint: 'ada.kent@hospital.example',
  message: 'Enter a name.',
  messages: 'Enter a name.',
  name: 'Growth Chart',
  newPassword: 'Seven blue herons 7',
  number: '42',
  on: '2035-03-08',
  organizationTitle: 'Hospital Example',
  password: 'Seven blue herons 7',
  Password: 'Seven blue herons 7',
  patients: '1842',
  personName: 'Ada Kent',
  postLogoutRedirectUris: 'https://growth-chart.example/',
  product: 'https://docs.example/gatehouse',
  receiptId: '5H2P-9XB7-7Q4K',
  recordNumber: '1842',
  recoveryCode: 'k7pwq-3mz9d',
  recoveryCodes: 'k7pwq-3mz9d',
  redirectUris: 'https://growth-chart.example/callback',
  redirectHost: 'growth-chart.example',
  returnHost: 'growth-chart.example',
  returnUrl: '/connect/authorize/resume?request=4f1b',
  reference: 'NB-7Q4K-2M',
  lastReference: 'NB-7Q4K-2M',
  launch: 'NB-7Q4K-2M',
  refreshTokenLifetime: '30',
  resourceTypes: 'Observation',
  response_types_supported: 'code',
  scheme: 'hospital',
  scope: 'patient/Observation.rs',
  scopesConsented: 'patient/Observation.rs',
  scopes_supported: 'patient/Observation.rs',
  secret: 'the secret of the client',
  service: 'nightly-import',
  seenChange: '2026-03-02T08:15:30.000000Z',
  session: '3f2c9a',
  sharedKey: 'KEY',
  statusMessage: 'Bad Request',
  system: 'Windows',
  tag: 'en',
  text: 'A second administrator can sign in.',
  tenant: 'north',
  tenantId: 'north',
  tenantName: 'Hospital North',
  ticket: 'the ticket',
  timeZone: 'Europe/Vienna',
  title: 'Bad Request',
  token: 'the token of the link',
  token_endpoint: `${issuer}/connect/token`,
  token_endpoint_auth_methods_supported: 'private_key_jwt',
  token_endpoint_auth_signing_alg_values_supported: 'ES384',
  userType: 'Practitioner',
  username: 'ada.kent@hospital.example',
  value: 'Cardiology',
  verificationCode: '492039',
  version: '0.1.0',
  wanted: 'de-AT de en',
  wildcardTypes: 'Observation',
};

/** Requests as a caller would make them, by their types. */
const requests = {
  ClientRequest: {
    clientId: 'growth-chart',
    clientName: 'Growth Chart',
    clientType: 'StandaloneApp',
    description: 'Shows how a child grows.',
    enabled: true,
    redirectUris: ['https://growth-chart.example/callback'],
    allowedSmartActions: ['r', 's'],
    allowedSmartSubjects: ['patient'],
    allowedResourceTypes: ['Patient', 'Observation'],
    requirePkce: true,
    requireConsent: true,
    requireClientSecret: false,
  },
  CreateUserRequest: {
    fullName: 'Ada Kent',
    email: 'ada.kent@hospital.example',
    userType: 'Practitioner',
    claims: [{ name: 'fhirUser', value: 'Practitioner/17' }],
  },
  ChangeUserRequest: {
    fullName: 'Ada Kent',
    userType: 'Practitioner',
    claims: [{ name: 'fhirUser', value: 'Practitioner/17' }],
    version: 1,
  },
  ClientBulkRequest: { action: 'disable', ids: [id] },
  UserBulkRequest: { action: 'invite', ids: [id] },
  ClientChoice: { filter: { clientTypes: ['BackendService'] } },
  UserChoice: { filter: { usertype: ['Practitioner'] } },
  LoginRequest: { username: 'ada.kent@hospital.example', password: 'Seven blue herons 7' },
  DeleteAccountRequest: { currentPassword: 'Seven blue herons 7' },
  ResetSecondFactorRequest: { verificationCode: '492039' },
  ProposeRelationshipRequest: {
    email: 'ana.duarte@family.example',
    patient: '17',
    basis: 'parental-responsibility',
    level: 'full',
    relation: 'mother',
    end: '2035-03-09',
  },
  InviteRequest: {
    fullName: 'Leo Duarte',
    email: 'leo.duarte@family.example',
    relation: 'son',
    level: 'daily',
    end: '2027-11-29',
  },
  DecideRelationshipRequest: { decision: 'approve', note: 'Birth certificate seen' },
  EndRelationshipRequest: { reason: 'administrator', note: 'Wish of the family' },
  ConfirmRelationshipRequest: { note: 'The records were merged', patient: '18' },
  StepAgreement: { step: 16 },
  RenewRelationshipRequest: { end: '2028-11-29' },
  NameReferencesRequest: { references: ['RelatedPerson/ana-for-leo'] },
  AskRequest: {
    basis: 'parental-responsibility',
    relation: 'mother',
    patientName: 'Leo Duarte',
    birthDate: '2022-03-09',
    recordNumber: 'NB310922',
    isTrue: true,
    files: [],
  },
  AskAccountingRequest: { patient: 'leo' },
  AskChangeRequest: { relationship: id, statement: 'May I see the letters of the last stay as well?' },
  AddFilesRequest: { files: [] },
  DecideRequestRequest: {
    version: 0,
    decision: 'approve',
    note: 'Birth certificate and ID card seen',
    patient: '17',
    basis: 'parental-responsibility',
    level: 'full',
    relation: 'mother',
    end: '2035-03-08',
    seen: [],
  },
  ApprovedInErrorRequest: { version: 1, note: 'The child of another family' },
  TagForm: { value: 'Cardiology', color: '#2f7d6d' },
};

/** Names that are times, and names that are addresses. */
const times =
  /^(at|from|to|until|since|start|end|day|expires|created|lastUsed|signedIn|lastAccess|lastRead|lastSignIn|deletedOn|worksUntil|oldExpires|startedAt)$|At$/;
const addresses = /Ur[il]$|^url$|^firelyServerUrl$|^fhirServer$|^smartConfiguration$/;
const ids = /^(id|ids|except|.*Id|.*Ids|addTags|removeTags|tags|replaces)$/;

/** Adds an example to each body and answer. */
export function addExamples({ paths, components }) {
  const resolve = (schema) => (schema.$ref ? { ...components.schemas[schema.$ref.split('/').at(-1)] } : schema);
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.required) parameter.example = exampleOf(parameter.schema, parameter.name, resolve);
    }
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const [mediaType, media] of Object.entries(content)) {
        if (/[/+]json$/.test(mediaType)) media.example = exampleOf(media.schema, undefined, resolve);
      }
    }
  }
}

function exampleOf(schema, name, resolve, above = []) {
  const whole = requests[schema.$ref?.split('/').at(-1)];
  if (whole) return whole;
  const { type, enum: values, const: only, default: usual, anyOf, items, properties, required } = resolve(schema);
  if (only !== undefined) return only;
  if (values) return usual ?? values[0];
  const kind = [type].flat().find((one) => one !== 'null');
  // `anyOf` next to a type is about its format.
  if (anyOf && !kind) return exampleOf(anyOf[0], name, resolve, above);
  // A type that contains itself ends here.
  if (schema.$ref && above.includes(schema.$ref)) return undefined;
  const within = schema.$ref ? [...above, schema.$ref] : above;
  if (kind === 'boolean') return usual ?? true;
  if (kind === 'integer' || kind === 'number') return usual ?? 1;
  if (kind === 'array') {
    const item = exampleOf(items, name, resolve, within);
    return item === undefined ? [] : [item];
  }
  if (kind === 'object') {
    const members = Object.entries(properties ?? {})
      .map(([member, of]) => [member, exampleOf(of, member, resolve, within)])
      .filter(([member, value]) => value !== undefined || required?.includes(member));
    return Object.fromEntries(members);
  }
  // A type that is not known can be a text.
  return textOf(schema, name);
}

function textOf({ format, pattern }, name) {
  if (pattern === '^[0-9]+$') return '4711';
  if (format === 'uuid' || (ids.test(name) && !(name in texts))) return id;
  if (pattern?.startsWith('^[12]')) return '1772439330000_4711';
  if (name in texts) return texts[name];
  if (times.test(name)) return time;
  return addresses.test(name) ? 'https://growth-chart.example/' : 'text';
}
