import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountChoice } from './application/account-choice.js';
import { BackchannelLogout } from './application/backchannel-logout.js';
import { BrowserSessions } from './application/browser-sessions.js';
import { FlowProgress } from './application/flow-progress.js';
import { GrantedScopes } from './application/granted-scopes.js';
import { InteractionFacts } from './application/interaction-facts.js';
import { Interactions } from './application/interactions.js';
import { LaunchTrials } from './application/launch-trials.js';
import { MisdirectedRequests } from './application/misdirected-requests.js';
import { PendingInteractions } from './application/pending-interactions.js';
import { RegisteredEhrLaunches } from './application/registered-ehr-launches.js';
import { SignIns } from './application/sign-ins.js';
import { SignedStatements } from './application/signed-statements.js';
import { TokenFaults } from './application/token-faults.js';
import { TokenReader } from './application/token-reader.js';
import { WaitingRequests } from './application/waiting-requests.js';
import { AccessTokens } from './domain/access-tokens.js';
import { EhrLaunches } from './domain/ehr-launches.js';
import { RefusedTokens } from './domain/refused/refused-tokens.js';
import { Steps } from './domain/steps.js';
import { PostedRequests } from './engine/authorization/posted-requests.js';
import { ScopeNotes } from './engine/authorization/scope-notes.js';
import { ScopeRemedies } from './engine/authorization/scope-remedies.js';
import { ServersOfScopes } from './engine/authorization/scope-servers.js';
import { RemoteKeySets } from './engine/clients/remote-key-sets.js';
import { SecretGuesses } from './engine/clients/secret-guesses.js';
import { ServiceProofs } from './engine/clients/service-proofs.js';
import { EngineHandler } from './engine/engine.handler.js';
import { adaptationProviders, EngineAssembly } from './engine/engine-assembly.js';
import { TokenReuse } from './engine/grants/single-use.js';
import { KeyFigures } from './engine/keys/key-figures.js';
import { KeyRing } from './engine/keys/key-ring.js';
import { SigningKeys } from './engine/keys/signing-keys.js';
import { ClientRefusals } from './engine/refusals/client-refusals.js';
import { EndpointRefusals } from './engine/refusals/endpoint-refusals.js';
import { RefusalCauses } from './engine/refusals/refusal-causes.js';
import { RequestRefusals } from './engine/refusals/request-refusals.js';
import { VerificationKeys } from './engine/refusals/verification-keys.js';
import { EngineSessions } from './engine/sessions/engine-sessions.js';
import { Engine } from './engine/shared/engine.js';
import { RequestedBases } from './engine/shared/requested-base.js';
import { AccessTokenLookup } from './engine/tokens/access-token-lookup.js';
import { DpopNonces } from './engine/tokens/dpop-nonces.js';
import { DpopProofs } from './engine/tokens/dpop-proofs.js';
import { JwtAccessTokens } from './engine/tokens/jwt-access-tokens.js';
import { PresentedTokens } from './engine/tokens/presented-tokens.js';
import { RepresentedTokens } from './engine/tokens/represented-tokens.js';
import { TrialTokenRequests } from './engine/trials/token-requests.js';
import { UnreadRequests } from './engine/unread-requests.js';
import { AccountController } from './http/account.controller.js';
import { AuthorizationController } from './http/authorization.controller.js';
import { MisdirectedHandler } from './http/misdirected.handler.js';

/**
 * The protocol: sign-in steps, scopes, tokens, browser sessions; the only module that imports oidc-provider. Line 5 of
 * the direction of use.
 */
@Module({
  imports: [OidcStoreModule, FhirServerModule, ClientsModule, UsersModule, RepresentationModule],
  controllers: [AccountController, AuthorizationController],
  providers: [
    { provide: AccessTokens, useClass: TokenReader },
    { provide: RefusedTokens, useClass: TokenFaults },
    AccountChoice,
    BackchannelLogout,
    BrowserSessions,
    { provide: EhrLaunches, useClass: RegisteredEhrLaunches },
    ...adaptationProviders,
    ScopeNotes,
    ScopeRemedies,
    ServersOfScopes,
    EndpointRefusals,
    RefusalCauses,
    RequestRefusals,
    AccessTokenLookup,
    DpopNonces,
    DpopProofs,
    VerificationKeys,
    ClientRefusals,
    Engine,
    EngineAssembly,
    JwtAccessTokens,
    RequestedBases,
    EngineSessions,
    InteractionFacts,
    PendingInteractions,
    PostedRequests,
    PresentedTokens,
    RepresentedTokens,
    EngineHandler,
    GrantedScopes,
    Interactions,
    KeyFigures,
    KeyRing,
    LaunchTrials,
    MisdirectedHandler,
    MisdirectedRequests,
    FlowProgress,
    RemoteKeySets,
    SecretGuesses,
    ServiceProofs,
    SignIns,
    SignedStatements,
    SigningKeys,
    Steps,
    TokenReuse,
    TrialTokenRequests,
    UnreadRequests,
    WaitingRequests,
  ],
  exports: [
    AccessTokens,
    BrowserSessions,
    EhrLaunches,
    EngineHandler,
    GrantedScopes,
    Interactions,
    LaunchTrials,
    MisdirectedHandler,
    RefusedTokens,
    SignedStatements,
    SignIns,
    Steps,
    WaitingRequests,
  ],
})
export class OidcModule {}
