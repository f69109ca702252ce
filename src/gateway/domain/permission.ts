import { parseScope, type ResourceScope } from '../../contract/rules/smart-scope.js';
import { actionOf, type FhirRequest, isLogicalId, isResourceType } from './fhir-request.js';
import { isAboutPatient, isInPatientCompartment, isShared, provenanceTargets } from './patient-compartment.js';
import { Refusal } from './refusal.js';
import type { RelatedType } from './related-types.js';

/** The claims of a token that permissions depend on. */
export interface Bearer {
  scopes: readonly string[];
  /** Id of the patient in context. */
  patient?: string;
  /** Absolute URL. */
  fhirUser?: string;
}

/**
 * One way in which a scope permits resources of the requested type: all of them, those of one patient, those of
 * certain categories, or both. A resource is permitted when any permission includes it.
 */
export interface Permission {
  patient?: string;
  /** Token search values, each of which the resource's category must match. */
  categories: readonly string[];
}

/** Limits nothing. */
export const everything: Permission = { categories: [] };

/**
 * The permissions of the token's scopes for this request (never empty), or the refusal that names the missing scope.
 * Decided on the type alone, so that it reveals nothing about existing resources.
 */
export function permissionsFor(request: FhirRequest, bearer: Bearer, fhirBase: string): Permission[] | Refusal {
  if (isOwnFhirUser(request, bearer, referenceUnder(fhirBase, bearer.fhirUser))) return [everything];
  const action = actionOf[request.interaction];
  const permissions = permissionsOn(request.type, action, bearer, fhirBase);
  if (permissions.length === 0) return missingScope(request.type, action, bearer);
  if (hasDataSent(request) && !['r', 's'].every((one) => isUnlimited(permissionsOn('*', one, bearer, fhirBase)))) {
    return missingScope('*', 'rs', { ...bearer, patient: undefined });
  }
  return permissions;
}

/** A Subscription has the server send what it finds, of whatever type, to an address that the app writes into it. */
function hasDataSent({ type, interaction }: FhirRequest): boolean {
  return type === 'Subscription' && ['c', 'u'].includes(actionOf[interaction]);
}

/**
 * The permissions of the token's scopes on a type for an action (a letter of a scope); empty if there are none. For
 * the type `*`, the permissions on every type.
 */
export function permissionsOn(type: string, action: string, bearer: Bearer, fhirBase: string): Permission[] {
  const fhirUser = referenceUnder(fhirBase, bearer.fhirUser);
  return bearer.scopes
    .map(parseScope)
    .filter((scope) => scope?.kind === 'resource')
    .filter((scope) => (scope.type === '*' || scope.type === type) && scope.actions.includes(action))
    .map((scope) => permissionFromScope(scope, type, action, bearer, fhirUser))
    .filter((permission) => permission !== undefined);
}

/** The permissions of the token's operation scopes to run an operation; empty if there are none. */
export function permissionsToRun(
  { type, operation }: Pick<FhirRequest, 'type' | 'operation'>,
  { scopes, patient, fhirUser }: Bearer,
  fhirBase: string,
): Permission[] {
  return scopes
    .map(parseScope)
    .filter((scope) => scope?.kind === 'operation')
    .filter((scope) => scope.operation === operation && (scope.type === '*' || scope.type === type))
    .map((scope) => personOf(scope, patient, referenceUnder(fhirBase, fhirUser)))
    .filter((person) => person !== 'none')
    .map((person) => (person === 'any' ? everything : { patient: person.id, categories: [] }));
}

/** The intersection: permissions on resources that both permit. */
export function intersect(one: readonly Permission[], other: readonly Permission[]): Permission[] {
  return one.flatMap((a) =>
    other.flatMap((b) => {
      const patient = a.patient ?? b.patient;
      if (patient !== (b.patient ?? a.patient)) return [];
      const categories = [...a.categories, ...b.categories];
      return [patient === undefined ? { categories } : { patient, categories }];
    }),
  );
}

/**
 * The reason to refuse a search that reaches this type, if there is one. Included resources are checked one by one; a
 * type that only filters would reveal resources that the user does not see, so all of its resources must be permitted,
 * as must all of the searched type.
 */
export function refusedRelatedType(
  { type, action, shown }: RelatedType,
  permissions: readonly Permission[],
  bearer: Bearer,
  fhirBase: string,
): Refusal | undefined {
  const reached = permissionsOn(type, action, bearer, fhirBase);
  if (type !== '*' && reached.length === 0) return missingScope(type, action, bearer);
  if (shown || (isUnlimited(permissions) && isUnlimited(reached))) return undefined;
  return new Refusal(403, 'not-supported', 'With this token chained searches and repeated includes are not supported.');
}

/** True if everything of the requested type is permitted, so that no resource needs to be checked. */
export function isUnlimited(permissions: readonly Permission[]): boolean {
  return permissions.some(({ patient, categories }) => patient === undefined && categories.length === 0);
}

/**
 * The permissions that one search can serve: when they name several patients, the one in context comes before the
 * signed-in user.
 */
export function forOneSearch(permissions: readonly Permission[], bearer: Bearer): Permission[] {
  const limited = permissions.every(({ patient }) => patient !== undefined);
  const inContext = permissions.filter(({ patient }) => patient === bearer.patient);
  return limited && inContext.length > 0 ? inContext : [...permissions];
}

/** True if any permission includes this resource of the server. */
export function isPermitted(resource: unknown, permissions: readonly Permission[], serverBase: string): boolean {
  return permissions.some(
    ({ patient, categories }) =>
      (patient === undefined || isAboutPatient(resource, patient, serverBase)) &&
      categories.every((category) => hasCategory(resource, category)),
  );
}

/** True if any permission includes all targets of this Provenance; `known` are resources by `Type/id`. */
export function isPermittedByTargets(
  resource: unknown,
  permissions: readonly Permission[],
  known: ReadonlyMap<string, unknown>,
  serverBase: string,
): boolean {
  const targets = provenanceTargets(resource, serverBase);
  return permissions
    .filter(({ categories }) => categories.length === 0)
    .some((permission) => targets?.every((target) => isPermitted(known.get(target), [permission], serverBase)));
}

function permissionFromScope(
  scope: ResourceScope,
  type: string,
  action: string,
  { patient }: Bearer,
  fhirUser: Reference | undefined,
): Permission | undefined {
  if (!scope.query.every(isCategory)) return undefined;
  const categories = scope.query.map(([, value]) => value);
  const person = personOf(scope, patient, fhirUser);
  if (person === 'none') return undefined;
  if (person === 'any' || isSeenByAll(type, action)) return { categories };
  if (!isInPatientCompartment(type) || (type === 'Patient' && action === 'c')) return undefined;
  return { patient: person.id, categories };
}

/** True for an action that every user with access to one record may do: read shared resources that records refer to. */
function isSeenByAll(type: string, action: string): boolean {
  return isShared(type) && (action === 'r' || action === 's');
}

/** The patient whose data a scope is about. A `user/` scope of a user who is a patient is about that patient only. */
function personOf(
  { subject }: Pick<ResourceScope, 'subject'>,
  patient: string | undefined,
  fhirUser: Reference | undefined,
): { id: string } | 'any' | 'none' {
  switch (subject) {
    case 'system':
      return 'any';
    case 'patient':
      return patient !== undefined && isLogicalId(patient) ? { id: patient } : 'none';
    case 'user':
      if (fhirUser?.type === 'Patient') return { id: fhirUser.id };
      return fhirUser?.type === 'Practitioner' || fhirUser?.type === 'PractitionerRole' ? 'any' : 'none';
  }
}

/**
 * `fhirUser` (or SMART 1's `profile`) lets an app read the signed-in user (`SMART 2.2
 * §scopes-for-requesting-identity-data`).
 */
function isOwnFhirUser(request: FhirRequest, { scopes }: Bearer, fhirUser: Reference | undefined): boolean {
  const identified = scopes.includes('fhirUser') || (scopes.includes('openid') && scopes.includes('profile'));
  const { interaction, type, id } = request;
  return identified && interaction === 'read' && type === fhirUser?.type && id === fhirUser.id;
}

interface Reference {
  type: string;
  id: string;
}

function referenceUnder(base: string, url: string | undefined): Reference | undefined {
  if (!url?.startsWith(`${base}/`)) return undefined;
  const [type = '', id = '', ...more] = url.slice(base.length + 1).split('/');
  return isResourceType(type) && isLogicalId(id) && more.length === 0 ? { type, id } : undefined;
}

/** The refusal that names a scope: `action` is what follows the type in it. */
export function missingScope(type: string, action: string, { patient, fhirUser }: Bearer): Refusal {
  const person = fhirUser === undefined ? 'system' : 'user';
  const forPatient = patient !== undefined && (isInPatientCompartment(type) || isSeenByAll(type, action));
  const scope = `${forPatient ? 'patient' : person}/${type}.${action}`;
  const text = `The access token does not allow this. It needs a scope such as ${scope}.`;
  return new Refusal(403, 'forbidden', text, {}, { error: 'insufficient_scope', scope });
}

/**
 * `code`, `|code` or `system|code`, alternatives separated by commas: the forms that can be checked on the resource
 * alone.
 */
const tokenValue = /^(?:[^|,%\s]*\|)?[^|,%\s]+(?:,(?:[^|,%\s]*\|)?[^|,%\s]+)*$/;

function isCategory([name, value]: readonly [string, string]): boolean {
  return name === 'category' && tokenValue.test(value);
}

function hasCategory(resource: unknown, value: string): boolean {
  const { category } = resource as { category?: unknown };
  const codings = [category ?? []]
    .flat()
    .flatMap((concept) => [(concept as { coding?: unknown } | null)?.coding ?? []].flat());
  return value.split(',').some((token) => {
    const bar = token.lastIndexOf('|');
    const [system, code] = bar < 0 ? [undefined, token] : [token.slice(0, bar), token.slice(bar + 1)];
    return codings.some((coding) => {
      const own = coding as { system?: unknown; code?: unknown } | null;
      return own?.code === code && (system === undefined || (own.system ?? '') === system);
    });
  });
}
