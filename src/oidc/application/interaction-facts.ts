import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import type { AuthorizingClient } from '../domain/authorization.js';
import { EhrLaunches, type LaunchRequest } from '../domain/ehr-launches.js';
import type { ChosenResource, LaunchSources } from '../domain/launch.js';
import type { StepName } from '../domain/steps.js';
import { patientOfTrial } from '../domain/trial.js';
import { contextChosenBy } from '../engine/authorization/prompts.js';
import type { Interaction, InteractionExtras } from '../engine/shared/engine-models.js';
import { RequestedBases } from '../engine/shared/requested-base.js';
import { unknownInteraction } from './pending-interactions.js';

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
  /** Those of the request before the levels of a user who acts for a patient left some out; absent for any other. */
  askedWhileActing?: string[];
  /** The launch context that the user has chosen in this request. */
  chosen: ChosenResource[];
  redirectUri: string;
  loginHint: string | undefined;
  /** True if an administrator tries the client. */
  isTrial: boolean;
  /** True if the client requires the signed-in user to sign in again (`prompt=login`, `max_age`). */
  reauthenticate: boolean;
}

/** Facts about interactions in the product's terms. Each throws `invalid` when client, user or launch is gone. */
@Injectable()
export class InteractionFacts {
  constructor(
    private readonly bases: RequestedBases,
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly launches: EhrLaunches,
  ) {}

  async describe(interaction: Interaction): Promise<OpenInteraction> {
    const clientId = String(interaction.params.client_id);
    const client = await this.clients.findByClientId(clientId);
    if (!client) throw unknownInteraction();
    const { login_hint: hint } = interaction.params;
    const { trial } = interaction as InteractionExtras;
    const { asked } = interaction.prompt.details as { asked?: unknown };
    return {
      step: interaction.prompt.name as StepName,
      reasons: interaction.prompt.reasons,
      client: { clientId, clientName: client.clientName, settings: client.settings },
      accountId: interaction.session?.accountId,
      tenant: this.bases.ofRequest(interaction.params).tenant?.id,
      scopes: splitScopes(String(interaction.params.scope ?? '')),
      ...(typeof asked === 'string' && { askedWhileActing: splitScopes(asked) }),
      chosen: trial
        ? patientOfTrial(trial)
        : (contextChosenBy(interaction.session?.accountId ?? '', interaction.lastSubmission) ?? []),
      redirectUri: String(interaction.params.redirect_uri),
      loginHint: typeof hint === 'string' && hint.length <= 254 ? hint : undefined,
      isTrial: trial !== undefined,
      reauthenticate: interaction.prompt.reasons.some((reason) => reason === 'login_prompt' || reason === 'max_age'),
    };
  }

  /** URL of the FHIR base that the client requested. */
  fhirBaseOf({ params }: Interaction): string {
    return this.bases.ofRequest(params).url;
  }

  async account(id: string): Promise<UserFacts> {
    const account = await this.accounts.findById(id);
    if (!account) throw unknownInteraction();
    return account;
  }

  /** As {@link EhrLaunches.basisOf}, for the patient for whom the user acts; undefined for any other. */
  async representationOf({ acting }: LaunchSources) {
    return acting && this.launches.basisOf(acting);
  }

  /** Sources of the launch context for this user; throws `invalid` if the launch is not for this user. */
  async launchOf(
    interaction: Interaction,
    account: UserFacts,
    { isQuestion = false }: Pick<LaunchRequest, 'isQuestion'> = {},
  ): Promise<LaunchSources> {
    const { params, lastSubmission } = interaction;
    const launch = await this.launches.sources({
      launch: params.launch,
      clientId: String(params.client_id),
      account,
      base: this.bases.ofRequest(params),
      chosen: contextChosenBy(account.id, lastSubmission) ?? [],
      trial: (interaction as InteractionExtras).trial,
      isQuestion,
    });
    if (!launch) throw unknownInteraction();
    return launch;
  }
}
