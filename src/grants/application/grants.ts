import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { Consent } from '../../consent/application/consent.js';
import type { ClientGrant, DisclaimerReference, GrantDisclaimer, GrantList } from '../../contract/grants.js';
import { message } from '../../contract/messages/message.js';
import { accessTokenSeconds } from '../../contract/rules/lifetime.js';
import { describeScope } from '../../contract/rules/scope-description.js';
import { parseScope, splitScopes } from '../../contract/rules/smart-scope.js';
import { Disclaimers, type StandingAgreement } from '../../disclaimers/application/disclaimers.js';
import { type GrantedApp, GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { AuditedActivity } from '../domain/audited-activity.js';

/** A user's grants, app by app, and their revocation. */
@Injectable()
export class Grants {
  constructor(
    private readonly consent: Consent,
    private readonly disclaimers: Disclaimers,
    private readonly apps: GrantedApps,
    private readonly activity: AuditedActivity,
    private readonly clients: RegisteredClients,
    private readonly revocations: Revocations,
    private readonly audit: Audit,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /** Every app that has access now, will not ask before it gets it, or has a disclaimer that was agreed to. */
  async list(accountId: string): Promise<GrantList> {
    const [granted, consents, agreed] = await Promise.all([
      this.apps.ofAccount(accountId),
      this.consent.ofAccount(accountId),
      this.disclaimers.agreedBy(accountId),
    ]);
    const accessed = await this.activity.lastAccesses(accountId, granted);
    const now = new Date();
    const remembered = consents.filter((one) => one.remembered && (one.expiresAt === null || one.expiresAt > now));
    const disclaimersOf = (clientId: string | null) =>
      agreed.filter(({ subject }) => subject.clientId === clientId).map(disclaimerView);
    const ofApps = agreed.flatMap(({ subject }) => subject.clientId ?? []);
    const clientIds = [...new Set([...[...granted, ...remembered].map(({ clientId }) => clientId), ...ofApps])];
    const cards = await Promise.all(
      clientIds.map(async (clientId): Promise<ClientGrant> => {
        const live = granted.find((one) => one.clientId === clientId);
        const kept = remembered.find((one) => one.clientId === clientId);
        const scopes = [...new Set([...splitScopes(live?.scope ?? ''), ...(kept?.scopes ?? [])])];
        const created = kept?.grantedAt ?? live?.created;
        const expires = kept ? kept.expiresAt : live?.expires;
        return {
          ...(await this.appView(clientId)),
          created: created?.toISOString() ?? null,
          expires: expires?.toISOString() ?? null,
          lastUsed: (accessed.get(clientId) ?? live?.lastUsed)?.toISOString() ?? null,
          worksUntil: (await this.worksUntil(live))?.toISOString() ?? null,
          identityGrantNames: scopes.filter(isIdentity).map((scope) => describeScope(scope).displayName),
          identityScopes: scopes.filter(isIdentity),
          apiGrantData: scopes
            .filter((scope) => !isIdentity(scope))
            .map((scope) => ({ scope, ...describeScope(scope) })),
          disclaimers: disclaimersOf(clientId),
        };
      }),
    );
    return {
      clientsPermissions: cards.sort((a, b) => a.clientName.localeCompare(b.clientName)),
      generalDisclaimers: disclaimersOf(null),
    };
  }

  /** Ends the app's tokens of both formats and what it was allowed to do without asking, at once. */
  async revokeApp(accountId: string, clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const hadConsent = await this.consent.forget(accountId, clientId);
      const hadGrants = await this.revocations.revokeApp(accountId, clientId);
      if (!hadConsent && !hadGrants) throw new Problem('not-found', message('app-gone'));
      await this.audit.record({ type: 'app.revoked', outcome: 'success', clientId });
    });
  }

  /** The next authorization that comes under them asks again; what was granted goes on. */
  async withdrawDisclaimers(accountId: string, references: DisclaimerReference[]): Promise<void> {
    const subjects = references.map(({ tenantId = null, clientId = null, disclaimerId }) => ({
      tenantId,
      clientId,
      disclaimerId,
    }));
    await this.disclaimers.withdraw(accountId, subjects);
  }

  /** The end of the JWT that the app got last; nothing that is verified elsewhere can be taken back (security P-02). */
  private async worksUntil(app: GrantedApp | undefined): Promise<Date | undefined> {
    if (this.config.gateway.enabled || !app) return undefined;
    const client = await this.clients.find(app.clientId);
    if (client?.settings.accessTokenType !== 'Jwt') return undefined;
    const until = new Date(app.lastUsed.getTime() + accessTokenSeconds(client.settings) * 1000);
    return until > new Date() ? until : undefined;
  }

  private async appView(clientId: string) {
    const client = await this.clients.find(clientId);
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
}

function disclaimerView({ subject, disclaimer: { description, html } }: StandingAgreement): GrantDisclaimer {
  return { ...subject, disclaimerDetails: { description, disclaimerHtml: html } };
}

function isIdentity(text: string): boolean {
  const kind = parseScope(text)?.kind;
  return kind === 'identity' || kind === 'launch';
}
