import type Provider from 'oidc-provider';
import { errors, type Grant, interactionPolicy, type KoaContextWithOIDC, type Session } from 'oidc-provider';
import { splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { currentLaunchId, note } from '../../../platform/activity/launch-notes.js';
import type { Config } from '../../../platform/config/config.js';
import type { Authorization } from '../../domain/authorization.js';
import type { EhrLaunches } from '../../domain/ehr-launches.js';
import { type Context, contextOf, type LaunchSources, patientSource, resolveLaunch } from '../../domain/launch.js';
import { belongsTo } from '../../domain/membership.js';
import { changedByUser, explainContext, explainNoneLeft } from '../../domain/scope-explanation.js';
import { allowedForContext, nothingOfRecord } from '../../domain/scope-request.js';
import { type RegisteredStep, type StepName, type Steps, stepAddresses } from '../../domain/steps.js';
import type { EngineAccount } from '../shared/accounts-for-engine.js';
import {
  type ContextResult,
  engineRequest,
  type GrantExtras,
  gatehouseClient,
  type SessionExtras,
} from '../shared/engine-models.js';
import type { RequestedBases } from '../shared/requested-base.js';
import { claimsOfScopes } from '../shared/standard-claims.js';
import { trialOf } from '../shared/trial-at-hand.js';
import { noteLaunchFault, unknownLaunch } from './launch-use.js';
import { loginPrompt } from './login-prompt.js';
import { nothingGranted } from './scope-grants.js';
import { noteAll } from './scope-notes.js';
import { twoFactorPrompt } from './two-factor-prompt.js';

const { Check, Prompt } = interactionPolicy;

/**
 * Supported values of `prompt`: `none`, each prompt below that is requestable, and the one that
 * {@link installAccountSelection} replaces.
 */
export const promptValues = ['none', 'login', 'consent', 'select_account'];

/**
 * Answers `prompt=select_account` with the sign-in page, on which the user chooses the account (OpenID Connect Core
 * §3.1.2.1): a browser is signed in with one. This is the engine's first question to the client before it reads the
 * parameter.
 */
export function installAccountSelection(provider: Provider): void {
  const { prototype } = provider.Client;
  const { responseTypeAllowed } = prototype;
  Object.defineProperty(prototype, 'responseTypeAllowed', {
    configurable: true,
    value(this: typeof prototype, type: never): boolean {
      const { params } = engineRequest().oidc;
      if (typeof params?.prompt === 'string') {
        const values = params.prompt.split(' ').map((value) => (value === 'select_account' ? 'login' : value));
        params.prompt = [...new Set(values)].join(' ');
      }
      return responseTypeAllowed.call(this, type);
    },
  });
}

type Own = Record<Exclude<StepName, RegisteredStep>, interactionPolicy.Prompt> &
  Partial<Record<RegisteredStep, interactionPolicy.Prompt>>;

/**
 * The steps of {@link stepAddresses} as the engine's prompts, in that order. A step that needs more than `isDue` has
 * its own.
 */
export function prompts(steps: Steps, launches: EhrLaunches, bases: RequestedBases, config: Config) {
  const own: Own = {
    login: loginPrompt(config),
    account: new Prompt(
      { name: 'account', requestable: false },
      new Check('admin', 'This account cannot authorize apps.', 'account_selection_required', (ctx) => {
        const { id, userType } = accountOf(ctx).facts;
        const isAdmin = userType === 'Admin';
        const trial = trialOf(ctx);
        if (trial && (!isAdmin || trial.accountId !== id))
          throw new errors.AccessDenied('The trial is of another account.');
        if (trial) return false;
        if (isAdmin) note('account-administrator');
        return isAdmin;
      }),
      new Check('tenant', 'This account is of another tenant.', 'account_selection_required', (ctx) => {
        const base = bases.forRequest(ctx);
        const isOther = !belongsTo(accountOf(ctx).facts, base);
        if (isOther) note('account-other-tenant', { tenant: base.tenant?.id ?? 'no tenant' });
        return isOther;
      }),
    ),
    'two-factor': twoFactorPrompt(config.account),
    'launch-context': new Prompt(
      { name: 'launch-context', requestable: false },
      new Check('unresolved', 'The user has to choose the launch context.', 'interaction_required', (ctx) =>
        needsContext(ctx, steps, launches, bases),
      ),
    ),
    consent: new Prompt(
      { name: 'consent', requestable: true },
      // The page tells a user who acts for a patient what the levels leave out.
      (ctx) => {
        const { askedWhileActing } = ctx.state as LaunchState;
        return askedWhileActing ? { asked: askedWhileActing.join(' ') } : {};
      },
      new Check('undecided', 'The user has to decide.', 'consent_required', (ctx) =>
        needsConsent(ctx, steps, launches, bases, config.gateway.enabled),
      ),
    ),
  };
  const registered = (name: RegisteredStep) =>
    new Prompt(
      { name, requestable: false },
      new Check('due', `The user must complete the step '${name}'.`, 'interaction_required', async (ctx) => {
        const launch = await launchOf(ctx, launches, bases);
        return trialOf(ctx) === undefined && (await steps.isDue(name, authorizationOf(ctx, launch, bases)));
      }),
    );
  return Object.keys(stepAddresses).map((name) => own[name as StepName] ?? registered(name as RegisteredStep));
}

interface LaunchState {
  launch?: LaunchSources;
  /** The scopes of the request before the levels of a user who acts for a patient left some of them out. */
  askedWhileActing?: string[];
}

/** Collects the launch context of every authorization again, once per request. */
async function launchOf(ctx: KoaContextWithOIDC, launches: EhrLaunches, bases: RequestedBases): Promise<LaunchSources> {
  const state = ctx.state as LaunchState;
  if (state.launch) return state.launch;
  const { facts } = accountOf(ctx);
  const launch = await launches.sources({
    launch: ctx.oidc.params?.launch,
    clientId: ctx.oidc.client?.clientId ?? '',
    account: facts,
    base: bases.forRequest(ctx),
    chosen: contextChosenBy(facts.id, ctx.oidc.result) ?? [],
    trial: trialOf(ctx),
  });
  if (!launch) {
    const presented = { launch: String(ctx.oidc.params?.launch), clientId: ctx.oidc.client?.clientId ?? '' };
    await noteLaunchFault(launches, { ...presented, base: bases.forRequest(ctx) });
    throw unknownLaunch();
  }
  state.launch = launch;
  return launch;
}

/** True if the user must still choose a part of the context; each part is asked once. */
async function needsContext(
  ctx: KoaContextWithOIDC,
  steps: Steps,
  launches: EhrLaunches,
  bases: RequestedBases,
): Promise<boolean> {
  const launch = await launchOf(ctx, launches, bases);
  if (trialOf(ctx)) return false;
  const chosen = contextChosenBy(accountOf(ctx).facts.id, ctx.oidc.result) !== undefined;
  return !chosen && (await steps.isDue('launch-context', authorizationOf(ctx, launch, bases)));
}

/** The choice made in this authorization, unless another account made it. */
export function contextChosenBy(accountId: string, result: unknown) {
  const { launchContext } = (result ?? {}) as ContextResult;
  return launchContext?.accountId === accountId ? launchContext.chosen : undefined;
}

/**
 * True if the user must still consent. A decision on the page has created its Grant already. A remembered or
 * unnecessary consent creates the Grant here, new for each authorization, so that neither scopes nor context of an
 * earlier one are included.
 */
async function needsConsent(
  ctx: KoaContextWithOIDC,
  steps: Steps,
  launches: EhrLaunches,
  bases: RequestedBases,
  isEnforced: boolean,
): Promise<boolean> {
  if (ctx.oidc.result?.consent) return false;
  const { launch } = ctx.state as LaunchState;
  if (!launch) throw new Error('the launch-context step has not come before the consent step');
  const asked = authorizationOf(ctx, launch, bases);
  const trial = trialOf(ctx);
  const context: Context = {
    ...contextOf(asked.fhirUser, launch),
    ...{ isTrial: trial !== undefined, isEnforced },
    hasChosen: contextChosenBy(asked.accountId, ctx.oidc.result) !== undefined,
  };
  const scopes = allowedForContext(asked.scopes, context);
  const changes = explainContext(asked.scopes, context);
  noteAll(changes);
  if (launch.acting) (ctx.state as LaunchState).askedWhileActing = askedBefore(ctx) ?? asked.scopes;
  // The consent page tells the user that nothing of the record may be seen.
  if (launch.acting && nothingOfRecord(asked.scopes, scopes)) return true;
  if (scopes.length === 0) {
    note('scopes-none-left', explainNoneLeft(asked.scopes.length, changes));
    throw nothingGranted(asked.scopes.join(' '));
  }
  // Stored with the interaction, so that page, code and token have the same scopes.
  if (ctx.oidc.params) ctx.oidc.params.scope = scopes.join(' ');
  const agreed = await steps.agreedScopes('consent', { ...asked, scopes });
  if (!agreed) return true;
  noteAll(changedByUser(scopes, agreed));
  if (ctx.oidc.params) ctx.oidc.params.scope = agreed.join(' ');
  const { grant, session } = ctx.oidc;
  if (!grant || !session) throw new Error('the engine has loaded neither grant nor session');
  addScopes(grant, agreed, bases.forRequest(ctx).url);
  const resolved = resolveLaunch(launch, agreed);
  const extras: GrantExtras = { launch: resolved, sessionUid: endOfGrant(agreed, session.uid) };
  extras.launchId = currentLaunchId();
  // In a trial the patient was found by neither a practitioner nor an EHR.
  if (!trial) extras.patientSource = patientSource(launch, resolved);
  if (trial) extras.trialId = trial.id;
  if (launch.acting) extras.representation = await launches.basisOf(launch.acting);
  Object.assign(grant, extras);
  const grantId = await grant.save();
  session.ensureClientContainer(asked.client.clientId);
  session.grantIdFor(asked.client.clientId, grantId);
  return false;
}

/** The scopes that an earlier consent page of this request began with. */
function askedBefore({ oidc }: KoaContextWithOIDC): string[] | undefined {
  const { asked } = (oidc.entities.Interaction?.prompt.details ?? {}) as { asked?: unknown };
  return typeof asked === 'string' ? splitScopes(asked) : undefined;
}

/** Uid of the session that a grant of these scopes ends with. */
export function endOfGrant(scopes: string[], sessionUid: string | undefined): string | undefined {
  return scopes.includes('offline_access') ? undefined : sessionUid;
}

/** Adds each scope both for the user's claims and for the FHIR base; the engine filters by the request. */
export function addScopes(
  grant: Pick<Grant, 'addOIDCScope' | 'addOIDCClaims' | 'addResourceScope'>,
  scopes: string[],
  fhirBase: string,
): void {
  grant.addOIDCScope(scopes.join(' '));
  // Claims that a `claims` parameter may add to a response (OpenID Connect Core §5.5).
  grant.addOIDCClaims(claimsOfScopes(scopes));
  grant.addResourceScope(fhirBase, scopes.join(' '));
}

function accountOf(ctx: KoaContextWithOIDC): EngineAccount {
  const { account } = ctx.oidc;
  if (!account) throw new errors.AccessDenied('The account is gone.');
  return account as EngineAccount;
}

function authorizationOf(ctx: KoaContextWithOIDC, launch: LaunchSources, bases: RequestedBases): Authorization {
  const { oidc } = ctx;
  const { facts } = accountOf(ctx);
  const { name, settings } = gatehouseClient(oidc.client);
  return {
    client: { clientId: oidc.client?.clientId ?? '', clientName: name, settings },
    accountId: facts.id,
    signIn: signInOf(oidc.session),
    userType: facts.userType,
    fhirUser: facts.fhirUser,
    tenant: bases.forRequest(ctx).tenant?.id,
    scopes: splitScopes(oidc.params?.scope?.toString() ?? ''),
    launch,
    redirectUri: String(oidc.params?.redirect_uri),
    consentRequested: oidc.prompts.has('consent'),
    isSilent: oidc.prompts.has('none'),
  };
}

/** Id of the session's sign-in; a session that began before sign-ins had ids uses its uid. */
export function signInOf(session: Pick<Session, 'uid'> | undefined): string {
  return (session as SessionExtras | undefined)?.signIn ?? session?.uid ?? '';
}
