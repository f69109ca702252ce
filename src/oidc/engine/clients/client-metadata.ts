import type { AdapterPayload } from 'oidc-provider';
import type { RegisteredClient } from '../../../clients/application/registered-clients.js';
import { tokenGrantTypesOf } from '../../../contract/rules/client-values.js';
import type { SigningAlgorithm } from '../../../platform/config/config.js';
import type { ClientExtras } from '../shared/engine-models.js';
import { signingAlgorithmFor } from './security-profile.js';

/**
 * The client's metadata for the engine. The engine knows one authentication method per client and Gatehouse several:
 * the method is therefore `none` here and chosen per request in {@link ./client-authentication.js}.
 */
export function clientMetadata(client: RegisteredClient, idTokenAlgorithm: SigningAlgorithm): AdapterPayload {
  const { settings, keys, jwksUrls } = client;
  const signing = signingAlgorithmFor(settings, idTokenAlgorithm);
  const byCode = settings.allowedGrantTypes.includes('authorization_code');
  const extras: ClientExtras = {
    gatehouse: {
      name: client.clientName,
      type: client.clientType,
      settings,
      hasSharedSecret: client.hasSharedSecret,
      keys,
      jwksUrls,
    },
  };
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    application_type: settings.applicationType,
    token_endpoint_auth_method: 'none',
    grant_types: tokenGrantTypesOf(settings.allowedGrantTypes),
    response_types: byCode ? ['code'] : [],
    redirect_uris: byCode ? settings.redirectUris : [],
    post_logout_redirect_uris: settings.postLogoutRedirectUris,
    require_pushed_authorization_requests: settings.requirePar,
    require_signed_request_object: settings.requireSignedRequestObject,
    dpop_bound_access_tokens: settings.requireDpop,
    id_token_signed_response_alg: signing,
    authorization_signed_response_alg: signing,
    introspection_signed_response_alg: signing,
    ...extras,
  } as AdapterPayload;
}
