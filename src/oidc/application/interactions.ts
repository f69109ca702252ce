import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { currentLaunchId } from '../../platform/activity/launch-notes.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import type { Authorization } from '../domain/authorization.js';
import { type ChosenResource, patientSource, resolveLaunch } from '../domain/launch.js';
import { changedByUser } from '../domain/scope-explanation.js';
import type { StepName } from '../domain/steps.js';
import { type Choice, takeBack } from '../engine/authorization/earlier-grants.js';
import { returnUrlTo } from '../engine/authorization/interaction-binding.js';
import { addScopes, endOfGrant, signInOf } from '../engine/authorization/prompts.js';
import { noteAll } from '../engine/authorization/scope-notes.js';
import { Engine } from '../engine/shared/engine.js';
import type {
  ContextResult,
  GrantExtras,
  Interaction,
  InteractionExtras,
  PassedResult,
} from '../engine/shared/engine-models.js';
import { nowSeconds } from '../engine/shared/lifetimes.js';
import { acrOf } from '../engine/shared/second-factor.js';
import { InteractionFacts, type OpenInteraction } from './interaction-facts.js';
import {
  type OwnRequest,
  PendingInteractions,
  type PendingRequest,
  undefinedIfUnknown,
  unknownInteraction,
} from './pending-interactions.js';

export type { OpenInteraction, OwnRequest, PendingRequest };

/** A client's request that waits for the user to choose its launch context. */
export interface OpenContext extends Pick<Authorization, 'userType' | 'fhirUser' | 'tenant' | 'scopes' | 'launch'> {
  /** The same in all steps of the request. */
  id: string;
  clientId: string;
  clientName: string;
  /** Number of pages that the user has completed before those of this step. */
  passedPages: number;
  /** An earlier choice in this request, which another one replaces. */
  chosenBefore: ChosenResource[];
}

/** A client's request that waits for an action of this account. */
export interface Waiting {
  /** Id of the interaction; unlike the returnUrl it is always the same text. */
  id: string;
  step: StepName;
  /** Number of pages that the user has completed so far. */
  passedPages: number;
  /** Ids of the step's checks that require it. */
  reasons: string[];
  /** True if an administrator tries the client. */
  isTrial: boolean;
  authorization: Authorization;
}

/** A signed-in user's call about a client's request. */
export interface Caller {
  accountId: string;
  browser: Browser;
  /** Absent: the only request that waits in this browser. */
  returnUrl: string | undefined;
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
    private readonly pendingInteractions: PendingInteractions,
    private readonly facts: InteractionFacts,
    private readonly engine: Engine,
    private readonly records: OidcRecords,
    private readonly database: Database,
  ) {}

  /** Finds an interaction; undefined when it is unknown, expired, or another browser's. */
  async findOpen(request: PendingRequest): Promise<OpenInteraction | undefined> {
    return undefinedIfUnknown(() => this.open(request));
  }

  /** Finds an interaction; throws `invalid` when it is unknown, expired, or another browser's. */
  async open(request: PendingRequest): Promise<OpenInteraction> {
    return this.facts.describe(await this.pendingInteractions.load(request));
  }

  /** The request that a caller means; throws `invalid` when it names none and not exactly one waits in its browser. */
  async ofCaller({ accountId, browser, returnUrl }: Caller): Promise<OwnRequest> {
    return {
      accountId,
      ...(returnUrl === undefined ? await this.pendingInteractions.onlyOfBrowser(browser) : { browser, returnUrl }),
    };
  }

  /** The returnUrl of this client's newest request that waits in this browser. */
  async pendingOf(clientId: string, browser: Browser): Promise<string | undefined> {
    return undefinedIfUnknown(async () => {
      const waitingRequest = await this.pendingInteractions.ofBrowser(browser);
      const newest = waitingRequest.find((one) => one.clientId === clientId);
      if (!newest) return undefined;
      const returnUrl = returnUrlTo(newest.id);
      await this.open({ browser, returnUrl });
      return returnUrl;
    });
  }

  /** Why a request cannot be continued in this browser; undefined if nothing of the request speaks against it. */
  endOf(request: PendingRequest) {
    return this.pendingInteractions.endOf(request);
  }

  /** The request at its present step, for a returnUrl of any step of it. */
  atCurrentStep(request: OwnRequest): Promise<OwnRequest> {
    return this.pendingInteractions.atCurrentStep(request);
  }

  /** As {@link atCurrentStep}; other calls about the request wait until the transaction ends. */
  lock(request: OwnRequest): Promise<OwnRequest> {
    return this.pendingInteractions.lock(request);
  }

  /** Throws `invalid` when there is no such request, or it belongs to another account. */
  async waiting(request: OwnRequest): Promise<Waiting> {
    const { accountId } = request;
    const interaction = await this.pendingInteractions.load(request);
    if (interaction.session?.accountId !== accountId) throw unknownInteraction();
    const { step, reasons, client, scopes, tenant, redirectUri, isTrial } = await this.facts.describe(interaction);
    const account = await this.facts.account(accountId);
    const { userType, fhirUser } = account;
    const session = await this.engine.provider.Session.findByUid(interaction.session.uid);
    return {
      id: interaction.uid,
      step,
      passedPages: passedPagesOf(interaction),
      reasons,
      isTrial,
      authorization: {
        client,
        accountId,
        signIn: signInOf(session),
        userType,
        fhirUser,
        tenant,
        scopes,
        launch: await this.facts.launchOf(interaction, account),
        redirectUri,
        consentRequested: String(interaction.params.prompt ?? '')
          .split(' ')
          .includes('consent'),
        // One that waits has shown a page.
        isSilent: false,
      },
    };
  }

  /**
   * Continues with the request after the page of a step was answered. The step's own module keeps the answer: `isDue`
   * is asked again, in this request and in later ones.
   */
  async goOnAfter(request: OwnRequest, step: StepName): Promise<void> {
    const interaction = await this.pendingInteractions.load(request);
    assertStep(interaction, step, request);
    await this.finishStep(interaction, {});
  }

  /** The request for which this account has to choose the launch context, or has chosen it and may choose again. */
  async openContext(request: OwnRequest): Promise<OpenContext> {
    const { accountId } = request;
    const interaction = await this.pendingInteractions.load(request);
    const chosenBefore = contextOfRequest(interaction, accountId)?.chosen ?? [];
    returnToContext(interaction, accountId);
    assertStep(interaction, 'launch-context', request);
    const {
      client: { clientId, clientName },
      tenant,
      scopes,
    } = await this.facts.describe(interaction);
    const account = await this.facts.account(accountId);
    const { userType, fhirUser } = account;
    const launch = await this.facts.launchOf(interaction, account);
    const passedPages = passedPagesOf(interaction);
    const id = interaction.cid ?? interaction.uid;
    return { id, clientId, clientName, userType, fhirUser, tenant, scopes, launch, passedPages, chosenBefore };
  }

  /** The request's context if this account continued it; undefined when no request waits in this browser. */
  async askedFor(
    request: PendingRequest,
    account: UserFacts,
  ): Promise<Pick<OpenContext, 'userType' | 'fhirUser' | 'tenant' | 'scopes' | 'launch'> | undefined> {
    return undefinedIfUnknown(async () => {
      const interaction = await this.pendingInteractions.load(request);
      const { tenant, scopes } = await this.facts.describe(interaction);
      const { userType, fhirUser } = account;
      const launch = await this.facts.launchOf(interaction, account, { isQuestion: true });
      return { userType, fhirUser, tenant, scopes, launch };
    });
  }

  /**
   * The user has chosen the missing context, or skipped it, on `pages` pages; the launch-context step is done. At the
   * consent step this replaces the choice made before, and the request is asked about again.
   */
  async chooseContext(request: OwnRequest, chosen: ChosenResource[], pages: number): Promise<void> {
    const { accountId } = request;
    await this.database.transaction(async () => {
      const interaction = await this.pendingInteractions.load(await this.lock(request));
      returnToContext(interaction, accountId);
      assertStep(interaction, 'launch-context', request);
      const scope = String(interaction.params.scope ?? '');
      await this.finishStep(
        interaction,
        { launchContext: { accountId, chosen, scope, pages } } satisfies ContextResult,
        pages,
      );
    });
  }

  /**
   * The user has signed in; the login step is done. The interaction is bound to this session, so that after a sign-out
   * it cannot sign in again, and it drops the decisions of an earlier user.
   */
  async signedIn(request: PendingRequest, login: SignedInLogin): Promise<void> {
    const interaction = await this.pendingInteractions.load(request);
    const { accountId, remembered, amr, sessionUid } = login;
    interaction.session = { accountId, uid: sessionUid } as Interaction['session'];
    interaction.result = {
      login: { accountId, remember: remembered, amr, acr: acrOf(amr), ts: nowSeconds() },
    };
    await interaction.persist();
  }

  /** The session of this account now has a second factor. A sign-in of this request is updated, too. */
  async steppedUp(request: OwnRequest, amr: string[]): Promise<void> {
    const interaction = await this.pendingInteractions.load(request);
    assertStep(interaction, 'two-factor', request);
    const { login } = interaction.lastSubmission ?? {};
    await this.finishStep(interaction, login ? { login: { ...login, amr, acr: acrOf(amr) } } : {});
  }

  /**
   * The user decided the scopes, by this relationship: creates a new Grant with exactly these, which the rest of the
   * flow uses as well. Throws `conflict` if the relationship has ended.
   */
  async approve(request: OwnRequest, choice: Choice & { representation: string | undefined }): Promise<void> {
    const { accountId } = request;
    const { granted: scopes } = choice;
    await this.database.transaction(async () => {
      const interaction = await this.pendingInteractions.load(request);
      assertStep(interaction, 'consent', request);
      const account = await this.facts.account(accountId);
      const clientId = String(interaction.params.client_id);
      const client = await this.engine.provider.Client.find(clientId);
      if (!client) throw unknownInteraction();
      const fhirBase = this.facts.fhirBaseOf(interaction);
      const offered = splitScopes(String(interaction.params.scope ?? ''));
      const { trial } = interaction as InteractionExtras;
      const sources = await this.facts.launchOf(interaction, account);
      const representation = await this.facts.representationOf(sources);
      // The relationship has ended since the decision was read: nothing is granted without it.
      if (representation?.id !== choice.representation) throw new Problem('conflict', message('context-changed'));
      const earlier = await this.records.lockGrants(accountId, clientId);
      // The grants of an administrator are of other trials.
      if (!trial)
        await takeBack(this.engine.provider, earlier, choice, { fhirBase, representation: representation?.id });
      const grant = new this.engine.provider.Grant({ accountId, clientId, client } as never);
      addScopes(grant, scopes, fhirBase);
      const declined = offered.filter((scope) => !scopes.includes(scope));
      noteAll(changedByUser(offered, scopes));
      if (declined.length > 0) grant.rejectResourceScope(fhirBase, declined.join(' '));
      const launch = resolveLaunch(sources, scopes);
      const extras: GrantExtras = {
        launch,
        patientSource: trial ? undefined : patientSource(sources, launch),
        sessionUid: endOfGrant(scopes, interaction.session?.uid),
        launchId: currentLaunchId(),
        ...(trial && { trialId: trial.id }),
        ...(representation && { representation }),
      };
      Object.assign(grant, extras);
      interaction.params.scope = scopes.join(' ');
      await this.finishStep(interaction, { consent: { grantId: await grant.save() } });
    });
  }

  /** Returns to the client with `access_denied`, from any step. */
  async decline(request: PendingRequest): Promise<void> {
    const interaction = await this.pendingInteractions.load(request);
    interaction.result = { error: 'access_denied', error_description: 'The user declined.' };
    await interaction.persist();
  }

  /** The user will sign in with another account. */
  async restart(request: PendingRequest): Promise<void> {
    const interaction = await this.pendingInteractions.load(request);
    interaction.session = undefined;
    interaction.result = {};
    await interaction.persist();
  }

  private async finishStep(interaction: Interaction, result: Record<string, unknown>, pages = 1): Promise<void> {
    const passed: PassedResult = { passedPages: passedPagesOf(interaction) + pages };
    interaction.result = { ...interaction.lastSubmission, ...interaction.result, ...result, ...passed };
    await interaction.persist();
  }
}

function assertStep({ prompt, session }: Interaction, step: StepName, { accountId }: OwnRequest): void {
  if (prompt.name !== step || session?.accountId !== accountId) throw unknownInteraction();
}

/** The choice of this account in this request; a choice that the engine has not continued with yet is the later one. */
function contextOfRequest({ result, lastSubmission }: Interaction, accountId: string): ContextResult['launchContext'] {
  const made = [result, lastSubmission].map((one) => (one as ContextResult | undefined)?.launchContext);
  return made.find((one) => one?.accountId === accountId);
}

/**
 * Takes a request that waits for consent back to the launch-context step, with the scopes that it had there: those that
 * the choice made impossible come back. A request with an answer stays where it is.
 */
function returnToContext(interaction: Interaction, accountId: string): void {
  const { launchContext, ...earlier } = (interaction.lastSubmission ?? {}) as ContextResult & PassedResult;
  const isOwn = launchContext?.accountId === accountId && launchContext.scope !== undefined;
  if (interaction.prompt.name !== 'consent' || !isOwn || interaction.result !== undefined) return;
  interaction.prompt = { name: 'launch-context', reasons: ['unresolved'], details: {} };
  interaction.params = { ...interaction.params, scope: launchContext.scope };
  const passed: PassedResult = { passedPages: passedPagesOf(interaction) - (launchContext.pages ?? 0) };
  interaction.lastSubmission = { ...earlier, ...passed } as never;
}

/** Counts the pages of the steps before this one: repeating an answer does not count twice. */
function passedPagesOf({ lastSubmission }: Interaction): number {
  return (lastSubmission as PassedResult | undefined)?.passedPages ?? 0;
}
