import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { cookieNames } from '../../../platform/http/cookies.js';
import { EhrLaunches } from '../../domain/ehr-launches.js';
import { Steps } from '../../domain/steps.js';
import {
  assertClaimsParameter,
  installRequestObjectUse,
  refuseUsedObject,
  requestObjects,
} from '../clients/request-objects.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { RequestedBases } from '../shared/requested-base.js';
import { installInteractionBinding, interactionPages, keepEarlierAnswers } from './interaction-binding.js';
import { installLaunchUse, noteLaunchFault, unknownLaunch } from './launch-use.js';
import { installAccountSelection, prompts } from './prompts.js';
import { installResponseModes } from './response-modes.js';

/** The way from a client's request through the steps to its code. */
@Injectable()
export class AuthorizationAdaptation implements EngineAdaptation {
  constructor(
    private readonly steps: Steps,
    private readonly launches: EhrLaunches,
    private readonly records: OidcRecords,
    private readonly bases: RequestedBases,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return {
      scopes: ['openid', 'fhirUser', 'profile', 'email', 'phone', 'offline_access'],
      responseTypes: ['code'],
      subjectTypes: ['public'],
      extraParams: {
        jti: (ctx) => refuseUsedObject(ctx, this.records),
        launch: (ctx, value, client) => this.assertLaunch(ctx, value, client),
      },
      loadExistingGrant: async (ctx) => {
        const grantId = ctx.oidc.result?.consent?.grantId;
        return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
      },
      interactions: {
        policy: prompts(this.steps, this.launches, this.bases, this.config),
        url: interactionPages(this.bases, this.config.server.issuer),
      },
      features: {
        devInteractions: { enabled: false },
        pushedAuthorizationRequests: { enabled: true },
        requestObjects,
        jwtResponseModes: { enabled: true },
        claimsParameter: { enabled: true, assertClaimsParameter },
      },
    };
  }

  install(provider: Provider): void {
    installInteractionBinding(provider, this.records, cookieNames(this.config.server.issuer));
    keepEarlierAnswers(provider);
    installResponseModes(provider);
    installAccountSelection(provider);
    installLaunchUse(provider, this.launches);
    installRequestObjectUse(provider, this.records);
  }

  /** Checks the launch before a user has signed in; a later check compares it with the user. */
  private async assertLaunch(
    ctx: KoaContextWithOIDC,
    value: string | undefined,
    client: { clientId: string } | undefined,
  ): Promise<void> {
    const isRequested = splitScopes(String(ctx.oidc.params?.scope ?? '')).includes('launch');
    if (value === undefined) {
      if (isRequested) note('launch-scope-alone');
      return;
    }
    const clientId = client?.clientId ?? '';
    const base = this.bases.forRequest(ctx);
    const found = await this.launches.findForClient(value, clientId, base);
    if (!found) {
      await noteLaunchFault(this.launches, { launch: value, clientId, base });
      throw unknownLaunch();
    }
    if (!isRequested) note('launch-without-scope');
    if (found.unread !== undefined) note('launch-parameters-unread', { names: found.unread });
  }
}
