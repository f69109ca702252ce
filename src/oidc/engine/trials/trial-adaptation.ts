import { Injectable } from '@nestjs/common';
import Provider from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { trialPagePath } from '../../domain/trial.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { type TrialIdMember, type TrialMember, trialOf, trialProvenBy } from '../shared/trial-at-hand.js';

type Find = (value: string, options?: object) => Promise<object | undefined>;

/** Launches that administrators try (decision 0074): their requests, their redirect URI, and their codes. */
@Injectable()
export class TrialAdaptation implements EngineAdaptation {
  constructor(private readonly config: Config) {}

  install(provider: Provider): void {
    openToItsSessionOnly(provider);
    keepWithRequest(provider);
    admitRedirectUri(provider, this.config.server.issuer + trialPagePath);
    redeemByPortalOnly(provider);
  }
}

/** The stored request of a trial is unknown to every session but the one in which it began. */
function openToItsSessionOnly(provider: Provider): void {
  const { PushedAuthorizationRequest: model } = provider;
  const find = model.find.bind(model) as unknown as Find;
  Object.defineProperty(model, 'find', {
    configurable: true,
    async value(...of: Parameters<Find>) {
      const found = await find(...of);
      const { trial } = (found ?? {}) as TrialMember;
      const session = Provider.ctx?.oidc.session;
      const isOther = trial && (session?.accountId !== trial.accountId || session.uid !== trial.sessionUid);
      return isOther ? undefined : found;
    },
  });
}

/** Interactions and codes keep the trial that their request belongs to. */
function keepWithRequest(provider: Provider): void {
  const { prototype: interaction } = provider.Interaction;
  const { save: saveInteraction } = interaction;
  Object.defineProperty(interaction, 'save', {
    configurable: true,
    value(this: typeof interaction & TrialMember, ...of: Parameters<typeof saveInteraction>) {
      const trial = Provider.ctx && trialOf(Provider.ctx);
      if (trial) this.trial ??= trial;
      return saveInteraction.apply(this, of);
    },
  });
  const { prototype: code } = provider.AuthorizationCode;
  const { save: saveCode } = code;
  Object.defineProperty(code, 'save', {
    configurable: true,
    value(this: typeof code & TrialIdMember, ...of: Parameters<typeof saveCode>) {
      const trial = Provider.ctx && trialOf(Provider.ctx);
      if (trial) this.trialId = trial.id;
      return saveCode.apply(this, of);
    },
  });
}

/** In requests of trials the portal's own page is a redirect URI of the client, next to the registered ones. */
function admitRedirectUri(provider: Provider, page: string): void {
  const { prototype } = provider.Client;
  const { redirectUriAllowed: isRegistered } = prototype;
  Object.defineProperty(prototype, 'redirectUriAllowed', {
    configurable: true,
    value(this: typeof prototype, uri: string) {
      const isOfTrial = uri === page && Provider.ctx !== undefined && trialOf(Provider.ctx) !== undefined;
      return isOfTrial || isRegistered.call(this, uri);
    },
  });
}

/**
 * The code of a trial is unknown to every token request but the one that the portal makes for this trial, which redeems
 * no other code.
 */
function redeemByPortalOnly(provider: Provider): void {
  const { AuthorizationCode: model } = provider;
  const find = model.find.bind(model) as unknown as Find;
  Object.defineProperty(model, 'find', {
    configurable: true,
    async value(...of: Parameters<Find>) {
      const found = await find(...of);
      const { ctx } = Provider;
      if (!found || ctx?.oidc.route !== 'token') return found;
      return (found as TrialIdMember).trialId === trialProvenBy(ctx.req) ? found : undefined;
    },
  });
}
