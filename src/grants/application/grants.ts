import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import type { ClientGrant, GrantDisclaimer, GrantList } from '../../contract/own-record/grants.js';
import { describeScope } from '../../contract/rules/scopes/scope-description.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { type StandingAgreement, StandingAgreements } from '../../disclaimers/application/standing-agreements.js';
import { AppAccess } from './app-access.js';
import { GrantedPatients, type NamedPatient } from './granted-patients.js';

/** A user's grants, app by app. */
@Injectable()
export class Grants {
  constructor(
    private readonly access: AppAccess,
    private readonly patients: GrantedPatients,
    private readonly consents: ConsentDecisions,
    private readonly agreements: StandingAgreements,
  ) {}

  /**
   * Every app that has access now, will not ask before it gets it, or has a disclaimer that was agreed to; of one
   * patient if `named` is given.
   */
  async list(accountId: string, named?: NamedPatient): Promise<GrantList> {
    const [granted, consents, agreed, paused, patients] = await Promise.all([
      this.access.ofAccount(accountId),
      this.consents.ofAccount(accountId),
      this.agreements.agreedBy(accountId),
      this.access.pausesOf(accountId),
      this.patients.ofAccount(accountId),
    ]);
    const now = new Date();
    const remembered = consents.filter((one) => one.isInForce(now));
    const disclaimersOf = (clientId: string | null) =>
      agreed.filter(({ subject }) => subject.clientId === clientId).map(disclaimerView);
    const ofApps = agreed.flatMap(({ subject }) => subject.clientId ?? []);
    // Disclaimers are agreed to by the user, for all patients.
    const own = [...granted, ...remembered].filter((one) => (one.representation ?? null) === null);
    const ownIds = [...new Set([...own.map(({ clientId }) => clientId), ...ofApps])];
    const subjects = [
      ...ownIds.map((clientId) => ({ clientId, representation: null })),
      ...this.patients.subjectsOf([...granted, ...remembered]),
    ];
    const cards = await Promise.all(
      subjects.map(async ({ clientId, representation }): Promise<ClientGrant> => {
        const isOf = (one: { clientId: string; representation: string | null }) =>
          one.clientId === clientId && (one.representation ?? null) === representation;
        const live = granted.find(isOf);
        const kept = remembered.find(isOf);
        const about = representation === null ? undefined : patients.get(representation);
        const scopes = [...new Set([...(live?.scopes ?? []), ...(kept?.scopes ?? [])])];
        const created = kept?.grantedAt ?? live?.created;
        const expires = kept ? kept.expiresAt : live?.expires;
        return {
          ...(await this.access.view(clientId)),
          ...(about && { patient: about }),
          created: created?.toISOString() ?? null,
          expires: expires?.toISOString() ?? null,
          lastUsed: live?.lastUsed.toISOString() ?? null,
          ...(this.access.areRecorded && {
            lastRead: live?.lastRead?.at.toISOString() ?? null,
            lastReadKinds: live?.lastRead?.kinds ?? {},
            lastReadUnattended: live?.lastRead?.unattended ?? false,
          }),
          wildcardTypes: live?.wildcardTypes ?? [],
          pausedAt: paused.find(isOf)?.at.toISOString() ?? null,
          worksUntil: live?.worksUntil?.toISOString() ?? null,
          identityGrantNames: scopes.filter(isIdentity).map((scope) => describeScope(scope).displayName),
          identityScopes: scopes.filter(isIdentity),
          apiGrantData: scopes
            .filter((scope) => !isIdentity(scope))
            .map((scope) => ({ scope, ...describeScope(scope) })),
          disclaimers: representation === null ? disclaimersOf(clientId) : [],
        };
      }),
    );
    const meant = named && (await this.patients.meantBy(accountId, named)).map(({ id }) => id);
    return {
      clientsPermissions: cards
        .filter((_, index) => meant?.includes(subjects[index]?.representation ?? null) ?? true)
        .sort((a, b) => a.clientName.localeCompare(b.clientName)),
      generalDisclaimers: disclaimersOf(null),
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
