import { canBelongToPatient, categoriesOf, isReadOfShared } from '../../contract/rules/scopes/scope-effect.js';
import { type OperationScope, parseScope, type ResourceScope } from '../../contract/rules/scopes/smart-scope.js';
import {
  isChange,
  isProtectedChange,
  type RecordLimit,
  type RecordProtection,
  tellsOfRepresentatives,
} from './acting/record-limit.js';
import { linkingTypes } from './binary/linked-binaries.js';
import { actionOf, type FhirRequest, isBinaryRead, isLogicalId, isResourceType } from './fhir-request.js';
import { everything, isUnlimited, type Permission } from './permission.js';
import { Refusal } from './refusal.js';
import type { RelatedType } from './related-types.js';

/** The claims of a token that permissions depend on. */
export interface TokenClaims {
  scopes: readonly string[];
  /** Id of the patient in context. */
  patient?: string;
  /** Absolute URL. */
  fhirUser?: string;
}

/** The part of a type that the token permits for one action. */
export type AccessLevel = 'all' | 'some' | 'none';

/**
 * The permissions of one access token at one FHIR base. Built once for all requests with the token: scopes are parsed
 * here and nowhere else. Everything is decided on types alone, so that a refusal reveals nothing about existing
 * resources.
 *
 * An `action` is a letter of a scope (`SMART 2.2 §scopes-for-requesting-fhir-resources`); the type `*` stands for every
 * type.
 */
export class TokenPermissions {
  private readonly resourceScopes: readonly ResourceScope[];
  private readonly operationScopes: readonly OperationScope[];
  private readonly user: Reference | undefined;

  constructor(
    private readonly claims: TokenClaims,
    /** The base as clients see it. */
    private readonly fhirBase: string,
    private readonly relationships: Relationships = {},
    parsed?: ParsedScopes,
  ) {
    const { resourceScopes, operationScopes } = parsed ?? parsedScopes(claims.scopes);
    this.resourceScopes = resourceScopes;
    this.operationScopes = operationScopes;
    this.user = referenceUnder(fhirBase, claims.fhirUser);
  }

  /** The same permissions within what relationships open and protect. */
  within(relationships: Relationships): TokenPermissions {
    const { resourceScopes, operationScopes } = this;
    return new TokenPermissions(this.claims, this.fhirBase, relationships, { resourceScopes, operationScopes });
  }

  /** Present if the user acts for the patient. */
  get limit(): RecordLimit | undefined {
    return this.relationships.limit;
  }

  /** Present if accounts may act for patients here. */
  get protection(): RecordProtection | undefined {
    return this.relationships.protection;
  }

  /** The resource of the signed-in user, if the app may know whose it is. */
  get knownUser(): Reference | undefined {
    const { scopes } = this.claims;
    const isTold = scopes.includes('fhirUser') || (scopes.includes('openid') && scopes.includes('profile'));
    return isTold ? this.user : undefined;
  }

  /** The ids of the patients to whom its scopes may be limited. */
  get patients(): string[] {
    const { patient } = this.claims;
    const own = this.user?.type === 'Patient' && !this.limit ? [this.user.id] : [];
    return [...new Set([...(patient === undefined ? [] : [patient]), ...own])];
  }

  /** The permissions on a type for an action; empty if there are none. */
  permissionsFor(type: string, action: string): Permission[] {
    const permissions = this.byScopes(type, action);
    const { limit, protection } = this.relationships;
    if (!limit && !protection) return permissions;
    return permissions.flatMap((permission) => {
      if (permission.patient === undefined) return permission;
      if (protection && isProtectedChange(type, action)) return [];
      if (!limit) return permission;
      if (!(isChange(action) ? limit.permitsChangeOf(type) : limit.permitsType(type))) return [];
      const includes = isChange(action) ? limit.permitsChange : limit.permits;
      return { ...permission, part: { includes: includes.bind(limit), shown: (one) => limit.shown(one) } };
    });
  }

  /** The permissions by the scopes alone. */
  private byScopes(type: string, action: string): Permission[] {
    return this.resourceScopes
      .filter((scope) => covers(scope, type) && scope.actions.includes(action))
      .map((scope) => this.permissionFrom(scope, type, action))
      .filter((permission) => permission !== undefined);
  }

  /**
   * The permissions on the requested type for the request; empty only for a Binary that {@link linkingBinaries} may
   * prove to be permitted. Throws the refusal that names the missing scope.
   */
  forRequest(request: FhirRequest): Permission[] {
    if (this.isOwnFhirUser(request)) return [this.ofOwnFhirUser()];
    const action = actionOf[request.interaction];
    const permissions = this.permissionsFor(request.type, action);
    if (permissions.length === 0 && !(isBinaryRead(request) && this.linkingBinaries().length > 0)) {
      throw this.refusalOf(request.type, action);
    }
    const whole = ['*', 'rs'] as const;
    if (hasDataSent(request) && !this.permitsAll(...whole)) throw this.missingScopeForAll(...whole);
    return permissions;
  }

  /**
   * The permissions to read resources of one patient that link documents, by type: each opens the Binary that a
   * permitted resource links (decision 0096).
   */
  linkingBinaries(): { type: string; permissions: Permission[] }[] {
    return linkingTypes
      .map((type) => ({
        type,
        permissions: this.permissionsFor(type, 'r').filter(({ patient }) => patient !== undefined),
      }))
      .filter(({ permissions }) => permissions.length > 0);
  }

  /** The permissions to run an operation (never empty). Throws the refusal that names the missing scope. */
  toRun({ type, operation }: Pick<FhirRequest, 'type' | 'operation'>): Permission[] {
    const permissions = this.operationScopes
      .filter((scope) => scope.operation === operation && covers(scope, type))
      .map((scope) => this.personOf(scope))
      .filter((person) => person !== 'none')
      .map((person) => (person === 'any' ? everything : { patient: person.id, categories: [] }));
    if (permissions.length === 0) throw this.missingScope(type, `$${operation}`);
    return permissions;
  }

  /**
   * Throws a {@link Refusal} unless the token permits an export: it gives away everything at once, so it takes the
   * scopes of a system (Bulk Data Access 2.0 §scopes), or a scope that names it for no patient in particular, and the
   * reading of everything.
   */
  assertPermitsExport({ type }: Pick<FhirRequest, 'type'>): void {
    const isNamed = this.operationScopes.some(
      (scope) => scope.operation === 'export' && covers(scope, type) && this.personOf(scope) === 'any',
    );
    const isOfSystem = ['r', 's'].every((action) =>
      this.resourceScopes.some(
        ({ subject, type, actions, query }) =>
          subject === 'system' && type === '*' && actions.includes(action) && query.length === 0,
      ),
    );
    if (!isNamed && !isOfSystem) throw this.missingExport();
    if (!this.permitsAll('*', 'rs')) throw this.missingScopeForAll('*', 'rs');
  }

  /** The part of a type that is permitted for one action. */
  level(type: string, action: string): AccessLevel {
    const permissions = this.permissionsFor(type, action);
    return isUnlimited(permissions) ? 'all' : permissions.length > 0 ? 'some' : 'none';
  }

  /** True if everything of a type is permitted for each of the actions. */
  permitsAll(type: string, actions: string): boolean {
    return [...actions].every((action) => this.level(type, action) === 'all');
  }

  /**
   * True if scopes for every person and category permit all of a type for each of the actions: the FHIR server may then
   * say anything about it. A patient's scope for resources that all records share is not such a scope.
   */
  hearsServer(type: string, actions: string): boolean {
    const open = this.resourceScopes.filter((scope) => scope.query.length === 0 && this.personOf(scope) === 'any');
    return [...actions].every((action) =>
      open.some((scope) => (scope.type === '*' || scope.type === type) && scope.actions.includes(action)),
    );
  }

  /**
   * The permissions that one search can serve: when they name several patients, the one in context comes before the
   * signed-in user.
   */
  forOneSearch(permissions: readonly Permission[]): readonly Permission[] {
    const limited = permissions.every(({ patient }) => patient !== undefined);
    const inContext = permissions.filter(({ patient }) => patient === this.claims.patient);
    return limited && inContext.length > 0 ? inContext : permissions;
  }

  /**
   * Throws a {@link Refusal} unless a search with these permissions may reach a related type. Included resources are
   * checked one by one; a type that only filters would reveal resources that the user does not see, so all of its
   * resources must be permitted, as must all of the searched type.
   */
  assertPermitsRelated({ type, action, shown }: RelatedType, permissions: readonly Permission[]): void {
    const level = this.level(type, action);
    if (type !== '*' && level === 'none') throw this.refusalOf(type, action);
    if (shown || (isUnlimited(permissions) && level === 'all')) return;
    throw new Refusal(
      403,
      'not-supported',
      'With this token chained searches and repeated includes are not supported.',
    );
  }

  /**
   * Throws the refusal of a search for categories that the relationship keeps private: what is asked for decides, and
   * not what there is.
   */
  assertOpensCategories(type: string, values: readonly string[]): void {
    const { limit } = this;
    const isClosed = (value: string) => value.split(',').every((one) => !limit?.permitsCategory(type, one));
    if (limit && values.some(isClosed)) throw keptPrivate(type, `${type} of this category`);
  }

  /** The refusal for a type that is not permitted: it names a scope unless the scopes would be enough. */
  refusalOf(type: string, action: string): Refusal {
    if (this.byScopes(type, action).length === 0) return this.missingScope(type, action);
    if (!isChange(action)) return keptPrivate(type, type);
    return unchangeable(type, this.protection !== undefined && isProtectedChange(type, action));
  }

  /** The refusal that names a scope: `action` is what follows the type in it. */
  missingScope(type: string, action: string): Refusal {
    const forPatient =
      this.claims.patient !== undefined && (canBelongToPatient(type, action) || isReadOfShared(type, action));
    return forPatient ? insufficientScope(`patient/${type}.${action}`) : this.missingScopeForAll(type, action);
  }

  /** The same where a scope for one patient would not be enough. */
  missingScopeForAll(type: string, action: string): Refusal {
    return insufficientScope(`${this.claims.fhirUser === undefined ? 'system' : 'user'}/${type}.${action}`);
  }

  /** A user's token cannot have scopes of a system, so it is told of the scope that names the operation. */
  private missingExport(): Refusal {
    return insufficientScope(this.claims.fhirUser === undefined ? 'system/*.rs' : 'user/*.$export');
  }

  private permissionFrom(scope: ResourceScope, type: string, action: string): Permission | undefined {
    const categories = categoriesOf(scope);
    if (!Array.isArray(categories)) return undefined;
    const person = this.personOf(scope);
    if (person === 'none') return undefined;
    if (person === 'any' || isReadOfShared(type, action)) return { categories };
    if (!canBelongToPatient(type, action)) return undefined;
    return { patient: person.id, categories };
  }

  /** The patient whose data a scope is about. A `user/` scope of a user who is a patient is about that patient only. */
  private personOf({ subject }: Pick<ResourceScope, 'subject'>): { id: string } | 'any' | 'none' {
    const { patient } = this.claims;
    // A representative acts with none of the permissions for the own record.
    if (this.limit && subject !== 'patient') return 'none';
    switch (subject) {
      case 'system':
        return 'any';
      case 'patient':
        return patient !== undefined && isLogicalId(patient) ? { id: patient } : 'none';
      case 'user':
        if (this.user?.type === 'Patient') return { id: this.user.id };
        return this.user?.type === 'Practitioner' || this.user?.type === 'PractitionerRole' ? 'any' : 'none';
    }
  }

  private ofOwnFhirUser(): Permission {
    const { limit } = this;
    if (!limit) return everything;
    return { categories: [], part: { includes: () => true, shown: (one) => limit.shown(one) } };
  }

  /**
   * `fhirUser` (or SMART 1's `profile`) lets an app read the signed-in user (`SMART 2.2
   * §scopes-for-requesting-identity-data`).
   */
  private isOwnFhirUser({ interaction, type, id }: FhirRequest): boolean {
    const user = this.knownUser;
    if (this.limit && !ofRepresentatives.has(type)) return false;
    return interaction === 'read' && type === user?.type && id === user.id;
  }
}

/** Resources that represent a user who acts for a patient. */
const ofRepresentatives: ReadonlySet<string> = new Set(['RelatedPerson', 'Person']);

interface ParsedScopes {
  resourceScopes: readonly ResourceScope[];
  operationScopes: readonly OperationScope[];
}

function parsedScopes(texts: readonly string[]): ParsedScopes {
  const scopes = texts.map(parseScope);
  return {
    resourceScopes: scopes.filter((scope) => scope?.kind === 'resource'),
    operationScopes: scopes.filter((scope) => scope?.kind === 'operation'),
  };
}

/** The effect of relationships on a token. */
interface Relationships {
  limit?: RecordLimit | undefined;
  protection?: RecordProtection | undefined;
}

/** A Subscription has the server send what it finds, of whatever type, to an address that the app writes into it. */
export function hasDataSent({ type, interaction }: Pick<FhirRequest, 'type' | 'interaction'>): boolean {
  return type === 'Subscription' && ['c', 'u'].includes(actionOf[interaction]);
}

/** A resource below the FHIR base. */
interface Reference {
  type: string;
  id: string;
}

function referenceUnder(base: string, url: string | undefined): Reference | undefined {
  if (!url?.startsWith(`${base}/`)) return undefined;
  const [type = '', ...rest] = url.slice(base.length + 1).split('/');
  const [id = '', ...more] = rest;
  return isResourceType(type) && isLogicalId(id) && more.length === 0 ? { type, id } : undefined;
}

function covers(scope: { type: string }, type: string): boolean {
  return scope.type === '*' || scope.type === type;
}

function insufficientScope(scope: string): Refusal {
  const text = `The access token does not allow this. It needs a scope such as ${scope}.`;
  return new Refusal(403, 'forbidden', text, {}, { error: 'insufficient_scope', scope });
}

function keptPrivate(type: string, what: string): Refusal {
  const text = `The user acts for this patient, and ${what} is kept private from them.`;
  const change = tellsOfRepresentatives(type)
    ? { remedy: 'No level opens it: it tells of others who act for the patient.', configuration: '' }
    : { remedy: 'Add the kind to the level, if it shall be seen.', configuration: 'representation.levels' };
  return new Refusal(403, 'forbidden', text).because({ code: 'gateway-kept-private', detail: { what, ...change } });
}

function unchangeable(type: string, isProtected: boolean): Refusal {
  const refusal = new Refusal(403, 'forbidden', `Resources of the type ${type} cannot be changed with this token.`);
  return refusal.because(
    isProtected
      ? { code: 'gateway-change-protected', detail: { what: `a resource of the type ${type}` } }
      : { code: 'gateway-change-not-in-level', detail: {} },
  );
}
