/**
 * The whole client form (`spec §5`, limits of `§9`): `tidyClientForm` turns the typed form into the one to save,
 * `clientFormProblems` returns its problems, `clientFormWarnings` its warnings.
 */
import type { ClientForm } from '../../clients/clients.js';
import { type FieldProblem, type Message, message } from '../../messages/message.js';
import {
  clientTypeRequired,
  longestClientTexts,
  mostListItems,
  mostResourceTypes,
  smartActions,
  smartLegacyActions,
  smartSubjects,
} from '../client-values.js';
import { lifetimeProblem, parseLifetime, recommendedAccessTokenSeconds, refreshMustExceedAccess } from '../lifetime.js';
import { type NoEffect, noEffectOf, type Served } from '../scopes/scope-effect.js';
import { parseScope } from '../scopes/smart-scope.js';
import { duplicateValue, fieldRequired, invalidValue, lineProblem, textProblem } from '../text.js';
import { claimProblems, nameProblem } from '../users/claims.js';
import {
  calledUrlProblem,
  isPrivateUse,
  isUnsecured,
  linkProblem,
  maxInitiateLoginUri,
  redirectUriProblemOf,
  unsecuredUrl,
} from '../web-address.js';
import {
  type ClientField,
  type ClientFormEnvironment,
  type ClientFormMode,
  forcedBy,
  hiddenDefaults,
  isHiddenFor,
} from './client-fields.js';
import { clientSecretProblems, withKeysOfSets } from './client-secrets.js';
import { profileProblems } from './security-profile.js';

const followsFromType = message('follows-from-client-type');

/**
 * Trimmed, without empty list items, with the members of groups and the keys of key sets, and with everything that the
 * type hides set back to its default.
 */
export function tidyClientForm(form: ClientForm, environment: ClientFormEnvironment): ClientForm {
  const tidy: ClientForm = { ...trimmed(form), ...hiddenDefaults(form.clientType) };
  const externalLogin = environment.identityProviders.length > 0 && !environment.externalLoginRestricted;
  return {
    ...tidy,
    allowedSmartActions: smartActions.filter((action) => tidy.allowedSmartActions.includes(action)),
    allowedSmartLegacyActions: smartLegacyActions.filter((word) => tidy.allowedSmartLegacyActions.includes(word)),
    allowedSmartSubjects: smartSubjects.filter((subject) => tidy.allowedSmartSubjects.includes(subject)),
    allowedResourceTypes: withoutGroups(tidy.allowedResourceTypes, environment),
    clientSecrets: tidy.requireClientSecret ? withKeysOfSets(tidy.clientSecrets) : [],
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
): FieldProblem[] {
  const problems: FieldProblem[] = [
    ...simple(form),
    ...typeProblems(form),
    ...clientSecretProblems(form, mode),
    ...listProblems(
      'allowedResourceTypes',
      form.allowedResourceTypes,
      (type) => (/^[A-Z][A-Za-z]{0,63}$/.test(type) ? undefined : invalidValue),
      mostResourceTypes,
    ),
    ...listProblems('allowedOperationScopes', form.allowedOperationScopes, (scope) =>
      parseScope(scope)?.kind === 'operation' ? undefined : invalidValue,
    ),
    ...listProblems('allowedTenants', form.allowedTenants, (id) =>
      /^[a-z0-9][a-z0-9-]{0,63}$/.test(id) ? undefined : invalidValue,
    ),
    ...listProblems('requiredScopes', form.requiredScopes, (scope) => (parseScope(scope) ? undefined : invalidValue)),
    ...listProblems('defaultScopes', form.defaultScopes, (scope) => defaultScopeProblem(scope, form)),
    ...redirectProblems(form),
    ...present({
      requireSignedRequestObject:
        form.requireSignedRequestObject && !form.clientSecrets.some(({ secretType }) => secretType === 'JWK')
          ? message('signed-requests-need-key')
          : undefined,
    }),
    ...listProblems('postLogoutRedirectUris', form.postLogoutRedirectUris, redirectUriProblemOf(form.applicationType)),
    ...lifetimeProblems(form),
    ...profileProblems(form),
    ...claimProblems(form.clientClaims, {
      prefix: form.clientClaimPrefix,
      fhirUserType: 'Device',
      field: 'clientClaims',
    }),
    ...loginProblems(form, environment),
  ];
  // Fields that the type hides were reset to their defaults: the administrator could not repair them in the form.
  return problems.filter(({ field }) => !isHiddenFor(field?.split('.')[0] as ClientField, form.clientType));
}

/** Remarks that do not keep the form from being saved. */
export function clientFormWarnings(
  form: ClientForm,
  { served }: Pick<ClientFormEnvironment, 'served'>,
): FieldProblem[] {
  const access = parseLifetime(form.accessTokenLifetime) ?? 0;
  const byCode = form.allowedGrantTypes.includes('authorization_code');
  const bySystem = form.allowedSmartSubjects.includes('system');
  const warnings: [field: string, isGiven: boolean, text: Message][] = [
    ['accessTokenLifetime', access > recommendedAccessTokenSeconds, message('access-token-long', { duration: access })],
    ['allowedSmartSubjects', byCode && bySystem, message('system-scopes-with-user')],
    [
      'allowedGrantTypes',
      form.allowedGrantTypes.includes('client_credentials') && !bySystem,
      message('credentials-without-system'),
    ],
    ...form.redirectUris.map((uri, index): [string, boolean, Message] => [
      `redirectUris.${index}`,
      // An address of the device itself needs no TLS (RFC 8252 §8.3).
      isUnsecured(uri) && form.applicationType !== 'native',
      unsecuredUrl,
    ]),
    ...form.redirectUris.map((uri, index): [string, boolean, Message] => [
      `redirectUris.${index}`,
      !form.requireConsent && form.applicationType === 'native' && (isPrivateUse(uri) || isUnsecured(uri)),
      message('native-without-consent'),
    ]),
  ];
  return [
    ...warnings.flatMap(([field, isGiven, text]) => (isGiven ? [{ field, messages: [text] }] : [])),
    ...(served
      ? (['allowedOperationScopes', 'requiredScopes', 'defaultScopes'] as const).flatMap((field) =>
          idleScopes(field, form[field], served),
        )
      : []),
  ];
}

/** Scopes that the form names and that are never granted, since they open nothing. */
function idleScopes(field: ClientField, texts: readonly string[], served: Served): FieldProblem[] {
  return texts.flatMap((text, index) => {
    const scope = parseScope(text);
    const noEffect = scope && noEffectOf(scope, served);
    return noEffect ? [{ field: `${field}.${index}`, messages: [warningOf(noEffect)] }] : [];
  });
}

function warningOf(noEffect: NoEffect): Message {
  switch (noEffect.rule) {
    case 'search-parameter':
      return message('scope-idle-parameter', { parameter: noEffect.parameter });
    case 'category-value':
      return message('scope-idle-category-value');
    case 'without-category':
      return message('scope-idle-no-category', { type: noEffect.type });
    case 'outside-record':
      return message('scope-idle-not-of-patient', { type: noEffect.type });
    case 'actions-of-record':
      return message('scope-idle-actions-of-patient', { type: noEffect.type, actions: noEffect.actions });
    case 'operation-of-record':
      return message('scope-idle-operation-of-patient', { operation: noEffect.operation });
    case 'type-unknown':
      return message('scope-idle-type-unknown', { type: noEffect.type });
    case 'operation-unknown':
      return message('scope-idle-operation-unknown', { operation: noEffect.operation });
  }
}

function simple(form: ClientForm): FieldProblem[] {
  const optional = (text: string, problem: (text: string) => Message | undefined) =>
    text === '' ? undefined : problem(text);
  return present({
    clientName: nameProblem(form.clientName, longestClientTexts.clientName),
    clientId:
      nameProblem(form.clientId, longestClientTexts.clientId) ??
      (/^[!-~]+$/.test(form.clientId) ? undefined : invalidValue),
    description: textProblem(form.description, longestClientTexts.description),
    clientClaimPrefix: lineProblem(form.clientClaimPrefix, longestClientTexts.claimPrefix),
    backChannelLogoutUri: optional(form.backChannelLogoutUri, calledUrlProblem),
    legalCompanyName: lineProblem(form.legalCompanyName, longestClientTexts.company),
    contactUsUrl: optional(form.contactUsUrl, linkProblem),
    privacyPolicyUrl: optional(form.privacyPolicyUrl, linkProblem),
    termsOfServiceUrl: optional(form.termsOfServiceUrl, linkProblem),
    initiateLoginUri: optional(form.initiateLoginUri, (uri) => linkProblem(uri, maxInitiateLoginUri)),
  });
}

function typeProblems(form: ClientForm): FieldProblem[] {
  const { allowedGrantTypes, allowedSmartSubjects } = forcedBy(form.clientType);
  const service = form.clientType === 'BackendService' || form.clientType === 'ManagementApi';
  const noAction = form.allowedSmartActions.length === 0 && form.allowedSmartLegacyActions.length === 0;
  return present({
    clientType: form.clientType === 'Invalid' ? clientTypeRequired : undefined,
    requireClientSecret: service && !form.requireClientSecret ? message('credentials-need-secret') : undefined,
    allowedGrantTypes:
      form.allowedGrantTypes.length === 0
        ? fieldRequired
        : allowedGrantTypes && !sameItems(allowedGrantTypes, form.allowedGrantTypes)
          ? followsFromType
          : undefined,
    allowedSmartActions: noAction ? message('smart-action-required') : undefined,
    allowedSmartSubjects:
      form.allowedSmartSubjects.length === 0
        ? fieldRequired
        : allowedSmartSubjects && !sameItems(allowedSmartSubjects, form.allowedSmartSubjects)
          ? followsFromType
          : undefined,
    allowManagementApiAccess:
      form.clientType === 'BackendService' && form.allowManagementApiAccess
        ? message('backend-without-management')
        : form.clientType === 'ManagementApi' && !form.allowManagementApiAccess
          ? message('management-access-needed')
          : undefined,
  });
}

function redirectProblems(form: ClientForm): FieldProblem[] {
  if (form.redirectUris.length === 0) return [{ field: 'redirectUris', messages: [message('redirect-uri-required')] }];
  return listProblems('redirectUris', form.redirectUris, redirectUriProblemOf(form.applicationType));
}

/** A service has no user, so that it can be granted system scopes only. */
function defaultScopeProblem(text: string, { clientType }: ClientForm): Message | undefined {
  const scope = parseScope(text);
  if (scope === undefined) return invalidValue;
  const isOfUsers = clientType === 'BackendService' && !('subject' in scope && scope.subject === 'system');
  return isOfUsers ? message('default-scope-of-service') : undefined;
}

function lifetimeProblems(form: ClientForm): FieldProblem[] {
  const access = parseLifetime(form.accessTokenLifetime);
  const refresh = parseLifetime(form.refreshTokenLifetime);
  const exceeds = access === undefined || refresh === undefined || refresh > access;
  return present({
    accessTokenLifetime: lifetimeProblem(form.accessTokenLifetime),
    refreshTokenLifetime: lifetimeProblem(form.refreshTokenLifetime) ?? (exceeds ? undefined : refreshMustExceedAccess),
    consentLifetime: optionalLifetime(form.consentLifetime),
    maxAuthenticationAge: optionalLifetime(form.maxAuthenticationAge),
  });
}

function optionalLifetime(text: string): Message | undefined {
  return text === '' ? undefined : lifetimeProblem(text);
}

function loginProblems(form: ClientForm, { identityProviders }: ClientFormEnvironment): FieldProblem[] {
  return [
    ...present({
      enableLocalLogin: form.enableLocalLogin || form.enableExternalLogin ? undefined : message('local-login-needed'),
      requiredAcr:
        form.requiredAcr === 'phr' && !form.enableLocalLogin ? message('passkey-needs-local-login') : undefined,
    }),
    ...listProblems('identityProviderRestrictions', form.identityProviderRestrictions, (scheme) =>
      identityProviders.includes(scheme) ? undefined : invalidValue,
    ),
  ];
}

function listProblems(
  field: ClientField,
  values: readonly string[],
  problem: (value: string) => Message | undefined,
  maximum = mostListItems,
): FieldProblem[] {
  if (values.length > maximum) return [{ field, messages: [message('too-many-values', { maximum })] }];
  return values.flatMap((value, index) => {
    const found = values.indexOf(value) < index ? duplicateValue : problem(value);
    return found ? [{ field: `${field}.${index}`, messages: [found] }] : [];
  });
}

function present(problems: Partial<Record<ClientField, Message | undefined>>): FieldProblem[] {
  return Object.entries(problems).flatMap(([field, problem]) => (problem ? [{ field, messages: [problem] }] : []));
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
