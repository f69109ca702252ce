import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccessTokens } from './application/access-tokens.js';
import { AccountChoice } from './application/account-choice.js';
import { BackchannelLogout } from './application/backchannel-logout.js';
import { BrowserSessions } from './application/browser-sessions.js';
import { EhrLaunches } from './application/ehr-launches.js';
import { Engine } from './application/engine.js';
import { FlowProgress } from './application/flow-progress.js';
import { Interactions } from './application/interactions.js';
import { KeyRing } from './application/key-ring.js';
import { RemoteKeySets } from './application/remote-key-sets.js';
import { SecretGuesses } from './application/secret-guesses.js';
import { SignIns } from './application/sign-ins.js';
import { SigningKeys } from './application/signing-keys.js';
import { StartLimits } from './application/start-limits.js';
import { Steps } from './application/steps.js';
import { TokenReader } from './application/token-reader.js';
import { TokenReuse } from './application/token-reuse.js';
import { AccountController } from './http/account.controller.js';
import { AuthorizationController } from './http/authorization.controller.js';
import { EngineHandler } from './http/engine.handler.js';

@Module({
  imports: [OidcStoreModule, ClientsModule, UsersModule],
  controllers: [AccountController, AuthorizationController],
  providers: [
    { provide: AccessTokens, useClass: TokenReader },
    AccountChoice,
    BackchannelLogout,
    BrowserSessions,
    EhrLaunches,
    Engine,
    EngineHandler,
    Interactions,
    KeyRing,
    FlowProgress,
    RemoteKeySets,
    SecretGuesses,
    SignIns,
    SigningKeys,
    StartLimits,
    Steps,
    TokenReuse,
  ],
  exports: [AccessTokens, BrowserSessions, EhrLaunches, EngineHandler, Interactions, SignIns, StartLimits, Steps],
})
export class OidcModule {}
