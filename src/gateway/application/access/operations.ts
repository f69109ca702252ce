import type { FhirServerStatus } from '../../../fhir-server/application/fhir-server-status.js';
import type { AccessTokenFacts } from '../../../oidc/domain/access-tokens.js';
import { type FhirRequest, isResourceType } from '../../domain/fhir-request.js';
import {
  everything,
  forOneSearch,
  intersect,
  isPermitted,
  isUnlimited,
  missingScope,
  type Permission,
  permissionsFor,
  permissionsOn,
  permissionsToRun,
} from '../../domain/permission.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { Exports } from './exports.js';
import type { LimitedAccess } from './limited-access.js';
import type { UnlimitedAccess } from './unlimited-access.js';

export interface OperationSettings {
  /** The base as apps see it. */
  fhirBase: string;
  /** Names of operations that the other scopes limit well enough. */
  operationsWithoutScope: readonly string[];
}

/**
 * Operations. The gateway knows what two of them answer and holds them to the other scopes of the token: `$everything` of a
 * patient, which is checked resource by resource, and `$export`, for tokens that open all there is. Of any other it knows
 * neither what it answers nor what it does, so it takes a scope that names it, for no patient in particular, beside scopes
 * that open all of its type: to reading, and where it may change something, to changing.
 */
export class Operations {
  private readonly exports: Exports;

  constructor(
    private readonly exchange: ServerExchange,
    private readonly status: FhirServerStatus,
    private readonly unlimited: UnlimitedAccess,
    private readonly limited: LimitedAccess,
    private readonly settings: OperationSettings,
  ) {
    this.exports = new Exports(exchange);
  }

  /**
   * The permissions that allow running this operation (never empty). Throws a {@link Refusal} that names the missing
   * scope.
   */
  runs(fhir: FhirRequest, bearer: AccessTokenFacts): Permission[] {
    const { type, operation = '' } = fhir;
    if (!this.isServed(fhir)) {
      throw new Refusal(404, 'not-supported', `The FHIR server has no operation $${operation} here.`);
    }
    if (this.settings.operationsWithoutScope.includes(operation) && isChecked(fhir)) return [everything];
    const runs = permissionsToRun(fhir, bearer, this.settings.fhirBase);
    if (runs.length === 0) throw missingScope(type, `$${operation}`, bearer);
    return runs;
  }

  /** `authorized.permissions` are what {@link runs} gave. */
  async handle(authorized: AuthorizedRequest, bearer: AccessTokenFacts): Promise<GatewayAnswer> {
    const { fhir } = authorized;
    if (isChecked(fhir) && authorized.request.method === 'POST') {
      throw new Refusal(405, 'not-supported', 'This operation is asked for by GET.', { Allow: 'GET, HEAD' });
    }
    if (fhir.operation === 'export') {
      this.assertOpen('*', authorized, bearer, 'rs');
      return this.exports.handle(authorized);
    }
    if (isChecked(fhir)) return this.everythingOfPatient(authorized, bearer);
    // By GET an operation changes nothing (FHIR R4 §3.2.0.1), by POST it may.
    this.assertOpen(fhir.type, authorized, bearer, authorized.request.method === 'POST' ? 'cruds' : 'rs');
    return this.unlimited.handle(authorized);
  }

  private async everythingOfPatient(authorized: AuthorizedRequest, bearer: AccessTokenFacts): Promise<GatewayAnswer> {
    const { fhir, permissions: runs } = authorized;
    const found = permissionsFor(fhir, bearer, this.settings.fhirBase);
    if (found instanceof Refusal) throw found;
    const patients = intersect(found, runs);
    // Without an id it is about the patient of the token, and about all patients only where all are permitted.
    const id = fhir.id ?? (isUnlimited(patients) ? undefined : forOneSearch(patients, bearer)[0]?.patient);
    const isAll = id === undefined && isUnlimited(patients);
    if (!isAll && !isPermitted({ resourceType: 'Patient', id }, patients, this.exchange.base)) throw notFound();
    for (const type of typesIn(fhir)) {
      if (!isResourceType(type)) throw new Refusal(400, 'invalid', 'The _type must be a list of resource types.');
      // The number of pages would reveal how many resources are left out.
      if (this.open(type, 's', bearer).length === 0) throw missingScope(type, 's', bearer);
    }
    const whole = { ...authorized, fhir: id === undefined ? fhir : { ...fhir, id } };
    if (isUnlimited(runs) && this.opensAll('*', 'rs', bearer)) return this.unlimited.handle(whole);
    return this.limited.handle({
      ...whole,
      permitsIncluded: (resource) =>
        isPermitted(resource, intersect(this.open(resource.resourceType, 's', bearer), runs), this.exchange.base),
    });
  }

  private assertOpen(
    type: string,
    { permissions: runs }: AuthorizedRequest,
    bearer: AccessTokenFacts,
    actions: string,
  ): void {
    if (!isUnlimited(runs)) {
      throw new Refusal(403, 'not-supported', 'This operation cannot be limited to one patient, as this token is.');
    }
    if (!this.opensAll(type, actions, bearer)) throw missingScope(type, actions, { ...bearer, patient: undefined });
  }

  private opensAll(type: string, actions: string, bearer: AccessTokenFacts): boolean {
    return [...actions].every((action) => isUnlimited(this.open(type, action, bearer)));
  }

  private open(type: string, action: string, bearer: AccessTokenFacts): Permission[] {
    return permissionsOn(type, action, bearer, this.settings.fhirBase);
  }

  /** An operation of all types may be listed for the whole server only. */
  private isServed({ type, operation }: FhirRequest): boolean {
    if (!this.status.resourceTypes()) return true;
    const listed = this.status.operations().filter(({ name }) => name === operation);
    return listed.some((one) => one.type === null || one.type === type);
  }
}

/** The types that the request names, if it is limited to some. */
function typesIn({ parameters }: FhirRequest): string[] {
  return parameters.flatMap(([name, value]) => (name === '_type' ? value.split(',').map((type) => type.trim()) : []));
}

/** True if the gateway knows the operation's answers and holds them to the token's permissions. */
function isChecked({ type, operation }: FhirRequest): boolean {
  switch (operation) {
    case 'everything':
      return type === 'Patient';
    case 'lastn':
      return type === 'Observation';
    default:
      return operation === 'export';
  }
}
