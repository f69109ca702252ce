import { Injectable } from '@nestjs/common';
import type { RequestReview, SeenAccess } from '../../contract/requests.js';
import { AskedRelationships } from '../../representation/application/asked-relationships.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import type { AskedAbout, HospitalRequest } from '../domain/request.js';
import { SeenAccesses } from '../domain/seen-accesses.js';
import { RecordComparisons } from './record-comparisons.js';
import { RequestDeciders } from './request-deciders.js';

type Facts = Pick<
  RequestReview,
  'askerEmail' | 'comparison' | 'choices' | 'change' | 'firstApproval' | 'isOwnCase' | 'decidedBy'
>;

/** Facts that other modules and the record have about a request. */
@Injectable()
export class RequestReviews {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly relationships: AskedRelationships,
    private readonly comparisons: RecordComparisons,
    private readonly accesses: SeenAccesses,
    private readonly deciders: RequestDeciders,
  ) {}

  /** The record is read for an open request alone. */
  async factsOf(
    request: HospitalRequest,
    { administrator, isOpen }: { administrator: string | undefined; isOpen: boolean },
  ): Promise<Facts> {
    const { accountId, tenant, firstApproval, decidedBy } = request;
    const account = accountId === null ? undefined : await this.accounts.findById(accountId);
    const isOwnCase = administrator !== undefined && (await this.deciders.isOwnCase(request, administrator));
    const compared = isOpen && !isOwnCase ? await this.comparisons.forRequest(request) : undefined;
    return {
      askerEmail: account?.email ?? null,
      isOwnCase,
      comparison: compared?.comparison ?? null,
      choices: compared?.comparison.patient ? this.relationships.choicesFor(compared.birthDate, tenant) : null,
      change: isOpen ? await this.changeOf(request) : null,
      firstApproval: firstApproval && {
        by: (await this.deciders.nameOf(firstApproval.by)) ?? firstApproval.by,
        isOwn: firstApproval.by === administrator,
        basis: firstApproval.terms.basis,
        level: firstApproval.terms.level,
        relation: firstApproval.terms.relation,
        end: firstApproval.terms.end,
      },
      decidedBy: decidedBy && ((await this.deciders.nameOf(decidedBy.id)) ?? decidedBy.id),
    };
  }

  private async changeOf({ kind, relationshipId, content }: HospitalRequest): Promise<Facts['change']> {
    if (kind !== 'change' || relationshipId === null) return null;
    return (await this.relationships.changeChoices(relationshipId, (content as AskedAbout).step)) ?? null;
  }

  seenAfter(request: HospitalRequest, patient: string): Promise<SeenAccess[]> {
    return this.accesses.after(request, patient);
  }
}
