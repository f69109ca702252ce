import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import { RefreshAnswers } from '../../oidc-store/infrastructure/refresh-answers.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { enginePaths } from '../domain/engine-paths.js';
import { smartStyleUrl } from '../domain/smart-style.js';
import { supportedScopes } from '../domain/supported-scopes.js';
import { SecretGuesses } from './clients/secret-guesses.js';
import type { EngineAdaptation } from './engine-adaptation.js';
import { renderError } from './engine-pages.js';
import { publishedKeysSeconds } from './keys/key-ring.js';
import { requestMiddleware } from './request-middleware.js';
import { RequestedBases } from './shared/requested-base.js';

/** Every request to the engine: its path, its transaction, and the members that SMART adds to the answer. */
@Injectable()
export class RequestAdaptation implements EngineAdaptation {
  constructor(
    private readonly database: Database,
    private readonly answers: RefreshAnswers,
    private readonly guesses: SecretGuesses,
    private readonly bases: RequestedBases,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return { routes: enginePaths, renderError };
  }

  install(provider: Provider): void {
    const { database, answers, guesses, bases, config } = this;
    provider.use(
      requestMiddleware({
        database,
        answers,
        guesses,
        bases,
        styleUrl: smartStyleUrl(config),
        scopesSupported: supportedScopes(config),
        keySetMaxAgeSeconds: publishedKeysSeconds(config),
      }) as never,
    );
  }
}
