import type { JWK } from 'jose';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';

/** One concern in which the engine is adapted. The engine is created again for each set of keys. */
export interface EngineAdaptation {
  /** Members of the engine's configuration, which no other adaptation sets; `features` are merged one by one. */
  configuration?(keys: JWK[]): Configuration;
  /** Overrides members of a new engine. */
  install?(provider: Provider): void;
}
