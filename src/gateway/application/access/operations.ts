import { isResourceType } from '../../domain/fhir-request.js';
import { isCheckedOperation } from '../../domain/operations/operation-parameters.js';
import { intersect, isPermitted, isUnlimited } from '../../domain/permission.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { Exports } from './exports.js';
import type { LimitedAccess } from './limited-access.js';
import type { UnlimitedAccess } from './unlimited-access.js';

/**
 * Operations that the token permits to run. The gateway knows what two of them answer and holds them to the other
 * scopes of the token: `$everything` of a patient, which is checked resource by resource, and `$export`, for tokens of
 * a system, or with a scope that names it, that permit all resources. Of any other it knows neither what it answers nor
 * what it does, so its scope must be for no patient in particular, next to scopes that permit all of its type: to read,
 * and where it may change something, to change.
 */
export class Operations {
  private readonly exports: Exports;

  constructor(
    private readonly exchange: ServerExchange,
    private readonly unlimited: UnlimitedAccess,
    private readonly limited: LimitedAccess,
  ) {
    this.exports = new Exports(exchange);
  }

  async handle(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir } = authorized;
    if (fhir.operation === 'export') {
      authorized.token.assertPermitsExport(fhir);
      return this.exports.handle(authorized);
    }
    if (isCheckedOperation(fhir)) return this.everythingOfPatient(authorized);
    this.assertRuns(authorized);
    return this.unlimited.handle(authorized);
  }

  /** Throws a {@link Refusal} unless the token permits all that an operation may do which the gateway does not know. */
  assertRuns(authorized: AuthorizedRequest): void {
    const { fhir, request } = authorized;
    // By GET an operation changes nothing (FHIR R4 §3.2.0.1), by POST it may.
    assertPermitsAll(fhir.type, authorized, request.method === 'POST' ? 'cruds' : 'rs');
  }

  private async everythingOfPatient(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, token, permissions: runs } = authorized;
    const patients = intersect(token.forRequest(fhir), runs);
    // Without an id it is about the patient of the token, and about all patients only where all are permitted.
    const id = fhir.id ?? (isUnlimited(patients) ? undefined : token.forOneSearch(patients)[0]?.patient);
    const isAll = id === undefined && isUnlimited(patients);
    if (!isAll && !isPermitted({ resourceType: 'Patient', id }, patients, this.exchange.names)) throw notFound();
    for (const type of typesIn(authorized)) {
      if (!isResourceType(type)) throw new Refusal(400, 'invalid', 'The _type must be a list of resource types.');
      // The number of pages would reveal how many resources are left out.
      if (token.level(type, 's') === 'none') throw token.refusalOf(type, 's');
    }
    const whole = id === undefined ? authorized : { ...authorized, fhir: { ...fhir, id } };
    const isOpen = isUnlimited(runs) && token.permitsAll('*', 'rs');
    return isOpen ? this.unlimited.handle(whole) : this.limited.handle(whole);
  }
}

function assertPermitsAll(type: string, { token, permissions: runs }: AuthorizedRequest, actions: string): void {
  if (!isUnlimited(runs)) {
    throw new Refusal(403, 'not-supported', 'This operation cannot be limited to one patient, as this token is.');
  }
  if (!token.permitsAll(type, actions)) throw token.missingScopeForAll(type, actions);
}

/** The types that the request names, if it is limited to some. */
function typesIn({ fhir: { parameters } }: AuthorizedRequest): string[] {
  return parameters.flatMap(([name, value]) => (name === '_type' ? value.split(',').map((type) => type.trim()) : []));
}
