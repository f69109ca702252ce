import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { LoginOptions } from '../../contract/session.js';
import { Interactions } from '../../oidc/application/interactions.js';
import { allowedSignInMethods } from '../../oidc/domain/sign-in-methods.js';
import { Config } from '../../platform/config/config.js';
import { cookieNames, readCookie } from '../../platform/http/cookies.js';

/** The sign-in methods offered for an authorization request. */
@Injectable()
export class SignInOptions {
  constructor(
    private readonly interactions: Interactions,
    private readonly config: Config,
  ) {}

  /** The methods for the app's request behind `returnUrl`, if there is one. */
  async forRequest(request: IncomingMessage, returnUrl: string | null | undefined): Promise<LoginOptions> {
    const browser = readCookie(request, cookieNames(this.config.server.issuer).browser);
    const interaction = returnUrl ? await this.interactions.find(returnUrl, browser) : undefined;
    const { local, providers } = allowedSignInMethods(this.config, interaction?.client.settings);
    return {
      enableLocalLogin: local,
      externalProviders: providers.map(({ scheme, displayName }) => ({ authenticationScheme: scheme, displayName })),
      loginHint: interaction?.loginHint ?? null,
    };
  }
}
