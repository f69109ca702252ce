import { Injectable } from '@nestjs/common';
import type { Grant } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { describeEntry } from '../../../contract/activity/cause.js';
import { scopeCauses } from '../../../contract/activity/scopes/scope-causes.js';
import { losesChanges, representedPart } from '../../../contract/rules/scopes/represented-scopes.js';
import { covers, parseScope, splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { RepresentedAccess } from '../../../representation/application/represented-access.js';
import type { AccessTokenFacts, MissingScope } from '../../domain/access-tokens.js';
import { explainForClient, explainForService } from '../../domain/scope-explanation.js';
import { Engine } from '../shared/engine.js';
import { RequestedBases } from '../shared/requested-base.js';
import { ServersOfScopes } from './scope-servers.js';

/** Finds out what keeps a scope from a client. For refused requests only. */
@Injectable()
export class ScopeRemedies {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly engine: Engine,
    private readonly bases: RequestedBases,
    private readonly servers: ServersOfScopes,
    private readonly represented: RepresentedAccess,
  ) {}

  /**
   * The change that lets the client of a token get this scope, too: the settings of the client, the level of a user who
   * acts for a patient, then the user's choice.
   */
  async forScope(
    scope: string,
    facts: Pick<AccessTokenFacts, 'clientId' | 'grantId' | 'audience' | 'representation'>,
  ): Promise<MissingScope> {
    const { clientId, grantId, audience, representation } = facts;
    const client = await this.clients.findByClientId(clientId);
    const servers = this.servers.forRequest(this.bases.ofRequest({ resource: audience }));
    const explain = grantId === undefined ? explainForService : explainForClient;
    const entries = client ? explain([scope], client.settings, servers).flatMap(({ changes }) => changes) : [];
    const changes = entries.flatMap(({ code, detail }) => describeEntry(scopeCauses[code], detail).change ?? []);
    const again = grantId === undefined ? '' : ' The user can then start the app again.';
    const [{ field = '', configuration = '' } = {}] = changes;
    if (changes.length > 0) {
      const texts = changes.map(({ text }) => text).join(' ');
      const isSetting = field !== '';
      return {
        remedy: `${texts}${isSetting ? ` Have the app request ${scope}.${again}` : ''}`,
        ...{ field, configuration, isDeclined: false },
      };
    }
    const limit = representation === undefined ? undefined : await this.limitOf(scope, representation);
    if (limit) {
      const { text, configuration: key } = scopeCauses[limit].change;
      return { remedy: `${text}${again}`, field: '', configuration: key, isDeclined: false };
    }
    return {
      remedy: `Have the app request ${scope}, which the client may have.${again}`,
      ...{ field, configuration, isDeclined: await this.isDeclined(scope, grantId, audience) },
    };
  }

  /** How the level of the relationship, as it is now, leaves the scope out; undefined if it does not. */
  private async limitOf(
    scope: string,
    representation: string,
  ): Promise<'scope-level' | 'scope-level-change' | undefined> {
    const decision = await this.represented.forToken(representation, new Date());
    const parsed = parseScope(scope);
    if (!decision.permitted || parsed === undefined || representedPart(parsed, decision.levels).length > 0)
      return undefined;
    return losesChanges(parsed, decision.levels) ? 'scope-level-change' : 'scope-level';
  }

  /** True if the user left the scope out on the consent page, or has taken it back since. */
  private async isDeclined(scope: string, grantId: string | undefined, audience: string): Promise<boolean> {
    const grant: Grant | undefined = grantId === undefined ? undefined : await this.engine.provider.Grant.find(grantId);
    const missing = parseScope(scope);
    const rejected = splitScopes(grant?.getRejectedResourceScope(audience) ?? '').map(parseScope);
    return missing !== undefined && rejected.some((one) => one !== undefined && covers(one, missing));
  }
}
