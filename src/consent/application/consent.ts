import { Injectable, type OnModuleInit } from '@nestjs/common';
import type {
  ApiScope,
  ConsentLasting,
  ConsentRequest,
  ConsentSubmission,
  IdentityScope,
} from '../../contract/consent.js';
import { parseLifetime } from '../../contract/rules/lifetime.js';
import { describeScope, fineGrainedScopes } from '../../contract/rules/scope-description.js';
import { parseScope, type SmartScope } from '../../contract/rules/smart-scope.js';
import { Disclaimers } from '../../disclaimers/application/disclaimers.js';
import type { Authorization, AuthorizingClient } from '../../oidc/application/authorization.js';
import { Interactions, type OpenInteraction } from '../../oidc/application/interactions.js';
import { allowedForClient, parseRequest } from '../../oidc/application/scope-request.js';
import { type Step, Steps } from '../../oidc/application/steps.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { AppConsent, AppConsents } from '../domain/app-consent.js';

/**
 * The step in which a person decides what an app may do. What they may tick is what the interaction holds; what they tick
 * becomes a new Grant; whether to ask again is kept apart from it.
 */
@Injectable()
export class Consent implements Step, OnModuleInit {
  readonly name = 'consent';

  constructor(
    private readonly consents: AppConsents,
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly disclaimers: Disclaimers,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue(authorization: Authorization): Promise<boolean> {
    const { client, accountId, scopes, tenant, redirectUri, consentRequested } = authorization;
    if (consentRequested) return true;
    if (!client.settings.requireConsent) return false;
    const before = await this.consents.find(accountId, client.clientId);
    const disclaimers = this.disclaimers.versionFor(authorization);
    return !before?.answers({ scopes, tenant, redirectUri, disclaimers }, new Date());
  }

  async request(returnUrl: string, browser: string | undefined, accountId: string): Promise<ConsentRequest> {
    const { client, scopes, redirectUri } = await this.open(returnUrl, browser, accountId);
    const before = await this.consents.find(accountId, client.clientId);
    const { legalCompanyName, contactUsUrl, privacyPolicyUrl, termsOfServiceUrl } = client.settings;
    return {
      clientName: client.clientName,
      identityScopes: scopes.filter(isIdentity).map((scope) => identityScope(scope, client)),
      apiScopes: inReadingOrder(scopes.filter((scope) => !isIdentity(scope))).map((scope) => apiScope(scope, client)),
      redirectHost: new URL(redirectUri).host,
      firstTime: before === undefined,
      lasting: lastingOf(scopes, client),
      legalCompanyName: legalCompanyName || null,
      contactUsUrl: contactUsUrl || null,
      privacyPolicyUrl: privacyPolicyUrl || null,
      termsOfServiceUrl: termsOfServiceUrl || null,
    };
  }

  /** Nothing ticked declines. Whatever was not offered, or is required and left out, refuses the whole choice. */
  async decide(submission: ConsentSubmission, browser: string | undefined, accountId: string): Promise<void> {
    const { returnUrl, rememberConsent, scopesConsented } = submission;
    await this.database.repeatableTransaction(async () => {
      const { client, scopes, tenant, redirectUri } = await this.open(returnUrl, browser, accountId);
      if (scopesConsented.length === 0) {
        await this.interactions.decline(returnUrl, browser);
        await this.audit.record({ type: 'consent.declined', outcome: 'success', clientId: client.clientId });
        return;
      }
      const granted = grantedScopes(scopes, scopesConsented, client);
      const lifetimeSeconds = parseLifetime(client.settings.consentLifetime);
      const { clientId } = client;
      await this.consents.keep(
        AppConsent.give({
          accountId,
          clientId,
          scopes: granted,
          tenant,
          remembered: rememberConsent,
          redirectUri,
          disclaimers: this.disclaimers.versionFor({ client, tenant }),
          lifetimeSeconds,
          now: new Date(),
        }),
      );
      await this.interactions.approve(returnUrl, browser, accountId, granted);
      await this.audit.record({ type: 'consent.given', outcome: 'success', clientId, detail: { scopes: granted } });
    });
  }

  /** Forgets the decision; says whether there was one. */
  forget(accountId: string, clientId: string): Promise<boolean> {
    return this.consents.remove(accountId, clientId);
  }

  ofAccount(accountId: string): Promise<AppConsent[]> {
    return this.consents.ofAccount(accountId);
  }

  private async open(returnUrl: string, browser: string | undefined, accountId: string): Promise<OpenInteraction> {
    const interaction = await this.interactions.open(returnUrl, browser);
    if (interaction.step !== 'consent' || interaction.accountId !== accountId) {
      throw new Problem('invalid', 'The request cannot be processed. Please try again.');
    }
    return interaction;
  }
}

function isIdentity(text: string): boolean {
  const kind: SmartScope['kind'] | undefined = parseScope(text)?.kind;
  return kind === 'identity' || kind === 'launch';
}

/** What the app wants to see comes before for how long it wants to. */
function inReadingOrder(scopes: string[]): string[] {
  const lasting = (text: string) => parseScope(text)?.kind === 'refresh';
  return [...scopes.filter((text) => !lasting(text)), ...scopes.filter(lasting)];
}

function lastingOf(scopes: string[], { settings }: AuthorizingClient): ConsentLasting {
  const seconds = parseLifetime(settings.consentLifetime);
  return {
    until: seconds === undefined ? null : new Date(Date.now() + seconds * 1000).toISOString(),
    offlineSeconds: scopes.includes('offline_access') ? (parseLifetime(settings.refreshTokenLifetime) ?? null) : null,
  };
}

function isRequired(text: string, { settings }: AuthorizingClient): boolean {
  // Without it there is no sign-in to speak of.
  return text === 'openid' || settings.requiredScopes.includes(text);
}

function identityScope(text: string, client: AuthorizingClient): IdentityScope {
  return { value: text, ...describeScope(text), required: isRequired(text, client) };
}

function apiScope(text: string, client: AuthorizingClient): ApiScope {
  const fineGrained = fineGrainedOf(text, client).map((value) => ({ value, ...describeScope(value) }));
  return { value: text, ...describeScope(text), required: isRequired(text, client), fineGrainedScopes: fineGrained };
}

/**
 * They are of version 2, although their parent may be of version 1: where the client may not have that, a choice among them
 * would come to nothing.
 */
function fineGrainedOf(text: string, { settings }: AuthorizingClient): string[] {
  const scope = parseScope(text);
  if (!settings.showFineGrainedScopes || scope?.kind !== 'resource') return [];
  const finer = fineGrainedScopes(scope);
  const allowed = new Set(allowedForClient(parseRequest(finer.join(' ')) ?? [], settings, []));
  return finer.every((one) => allowed.has(one)) ? finer : [];
}

/** In the order of the request; children stand where their parent stood, and a ticked parent makes them superfluous. */
function grantedScopes(offered: string[], ticked: string[], client: AuthorizingClient): string[] {
  const choice = new Set(ticked);
  const possible = new Set(offered.flatMap((text) => [text, ...fineGrainedOf(text, client)]));
  const tampered = choice.size !== ticked.length || ticked.some((text) => !possible.has(text));
  const missing = offered.some((text) => isRequired(text, client) && !choice.has(text));
  if (tampered || missing) throw new Problem('invalid', 'The request cannot be processed. Please try again.');
  const granted = offered.flatMap((text) =>
    choice.has(text) ? [text] : fineGrainedOf(text, client).filter((child) => choice.has(child)),
  );
  // An app may ask for a scope and for a wider one that has it below it.
  return [...new Set(granted)];
}
