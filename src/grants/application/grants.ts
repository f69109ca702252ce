import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import type { ClientGrant, GrantDisclaimer, GrantList } from '../../contract/own-record/grants.js';
import { describeScope } from '../../contract/rules/scopes/scope-description.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { type StandingAgreement, StandingAgreements } from '../../disclaimers/application/standing-agreements.js';
import { PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';
import { AppAccess } from './app-access.js';

/** A user's grants, app by app. */
@Injectable()
export class Grants {
  constructor(
    private readonly access: AppAccess,
    private readonly consents: ConsentDecisions,
    private readonly agreements: StandingAgreements,
    private readonly clients: RegisteredClients,
    private readonly paused: PausedApps,
  ) {}

  /** Every app that has access now, will not ask before it gets it, or has a disclaimer that was agreed to. */
  async list(accountId: string): Promise<GrantList> {
    const [granted, consents, agreed, paused] = await Promise.all([
      this.access.ofAccount(accountId),
      this.consents.ofAccount(accountId),
      this.agreements.agreedBy(accountId),
      this.paused.ofAccount(accountId),
    ]);
    const now = new Date();
    const remembered = consents.filter((one) => one.isInForce(now));
    const disclaimersOf = (clientId: string | null) =>
      agreed.filter(({ subject }) => subject.clientId === clientId).map(disclaimerView);
    const ofApps = agreed.flatMap(({ subject }) => subject.clientId ?? []);
    const clientIds = [...new Set([...[...granted, ...remembered].map(({ clientId }) => clientId), ...ofApps])];
    const cards = await Promise.all(
      clientIds.map(async (clientId): Promise<ClientGrant> => {
        const live = granted.find((one) => one.clientId === clientId);
        const kept = remembered.find((one) => one.clientId === clientId);
        const scopes = [...new Set([...(live?.scopes ?? []), ...(kept?.scopes ?? [])])];
        const created = kept?.grantedAt ?? live?.created;
        const expires = kept ? kept.expiresAt : live?.expires;
        return {
          ...(await this.appView(clientId)),
          created: created?.toISOString() ?? null,
          expires: expires?.toISOString() ?? null,
          lastUsed: live?.lastUsed.toISOString() ?? null,
          ...(this.access.areRecorded && {
            lastRead: live?.lastRead?.at.toISOString() ?? null,
            lastReadKinds: live?.lastRead?.kinds ?? {},
            lastReadUnattended: live?.lastRead?.unattended ?? false,
          }),
          wildcardTypes: live?.wildcardTypes ?? [],
          pausedAt: paused.get(clientId)?.toISOString() ?? null,
          worksUntil: live?.worksUntil?.toISOString() ?? null,
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

  private async appView(clientId: string) {
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
}

function disclaimerView({ subject, disclaimer: { description, html } }: StandingAgreement): GrantDisclaimer {
  return { ...subject, disclaimerDetails: { description, disclaimerHtml: html } };
}

function isIdentity(text: string): boolean {
  const kind = parseScope(text)?.kind;
  return kind === 'identity' || kind === 'launch';
}
