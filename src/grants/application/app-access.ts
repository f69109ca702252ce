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
  /** Time of the last access that read data; undefined without one, and where the gateway is off. */
  lastRead: Date | undefined;
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

  /** False where apps access a FHIR server that is not behind the gateway. */
  get areRecorded(): boolean {
    return this.config.gateway.enabled;
  }

  async ofAccount(accountId: string): Promise<Access[]> {
    const granted = await this.apps.ofAccount(accountId);
    const span = (after: 'lastUsed' | 'created') => (app: (typeof granted)[number]) => {
      return { accountId, clientId: app.clientId, after: app[after] };
    };
    const [accessed, read] = await Promise.all([
      this.activity.lastAccesses(granted.map(span('lastUsed'))),
      this.activity.lastAccesses(this.areRecorded ? granted.map(span('created')) : [], 'reads'),
    ]);
    return Promise.all(
      granted.map(async ({ clientId, scope, created, expires, lastUsed }, index) => ({
        clientId,
        scopes: splitScopes(scope),
        created,
        expires,
        lastUsed: accessed[index] ?? lastUsed,
        lastRead: read[index],
        worksUntil: await this.worksUntil(clientId, lastUsed),
      })),
    );
  }

  /** The end of the JWT that the app got last; nothing that is verified elsewhere can be taken back (security P-02). */
  private async worksUntil(clientId: string, lastToken: Date): Promise<Date | undefined> {
    if (this.areRecorded) return undefined;
    const client = await this.clients.find(clientId);
    if (client?.settings.accessTokenType !== 'Jwt') return undefined;
    const until = new Date(lastToken.getTime() + accessTokenSeconds(client.settings) * 1000);
    return until > new Date() ? until : undefined;
  }
}
