import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { splitScopes } from '../../contract/rules/smart-scope.js';
import type { EngineAccount } from './accounts-for-engine.js';
import type { Authorization } from './authorization.js';
import { type GrantExtras, gatehouseClient } from './engine-models.js';
import { contextOf, resolveLaunch } from './launch.js';
import { loginPrompt } from './login-prompt.js';
import { allowedForContext, wantsPatient } from './scope-request.js';
import { type Steps, stepPages } from './steps.js';

const { Check, Prompt } = interactionPolicy;

/** The steps of {@link stepPages} as the engine's prompts, in that order. */
export function prompts(steps: Steps, fhirBase: string) {
  const own = {
    login: loginPrompt(),
    account: new Prompt(
      { name: 'account', requestable: false },
      new Check('admin', 'This account cannot authorize apps.', 'account_selection_required', (ctx) => {
        return accountOf(ctx).facts.userType === 'Admin';
      }),
    ),
    consent: new Prompt(
      { name: 'consent', requestable: true },
      new Check('undecided', 'The person has to decide.', 'consent_required', (ctx) =>
        needsConsent(ctx, steps, fhirBase),
      ),
    ),
  };
  return Object.keys(stepPages).map((name) => own[name as keyof typeof own]);
}

/**
 * Decided on the page: its Grant is there already. Remembered or not required: the Grant is made here, new for each
 * authorization, so that neither scopes nor context of an earlier one come along.
 */
async function needsConsent(ctx: KoaContextWithOIDC, steps: Steps, fhirBase: string): Promise<boolean> {
  if (ctx.oidc.result?.consent) return false;
  const authorization = authorizationOf(ctx);
  if (authorization.scopes.length === 0) throw new errors.InvalidScope('No scopes found in request', '');
  // Kept with the interaction, so that page, code and token speak of the same scopes.
  if (ctx.oidc.params) ctx.oidc.params.scope = authorization.scopes.join(' ');
  if (await steps.isDue('consent', authorization)) return true;
  const { grant, session } = ctx.oidc;
  if (!grant || !session) throw new Error('the engine has loaded neither grant nor session');
  addScopes(grant, authorization.scopes, fhirBase);
  (grant as GrantExtras).launch = launchOf(ctx);
  const grantId = await grant.save();
  session.ensureClientContainer(authorization.client.clientId);
  session.grantIdFor(authorization.client.clientId, grantId);
  return false;
}

/** Each scope counts for the person's claims and for the FHIR base alike; the engine filters by the request. */
export function addScopes(
  grant: { addOIDCScope(scope: string): void; addResourceScope(resource: string, scope: string): void },
  scopes: string[],
  fhirBase: string,
): void {
  grant.addOIDCScope(scopes.join(' '));
  grant.addResourceScope(fhirBase, scopes.join(' '));
}

export function accountOf(ctx: KoaContextWithOIDC): EngineAccount {
  const { account } = ctx.oidc;
  if (!account) throw new errors.AccessDenied('The account is gone.');
  return account as EngineAccount;
}

function launchOf(ctx: KoaContextWithOIDC) {
  return resolveLaunch(accountOf(ctx).facts.fhirUser, wantsPatient(splitScopes(requestedScope(ctx))));
}

function requestedScope(ctx: KoaContextWithOIDC): string {
  return ctx.oidc.params?.scope?.toString() ?? '';
}

function authorizationOf(ctx: KoaContextWithOIDC): Authorization {
  const { oidc } = ctx;
  const { facts } = accountOf(ctx);
  const { name, settings } = gatehouseClient(oidc.client);
  return {
    client: { clientId: oidc.client?.clientId ?? '', clientName: name, settings },
    accountId: facts.id,
    userType: facts.userType,
    scopes: allowedForContext(splitScopes(requestedScope(ctx)), contextOf(facts.fhirUser, launchOf(ctx))),
    redirectUri: String(oidc.params?.redirect_uri),
    consentRequested: oidc.prompts.has('consent'),
  };
}
