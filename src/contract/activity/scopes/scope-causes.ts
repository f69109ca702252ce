import type { Cause } from '../cause.js';
import { contextScopeCauses } from './context-scope-causes.js';

/** Entries of different scopes are separate. */
const each = { stage: 'scopes', apart: ['scope'] } as const;
const dropped = { ...each, severity: 'notice', title: '{{scope}} was dropped' } as const;
const narrowed = { ...each, severity: 'notice', title: '{{scope}} was narrowed' } as const;
/** The scope is granted and tells nothing. */
const limited = { ...each, severity: 'notice', title: '{{scope}} has no effect' } as const;
/** The change of a scope that reaches beyond one patient's record. */
const beyondRecord = 'Have the app leave it out, or request a user/ scope for practitioners.';
const refused = { stage: 'scopes', severity: 'refused', title: 'No permission is left' } as const;

/** Each scope of a request that was kept, narrowed or dropped. */
export const scopeCauses = {
  'scopes-kept': {
    stage: 'scopes',
    severity: 'step',
    title: 'Permissions checked',
    text: '{{asked}} asked, {{kept}} possible',
  },
  'scopes-default': {
    stage: 'scopes',
    severity: 'step',
    title: 'Default permissions used',
    text: 'The request has no scope. The default scopes of the client are {{scopes}}.',
  },
  'scope-kept': { ...each, severity: 'step', title: '{{scope}} was kept' },
  'scope-covered': {
    ...each,
    severity: 'step',
    title: '{{scope}} was kept',
    text: 'It adds nothing: {{by}} covers it.',
  },
  'scopes-more': {
    stage: 'scopes',
    severity: 'notice',
    title: 'More permissions were changed',
    text: 'Further ones that were narrowed or dropped for such reasons: {{count}}.',
    decidedBy: 'The request has very many scopes',
    developer: 'Further scopes that were narrowed or dropped for such reasons: {{count}}.',
    change: { text: 'Have the app request fewer scopes.' },
  },
  'scope-unreadable': {
    ...dropped,
    text: 'It is not a scope of SMART App Launch.',
    decidedBy: 'The scope is not in the grammar',
    developer: 'The scope {{scope}} has no meaning: it is not in the grammar of SMART App Launch.',
    change: {
      text: 'Have the app leave out {{scope}}, or request a scope such as patient/Observation.rs in its place.',
    },
  },
  'scope-misspelled': {
    ...dropped,
    text: 'It is not a scope of SMART App Launch. Meant, probably: {{meant}}',
    decidedBy: 'The scope is misspelled',
    developer: 'The scope {{scope}} has no meaning. Did you mean {{meant}}?',
    change: { text: 'Have the app request {{meant}}.' },
  },
  'scope-separator': {
    ...dropped,
    text: 'It is several scopes with {{separators}} between them. A space separates scopes.',
    decidedBy: 'Scopes are separated by {{separators}}',
    developer: 'The scope {{scope}} is several scopes with {{separators}} between them. Separate scopes by one space.',
    change: { text: 'Have the app send its scopes with a space between them, in place of {{separators}}.' },
  },
  'scope-damaged': {
    ...dropped,
    text: 'It would be {{meant}} but for a damage: {{damage}}.',
    decidedBy: 'The scope is damaged',
    developer: 'The scope {{scope}} would be {{meant}}, but look at it closely: {{damage}}.',
    change: { text: 'Have the app request {{meant}}.' },
  },
  'scope-placeholder': {
    ...dropped,
    text: 'It is a template that was not filled in.',
    decidedBy: 'A template stands in place of a scope',
    developer: 'The scope {{scope}} is a template that was not filled in.',
    change: { text: 'Have the app put its scopes in the place of the template.' },
  },
  'scope-management': {
    ...dropped,
    text: 'It is for clients of the type Management API, which manage the portal and get no health data.',
    decidedBy: 'The scope is for clients that manage the portal',
    developer: 'The scope {{scope}} is for clients of the type Management API, which manage the portal.',
    change: { text: 'Register a client of the type Management API, and use it to manage the portal.' },
  },
  'scope-too-long': {
    ...dropped,
    text: 'It is longer than {{maximum}} characters.',
    decidedBy: 'The scope is too long',
    developer: 'A scope may have at most {{maximum}} characters.',
    change: { text: 'Have the app request shorter scopes.' },
  },
  'scope-needs-service': {
    ...dropped,
    text: 'Scopes of system/ are for back-end services, without a person.',
    decidedBy: 'The scope is for back-end services',
    developer: 'The scope {{scope}} is for back-end services. Request user/ or patient/ when a person signs in.',
    change: { text: 'Have the app request user/ or patient/, or register a back-end service.' },
  },
  'scope-subject': {
    ...dropped,
    text: 'The client may not have scopes of {{subject}}/.',
    decidedBy: 'The subject is not allowed for the client',
    developer: 'Your client may not have scopes of {{subject}}/.',
    change: { text: 'Add {{subject}} to SMART subjects.', field: 'allowedSmartSubjects' },
  },
  'scope-actions': {
    ...dropped,
    text: 'The client may do none of {{actions}}.',
    decidedBy: 'The actions are not allowed for the client',
    developer: 'Your client may not do {{actions}} of the scope {{scope}}.',
    change: { text: 'Add {{actions}} to SMART actions.', field: 'allowedSmartActions' },
  },
  'scope-actions-narrowed': {
    ...narrowed,
    text: 'Granted: {{granted}}. The client may not do {{actions}}.',
    decidedBy: 'Some actions are not allowed for the client',
    developer: 'The scope {{scope}} was narrowed to {{granted}}: your client may not do {{actions}}.',
    change: { text: 'Add {{actions}} to SMART actions.', field: 'allowedSmartActions' },
  },
  'scope-legacy-actions': {
    ...dropped,
    text: 'The client may not have version 1 scopes with {{actions}}.',
    decidedBy: 'The legacy action is not allowed for the client',
    developer: 'Your client may not have version 1 scopes with {{actions}}. Request version 2, such as .rs for read.',
    change: { text: 'Add {{actions}} to SMART legacy actions.', field: 'allowedSmartLegacyActions' },
  },
  'scope-legacy-actions-narrowed': {
    ...narrowed,
    text: 'Granted: {{granted}}. The client may not have version 1 scopes with {{actions}}.',
    decidedBy: 'A legacy action is not allowed for the client',
    developer: 'The scope {{scope}} was narrowed to {{granted}}: your client may not have {{actions}}.',
    change: { text: 'Add {{actions}} to SMART legacy actions.', field: 'allowedSmartLegacyActions' },
  },
  'scope-type': {
    ...dropped,
    text: 'The client may not have {{type}}.',
    decidedBy: 'The resource type is not allowed for the client',
    developer: 'Your client may not have scopes for {{type}}.',
    change: { text: 'Add {{type}} to Resource types.', field: 'allowedResourceTypes' },
  },
  'scope-types-narrowed': {
    ...narrowed,
    text: 'Granted for the types of the client ({{count}}): {{granted}}',
    decidedBy: 'The client may have some resource types only',
    developer: 'The scope {{scope}} was narrowed to the types that your client may have ({{count}}): {{granted}}',
    change: {
      text: 'Add types to Resource types, or remove all of them to allow every type.',
      field: 'allowedResourceTypes',
    },
  },
  'scope-operation': {
    ...dropped,
    text: 'The operation is not among those of the client.',
    decidedBy: 'The operation is not allowed for the client',
    developer: 'Your client may not run the operation of {{scope}}.',
    change: { text: 'Add {{scope}} to Operation scopes.', field: 'allowedOperationScopes' },
  },
  'scope-offline': {
    ...dropped,
    text: 'The client gets no access that continues after people have signed out.',
    decidedBy: 'Offline access is not allowed for the client',
    developer: 'Your client may not have offline_access, so it gets no refresh token that outlives the session.',
    change: { text: 'Turn on Offline access.', field: 'allowOfflineAccess' },
  },
  'scope-online': {
    ...dropped,
    text: 'The client gets no refresh token for the time of the session.',
    decidedBy: 'Online access is not allowed for the client',
    developer: 'Your client may not have online_access, so it gets no refresh token for the time of the session.',
    change: { text: 'Turn on Online access.', field: 'allowOnlineAccess' },
  },
  'scope-contact': {
    ...dropped,
    text: 'The client gets no contact data of people.',
    decidedBy: 'Contact data are not allowed for the client',
    developer: 'Your client may not have the scope {{scope}}.',
    change: { text: 'Turn on E-mail, phone and profile.', field: 'allowContactScopes' },
  },
  'scope-special': {
    ...dropped,
    text: 'The scope is configured, and the client may not have it.',
    decidedBy: 'Special scopes are not allowed for the client',
    developer: 'Your client may not have the scope {{scope}}.',
    change: { text: 'Turn on Special scopes.', field: 'allowFirelySpecialScopes' },
  },
  'scope-special-unknown': {
    ...dropped,
    text: 'The scope is not among those of fhir.specialScopes.',
    decidedBy: 'The special scope is not configured',
    developer: 'The scope {{scope}} is not known here.',
    change: {
      text: 'Add the scope to fhir.specialScopes, if the FHIR server knows it.',
      configuration: 'fhir.specialScopes',
    },
  },
  'scope-type-unknown': {
    ...dropped,
    text: 'The FHIR server has no {{type}}. {{nearest}}',
    decidedBy: 'The FHIR server does not have the resource type',
    developer: 'The scope {{scope}} would open nothing: the FHIR server has no {{type}}. {{nearest}}',
    change: {
      text: 'Have the app request a type of the CapabilityStatement of fhir.baseUrl. {{nearest}}',
      configuration: 'fhir.baseUrl',
    },
  },
  'scope-operation-unknown': {
    ...dropped,
    text: 'The FHIR server has no operation ${{operation}} here. {{nearest}}',
    decidedBy: 'The FHIR server does not have the operation',
    developer:
      'The scope {{scope}} would open nothing: the FHIR server has no operation ${{operation}} here. {{nearest}}',
    change: {
      text: 'Have the app request an operation of the CapabilityStatement of fhir.baseUrl. {{nearest}}',
      configuration: 'fhir.baseUrl',
    },
  },
  'scope-category-value': {
    ...dropped,
    text: 'The value of category is not a code, system|code, or a list of these.',
    decidedBy: 'The value of category cannot be enforced',
    developer:
      'The scope {{scope}} would open nothing: a value of category has to be a code, system|code, or a list of these.',
    change: { text: 'Have the app request a scope with a code of category, such as category=survey.' },
  },
  'scope-without-category': {
    ...dropped,
    text: '{{type}} has no such category, so that no resource could match.',
    decidedBy: 'The resource type has no such category',
    developer: 'The scope {{scope}} would open nothing: {{type}} has no such category.',
    change: { text: 'Have the app request the scope without a condition on category.' },
  },
  'scope-outside-record': {
    ...dropped,
    text: 'A scope for one patient gives no access to {{type}}, which is not part of a patient record.',
    decidedBy: 'The resource type is not part of a patient record',
    developer: 'The scope {{scope}} would open nothing: {{type}} is not part of a patient record.',
    change: { text: beyondRecord },
  },
  'scope-actions-of-record': {
    ...dropped,
    text: 'A scope for one patient cannot permit {{actions}} on {{type}}.',
    decidedBy: 'The actions reach beyond one patient',
    developer: 'The scope {{scope}} would open nothing: for one patient, {{actions}} on {{type}} is not possible.',
    change: { text: beyondRecord },
  },
  'scope-operation-of-record': {
    ...dropped,
    text: 'The operation ${{operation}} cannot be limited to one patient.',
    decidedBy: 'The operation cannot be limited to one patient',
    developer: 'The scope {{scope}} would open nothing: ${{operation}} cannot be limited to one patient.',
    change: { text: beyondRecord },
  },
  'scope-search-parameter': {
    ...dropped,
    text: 'The gateway can only check category, not {{parameter}}.',
    decidedBy: 'The search parameter cannot be enforced',
    developer:
      'The scope {{scope}} would open nothing: only conditions on category are enforced, not on {{parameter}}.',
    change: { text: 'Have the app request a scope with a code of category, or without a condition.' },
  },
  'scope-fhir-user-alone': {
    ...limited,
    text: 'The claim is part of the ID token, which is issued only with the scope openid.',
    decidedBy: 'The scope openid is missing',
    developer: 'The scope {{scope}} needs the scope openid: its claim is part of the ID token.',
    change: { text: 'Have the app request openid, too.' },
  },
  ...contextScopeCauses,
  'scope-unticked': {
    ...dropped,
    text: 'The user did not tick it.',
    decidedBy: 'The user did not agree',
    developer: 'The user did not agree to the scope {{scope}}.',
    change: { text: 'If the app cannot work without it, add it to Required scopes.', field: 'requiredScopes' },
  },
  'scope-unticked-narrowed': {
    ...narrowed,
    text: 'The user ticked a part of it: {{granted}}',
    decidedBy: 'The user agreed to a part',
    developer: 'The user agreed to a part of the scope {{scope}}: {{granted}}',
    change: { text: 'If the app cannot work without it, add it to Required scopes.', field: 'requiredScopes' },
  },
  'scopes-none-left': {
    ...refused,
    text: '{{asked}} asked, none possible. {{reasons}}',
    decidedBy: 'No requested scope can be granted: {{reason}}',
    developer: 'None of the {{asked}} scopes that you requested can be granted. {{told}}',
    change: { text: '{{remedy}}', field: '{{field}}', configuration: '{{configuration}}' },
  },
  'scopes-missing': {
    ...refused,
    title: 'No permission was asked',
    text: 'The request has no scope.',
    decidedBy: 'The scope is missing',
    developer: 'Your request has no scope, and your client has no default scopes.',
    change: {
      text: 'Have the app send scope, such as openid fhirUser patient/*.rs, or give the client Default scopes.',
      field: 'defaultScopes',
    },
  },
  'scopes-too-many': {
    ...refused,
    title: 'Authorization request refused',
    text: 'The request has more than {{maximum}} scopes.',
    decidedBy: 'The request has too many scopes',
    developer: 'Your request has more than {{maximum}} scopes. A wildcard such as patient/*.rs stands for all types.',
    change: { text: 'Have the app request at most {{maximum}} scopes; patient/*.rs stands for all types.' },
  },
  'scopes-malformed': {
    ...refused,
    title: 'Authorization request refused',
    text: 'The scope parameter cannot be read: {{fault}}.',
    decidedBy: 'The scope parameter cannot be read',
    developer: 'Your scope cannot be read: {{fault}} (RFC 6749 §3.3).',
    change: { text: 'Have the app send scopes with one space between them.' },
  },
  'scopes-of-management': {
    ...refused,
    text: 'The client manages the portal, and gets the scope {{scope}} alone. It asked for: {{asked}}.',
    decidedBy: 'The client manages the portal and gets no other scope',
    developer: 'Your client manages the portal: request {{scope}}. You requested: {{asked}}.',
    change: { text: 'Have the service request {{scope}}. For health data, register a back-end service.' },
  },
  'scopes-need-person': {
    ...refused,
    text: 'A back-end service asked for scopes that need a person: {{scopes}}',
    decidedBy: 'The scopes need a person',
    developer: 'A back-end service gets system/ scopes only. You requested: {{scopes}}',
    change: { text: 'Have the service request system/ scopes.' },
  },
} as const satisfies Record<string, Cause>;
