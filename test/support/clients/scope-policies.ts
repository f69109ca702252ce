import { type Arbitrary, boolean, constantFrom, oneof, record, shuffledSubarray, string } from 'fast-check';
import type { ScopeServers, ScopeSettings } from '../../../src/oidc/domain/scope-narrowing.js';

/** Special scopes of the installation. */
const specialScopes = ['__one', '__two'];
/**
 * Servers of an installation: another one reads its scopes, or its gateway does, before or after it has read what the
 * FHIR server serves.
 */
export const unread: ScopeServers = { specialScopes, served: undefined };
export const scopeServers = constantFrom<ScopeServers>(
  unread,
  { specialScopes, served: {} },
  { specialScopes, served: { types: ['Patient', 'Goal'], operations: [{ name: 'export', type: null }] } },
);

/** The settings of a client that limit its scopes, with the value that limits nothing: a new one is missing here. */
export const unlimited: ScopeSettings = {
  allowedSmartActions: ['c', 'r', 'u', 'd', 's'],
  allowedSmartLegacyActions: ['*'],
  allowedSmartSubjects: ['patient', 'user', 'system'],
  allowedResourceTypes: [],
  allowedOperationScopes: [],
  allowOfflineAccess: true,
  allowOnlineAccess: true,
  allowContactScopes: true,
  allowFirelySpecialScopes: true,
};

const types = ['Patient', 'Observation', 'Condition'];
const values: { [Setting in keyof ScopeSettings]: Arbitrary<ScopeSettings[Setting]> } = {
  allowedSmartActions: shuffledSubarray(['c', 'r', 'u', 'd', 's']),
  allowedSmartLegacyActions: shuffledSubarray(['read', 'write', '*']),
  allowedSmartSubjects: shuffledSubarray(['patient', 'user', 'system']),
  allowedResourceTypes: shuffledSubarray(types),
  allowedOperationScopes: shuffledSubarray(['patient/Patient.$everything', 'system/*.$export']),
  allowOfflineAccess: boolean(),
  allowOnlineAccess: boolean(),
  allowContactScopes: boolean(),
  allowFirelySpecialScopes: boolean(),
};
/** Each setting with any of its values. */
export const scopeSettings: Arbitrary<ScopeSettings> = record(values);

const access = ['read', 'write', '*', 'r', 'rs', 'cruds', 'cud', 'u', 'sr', 'Read', '$everything', '$export'];
const resource = record({
  subject: constantFrom('patient', 'user', 'system', 'Patient'),
  type: constantFrom('*', 'Goal', 'observation', ...types),
  access: constantFrom(...access, 'rs?category=a'),
}).map(({ subject, type, access }) => `${subject}/${type}.${access}`);
const words = ['openid', 'fhirUser', 'email', 'launch', 'launch/patient', 'offline_access', 'online_access'];

/** A scope as an app may send it: of each kind, misspelled, or without a meaning. */
export const requestedScope: Arbitrary<string> = oneof(
  resource,
  constantFrom(...words, ...specialScopes, '__three'),
  string({ minLength: 1, maxLength: 20 })
    .map((text) => text.replaceAll(' ', ''))
    .filter((text) => text !== ''),
);
