import { Injectable } from '@nestjs/common';
import type { SignInObstacle } from '../../contract/users/helpdesk.js';
import { FhirAvailabilityCheck } from '../../launch-context/application/fhir-availability-check.js';
import { isComplete } from '../../oidc/application/sign-ins.js';
import { belongsTo } from '../../oidc/domain/membership.js';
import { allowedSignInMethods } from '../../oidc/domain/sign-in-methods.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { type SignInReadiness, SignInReadinesses } from '../../users/application/sign-in-readiness.js';
import { signInObstacles } from '../domain/sign-in-obstacles.js';
import { UserLocks } from './user-locks.js';

/**
 * Finds the reasons why a user cannot sign in, by the rules and counters of the sign-in itself. It lacks the facts that
 * only an attempt shows: the answer of a provider about its user, locks of a network address, and the settings of an
 * app.
 */
@Injectable()
export class SignInDiagnosis {
  constructor(
    private readonly readinesses: SignInReadinesses,
    private readonly locks: UserLocks,
    private readonly records: FhirAvailabilityCheck,
    private readonly config: Config,
  ) {}

  /** Throws `not-found` for an administrator, too. */
  async forUser(id: string): Promise<SignInObstacle[]> {
    const readiness = await this.readinesses.forUser(id);
    const { account, deletionAt, invitation } = readiness;
    const homes = fhirBasesOf(this.config).filter((base) => belongsTo(account, base));
    return signInObstacles({
      isComplete: isComplete(account),
      deletionAt,
      invitation,
      isMethodOpen: this.isMethodOpen(readiness),
      locks: await this.locks.locksOf(account),
      hasTenant: homes.length > 0,
      hasRecord: account.fhirUser !== undefined,
      areRecordsAway: homes.some(({ tenant }) => this.records.isWaitedFor(tenant?.id)),
    });
  }

  private isMethodOpen({ account, issuer }: SignInReadiness): boolean {
    const { local, providers } = allowedSignInMethods(this.config);
    if (!account.isExternal) return local;
    return providers.some(({ authority }) => withoutSlash(authority) === withoutSlash(issuer ?? ''));
  }
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '');
}
