import type { AccessTokenFacts } from '../../../oidc/domain/access-tokens.js';
import { PermittedRecord } from '../../../representation/application/permitted-record.js';
import type { RepresentedAccess } from '../../../representation/application/represented-access.js';
import type { RecordLimit, RecordProtection } from '../../domain/acting/record-limit.js';
import type { ServerExchange } from '../server/server-exchange.js';

/** Users who act for a patient: what their relationship permits at this moment. */
export class ActingUsers {
  constructor(
    private readonly access: Pick<RepresentedAccess, 'forRequest' | 'protection'>,
    private readonly tenant: string | undefined,
    private readonly exchange: Pick<ServerExchange, 'names'>,
  ) {}

  /** Present if accounts may act for patients here. */
  get protection(): RecordProtection | undefined {
    return this.access.protection;
  }

  /**
   * The limit of a token that was issued by this relationship, as it is now; undefined if the user may not act for the
   * patient any more. `fhirBase` is the base as clients see it.
   */
  async limitOf(facts: AccessTokenFacts, fhirBase: string): Promise<RecordLimit | undefined> {
    const { accountId: account, patient, representation, fhirUser } = facts;
    if (account === undefined || patient === undefined) return undefined;
    const decision = await this.access.forRequest({ account, tenant: this.tenant, patient, at: new Date() });
    if (!decision.permitted || decision.relationship !== representation) return undefined;
    const own = fhirUser?.startsWith(`${fhirBase}/`) ? fhirUser.slice(fhirBase.length + 1) : undefined;
    const self = { patient, person: own, local: (reference: string) => this.exchange.names.local(reference) };
    return new PermittedRecord(decision, self);
  }
}
