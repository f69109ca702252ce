import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { message } from '../../contract/messages/message.js';
import { splitScopes } from '../../contract/rules/smart-scope.js';
import { OidcRecords } from '../../oidc-store/application/oidc-records.js';
import { Audit } from '../../platform/audit/audit.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import type { Authorization, AuthorizingClient } from '../domain/authorization.js';
import { EhrLaunches } from '../domain/ehr-launches.js';
import { type ChosenResource, type LaunchSources, resolveLaunch } from '../domain/launch.js';
import type { StepName } from '../domain/steps.js';
import { type Choice, takeBack } from '../engine/authorization/earlier-grants.js';
import { interactionIdOf, returnUrlTo } from '../engine/authorization/interaction-binding.js';
import { addScopes, contextChosenBy, endOfGrant, signInOf } from '../engine/authorization/prompts.js';
import { Engine } from '../engine/engine.js';
import type {
  ContextResult,
  GrantExtras,
  Interaction,
  InteractionExtras,
  PassedResult,
} from '../engine/shared/engine-models.js';
import { nowSeconds } from '../engine/shared/lifetimes.js';
import { acrOf } from '../engine/shared/second-factor.js';

/** A client's request that waits for the user of this browser. */
export interface OpenInteraction {
  step: StepName;
  /** Ids of the step's checks that require it. */
  reasons: string[];
  client: AuthorizingClient;
  /** Account of the interaction; absent before the login step. */
  accountId: string | undefined;
  /** Id of the tenant whose FHIR base the client requested. */
  tenant: string | undefined;
  /** Scopes that can be granted. */
  scopes: string[];
  redirectUri: string;
  loginHint: string | undefined;
  /** True if the client requires the signed-in user to sign in again (`prompt=login`, `max_age`). */
  reauthenticate: boolean;
}

/** A client's request that waits for the user to choose its launch context. */
export interface OpenContext extends Pick<Authorization, 'userType' | 'fhirUser' | 'tenant' | 'scopes' | 'launch'> {
  /** Id of the interaction; unlike the returnUrl it is always the same text. */
  id: string;
  clientId: string;
  clientName: string;
}

/** A client's request that waits for an action of this account. */
export interface Waiting {
  /** Id of the interaction; unlike the returnUrl it is always the same text. */
  id: string;
  step: StepName;
  /** Number of pages that the user has completed so far. */
  passedPages: number;
  authorization: Authorization;
}

interface SignedInLogin {
  accountId: string;
  remembered: boolean;
  amr: string[];
  sessionUid: string;
}

/** Access to interactions for the modules that own a step. All calls need the browser's binding cookie. */
@Injectable()
export class Interactions {
  constructor(
    private readonly engine: Engine,
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly launches: EhrLaunches,
    private readonly records: OidcRecords,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /** Finds an interaction; undefined when it is unknown, expired, or another browser's. */
  async find(returnUrl: string, browser: string | undefined): Promise<OpenInteraction | undefined> {
    return undefinedIfUnknown(() => this.open(returnUrl, browser));
  }

  /** Finds an interaction; throws `invalid` when it is unknown, expired, or another browser's. */
  async open(returnUrl: string, browser: string | undefined): Promise<OpenInteraction> {
    return this.describe(await this.load(returnUrl, browser));
  }

  /** The returnUrl of the only request that waits in this browser; throws `invalid` when there is none or another one. */
  async pending(browser: string | undefined): Promise<string> {
    const [id, another] = browser === undefined ? [] : await this.records.interactionsOf(sha256(browser));
    if (id === undefined || another !== undefined) throw unknownInteraction();
    return returnUrlTo(id);
  }

  /**
   * The returnUrl of the only request that waits in this browser, if it is this client's (or any client's, when
   * omitted).
   */
  async pendingOf(clientId: string | undefined, browser: string | undefined): Promise<string | undefined> {
    return undefinedIfUnknown(async () => {
      const returnUrl = await this.pending(browser);
      const { client } = await this.open(returnUrl, browser);
      if (clientId !== undefined && client.clientId !== clientId) throw unknownInteraction();
      return returnUrl;
    });
  }

  /** Throws `invalid` when there is no such request, or it belongs to another account. */
  async waiting(returnUrl: string, browser: string | undefined, accountId: string): Promise<Waiting> {
    const interaction = await this.load(returnUrl, browser);
    if (interaction.session?.accountId !== accountId) throw unknownInteraction();
    const { step, client, scopes, tenant, redirectUri } = await this.describe(interaction);
    const account = await this.account(accountId);
    const { userType, fhirUser } = account;
    const session = await this.engine.provider.Session.findByUid(interaction.session.uid);
    return {
      id: interaction.uid,
      step,
      passedPages: passedPagesOf(interaction),
      authorization: {
        client,
        accountId,
        signIn: signInOf(session),
        userType,
        fhirUser,
        tenant,
        scopes,
        launch: await this.launchOf(interaction, account),
        redirectUri,
        consentRequested: String(interaction.params.prompt ?? '')
          .split(' ')
          .includes('consent'),
      },
    };
  }

  /** Marks a step as done; the step's own module keeps its result. */
  async passed(returnUrl: string, browser: string | undefined, accountId: string, step: StepName): Promise<void> {
    const interaction = await this.load(returnUrl, browser);
    assertStep(interaction, step, accountId);
    await this.finishStep(interaction, {});
  }

  /** The request that waits for this account to choose its launch context. */
  async openContext(returnUrl: string, browser: string | undefined, accountId: string): Promise<OpenContext> {
    const interaction = await this.load(returnUrl, browser);
    assertStep(interaction, 'launch-context', accountId);
    const {
      client: { clientId, clientName },
      tenant,
      scopes,
    } = await this.describe(interaction);
    const account = await this.account(accountId);
    const { userType, fhirUser } = account;
    const launch = await this.launchOf(interaction, account);
    return { id: interaction.uid, clientId, clientName, userType, fhirUser, tenant, scopes, launch };
  }

  /** The request's context if this account continued it; undefined when no request waits in this browser. */
  async askedFor(
    returnUrl: string,
    browser: string | undefined,
    account: UserFacts,
  ): Promise<Pick<OpenContext, 'userType' | 'fhirUser' | 'tenant' | 'scopes' | 'launch'> | undefined> {
    return undefinedIfUnknown(async () => {
      const interaction = await this.load(returnUrl, browser);
      const { tenant, scopes } = await this.describe(interaction);
      const { userType, fhirUser } = account;
      return { userType, fhirUser, tenant, scopes, launch: await this.launchOf(interaction, account) };
    });
  }

  /** The user has chosen the missing context, or skipped it, on `pages` pages; the launch-context step is done. */
  async chooseContext(
    returnUrl: string,
    browser: string | undefined,
    accountId: string,
    chosen: ChosenResource[],
    pages: number,
  ): Promise<void> {
    const interaction = await this.load(returnUrl, browser);
    assertStep(interaction, 'launch-context', accountId);
    await this.finishStep(interaction, { launchContext: { accountId, chosen } } satisfies ContextResult, pages);
  }

  /**
   * The user has signed in; the login step is done. The interaction is bound to this session, so that after a sign-out
   * it cannot sign in again, and it drops the decisions of an earlier user.
   */
  async signedIn(returnUrl: string, browser: string | undefined, login: SignedInLogin): Promise<void> {
    const interaction = await this.load(returnUrl, browser);
    const { accountId, remembered, amr, sessionUid } = login;
    interaction.session = { accountId, uid: sessionUid } as Interaction['session'];
    interaction.result = {
      login: { accountId, remember: remembered, amr, acr: acrOf(amr), ts: nowSeconds() },
    };
    await interaction.persist();
  }

  /** The session of this account now has a second factor. A sign-in of this request is updated, too. */
  async steppedUp(returnUrl: string, browser: string | undefined, accountId: string, amr: string[]): Promise<void> {
    const interaction = await this.load(returnUrl, browser);
    assertStep(interaction, 'two-factor', accountId);
    const { login } = interaction.lastSubmission ?? {};
    await this.finishStep(interaction, login ? { login: { ...login, amr, acr: acrOf(amr) } } : {});
  }

  /**
   * The user decided the scopes: creates a new Grant with exactly these, which the rest of the flow uses as well.
   * `accountId` must be the account of the interaction.
   */
  async approve(returnUrl: string, browser: string | undefined, accountId: string, choice: Choice): Promise<void> {
    const { granted: scopes } = choice;
    await this.database.transaction(async () => {
      const interaction = await this.load(returnUrl, browser);
      assertStep(interaction, 'consent', accountId);
      const account = await this.account(accountId);
      const clientId = String(interaction.params.client_id);
      const client = await this.engine.provider.Client.find(clientId);
      if (!client) throw unknownInteraction();
      const { url: fhirBase } = this.engine.bases.ofRequest(interaction.params);
      const offered = splitScopes(String(interaction.params.scope ?? ''));
      const earlier = await this.records.lockGrants(accountId, clientId);
      await takeBack(this.engine.provider, earlier, choice, fhirBase);
      const grant = new this.engine.provider.Grant({ accountId, clientId, client } as never);
      addScopes(grant, scopes, fhirBase);
      const declined = offered.filter((scope) => !scopes.includes(scope));
      if (declined.length > 0) grant.rejectResourceScope(fhirBase, declined.join(' '));
      const extras: GrantExtras = {
        launch: resolveLaunch(await this.launchOf(interaction, account), scopes),
        sessionUid: endOfGrant(scopes, interaction.session?.uid),
      };
      Object.assign(grant, extras);
      interaction.params.scope = scopes.join(' ');
      await this.finishStep(interaction, { consent: { grantId: await grant.save() } });
    });
  }

  /** Returns to the client with `access_denied`, from any step. */
  async decline(returnUrl: string, browser: string | undefined): Promise<void> {
    const interaction = await this.load(returnUrl, browser);
    interaction.result = { error: 'access_denied', error_description: 'The person declined.' };
    await interaction.persist();
  }

  /** The user will sign in with another account. */
  async restart(returnUrl: string, browser: string | undefined): Promise<void> {
    const interaction = await this.load(returnUrl, browser);
    interaction.session = undefined;
    interaction.result = {};
    await interaction.persist();
  }

  private async describe(interaction: Interaction): Promise<OpenInteraction> {
    const clientId = String(interaction.params.client_id);
    const client = await this.clients.find(clientId);
    if (!client) throw unknownInteraction();
    const { login_hint: hint } = interaction.params;
    return {
      step: interaction.prompt.name as StepName,
      reasons: interaction.prompt.reasons,
      client: { clientId, clientName: client.clientName, settings: client.settings },
      accountId: interaction.session?.accountId,
      tenant: this.engine.bases.ofRequest(interaction.params).tenant?.id,
      scopes: splitScopes(String(interaction.params.scope ?? '')),
      redirectUri: String(interaction.params.redirect_uri),
      loginHint: typeof hint === 'string' && hint.length <= 254 ? hint : undefined,
      reauthenticate: interaction.prompt.reasons.some((reason) => reason === 'login_prompt' || reason === 'max_age'),
    };
  }

  private async finishStep(interaction: Interaction, result: Record<string, unknown>, pages = 1): Promise<void> {
    const passed: PassedResult = { passedPages: passedPagesOf(interaction) + pages };
    interaction.result = { ...interaction.lastSubmission, ...interaction.result, ...result, ...passed };
    await interaction.persist();
  }

  private async account(id: string): Promise<UserFacts> {
    const account = await this.accounts.find(id);
    if (!account) throw unknownInteraction();
    return account;
  }

  private async launchOf({ params, lastSubmission }: Interaction, account: UserFacts): Promise<LaunchSources> {
    const launch = await this.launches.sources({
      launch: params.launch,
      clientId: String(params.client_id),
      account,
      base: this.engine.bases.ofRequest(params),
      chosen: contextChosenBy(account.id, lastSubmission) ?? [],
    });
    if (!launch) throw unknownInteraction();
    return launch;
  }

  private async load(returnUrl: string, browser: string | undefined): Promise<Interaction> {
    const id = interactionIdOf(returnUrl);
    const interaction = id === undefined ? undefined : await this.engine.provider.Interaction.find(id);
    const bound = (interaction as InteractionExtras | undefined)?.browser;
    const isOwn = browser !== undefined && sha256(browser) === bound;
    if (interaction && !isOwn) {
      const clientId = String(interaction.params.client_id);
      await this.audit.recordRefusal({ type: 'access.refused', clientId, detail: { request: 'of another browser' } });
    }
    if (!interaction || !isOwn) throw unknownInteraction();
    return interaction;
  }
}

function assertStep({ prompt, session }: Interaction, step: StepName, accountId: string): void {
  if (prompt.name !== step || session?.accountId !== accountId) throw unknownInteraction();
}

/** Counts the pages of the steps before this one: repeating an answer does not count twice. */
function passedPagesOf({ lastSubmission }: Interaction): number {
  return (lastSubmission as PassedResult | undefined)?.passedPages ?? 0;
}

function unknownInteraction(): Problem {
  return new Problem('invalid', message('request-invalid'));
}

async function undefinedIfUnknown<T>(found: () => Promise<T>): Promise<T | undefined> {
  try {
    return await found();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return undefined;
    throw error;
  }
}
