import { IsString, MaxLength } from 'class-validator';

/** `GET /api/admin/client/available-resourcetypegroups`: names for several of the available resource types at once. */
export class ResourceTypeGroup {
  name: string;
  resourceTypes: string[];
}

/** `GET /api/admin/client/available-identityproviders`: what `identityProviderRestrictions` can name. */
export class ClientIdentityProvider {
  scheme: string;
  displayName: string;
}

/** A FHIR base that `allowedTenants` can name. */
export class ClientTenant {
  id: string;
  name: string;
}

/** `GET /api/admin/client/form-conditions`: what the form has to know of how this portal is set up. */
export class ClientFormConditions {
  /** No client may use external login; local login cannot be switched off. */
  externalLoginRestricted: boolean;
  /** The portal's gateway reads the scopes of tokens, so that those that it cannot enforce are not granted. */
  enforcesScopes: boolean;
  tenants: ClientTenant[];
}

/** `POST /api/admin/client/check-keys`. */
export class KeyAddress {
  @IsString()
  @MaxLength(4000)
  url: string;
}

export class PublishedKey {
  kid: string;
  kty: string;
}

/** The keys at an address that signatures can be checked with. */
export class PublishedKeys {
  keys: PublishedKey[];
}
