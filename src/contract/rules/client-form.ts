/**
 * The whole client form (`spec §5`, limits of `§9`): `tidyClientForm` turns the typed form into the one to save,
 * `clientFormProblems` returns its problems, `clientFormWarnings` its warnings.
 */
import type { ClientForm } from '../clients.js';
import type { ProblemItem } from '../problem.js';
import { claimProblems, nameProblem } from './claims.js';
import {
  type ClientField,
  type ClientFormEnvironment,
  type ClientFormMode,
  forcedBy,
  hiddenDefaults,
  isHiddenFor,
} from './client-fields.js';
import { clientSecretProblems } from './client-secrets.js';
import { clientTypeRequired, smartActions, smartLegacyActions, smartSubjects } from './client-values.js';
import {
  describeDuration,
  lifetimeProblem,
  parseLifetime,
  recommendedAccessTokenSeconds,
  refreshMustExceedAccess,
} from './lifetime.js';
import { parseScope } from './smart-scope.js';
import { duplicateValue, fieldRequired, invalidValue, lineProblem, textProblem } from './text.js';
import {
  calledUrlProblem,
  isUnsecured,
  linkProblem,
  maxInitiateLoginUri,
  redirectUriProblem,
  unsecuredUrl,
} from './web-address.js';

export const smartActionRequired = 'At least one SMART action should be selected';
export const redirectUriRequired = 'Please provide at least one Redirect URI';
export const localLoginNeeded = 'Local Login cannot be disabled if External Login is disabled';
export const noManagementForBackend = 'Backend Service clients cannot have Management API access';
export const managementNeedsAccess = 'Management API clients must have Management API access enabled.';
export const followsFromType = 'This setting follows from the client type';
export const signedRequestsNeedKey = 'Please add a public key (JWK): signed requests are verified with it';
export const credentialsNeedSecret = 'Clients that sign in with client_credentials need a client secret';
export const systemScopesWithUser =
  'Note: With authorization_code, system scopes are granted only where the user is allowed the same access.';
export const credentialsWithoutSystem = 'Note: client_credentials can only be granted system scopes.';

/** More items than an administrator maintains by hand. */
const maxListItems = 100;
/** FHIR R5 has 157 in all. */
const maxResourceTypes = 200;

/** Trimmed, without empty list items, with the members of groups, and with everything that the type hides set back to its default. */
export function tidyClientForm(form: ClientForm, environment: ClientFormEnvironment): ClientForm {
  const tidy: ClientForm = { ...trimmed(form), ...hiddenDefaults(form.clientType) };
  const externalLogin = environment.identityProviders.length > 0 && !environment.externalLoginRestricted;
  return {
    ...tidy,
    allowedSmartActions: smartActions.filter((action) => tidy.allowedSmartActions.includes(action)),
    allowedSmartLegacyActions: smartLegacyActions.filter((word) => tidy.allowedSmartLegacyActions.includes(word)),
    allowedSmartSubjects: smartSubjects.filter((subject) => tidy.allowedSmartSubjects.includes(subject)),
    allowedResourceTypes: withoutGroups(tidy.allowedResourceTypes, environment),
    clientSecrets: tidy.requireClientSecret ? tidy.clientSecrets : [],
    enableExternalLogin: tidy.enableExternalLogin && externalLogin,
    enableLocalLogin: tidy.enableLocalLogin || environment.externalLoginRestricted,
    identityProviderRestrictions:
      tidy.enableExternalLogin && externalLogin ? [...new Set(tidy.identityProviderRestrictions)] : [],
  };
}

/** Each type once, with the members of a group in place of its name. */
function withoutGroups(names: readonly string[], { resourceTypeGroups }: ClientFormEnvironment): string[] {
  const membersOf = (name: string) => resourceTypeGroups.find((group) => group.name === name)?.resourceTypes ?? [name];
  return [...new Set(names.flatMap(membersOf))];
}

/** Everything that keeps a tidied form from being saved, by field (`redirectUris.2` for the third). */
export function clientFormProblems(
  form: ClientForm,
  mode: ClientFormMode,
  environment: ClientFormEnvironment,
): ProblemItem[] {
  const problems: ProblemItem[] = [
    ...simple(form),
    ...typeProblems(form),
    ...clientSecretProblems(form, mode),
    ...listProblems(
      'allowedResourceTypes',
      form.allowedResourceTypes,
      (type) => (/^[A-Z][A-Za-z]{0,63}$/.test(type) ? undefined : invalidValue),
      maxResourceTypes,
    ),
    ...listProblems('allowedOperationScopes', form.allowedOperationScopes, (scope) =>
      parseScope(scope)?.kind === 'operation' ? undefined : invalidValue,
    ),
    ...listProblems('allowedTenants', form.allowedTenants, (id) =>
      /^[a-z0-9][a-z0-9-]{0,63}$/.test(id) ? undefined : invalidValue,
    ),
    ...listProblems('requiredScopes', form.requiredScopes, (scope) => (parseScope(scope) ? undefined : invalidValue)),
    ...redirectProblems(form),
    ...present({
      requireSignedRequestObject:
        form.requireSignedRequestObject && !form.clientSecrets.some(({ secretType }) => secretType === 'JWK')
          ? signedRequestsNeedKey
          : undefined,
    }),
    ...listProblems('postLogoutRedirectUris', form.postLogoutRedirectUris, redirectUriProblem),
    ...lifetimeProblems(form),
    ...claimProblems(form.clientClaims, {
      prefix: form.clientClaimPrefix,
      fhirUserType: 'Device',
      field: 'clientClaims',
    }),
    ...loginProblems(form, environment),
  ];
  // Fields that the type hides were reset to their defaults: the administrator could not repair them in the form.
  return problems.filter(({ field }) => !isHiddenFor(field?.split('.', 1)[0] as ClientField, form.clientType));
}

/** Remarks that do not keep the form from being saved. */
export function clientFormWarnings(form: ClientForm): ProblemItem[] {
  const access = parseLifetime(form.accessTokenLifetime);
  const byCode = form.allowedGrantTypes.includes('authorization_code');
  const bySystem = form.allowedSmartSubjects.includes('system');
  const warnings: [field: string, isGiven: boolean, message: string][] = [
    [
      'accessTokenLifetime',
      access !== undefined && access > recommendedAccessTokenSeconds,
      `Warning: Access token lifetime set to ${describeDuration(access ?? 0)}, but should be no more than 1 hour.`,
    ],
    ['allowedSmartSubjects', byCode && bySystem, systemScopesWithUser],
    ['allowedGrantTypes', form.allowedGrantTypes.includes('client_credentials') && !bySystem, credentialsWithoutSystem],
    ...form.redirectUris.map((uri, index): [string, boolean, string] => [
      `redirectUris.${index}`,
      isUnsecured(uri),
      unsecuredUrl,
    ]),
  ];
  return warnings.flatMap(([field, isGiven, message]) => (isGiven ? [{ field, messages: [message] }] : []));
}

function simple(form: ClientForm): ProblemItem[] {
  const optional = (text: string, problem: (text: string) => string | undefined) =>
    text === '' ? undefined : problem(text);
  return present({
    clientName: nameProblem(form.clientName, 200),
    clientId: nameProblem(form.clientId, 200) ?? (/^[!-~]+$/.test(form.clientId) ? undefined : invalidValue),
    description: textProblem(form.description, 1000),
    clientClaimPrefix: lineProblem(form.clientClaimPrefix, 200),
    backChannelLogoutUri: optional(form.backChannelLogoutUri, calledUrlProblem),
    legalCompanyName: lineProblem(form.legalCompanyName, 200),
    contactUsUrl: optional(form.contactUsUrl, linkProblem),
    privacyPolicyUrl: optional(form.privacyPolicyUrl, linkProblem),
    termsOfServiceUrl: optional(form.termsOfServiceUrl, linkProblem),
    initiateLoginUri: optional(form.initiateLoginUri, (uri) => linkProblem(uri, maxInitiateLoginUri)),
  });
}

function typeProblems(form: ClientForm): ProblemItem[] {
  const { allowedGrantTypes, allowedSmartSubjects } = forcedBy(form.clientType);
  const service = form.clientType === 'BackendService' || form.clientType === 'ManagementApi';
  const noAction = form.allowedSmartActions.length === 0 && form.allowedSmartLegacyActions.length === 0;
  return present({
    clientType: form.clientType === 'Invalid' ? clientTypeRequired : undefined,
    requireClientSecret: service && !form.requireClientSecret ? credentialsNeedSecret : undefined,
    allowedGrantTypes:
      form.allowedGrantTypes.length === 0
        ? fieldRequired
        : allowedGrantTypes && !sameItems(allowedGrantTypes, form.allowedGrantTypes)
          ? followsFromType
          : undefined,
    allowedSmartActions: noAction ? smartActionRequired : undefined,
    allowedSmartSubjects:
      form.allowedSmartSubjects.length === 0
        ? fieldRequired
        : allowedSmartSubjects && !sameItems(allowedSmartSubjects, form.allowedSmartSubjects)
          ? followsFromType
          : undefined,
    allowManagementApiAccess:
      form.clientType === 'BackendService' && form.allowManagementApiAccess
        ? noManagementForBackend
        : form.clientType === 'ManagementApi' && !form.allowManagementApiAccess
          ? managementNeedsAccess
          : undefined,
  });
}

function redirectProblems(form: ClientForm): ProblemItem[] {
  if (form.redirectUris.length === 0) return [{ field: 'redirectUris', messages: [redirectUriRequired] }];
  return listProblems('redirectUris', form.redirectUris, redirectUriProblem);
}

function lifetimeProblems(form: ClientForm): ProblemItem[] {
  const access = parseLifetime(form.accessTokenLifetime);
  const refresh = parseLifetime(form.refreshTokenLifetime);
  const exceeds = access === undefined || refresh === undefined || refresh > access;
  return present({
    accessTokenLifetime: lifetimeProblem(form.accessTokenLifetime),
    refreshTokenLifetime: lifetimeProblem(form.refreshTokenLifetime) ?? (exceeds ? undefined : refreshMustExceedAccess),
    consentLifetime: form.consentLifetime === '' ? undefined : lifetimeProblem(form.consentLifetime),
  });
}

function loginProblems(form: ClientForm, { identityProviders }: ClientFormEnvironment): ProblemItem[] {
  return [
    ...present({ enableLocalLogin: form.enableLocalLogin || form.enableExternalLogin ? undefined : localLoginNeeded }),
    ...listProblems('identityProviderRestrictions', form.identityProviderRestrictions, (scheme) =>
      identityProviders.includes(scheme) ? undefined : invalidValue,
    ),
  ];
}

function listProblems(
  field: ClientField,
  values: readonly string[],
  problem: (value: string) => string | undefined,
  maximum = maxListItems,
): ProblemItem[] {
  if (values.length > maximum) return [{ field, messages: [`Please enter at most ${maximum} values`] }];
  return values.flatMap((value, index) => {
    const message = values.indexOf(value) < index ? duplicateValue : problem(value);
    return message ? [{ field: `${field}.${index}`, messages: [message] }] : [];
  });
}

function present(messages: Partial<Record<ClientField, string | undefined>>): ProblemItem[] {
  return Object.entries(messages).flatMap(([field, message]) => (message ? [{ field, messages: [message] }] : []));
}

function sameItems(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item));
}

/** Trims all strings but the secrets themselves, which are refused rather than changed silently. */
function trimmed(form: ClientForm): ClientForm {
  const tidy = Object.entries(form).map(([field, value]) => {
    if (typeof value === 'string') return [field, value.trim()];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
      return [field, value.map((item) => item.trim()).filter((item) => item !== '')];
    }
    return [field, value];
  });
  return {
    ...(Object.fromEntries(tidy) as ClientForm),
    clientClaims: form.clientClaims
      .map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
      .filter(({ name, value }) => name !== '' || value !== ''),
    clientSecrets: form.clientSecrets.map((secret) => ({
      ...secret,
      description: secret.description?.trim() || null,
      secretUrl: secret.secretUrl?.trim() || null,
    })),
  };
}
