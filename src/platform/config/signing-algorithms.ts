import type { Config, SigningAlgorithm } from './config.js';

/** Signs for clients with the FAPI 2.0 profile, whatever is configured for the others (decision 0085). */
export const profileSigningAlgorithm: SigningAlgorithm = 'ES256';

type Configured = Pick<Config['keys'], 'idTokenAlgorithm' | 'accessTokenAlgorithm'>;

/** The algorithms for which an installation has keys. */
export function algorithmsInUse({ idTokenAlgorithm, accessTokenAlgorithm }: Configured): SigningAlgorithm[] {
  return [...new Set([idTokenAlgorithm, accessTokenAlgorithm, profileSigningAlgorithm])];
}

/** The algorithms that sign access tokens. */
export function accessTokenAlgorithms({ accessTokenAlgorithm }: Configured): SigningAlgorithm[] {
  return [...new Set([accessTokenAlgorithm, profileSigningAlgorithm])];
}
