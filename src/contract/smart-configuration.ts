/** A FHIR Identifier. */
export class BrandIdentifier {
  system: string;
  value: string;
}

/**
 * `/.well-known/smart-configuration` (`SMART 2.2 §conformance`), also
 * `GET /api/admin/configuration/fs-smart-configuration`: the document of the FHIR base that apps use. Ours is complete;
 * one that a FHIR server gives may lack members and have more.
 */
export class SmartConfiguration {
  issuer?: string;
  jwks_uri?: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  introspection_endpoint?: string;
  revocation_endpoint?: string;
  grant_types_supported?: string[];
  response_types_supported?: string[];
  scopes_supported?: string[];
  code_challenge_methods_supported?: string[];
  token_endpoint_auth_methods_supported?: string[];
  token_endpoint_auth_signing_alg_values_supported?: string[];
  capabilities?: string[];
  /** Address of the organizations that apps list to their users (`SMART 2.2 §brands`). */
  user_access_brand_bundle?: string;
  /** The identifier of the primary one among them. */
  user_access_brand_identifier?: BrandIdentifier;
}
