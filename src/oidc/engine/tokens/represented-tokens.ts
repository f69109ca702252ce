import { Injectable } from '@nestjs/common';
import Provider, { errors } from 'oidc-provider';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { RepresentedAccess, refusalClauses } from '../../../representation/application/represented-access.js';
import { peekRead } from '../shared/records-read.js';

interface Presented {
  clientId?: string;
  grantId?: string | undefined;
}

type Find = (value: string, options?: object) => Promise<Presented | undefined>;

/** Tokens of grants that are based on a relationship: they hold only while the user may act for the patient. */
@Injectable()
export class RepresentedTokens {
  constructor(
    private readonly access: RepresentedAccess,
    private readonly revocations: Revocations,
  ) {}

  /** True if the grant is based on a relationship that permits nothing now. */
  async isHeld(grantId: string | undefined): Promise<boolean> {
    return (await this.reasonFor(grantId)) !== undefined;
  }

  /** Why the relationship that the grant is based on permits nothing now, in a clause for administrators. */
  async reasonFor(grantId: string | undefined): Promise<string | undefined> {
    const representation = await this.representationOf(grantId);
    if (representation === undefined) return undefined;
    const decision = await this.access.forToken(representation, new Date());
    return decision.permitted ? undefined : refusalClauses[decision.cause];
  }

  /** The relationship of a grant; of one that this request has read already, without another read. */
  async representationOf(grantId: string | undefined): Promise<string | undefined> {
    if (grantId === undefined) return undefined;
    const read = peekRead('Grant', grantId);
    if (!read) return (await this.revocations.useOf(grantId)).representation;
    return (read.payload as { representation?: { id: string } }).representation?.id;
  }

  /**
   * Refuses codes and refresh tokens, which stay as they are: the same token works again when a suspended relationship
   * is confirmed. Access tokens are refused at userinfo, and can be revoked.
   */
  install(provider: Provider): void {
    for (const model of [provider.AuthorizationCode, provider.RefreshToken] as const) {
      wrap(model, async (found) => {
        const { oidc } = Provider.ctx ?? {};
        const isUse = oidc?.route === 'token' && found.clientId === oidc.client?.clientId;
        const reason = isUse ? await this.reasonFor(found.grantId) : undefined;
        if (reason === undefined) return found;
        note('representation-held', { reason });
        throw new errors.InvalidGrant('the user may not act for this patient now');
      });
    }
    wrap(provider.AccessToken, async (found) => {
      if (Provider.ctx?.oidc.route !== 'userinfo') return found;
      return (await this.isHeld(found.grantId)) ? undefined : found;
    });
  }
}

function wrap(model: object, limit: (found: Presented) => Promise<Presented | undefined>): void {
  const find = (model as { find: Find }).find.bind(model);
  Object.defineProperty(model, 'find', {
    configurable: true,
    async value(...of: Parameters<Find>) {
      const found = await find(...of);
      return found && limit(found);
    },
  });
}
