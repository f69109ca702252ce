import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { accessTokenSeconds } from '../../contract/rules/lifetime.js';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { Config } from '../../platform/config/config.js';
import { AuditedActivity } from '../domain/audited-activity.js';

/** The access that an app has now. */
interface Access {
  clientId: string;
  scopes: string[];
  created: Date;
  expires: Date;
  /** Time of the last token or access to the FHIR server. */
  lastUsed: Date;
  /** The end of a JWT that is verified elsewhere; undefined if the app has none. */
  worksUntil: Date | undefined;
}

/** The access that apps have to a user's data now, until when, and its last use. */
@Injectable()
export class AppAccess {
  constructor(
    private readonly apps: GrantedApps,
    private readonly activity: AuditedActivity,
    private readonly clients: RegisteredClients,
    private readonly config: Config,
  ) {}

  async ofAccount(accountId: string): Promise<Access[]> {
    const granted = await this.apps.ofAccount(accountId);
    const accessed = await this.activity.lastAccesses(accountId, granted);
    return Promise.all(
      granted.map(async ({ clientId, scope, created, expires, lastUsed }) => ({
        clientId,
        scopes: splitScopes(scope),
        created,
        expires,
        lastUsed: accessed.get(clientId) ?? lastUsed,
        worksUntil: await this.worksUntil(clientId, lastUsed),
      })),
    );
  }

  /** The end of the JWT that the app got last; nothing that is verified elsewhere can be taken back (security P-02). */
  private async worksUntil(clientId: string, lastToken: Date): Promise<Date | undefined> {
    if (this.config.gateway.enabled) return undefined;
    const client = await this.clients.find(clientId);
    if (client?.settings.accessTokenType !== 'Jwt') return undefined;
    const until = new Date(lastToken.getTime() + accessTokenSeconds(client.settings) * 1000);
    return until > new Date() ? until : undefined;
  }
}
