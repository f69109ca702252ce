import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { ConsentOffers } from '../../consent/application/consent-offers.js';
import { accessTokenSeconds } from '../../contract/rules/lifetime.js';
import { parseScope, splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';
import { Config } from '../../platform/config/config.js';
import { AuditedActivity, type LastRead } from '../domain/audited-activity.js';

/** The access that an app has now. */
interface Access {
  clientId: string;
  /** Id of the relationship by which the user acts for a patient; null for the own record. */
  representation: string | null;
  scopes: string[];
  created: Date;
  expires: Date;
  /** Time of the last token or access to the FHIR server. */
  lastUsed: Date;
  /** Undefined without one, and where the gateway is off. */
  lastRead: LastRead | undefined;
  /** The types that its scopes for everything stand for; empty without one. */
  wildcardTypes: string[];
  /** The end of a JWT that another server verifies; undefined if the app has none. */
  worksUntil: Date | undefined;
}

/** The apps with access to a user's data: which access they have now, until when, its last use, and their pauses. */
@Injectable()
export class AppAccess {
  constructor(
    private readonly apps: GrantedApps,
    private readonly activity: AuditedActivity,
    private readonly clients: RegisteredClients,
    private readonly offers: ConsentOffers,
    private readonly paused: PausedApps,
    private readonly config: Config,
  ) {}

  /** False where apps access a FHIR server that is not behind the gateway. */
  get areRecorded(): boolean {
    return this.config.gateway.enabled;
  }

  async ofAccount(accountId: string): Promise<Access[]> {
    const granted = await this.apps.ofAccount(accountId);
    const span = (after: 'lastUsed' | 'created') => (app: (typeof granted)[number]) => {
      return { accountId, clientId: app.clientId, after: app[after], of: app.representation };
    };
    const [accessed, read] = await Promise.all([
      this.activity.lastAccesses(granted.map(span('lastUsed'))),
      this.activity.lastReads(this.areRecorded ? granted.map(span('created')) : []),
    ]);
    return Promise.all(
      granted.map(async ({ clientId, representation, scope, created, expires, lastUsed }, index) => ({
        clientId,
        representation,
        scopes: splitScopes(scope),
        created,
        expires,
        lastUsed: accessed[index] ?? lastUsed,
        lastRead: read[index],
        wildcardTypes: await this.wildcardTypes(accountId, splitScopes(scope)),
        worksUntil: await this.worksUntil(clientId, lastUsed),
      })),
    );
  }

  /** The accesses that the user has paused, and since when. */
  pausesOf(accountId: string): ReturnType<PausedApps['ofAccount']> {
    return this.paused.ofAccount(accountId);
  }

  /** How the app names itself. */
  async view(clientId: string) {
    const client = await this.clients.findByClientId(clientId);
    const { description, legalCompanyName, contactUsUrl, privacyPolicyUrl, termsOfServiceUrl } = client?.settings ?? {};
    return {
      clientId,
      clientName: client?.clientName ?? clientId,
      clientDescription: description || null,
      legalCompanyName: legalCompanyName || null,
      contactUsUrl: contactUsUrl || null,
      privacyPolicyUrl: privacyPolicyUrl || null,
      termsOfServiceUrl: termsOfServiceUrl || null,
    };
  }

  private async wildcardTypes(accountId: string, scopes: string[]): Promise<string[]> {
    const wildcards = scopes.map(parseScope).filter((scope) => scope?.kind === 'resource' && scope.type === '*');
    if (wildcards.length === 0) return [];
    const kinds = await this.offers.kindsFor(accountId, undefined);
    const types = wildcards.flatMap((wildcard) => kinds.ofWildcard(wildcard)).map(parseScope);
    return [...new Set(types.flatMap((scope) => (scope?.kind === 'resource' ? scope.type : [])))];
  }

  /**
   * The end of the JWT that the app got last; a JWT that another server verifies cannot be taken back (security P-02).
   */
  private async worksUntil(clientId: string, lastToken: Date): Promise<Date | undefined> {
    if (this.areRecorded) return undefined;
    const client = await this.clients.findByClientId(clientId);
    if (client?.settings.accessTokenType !== 'Jwt') return undefined;
    const until = new Date(lastToken.getTime() + accessTokenSeconds(client.settings) * 1000);
    return until > new Date() ? until : undefined;
  }
}
