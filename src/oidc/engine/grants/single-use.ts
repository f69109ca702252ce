import { Injectable } from '@nestjs/common';
import { describeEnd } from '../../../contract/activity/end-causes.js';
import type { PresentedRecord } from '../../../oidc-store/infrastructure/presented-records.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Audit } from '../../../platform/audit/audit.js';
import { SecurityNotices } from '../../../users/application/security-notices.js';
import { shownAddress } from '../../domain/address-difference.js';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import type { RefusedGrant } from '../shared/token-grants.js';

/** Of a code and a refresh token, as the engine makes them. */
const issuedLength = 43;

interface SingleUse {
  kind: string;
  consumed?: unknown;
  clientId?: string;
  accountId?: string;
}

/** Marks a request that presents what its client has used before, whose grant may have ended for it. */
interface ReuseState {
  isReuse?: true;
}

type Find = (value: string, options?: object) => Promise<SingleUse | undefined>;

/**
 * A code or refresh token that is presented twice was copied, and the engine ends everything issued from it (RFC 9700
 * §4.14). This class records the reuse, and notifies the user when it ends a client's lasting access, in the
 * transaction that ends it. A token that is repeated only because a response was lost is not a reuse, and neither is
 * one in a late request, which is recorded as such; so this must wrap the code that recognises these: install it last.
 */
@Injectable()
export class TokenReuse {
  constructor(
    private readonly audit: Audit,
    private readonly notices: SecurityNotices,
  ) {}

  install(model: { find: object }): void {
    const find = (model.find as Find).bind(model);
    Object.defineProperty(model, 'find', {
      value: async (value: string, options?: object) => {
        const found = await find(value, options).catch((error: unknown) => this.noteLate(error));
        const { oidc, state } = engineRequest();
        const isUse = oidc.route === 'token' && oidc.client?.clientId === found?.clientId;
        if (found?.consumed && isUse) {
          (state as ReuseState).isReuse = true;
          await this.note(found, gatehouseClient(oidc.client).name);
        }
        return found;
      },
    });
  }

  /** Throws the error again. */
  private async noteLate(error: unknown): Promise<never> {
    const { kind, clientId, accountId } = error instanceof LateDuplicate ? error.used : {};
    if (kind !== undefined && clientId === engineRequest().oidc.client?.clientId) {
      const detail = { kind };
      await this.audit.record({ type: 'token.late', outcome: 'failure', userId: accountId, clientId, detail });
    }
    throw error;
  }

  private async note({ kind, clientId, accountId }: SingleUse, app: string): Promise<void> {
    await this.audit.record({
      type: 'token.reused',
      outcome: 'failure',
      userId: accountId,
      clientId,
      detail: { kind },
    });
    if (kind === 'RefreshToken' && accountId !== undefined) {
      await this.notices.send(accountId, { name: 'app-access-ended', app });
    }
  }
}

/** Notes that a code or refresh token was used before, and whether its grant was ended for it. */
export function noteUsed(code: 'code-used' | 'refresh-token-used', hasGrant: boolean): void {
  note(code, {
    ended: hasGrant ? 'no access was ended, since it had expired, too' : 'the access that it gave was ended',
  });
}

/** Notes a code or refresh token that is unknown, of another client, or not valid any more; false for a valid one. */
export function noteGone(what: 'authorization code' | 'refresh token', { ctx, found }: RefusedGrant): boolean {
  const isCode = what === 'authorization code';
  const { clientId = '' } = ctx.oidc.client ?? {};
  // A code or token that ended with its grant in this request is not found any more.
  const isEndedByReuse = (ctx.state as ReuseState).isReuse === true && found?.hasGrant !== true;
  const sent = String(ctx.oidc.params?.[isCode ? 'code' : 'refresh_token'] ?? '');
  if (isEndedByReuse) noteUsed(isCode ? 'code-used' : 'refresh-token-used', false);
  else if (!found && sent.length !== issuedLength) {
    note('code-malformed', { what, length: sent.length, expected: issuedLength });
  } else if (!found) note(isCode ? 'code-unknown' : 'refresh-token-unknown');
  else if (found.clientId !== clientId) {
    if (isCode) note('code-of-other-client', { other: found.clientId ?? '', clientId });
    else note('refresh-token-of-other-client', { other: found.clientId ?? '', clientId });
  } else if (found.endedBy && found.endedAt && isTold(found)) {
    note('access-had-ended', { what, ...describeEnd({ by: found.endedBy, at: found.endedAt }) });
  } else return noteOwnEnd(isCode, what, found);
  return true;
}

function noteOwnEnd(isCode: boolean, what: string, found: PresentedRecord): boolean {
  const { expiredSince, isConsumed, hasGrant, lifetime } = found;
  const seconds = Math.round(expiredSince);
  const isExpired = expiredSince >= 0;
  if (isConsumed && (!hasGrant || (isCode && isExpired)))
    noteUsed(isCode ? 'code-used' : 'refresh-token-used', hasGrant);
  else if (isExpired && isCode) note('code-expired', { seconds, lifetime: Math.round(lifetime) });
  else if (isExpired) note('refresh-token-expired', { seconds });
  else if (!hasGrant) note('grant-ended', { what });
  else return false;
  return true;
}

/** An end is told where it came before the use that {@link noteUsed} tells, and before the token's own end. */
function isTold({ endedBy, isConsumed }: PresentedRecord): boolean {
  return endedBy !== 'ended-by-expiry' && !(isConsumed && endedBy === 'ended-by-reuse');
}

/** Notes that a token request names another FHIR base than its authorization. */
export function noteOtherResource(sent: unknown, granted: unknown): void {
  const shown = [sent].flat().map((resource) => shownAddress(String(resource)));
  note('token-resource', { sent: shown.join(', '), granted: String(granted) });
}
