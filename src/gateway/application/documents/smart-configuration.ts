import { tokenGrantTypes } from '../../../contract/rules/client-values.js';
import type { SmartConfiguration } from '../../../contract/smart-configuration.js';
import { enginePaths } from '../../../oidc/domain/engine-paths.js';
import { supportedScopes } from '../../../oidc/domain/supported-scopes.js';
import type { Config } from '../../../platform/config/config.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import { brandMembers } from './brand-bundle.js';

/** Advertised only where a system is configured that can announce launches. */
const ehrLaunch = ['launch-ehr', 'context-ehr-patient', 'context-ehr-encounter'];

type WithoutBrands = Required<Omit<SmartConfiguration, 'user_access_brand_bundle' | 'user_access_brand_identifier'>>;

/** The document of a FHIR base, with the way to the organizations behind it. */
export function smartConfigurationAt(base: FhirBase, config: Config): SmartConfiguration {
  return { ...smartConfiguration(config), ...brandMembers(config, base) };
}

/** Everything in it is supported; what is not is left out. */
export function smartConfiguration(config: Config): WithoutBrands {
  const { issuer } = config.server;
  return {
    issuer,
    jwks_uri: issuer + enginePaths.jwks,
    authorization_endpoint: issuer + enginePaths.authorization,
    token_endpoint: issuer + enginePaths.token,
    introspection_endpoint: issuer + enginePaths.introspection,
    revocation_endpoint: issuer + enginePaths.revocation,
    grant_types_supported: [...tokenGrantTypes],
    response_types_supported: ['code'],
    scopes_supported: supportedScopes(config),
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'RS384', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
    capabilities: [
      'launch-standalone',
      ...(config.ehr.callers.length > 0 ? ehrLaunch : []),
      'authorize-post',
      'client-public',
      'client-confidential-symmetric',
      'client-confidential-asymmetric',
      'sso-openid-connect',
      'context-banner',
      'context-style',
      'context-standalone-patient',
      'context-standalone-encounter',
      'permission-offline',
      'permission-online',
      'permission-patient',
      'permission-user',
      'permission-v1',
      'permission-v2',
    ],
  };
}
