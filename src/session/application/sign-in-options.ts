import { Injectable } from '@nestjs/common';
import type { LoginOptions } from '../../contract/session.js';
import { Interactions, type OpenInteraction } from '../../oidc/application/interactions.js';
import { flowAppOf } from '../../oidc/domain/flow-app.js';
import { allowedSignInMethods } from '../../oidc/domain/sign-in-methods.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Config, type IdentityProvider } from '../../platform/config/config.js';
import type { Browser } from '../../platform/request/browser.js';

/** A sign-in that is about to start: at the portal itself, or for the app's request behind `returnUrl`. */
export interface SignInStart {
  browser: Browser;
  returnUrl: string | null | undefined;
}

/** The sign-in methods offered for an authorization request. */
@Injectable()
export class SignInOptions {
  constructor(
    private readonly interactions: Interactions,
    private readonly config: Config,
  ) {}

  /** The methods for the app's request behind `returnUrl`, if there is one; the sign-in page asks for them. */
  async forRequest(start: SignInStart): Promise<LoginOptions> {
    const interaction = await this.interactionOf(start);
    if (interaction) note('page-shown', { page: 'login' });
    const { local, providers } = allowedSignInMethods(this.config, interaction?.client.settings);
    return {
      enableLocalLogin: local,
      externalProviders: providers.map(({ scheme, displayName }) => ({ authenticationScheme: scheme, displayName })),
      loginHint: interaction?.loginHint ?? null,
      app: (interaction && flowAppOf(interaction)) ?? null,
    };
  }

  /** The provider of this scheme, if it is offered, with the app's request, if one waits (security K-10, A-32). */
  async providerFor(
    start: SignInStart,
    scheme: unknown,
  ): Promise<{ provider: IdentityProvider | undefined; interaction: OpenInteraction | undefined }> {
    const interaction = await this.interactionOf(start);
    const { providers } = allowedSignInMethods(this.config, interaction?.client.settings);
    return { provider: providers.find((one) => one.scheme === scheme), interaction };
  }

  private async interactionOf({ browser, returnUrl }: SignInStart): Promise<OpenInteraction | undefined> {
    return returnUrl ? this.interactions.findOpen({ returnUrl, browser }) : undefined;
  }
}
